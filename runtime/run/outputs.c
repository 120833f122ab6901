/* SPDX-License-Identifier: MIT
 * What --out, --print, --expect and --stats ask for. */
#include "runtime/run/run.h"

#include "support/file.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* "-" is `out`; what is still in its buffer is asked for when the command ends. */
mpu_result run_write_file(const struct run_options *o, const char *path, const struct str *text,
                          struct diag *d, FILE *out) {
    if (strcmp(path, "-") == 0) {
        if (fwrite(str_text(text), 1, text->len, out) == text->len)
            return MPU_OK;
        diag_error(d, NO_SPAN, "cannot write standard output: %s", strerror(errno));
        return MPU_FILE;
    }
    if (file_write(path, str_text(text), text->len)) {
        tool_say(o->cl, "wrote '%s': %zu bytes", path, text->len);
        return MPU_OK;
    }
    diag_error(d, NO_SPAN, "cannot write '%s': %s", path, strerror(errno));
    return MPU_FILE;
}

bool run_suffix_known(const char *path, struct diag *d) {
    static const char *const suffixes[] = {".npy", ".pgm", ".ppm", ".csv", ".txt", ".raw"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcasecmp(dot, suffixes[i]) == 0)
            return true;
    diag_error(d, NO_SPAN,
               "cannot tell the format of '%s': the name ends in none of .npy .pgm .ppm .csv .txt "
               ".raw",
               path);
    return false;
}

void run_fetched_free(struct run_fetched *f) {
    for (size_t i = 0; i < f->arrays.len; i++)
        array_free(&f->arrays.data[i].values);
    vec_free(&f->arrays);
}

/* A view of what the machine holds under a name; the data stays with f. */
static mpu_result fetch(struct run_fetched *f, const char *name, struct array *view,
                        struct diag *d) {
    for (size_t i = 0; i < f->arrays.len; i++)
        if (strcmp(f->arrays.data[i].name, name) == 0) {
            *view = f->arrays.data[i].values;
            return MPU_OK;
        }
    struct run_array x = {.name = name};
    mpu_result r = session_view_diag(f->s, name, &x.values, d);
    if (r == MPU_OK)
        vec_push(&f->arrays, x);
    *view = x.values;
    return r;
}

/* A file of which all but the head is the array as it lies in memory. */
static mpu_result write_parts(const struct run_options *o, const char *path, const struct str *head,
                              const void *data, uint64_t size, struct diag *d) {
    if (file_write_parts(path, str_text(head), head->len, data, size)) {
        tool_say(o->cl, "wrote '%s': %zu bytes", path, head->len + (size_t)size);
        return MPU_OK;
    }
    diag_error(d, NO_SPAN, "cannot write '%s': %s", path, strerror(errno));
    return MPU_FILE;
}

static mpu_result output(const struct run_options *o, struct run_fetched *f,
                         const struct run_item *x, struct diag *d, FILE *out) {
    struct array a;
    struct str head = {0};
    uint64_t follow;
    const char *format = strcmp(x->value, "-") == 0 ? "standard-output.txt" : x->value;
    mpu_result r = fetch(f, x->name, &a, d);
    if (r == MPU_OK && o->quiet)
        return r;
    if (r == MPU_OK && !array_format_head(format, &a, &head, &follow, d))
        r = MPU_REJECTED;
    if (r == MPU_OK)
        r = follow ? write_parts(o, x->value, &head, a.data, follow, d)
                   : run_write_file(o, x->value, &head, d, out);
    str_free(&head);
    return r;
}

mpu_result run_outputs(const struct run_options *o, struct run_fetched *f, struct diag *d,
                       FILE *out) {
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < o->out.len; i++)
        r = output(o, f, &o->out.data[i], d, out);
    return r;
}

/* Elements [begin, end) with one line for each run of the last index. */
static void rows(const struct array *a, uint64_t begin, uint64_t end, struct str *out) {
    uint64_t row = a->ndim ? a->shape[a->ndim - 1] : 1;
    for (uint64_t i = begin; i < end; i++) {
        bool starts = a->ndim > 1 && i % row == 0;
        str_append(out, starts ? "\n  " : " ");
        array_element_text(a->type, array_get(a, i), out);
    }
    str_char(out, '\n');
}

static mpu_result print_one(const struct run_options *o, struct run_fetched *f,
                            const struct run_item *x, struct diag *d, FILE *out) {
    struct array a;
    struct str text = {0};
    mpu_result r = fetch(f, x->name, &a, d);
    if (r != MPU_OK || o->quiet)
        return r;
    uint64_t first = a.ndim ? a.shape[0] : 1, inner = first ? a.count / first : 0;
    uint64_t to = x->sliced && x->to < first ? x->to : first;
    if (x->from > first) {
        diag_error(d, NO_SPAN, "--print %s[%llu:]: the first extent is %llu", x->name,
                   (unsigned long long)x->from, (unsigned long long)first);
        r = MPU_REJECTED;
    } else {
        str_append(&text, x->name);
        if (x->sliced)
            str_printf(&text, "[%llu:%llu]", (unsigned long long)x->from, (unsigned long long)to);
        str_append(&text, " =");
        rows(&a, x->from * inner, to * inner, &text);
        r = run_write_file(o, "-", &text, d, out);
    }
    str_free(&text);
    return r;
}

