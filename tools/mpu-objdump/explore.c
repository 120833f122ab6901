/* SPDX-License-Identifier: MIT
 * Two runs with the same data: of one the micro-ops are told, of the other what was written.  Both
 * carry out the same instructions in the same order, whose numbers lead from one to the other. */
#include "tools/mpu-objdump/explore.h"
#include "tools/mpu-objdump/packages.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

struct exploring {
    const struct objdump_options *o;
    struct explored *out;
    struct str line;    /* what has come of one */
    struct map numbers; /* of an instruction of the run -> index in the text */
    bool header;        /* the line is the first */
};

/* ---- lines of the two logs ---- */

/* The field'th of a line of CSV; *size is its length.  NULL: there are fewer. */
static const char *field_of(const char *line, unsigned field, size_t *size) {
    for (; field; field--) {
        line = strchr(line, ',');
        if (!line++)
            return NULL;
    }
    *size = strcspn(line, ",");
    return line;
}

static uint64_t number_of(const char *line, unsigned field) {
    size_t size;
    const char *at = field_of(line, field, &size);
    return at ? strtoull(at, NULL, 10) : UINT64_MAX;
}

/* number,batch,time_ps,mpu,rfh,vrf,vrfs,index,order,...: the rest says what the micro-op is. */
enum { CSV_NUMBER = 0, CSV_TIME = 2, CSV_INDEX = 7, CSV_ORDER = 8, CSV_REST = 9 };

static void take_uop(struct exploring *exploring, const char *line) {
    uint64_t number = number_of(line, CSV_NUMBER), index = number_of(line, CSV_INDEX),
             order = number_of(line, CSV_ORDER);
    size_t size;
    const char *rest = field_of(line, CSV_REST, &size);
    if (index >= exploring->out->count || !rest)
        return;
    struct explored_insn *x = &exploring->out->insns[index];
    if (!x->number) {
        x->number = number;
        map_put_n(&exploring->numbers, (const char *)&number, sizeof number, index);
    }
    if (x->number != number || (int64_t)order <= x->order)
        return;
    x->order = (int64_t)order;
    if (x->count++ >= EXPLORE_LINES)
        return;
    str_printf(&x->uops, "%8llu ps  ", (unsigned long long)number_of(line, CSV_TIME));
    for (bool quoted = false; *rest; rest++) {
        quoted ^= *rest == '"';
        if (*rest == ',' && !quoted)
            str_append(&x->uops, "  ");
        else if (*rest != '"')
            str_char(&x->uops, *rest);
    }
    while (x->uops.len && x->uops.text[x->uops.len - 1] == ' ')
        x->uops.text[--x->uops.len] = '\0';
    str_char(&x->uops, '\n');
    x->lines++;
}

static struct explored_plane *plane_of(struct explored_insn *insn, const char *name, size_t size) {
    struct explored_plane fresh = {.known = 0};
    for (size_t i = 0; i < insn->planes.len; i++)
        if (strlen(insn->planes.data[i].name) == size &&
            memcmp(insn->planes.data[i].name, name, size) == 0)
            return &insn->planes.data[i];
    if (size >= sizeof fresh.name)
        return NULL;
    memcpy(fresh.name, name, size);
    vec_push(&insn->planes, fresh);
    return &vec_last(&insn->planes);
}

/* "    3    0 RFH0.VRF0[2]    r2 y = 12 (0xc)    AND.8 ..": number, time, lane, register, pattern.
 */
static void take_value(struct exploring *exploring, const char *line) {
    char *end;
    uint64_t number = strtoull(line, &end, 10);
    const uint64_t *index = map_get_n(&exploring->numbers, (const char *)&number, sizeof number);
    const char *lane = strchr(end, '['), *equals = lane ? strstr(lane, " = ") : NULL;
    if (!index || !equals)
        return;
    uint64_t at = strtoull(lane + 1, &end, 10);
    const char *name = end + 1 + strspn(end + 1, " ");
    const char *pattern = strstr(equals, " (0x"), *space = strchr(equals + 3, ' ');
    bool whole = pattern && pattern == space;
    struct explored_plane *p = plane_of(&exploring->out->insns[*index], name, strcspn(name, " "));
    if (!p || at >= EXPLORE_LANES)
        return;
    p->values[at] = strtoull(whole ? pattern + 2 : equals + 3, NULL, whole ? 16 : 10);
    p->known |= 1u << at;
}

static void take_bytes(struct exploring *exploring, const char *bytes, size_t size,
                       void (*take)(struct exploring *exploring, const char *line)) {
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != '\n') {
            str_char(&exploring->line, bytes[i]);
            continue;
        }
        if (!exploring->header)
            take(exploring, str_text(&exploring->line));
        exploring->header = false;
        str_clear(&exploring->line);
    }
}

