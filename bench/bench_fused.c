/* SPDX-License-Identifier: MIT
 * The engine fused beside strict, instruction by instruction on the same vectors in turn, beside a
 * bound and a C loop, and what making it takes: one JSON object on one line.  README.md says what
 * the numbers mean.
 *   bench_fused [TARGET [all|NAME]]   that target alone, which may be a file; of its instructions
 *                                     not four, but all of them, or that one */
#include "bench/bitplane_bound.h"
#include "bench/sample.h"
#include "machines/plane/run/native_patterns.h"
#include "recipe/set/set.h"
#include "support/json.h"
#include "support/str.h"

#include <stdio.h>
#include <string.h>

#define ROUNDS 15
#define MORE   6 /* times as many, where a form looks slower than strict */

/* One way to do the same: an engine, or code of the host. */
struct side {
    const char *name;
    struct datapath *dp;
    struct dp_code *code;
    bitplane_function *bound;
    void (*loop)(uint64_t *r, const uint64_t *a, const uint64_t *b, size_t n);
    double best; /* seconds of one execution */
};

/* Of all forms: the least ratio to strict of some engine, and how many are below what none is to be
 * below. */
#define LEAST_RATIO 0.95
struct totals {
    unsigned forms, below;
    double least;
};

#define SIDES 8
struct bench {
    struct diag *diag;
    const struct target *target;
    struct dp_run run;
    struct dp_setup setup;
    struct insn insn;
    uint32_t lanes;
    struct vrf_range range;
    struct side sides[SIDES];
    size_t count;
    uint64_t *arrays; /* three of `lanes` words of 64 bits, or planes */
    double making_us; /* the first code */
    size_t composed;
};

/* --- the host's own --- */

static void add_64(uint64_t *r, const uint64_t *a, const uint64_t *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        r[i] = a[i] + b[i];
}
#define LOOP(name, type, op)                                                                       \
    static void name(uint64_t *r, const uint64_t *a, const uint64_t *b, size_t n) {                \
        type *to = (type *)(void *)r;                                                              \
        const type *x = (const type *)(const void *)a, *y = (const type *)(const void *)b;         \
        for (size_t i = 0; i < n; i++)                                                             \
            to[i] = x[i] op y[i];                                                                  \
    }
LOOP(mul_32, uint32_t, *)
LOOP(fadd_32, float, +)
LOOP(fmul_32, float, *)

static bool has_loop(const struct insn *insn, struct side *side) {
    static const struct {
        enum isa_op op;
        unsigned width;
        void (*loop)(uint64_t *, const uint64_t *, const uint64_t *, size_t);
    } loops[] = {
        {OP_ADD, 64, add_64}, {OP_MUL, 32, mul_32}, {OP_FADD, 32, fadd_32}, {OP_FMUL, 32, fmul_32}};
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        if (loops[i].op == insn->op && loops[i].width == insn->width)
            side->loop = loops[i].loop;
    return side->loop != NULL;
}

/* Tiles as the engine's, one behind the other. */
static void run_bound(const struct bench *b, bitplane_function *function) {
    size_t words = b->lanes / 64, width = b->insn.width;
    for (size_t w = 0; w < words; w += PLANE_TILE_WORDS) {
        size_t n = words - w < PLANE_TILE_WORDS ? words - w : PLANE_TILE_WORDS;
        uint64_t *tile = b->arrays + 3 * width * w;
        function(tile + 2 * width * PLANE_TILE_WORDS, tile, tile + width * PLANE_TILE_WORDS,
                 (unsigned)width, n, PLANE_TILE_WORDS);
    }
}

/* --- sides --- */

static void run_side(const struct bench *b, const struct side *s) {
    if (s->dp)
        s->dp->ops->execute(s->dp, s->code, (struct vrf_set){&b->range, 1}, (struct dp_moment){0},
                            NULL);
    else if (s->bound)
        run_bound(b, s->bound);
    else
        s->loop(b->arrays + 2 * b->lanes, b->arrays, b->arrays + b->lanes, b->lanes);
}

/* An engine's; kernels NULL: there are none such. */
static struct side *add_engine(struct bench *b, const char *name,
                               const struct plane_kernels *kernels) {
    if (!kernels)
        return NULL;
    struct side *s = &b->sides[b->count];
    *s = (struct side){.name = name, .dp = plane_open_with(&b->setup, kernels, true, b->diag)};
    s->code = s->dp ? s->dp->ops->prepare(s->dp, &b->run, b->diag) : NULL;
    b->count += s->code != NULL;
    if (s->dp && !s->code)
        s->dp->ops->close(s->dp);
    return s->code ? s : NULL;
}

