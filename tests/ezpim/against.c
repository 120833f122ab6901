/* SPDX-License-Identifier: MIT */
#include "tests/ezpim/against.h"

#include "ezpim/ez/parser.h"
#include "tests/ezpim/build.h"
#include "tests/ezpim/interp.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 20 * 1000 * 1000, SIZE = 7 /* without a default */ };
/* Far more than programs that end take. */
#define MOST_CYCLES UINT64_C(10000000000)

/* A program that was parsed for the interpreter. */
struct parsed {
    struct arena arena;
    struct diag *diag;
    struct ez_program *tree;
    struct interp *interp;
    const struct against_sizes *sizes; /* or NULL */
};

static bool is_open_size(const struct decl *d) {
    return d->kind == DECL_SIZE && !d->value;
}

static uint64_t value_of(const struct parsed *p, const struct decl *d) {
    for (unsigned i = 0; p->sizes && i < p->sizes->count; i++)
        if (strcmp(p->sizes->items[i].name, d->names[0].text) == 0)
            return p->sizes->items[i].value;
    return SIZE;
}

static bool parse(struct parsed *p, const char *text) {
    bool broken;
    p->diag = diag_new(NULL, NULL);
    uint32_t source = diag_source(p->diag, "test.ez", text, strlen(text));
    p->tree = ez_parse(&p->arena, p->diag, source, &broken);
    if (broken)
        return false;
    p->interp = interp_new(p->tree);
    for (const struct decl *d = p->tree->decls; d; d = d->next)
        if (is_open_size(d))
            interp_size(p->interp, d->names[0].text, value_of(p, d));
    return interp_ready(p->interp);
}

static void parsed_free(struct parsed *p) {
    if (p->interp)
        interp_free(p->interp);
    diag_free(p->diag);
    arena_free(&p->arena);
}

static void fill_inputs(struct interp *it, uint64_t seed) {
    struct rng r = {seed};
    for (size_t i = 0; i < interp_variable_count(it); i++) {
        const struct interp_variable *v = interp_variable(it, i);
        uint64_t cells = v->elements * v->count;
        for (uint64_t k = 0; (v->direction & VAR_IN) && k < cells; k++) {
            v->cells[k].pattern = !v->group && k >= v->count ? v->cells[k % v->count].pattern
                                                             : rtype_pattern(&r, v->type);
            v->cells[k].written = true;
        }
    }
}

/* The variable's values as an array of the host, whose data the caller frees. */
static mpu_array make_array(const struct interp_variable *v) {
    unsigned bytes;
    mpu_array a = {.type = rtype_storage(v->outside, &bytes), .ndim = v->ndim};
    uint64_t cells = (v->group ? v->elements : 1) * v->count;
    memcpy(a.shape, v->shape, sizeof a.shape);
    if (v->has_k)
        a.shape[a.ndim++] = v->count;
    unsigned char *data = calloc(cells, bytes);
    if (!data)
        abort();
    for (uint64_t i = 0; i < cells; i++) {
        uint64_t x = v->type.is_signed ? (uint64_t)rtype_signed(v->cells[i].pattern, v->type.bits)
                                       : v->cells[i].pattern;
        memcpy(data + i * bytes, &x, bytes);
    }
    a.data = data;
    return a;
}

static bool report(struct str *why, const char *what, mpu_error *e) {
    str_printf(why, "%s: %s\n", what, e ? mpu_error_text(e) : "failed without a message");
    mpu_error_free(e);
    return false;
}

static bool bind_sizes(const struct parsed *p, mpu_session *s, struct str *why) {
    mpu_error *e = NULL;
    for (const struct decl *d = p->tree->decls; d; d = d->next)
        if (is_open_size(d) &&
            mpu_session_bind_size(s, d->names[0].text, value_of(p, d), &e) != MPU_OK)
            return report(why, d->names[0].text, e);
    return true;
}

static bool put_all(const struct mpu_array *arrays, struct interp *it, mpu_session *s,
                    struct str *why) {
    for (size_t i = 0; i < interp_variable_count(it); i++) {
        const struct interp_variable *v = interp_variable(it, i);
        mpu_error *e = NULL;
        if ((v->direction & VAR_IN) && mpu_session_put(s, v->name, &arrays[i], &e) != MPU_OK)
            return report(why, v->name, e);
    }
    return true;
}