static int uop_bytes(void *exploring, const void *bytes, size_t size) {
    take_bytes(exploring, bytes, size, take_uop);
    return 0;
}

static int value_bytes(void *exploring, const void *bytes, size_t size) {
    take_bytes(exploring, bytes, size, take_value);
    return 0;
}

/* ---- runs ---- */

static mpu_result put_data(const struct objdump_options *options, mpu_session *session,
                           mpu_error **error) {
    mpu_result r = MPU_OK;
    for (int shaped = 1; shaped >= 0; shaped--) /* data that need no size may give one */
        for (size_t i = 0; r == MPU_OK && i < options->data.len; i++)
            if (!mpu_data_has_shape(options->data.data[i].value) == !shaped)
                r = mpu_session_put_data(session, options->data.data[i].name,
                                         options->data.data[i].value, NULL, error);
    return r;
}

static mpu_session *open_run(const struct objdump_options *options, const mpu_program *program,
                             const mpu_target *target, mpu_messages *messages, mpu_error **error) {
    const mpu_config config = {.size = sizeof config, .threads = 1, .messages = messages};
    mpu_session *s = mpu_session_new(program, target, &config, error);
    mpu_result r = s ? MPU_OK : MPU_USAGE;
    for (size_t i = 0; r == MPU_OK && i < options->targets.sizes.len; i++)
        r = mpu_session_bind_size(s, options->targets.sizes.data[i].name,
                                  options->targets.sizes.data[i].value, error);
    r = r == MPU_OK ? put_data(options, s, error) : r;
    r = r == MPU_OK ? mpu_session_watch_part(s, 0, EXPLORE_INSNS, error) : r;
    if (r == MPU_OK)
        return s;
    mpu_session_free(s);
    return NULL;
}

static bool writes_csv(const mpu_target *target) {
    const char *name;
    for (size_t i = 0; (name = mpu_target_uop_format(target, i)); i++)
        if (strcmp(name, "csv") == 0)
            return true;
    return false;
}

static void lanes(const mpu_target *target, struct str *out) {
    uint64_t have = 0;
    mpu_target_number(target, "lanes", &have);
    for (uint64_t i = 0; i < EXPLORE_LANES && i < have; i++)
        str_printf(out, "%sRFH0.VRF0[%u]", i ? "," : "", (unsigned)i);
}

static mpu_result run(struct exploring *exploring, const mpu_program *program,
                      const mpu_target *target, mpu_messages *messages, bool values,
                      mpu_error **error) {
    struct str of = {0};
    mpu_session *s = open_run(exploring->o, program, target, messages, error);
    exploring->header = !values;
    lanes(target, &of);
    mpu_result r =
        !s ? MPU_USAGE
        : values
            ? mpu_session_watch_with(s, MPU_VALUES, str_text(&of), value_bytes, exploring, error)
            : mpu_session_watch_with(s, MPU_UOPS, "csv", uop_bytes, exploring, error);
    r = r == MPU_OK ? mpu_session_run(s, error) : r;
    r = r == MPU_OK ? mpu_session_watch_end(s, error) : r;
    mpu_session_free(s);
    str_free(&of);
    return r;
}

enum exit_code objdump_explore(const struct objdump_options *options, const mpu_program *program,
                               const char *target, uint32_t count, struct explored *out) {
    struct exploring x = {.o = options, .out = out};
    mpu_error *error = NULL;
    mpu_messages *messages = mpu_messages_new(objdump_print_message, (void *)(uintptr_t)options);
    mpu_target *t = mpu_target_open_with(target, NULL, messages, &error);
    *out =
        (struct explored){.insns = xcalloc((size_t)count + 1, sizeof *out->insns), .count = count};
    for (uint32_t i = 0; i < count; i++)
        out->insns[i].order = -1;
    if (!options->data.len) {
        out->no_uops = out->no_planes = "No data: --in NAME=DATA carries the program out.";
    } else if (t && !writes_csv(t)) {
        out->no_uops = out->no_planes = "This machine does not tell of single micro-ops.";
    } else if (t && run(&x, program, t, messages, false, &error) == MPU_OK) {
        out->ran = true;
        mpu_error *none = NULL; /* what a machine refuses alone: the run before has ended well */
        if (run(&x, program, t, NULL, true, &none) != MPU_OK)
            out->no_planes = "This machine does not tell what single instructions write.";
        mpu_error_free(none);
    }
    str_free(&x.line);
    map_free(&x.numbers);
    mpu_target_close(t);
    mpu_messages_free(messages);
    return error ? objdump_failed(error) : EXIT_DONE;
}

void objdump_explored_free(struct explored *explored) {
    for (uint32_t i = 0; explored->insns && i < explored->count; i++) {
        str_free(&explored->insns[i].uops);
        vec_free(&explored->insns[i].planes);
    }
    free(explored->insns);
}