mpu_result run_prints(const struct run_options *o, struct run_fetched *f, struct diag *d,
                      FILE *out) {
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < o->print.len; i++)
        r = print_one(o, f, &o->print.data[i], d, out);
    return r;
}

/* ---- --expect ---- */

enum { SHOWN_DIFFERENCES = 5 };

static void note_difference(const char *name, const struct array *have, const struct array *want,
                            uint64_t i, struct diag *d) {
    struct str index = {0}, a = {0}, b = {0};
    if (have->ndim)
        index_text(have, i, &index);
    array_element_text(have->type, array_get(have, i), &a);
    array_element_text(want->type, array_get(want, i), &b);
    diag_note(d, NO_SPAN, "%s%s is %s, not %s", name, str_text(&index), str_text(&a), str_text(&b));
    str_free(&index);
    str_free(&a);
    str_free(&b);
}

/* Equal as numbers, whatever their types. */
static bool same_number(const struct array *a, const struct array *b, uint64_t i) {
    uint64_t x = array_get(a, i), y = array_get(b, i);
    bool x_negative = a->type.kind == ELEMENT_INT && x >> 63;
    bool y_negative = b->type.kind == ELEMENT_INT && y >> 63;
    return x == y && x_negative == y_negative;
}

static mpu_result compare(const char *name, const char *source, const struct array *have,
                          const struct array *want, struct diag *d) {
    uint64_t count = 0, at[SHOWN_DIFFERENCES];
    if (array_same_data(have, want))
        return MPU_OK;
    for (uint64_t i = 0; i < have->count; i++) {
        if (same_number(have, want, i))
            continue;
        if (count < SHOWN_DIFFERENCES)
            at[count] = i;
        count++;
    }
    if (count == 0)
        return MPU_OK;
    diag_error(d, NO_SPAN, "'%s' differs from '%s' in %llu of %llu elements", name, source,
               (unsigned long long)count, (unsigned long long)have->count);
    for (uint64_t k = 0; k < count && k < SHOWN_DIFFERENCES; k++)
        note_difference(name, have, want, at[k], d);
    return MPU_DIFFERS;
}

/* Numbers without a type take the shape of what they are compared with. */
static bool comparable(const struct array *have, struct array *want, enum source_form form) {
    if (form == FORM_TEXT && want->count == have->count && want->ndim <= 1) {
        want->ndim = have->ndim;
        memcpy(want->shape, have->shape, sizeof want->shape);
    }
    return want->type.kind != ELEMENT_FLOAT && want->ndim == have->ndim &&
           memcmp(want->shape, have->shape, want->ndim * sizeof *want->shape) == 0 &&
           (form == FORM_TEXT ||
            (want->type.kind == have->type.kind && want->type.bits == have->type.bits));
}

static mpu_result incomparable(const char *name, const struct array *have, const char *source,
                               const struct array *want, struct diag *d) {
    struct str a = {0}, b = {0};
    array_shape_text(have, &a);
    array_shape_text(want, &b);
    diag_error(d, NO_SPAN, "'%s' is %s of shape %s; '%s' holds %s of shape %s", name,
               array_type_name(have->type), str_text(&a), source, array_type_name(want->type),
               str_text(&b));
    str_free(&a);
    str_free(&b);
    return MPU_DIFFERS;
}

/* A bare register is compared as far as the file goes. */
static void shorten(const mpu_session *s, const char *name, struct array *have,
                    const struct array *want) {
    bool bare = object_find_variable(s->object, name) == NO_INDEX;
    if (!bare || want->count >= have->count)
        return;
    have->count = have->shape[0] = want->count;
}

static mpu_result expect(struct run_fetched *f, const struct run_item *x, struct diag *d) {
    struct array have, want = {0};
    struct data_source from;
    mpu_result r = fetch(f, x->name, &have, d);
    if (r != MPU_OK)
        return r;
    r = run_read_array(x->name, x->value, &have, false, &from, &want, d);
    if (r == MPU_OK) {
        shorten(f->s, x->name, &have, &want);
        r = comparable(&have, &want, from.form) ? compare(x->name, x->value, &have, &want, d)
                                                : incomparable(x->name, &have, x->value, &want, d);
    }
    array_free(&want);
    return r;
}

mpu_result run_expects(const struct run_options *o, struct run_fetched *f, struct diag *d) {
    mpu_result worst = MPU_OK;
    for (size_t i = 0; i < o->expect.len; i++) {
        mpu_result r = expect(f, &o->expect.data[i], d);
        if (worst == MPU_OK || (r != MPU_OK && r != MPU_DIFFERS))
            worst = r;
    }
    return worst;
}

mpu_result run_statistics(const struct run_options *o, mpu_session *s, struct diag *d, FILE *out) {
    mpu_result r = MPU_OK;
    for (size_t i = 0; r == MPU_OK && i < o->stats.len; i++) {
        struct str text = {0};
        r = session_stats_diag(s, o->stats.data[i].format,
                               strcmp(o->stats.data[i].file, "-") == 0 ? o->columns : 0, &text, d);
        if (r == MPU_OK)
            r = run_write_file(o, o->stats.data[i].file, &text, d, out);
        str_free(&text);
    }
    return r;
}