static const struct plane_kernels *kernels_named(const char *name) {
    size_t count;
    const struct plane_kernels *const *all = plane_kernels_all(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}

static void add_code(struct bench *b, const char *name, const char *vectors,
                     enum plane_vectors width) {
    struct side *s =
        plane_code_vectors() >= width ? add_engine(b, name, kernels_named(vectors)) : NULL;
    if (!s)
        return;
    struct plane_machine *m = plane_of(s->dp);
    run_side(b, s); /* by steps: its memory is there then */
    m->vectors = width;
    m->compose_at = 0;
    m->whole_at = UINT64_MAX;
    double making = sample_cpu_seconds();
    run_side(b, s); /* makes it */
    making = sample_cpu_seconds() - making;
    double once = sample_cpu_seconds();
    run_side(b, s);
    b->making_us = 1e6 * (making - (sample_cpu_seconds() - once));
    m->whole_at = 0;
    run_side(b, s); /* of whole tiles */
}

static void add_bound(struct bench *b, const char *name, const char *vectors) {
    const struct bitplane_bound *bound = bitplane_bound(vectors);
    bool add = b->insn.op == OP_ADD;
    if (bound && (add || b->insn.op == OP_MUL))
        b->sides[b->count++] =
            (struct side){.name = name, .bound = add ? bound->add : bound->multiply};
}

static void open_sides(struct bench *b) {
    struct side loop = {.name = "c_loop"};
    b->count = 0;
    add_engine(b, "strict_avx2", kernels_named("avx2"));
    add_engine(b, "strict", plane_kernels_widest());
    struct side *composed = add_engine(b, "composed", plane_kernels_widest());
    if (composed) {
        plane_of(composed->dp)->compose_at = 0;
        const struct plane_fused *made =
            plane_fused_of(plane_of(composed->dp), composed->code, PLANE_COMPOSE_AT);
        b->composed = made ? made->count : composed->code->step_count;
    }
    add_code(b, "code_avx2", "avx2", PLANE_VECTORS_AVX2);
    add_code(b, "code_avx512", "avx512", PLANE_VECTORS_AVX512);
    add_bound(b, "bound_avx2", "avx2");
    add_bound(b, "bound_avx512", "avx512");
    if (has_loop(&b->insn, &loop))
        b->sides[b->count++] = loop;
}

/* In turn, the least of each so far. */
static void measure(struct bench *b, unsigned rounds) {
    for (unsigned round = 0; round < rounds; round++)
        for (size_t k = 0; k < b->count; k++) {
            struct side *s = &b->sides[k];
            unsigned repeats = 1 + (1u << 17) / b->lanes;
            double start = sample_cpu_seconds();
            for (unsigned i = 0; i < repeats; i++)
                run_side(b, s);
            double seconds = (sample_cpu_seconds() - start) / repeats;
            if (s->best == 0 || seconds < s->best)
                s->best = seconds;
        }
}

static double best_of(const struct bench *b, const char *name) {
    for (size_t k = 0; k < b->count; k++)
        if (strcmp(b->sides[k].name, name) == 0)
            return b->sides[k].best;
    return 0;
}

/* Engines, and strict on the same kernels. */
static const char *const pairs[][2] = {
    {"composed", "strict"}, {"code_avx2", "strict_avx2"}, {"code_avx512", "strict"}};

/* Some engine looks slower than strict: other programs may have run meanwhile. */
static bool is_doubtful(const struct bench *b) {
    bool doubtful = false;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        doubtful |=
            best_of(b, pairs[k][0]) > 0 && best_of(b, pairs[k][1]) < 0.97 * best_of(b, pairs[k][0]);
    return doubtful;
}

/* How many times as fast the slowest of the engines is as strict with the same vectors. */
static double least_of(const struct bench *b) {
    double least = 1e9;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        if (best_of(b, pairs[k][0]) > 0 &&
            best_of(b, pairs[k][1]) < least * best_of(b, pairs[k][0]))
            least = best_of(b, pairs[k][1]) / best_of(b, pairs[k][0]);
    return least;
}

static void add_up(struct totals *totals, double least) {
    totals->least = totals->forms++ && totals->least < least ? totals->least : least;
    totals->below += least < LEAST_RATIO;
}

static void ratio(struct json *json, const struct bench *b, const char *key, const char *of,
                  const char *over) {
    if (best_of(b, of) > 0 && best_of(b, over) > 0)
        sample_report_number(json, key, best_of(b, over) / best_of(b, of));
}

static void report(struct json *json, struct bench *b) {
    size_t steps = b->sides[0].code->step_count;
    json_object_begin(json, NULL);
    json_string(json, "target", b->target->name);
    json_string(json, "instruction", isa_info(b->insn.op)->name);
    json_u64(json, "width", b->insn.width);
    json_u64(json, "lanes", b->lanes);
    json_u64(json, "steps", steps);
    json_u64(json, "composed_steps", b->composed);
    sample_report_number(json, "making_us_per_step", b->making_us / (double)steps);
    sample_report_number(json, "strict_M_lanes_per_s", 1e-6 * b->lanes / best_of(b, "strict"));
    ratio(json, b, "composed_over_strict", "composed", "strict");
    ratio(json, b, "avx2_over_strict", "code_avx2", "strict_avx2");
    ratio(json, b, "avx512_over_strict", "code_avx512", "strict");
    ratio(json, b, "avx2_over_bound", "code_avx2", "bound_avx2");
    ratio(json, b, "avx512_over_bound", "code_avx512", "bound_avx512");
    ratio(json, b, "avx2_over_c_loop", "code_avx2", "c_loop");
    ratio(json, b, "avx512_over_c_loop", "code_avx512", "c_loop");
    json_object_end(json);
}

static void one_form(struct json *json, const struct target *target,
                     const struct machine_library *library, struct insn insn, uint32_t lanes,
                     struct totals *totals, struct diag *d) {
    uint8_t bits[64] = {64, 64, 64, 64};
    struct bench b = {
        .diag = d,
        .target = target,
        .insn = insn,
        .lanes = lanes,
        .setup = {.target = target, .library = library, .mpus = target->mpus, .reg_bits = bits}};
    b.run = (struct dp_run){.insns = &b.insn, .count = 1};
    b.range.count = lanes / target->lanes;
    b.range.count += b.range.count == 0;
    b.arrays = xcalloc((size_t)3 * 64 * (lanes / 64 + PLANE_TILE_WORDS), 8);
    open_sides(&b);
    if (b.count > 0 && b.sides[0].code) {
        measure(&b, ROUNDS);
        for (unsigned more = 0; more < MORE && is_doubtful(&b); more++)
            measure(&b, ROUNDS);
        report(json, &b);
        add_up(totals, least_of(&b));
    }
    for (size_t k = 0; k < b.count; k++)
        if (b.sides[k].dp)
            b.sides[k].dp->ops->close(b.sides[k].dp);
    free(b.arrays);
}

static void some_forms(struct json *json, const struct target *target,
                       const struct machine_library *library, struct totals *totals,
                       struct diag *d) {
    static const struct {
        enum isa_op op;
        unsigned width;
    } forms[] = {{OP_ADD, 64}, {OP_MUL, 32}, {OP_FADD, 32}, {OP_FMUL, 32}};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        for (uint32_t lanes = 1u << 16; lanes <= 1u << 20; lanes <<= 4)
            if (machine_has(library, forms[k].op))
                one_form(json, target, library, recipe_usual_insn(forms[k].op, forms[k].width),
                         lanes, totals, d);
    if (machine_has(library, OP_MUL)) /* one VRF */
        one_form(json, target, library, recipe_usual_insn(OP_MUL, 32), 64, totals, d);
}

/* name: "all", or of the only one. */
static void all_forms(struct json *json, const struct target *target,
                      const struct machine_library *library, const char *name,
                      struct totals *totals, struct diag *d) {
    bool all = strcmp(name, "all") == 0;
    for (unsigned op = 0; op < OP_COUNT; op++)
        for (unsigned width = 8; width <= 64; width *= 2) {
            struct insn insn = recipe_usual_insn((enum isa_op)op, width);
            struct str why = {0};
            if ((all || strcmp(name, isa_info((enum isa_op)op)->name) == 0) &&
                (isa_info((enum isa_op)op)->flags & ISA_VECTOR) &&
                !isa_has_table((enum isa_op)op) && !(isa_info((enum isa_op)op)->flags & ISA_USER) &&
                machine_has(library, (enum isa_op)op) && recipe_applies(&insn) &&
                recipe_fits(plane_recipes(library), &insn, &why))
                one_form(json, target, library, insn, 1u << 16, totals, d);
            str_free(&why);
        }
}

int main(int argc, char **argv) {
    static const char *const targets[] = {"racer", "mimdram", "pypim", "duality-cache"};
    struct str out = {0};
    struct json *json = json_new_line();
    struct diag *d = diag_new(NULL, NULL);
    struct totals totals = {.forms = 0};
    json_object_begin(json, NULL);
    json_string(json, "benchmark", "fused");
    json_array_begin(json, "forms");
    for (size_t i = 0; i < (argc > 1 ? 1 : sizeof targets / sizeof *targets); i++) {
        struct target *t;
        struct machine_library *l;
        if (machine_open_target(argc > 1 ? argv[1] : targets[i], NULL, 0, d, &t, &l) != TARGET_FINE)
            continue;
        if (argc > 2)
            all_forms(json, t, l, argv[2], &totals, d);
        else
            some_forms(json, t, l, &totals, d);
        machine_library_close(l);
        target_free(t);
    }
    json_array_end(json);
    json_u64(json, "forms_measured", totals.forms);
    json_u64(json, "forms_below_0.95", totals.below);
    sample_report_number(json, "least_over_strict", totals.least);
    json_object_end(json);
    json_finish(json, &out);
    printf("%s\n", str_text(&out));
    diag_free(d);
    str_free(&out);
    return 0;
}