static bool compare(const struct interp_variable *v, const mpu_array *a, struct str *why) {
    unsigned bytes;
    rtype_storage(v->outside, &bytes);
    uint64_t cells = (v->group ? v->elements : 1) * v->count;
    if (v->has_length && a->shape[0] != v->length) {
        str_printf(why, "`%s` has %llu elements, expected %llu\n", v->name,
                   (unsigned long long)a->shape[0], (unsigned long long)v->length);
        return false;
    }
    if (v->has_length)
        cells = v->length * v->count;
    for (uint64_t i = 0; i < cells; i++) {
        uint64_t got = 0, want = v->cells[i].pattern;
        if (v->type.is_signed)
            want = (uint64_t)rtype_signed(want, v->type.bits) & rtype_mask(v->outside);
        memcpy(&got, (const unsigned char *)a->data + i * bytes, bytes);
        got &= rtype_mask(v->outside);
        if (got == want || !v->cells[i].written)
            continue;
        str_printf(why, "element %llu of `%s`", (unsigned long long)(i / v->count), v->name);
        if (v->has_k)
            str_printf(why, " (its register %llu)", (unsigned long long)(i % v->count));
        str_printf(why, " is %llu (0x%llx), expected %llu (0x%llx)\n", (unsigned long long)got,
                   (unsigned long long)got, (unsigned long long)want, (unsigned long long)want);
        return false;
    }
    return true;
}

static bool compare_all(struct interp *it, mpu_session *s, struct str *why) {
    bool same = true;
    for (size_t i = 0; same && i < interp_variable_count(it); i++) {
        const struct interp_variable *v = interp_variable(it, i);
        mpu_array a = {0};
        mpu_error *e = NULL;
        if (!v->direction || v->is_value ||
            v->direction & VAR_CONSUMED) /* inputs are still there, too */
            continue;
        if (mpu_session_get(s, v->name, &a, &e) != MPU_OK) {
            if (v->direction == VAR_IN && strstr(mpu_error_text(e), "' was consumed by")) {
                mpu_error_free(e); /* where there are too few registers */
                continue;
            }
            return report(why, v->name, e);
        }
        same = compare(v, &a, why);
        mpu_array_free(&a);
    }
    return same;
}

/* With each batch another way, so that all of them are seen. */
static const char *finish_of(const struct against_setup *s) {
    return strcmp(s->batch, "one") == 0 ? "host" : strcmp(s->batch, "all") == 0 ? "device" : "auto";
}

static void append_line(void *lines, const char *line) {
    str_printf(lines, "%s\n", line);
}

static bool run(const mpu_program *p, const struct against_setup *setup,
                const struct parsed *parsed, const mpu_array *inputs, struct str *lines,
                struct str *why) {
    mpu_error *e = NULL;
    mpu_config config = {.size = sizeof config,
                         .print = append_line,
                         .print_context = lines,
                         .batch = setup->batch,
                         .init = setup->init,
                         .finish = finish_of(setup),
                         .check = setup->check,
                         .max_cycles = MOST_CYCLES};
    mpu_session *s = mpu_session_new(p, setup->target, &config, &e);
    if (!s)
        return report(why, "session", e);
    bool good = bind_sizes(parsed, s, why) && put_all(inputs, parsed->interp, s, why);
    if (good && mpu_session_run(s, &e) != MPU_OK)
        good = report(why, "run", e);
    good = good && compare_all(parsed->interp, s, why);
    mpu_session_free(s);
    return good;
}

static mpu_program *compile_for(const char *text, const struct against_setup *s,
                                struct str *messages) {
    uint64_t work = 0;
    const struct ez_options options = {
        .spill_work = &work,
        .optimize = s->level % AGAINST_PRODUCTS,
        .products = s->level >= AGAINST_PRODUCTS,
        .debug = true,
        .spill = s->registers > 0,
        .registers = s->registers % AGAINST_SPLIT,
        .split = s->registers / AGAINST_SPLIT,
        .rows = s->rows > AGAINST_OWN ? s->rows : 0,
        .own_texts = s->rows == AGAINST_OWN ? EZ_ALL_TARGETS : 0,
        .target = s->rows == AGAINST_ROOM ? mpu_target_name(s->target) : NULL,
        .tight = s->rows == AGAINST_TIGHT};
    mpu_program *p = try_program_with(text, &options, messages);
    if (work >> 32)
        abort(); /* the search for texts with room is bounded */
    return p;
}

/* What PRINT writes is the same everywhere. */
static bool prints_alike(const struct str *first, const struct str *lines, struct str *why) {
    if (strcmp(str_text(first), str_text(lines)) == 0)
        return true;
    str_printf(why, "PRINT lines:\n%.300s\nwhere the first target has\n%.300s\n", str_text(lines),
               str_text(first));
    return false;
}

static enum against_outcome run_setups(const char *text, const struct parsed *parsed,
                                       const mpu_array *inputs, const struct against_setup *setups,
                                       size_t count, struct str *why) {
    mpu_program *p = NULL;
    struct str messages = {0}, first = {0}, lines = {0};
    enum against_outcome outcome = AGAINST_SAME;
    for (size_t i = 0; outcome == AGAINST_SAME && i < count; i++) {
        const struct against_setup *s = &setups[i];
        if (!p || s->level != setups[i - 1].level || s->registers != setups[i - 1].registers ||
            s->rows != setups[i - 1].rows) {
            mpu_program_free(p);
            str_clear(&messages);
            p = compile_for(text, s, &messages);
        }
        if (!p)
            str_append(why, str_text(&messages));
        if (!p)
            outcome = AGAINST_REFUSED;
        str_clear(&lines);
        if (p && (!run(p, s, parsed, inputs, i ? &lines : &first, why) ||
                  (i && !prints_alike(&first, &lines, why))))
            outcome = AGAINST_DIFFERS;
        if (outcome != AGAINST_SAME)
            str_printf(why, "on %s, -O%d%s%s, batch %s, init %s\n", mpu_target_name(s->target),
                       s->level % AGAINST_PRODUCTS,
                       s->level >= AGAINST_PRODUCTS ? ", -fproducts" : "",
                       s->rows ? ", few rows" : "", s->batch, s->init);
    }
    mpu_program_free(p);
    str_free(&messages);
    str_free(&first);
    str_free(&lines);
    return outcome;
}

static enum against_outcome run_parsed(const char *text, const struct parsed *parsed, uint64_t seed,
                                       const struct against_setup *setups, size_t count,
                                       struct str *why) {
    struct interp *it = parsed->interp;
    fill_inputs(it, seed);
    size_t n = interp_variable_count(it);
    mpu_array *inputs = calloc(n + 1, sizeof *inputs);
    if (!inputs)
        abort();
    for (size_t i = 0; i < n; i++)
        inputs[i] = make_array(interp_variable(it, i));
    enum against_outcome outcome = AGAINST_SENSELESS;
    if (interp_run(it, STEPS))
        outcome = run_setups(text, parsed, inputs, setups, count, why);
    for (size_t i = 0; i < n; i++)
        free(inputs[i].data);
    free(inputs);
    return outcome;
}

enum against_outcome against(const char *text, uint64_t seed, const struct against_setup *setups,
                             size_t count, struct str *why) {
    return against_sized(text, seed, NULL, setups, count, why);
}

enum against_outcome against_sized(const char *text, uint64_t seed,
                                   const struct against_sizes *sizes,
                                   const struct against_setup *setups, size_t count,
                                   struct str *why) {
    struct parsed p = {.sizes = sizes};
    enum against_outcome outcome = AGAINST_SENSELESS;
    if (parse(&p, text))
        outcome = run_parsed(text, &p, seed, setups, count, why);
    if (outcome == AGAINST_SENSELESS)
        str_printf(why, "interpreter: %s\n",
                   p.interp && interp_error(p.interp) ? interp_error(p.interp) : "syntax");
    parsed_free(&p);
    return outcome;
}
