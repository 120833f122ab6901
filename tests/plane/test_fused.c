/* SPDX-License-Identifier: MIT
 * The engine `fused` beside `strict`, by composed steps, also on kernels of narrow vectors and of
 * none, and by code of each width of vectors: every form of the verification matrix, and random
 * runs of 1 to 50 instructions on random planes, of which each leaves the same; one code that
 * several threads execute while it is composed; and random lists of steps beside those that are
 * composed of them. */
#include "tests/draws.h"

#include "isa-spec/isa.h"
#include "machines/plane/run/native_patterns.h"
#include "machines/plane/run/insn_forms.h"
#include "machines/verify/verify.h"
#include "recipe/set/set.h"
#include "support/bits.h"
#include "tests/machines/target_bench.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The suite takes the first five, of the matrix the first and the fourth. */
#define TECHNOLOGY MPU_SOURCE_DIR "/examples/technology/"
static const char *const targets[] = {"racer",
                                      "mimdram",
                                      "pypim",
                                      "duality-cache",
                                      "ambit",
                                      "simdram",
                                      "racer-felix",
                                      "racer-ideal",
                                      "racer-magic",
                                      "racer-oscar",
                                      TECHNOLOGY "and-or.yaml",
                                      TECHNOLOGY "crossbar-16.yaml",
                                      TECHNOLOGY "imply.yaml",
                                      TECHNOLOGY "majority5.yaml",
                                      TECHNOLOGY "mtj.yaml",
                                      TECHNOLOGY "racer-tall.yaml"};

static size_t target_count(void) {
    return draws_all() ? sizeof targets / sizeof *targets : 5;
}

extern const struct plane_kernels plane_kernels_portable;

/* Vectors of code, at most what the processor has; kernels NULL: the machine's. */
static struct datapath *open_with(const struct dp_setup *setup, enum plane_vectors vectors,
                                  const struct plane_kernels *kernels, struct diag *d) {
    struct datapath *dp = plane_fused_ops.open(setup, d);
    if (!dp)
        return NULL;
    if (vectors < plane_of(dp)->vectors)
        plane_of(dp)->vectors = vectors;
    if (kernels)
        plane_choice_begin(&plane_of(dp)->choice, kernels);
    plane_of(dp)->compose_at = 0;
    plane_of(dp)->whole_at = UINT64_MAX;
    return dp;
}

/* A run of several instructions has code as a whole at once, where that pays. */
static struct datapath *open_whole(const struct dp_setup *setup, struct diag *d) {
    struct datapath *dp =
        open_with(setup, setup->seed % 2 ? PLANE_VECTORS_AVX2 : PLANE_VECTORS_AVX512, NULL, d);
    if (dp)
        plane_of(dp)->whole_at = 0;
    return dp;
}

static struct datapath *open_composed(const struct dp_setup *setup, struct diag *d) {
    return open_with(setup, PLANE_VECTORS_NONE, NULL, d);
}
static struct datapath *open_avx2(const struct dp_setup *setup, struct diag *d) {
    return open_with(setup, PLANE_VECTORS_AVX2, NULL, d);
}
static struct datapath *open_avx512(const struct dp_setup *setup, struct diag *d) {
    return open_with(setup, PLANE_VECTORS_AVX512, NULL, d);
}
/* Kernels of the compiler's own flags: SSE2 on x86-64. */
static struct datapath *open_base(const struct dp_setup *setup, struct diag *d) {
    size_t count;
    return open_with(setup, PLANE_VECTORS_NONE, plane_kernels_all(&count)[0], d);
}
static struct datapath *open_portable(const struct dp_setup *setup, struct diag *d) {
    return open_with(setup, PLANE_VECTORS_NONE, &plane_kernels_portable, d);
}
static struct datapath *(*const ways[])(const struct dp_setup *setup, struct diag *d) = {
    open_composed, open_avx2, open_avx512, open_base, open_portable, open_whole};
#define WAYS (sizeof ways / sizeof *ways)
/* What the processor has to have for a way; without, the way is that of less. */
static const enum plane_vectors way_vectors[WAYS] = {
    [1] = PLANE_VECTORS_AVX2, [2] = PLANE_VECTORS_AVX512};

static bool has_way(size_t way) {
    return way_vectors[way] <= plane_code_vectors();
}

/* Says which code the tests below cannot run here. */
static void test_avx2(void **state) {
    (void)state;
    if (!has_way(1))
        skip();
}
static void test_avx512(void **state) {
    (void)state;
    if (!has_way(2))
        skip();
}

/* What the environment says of an engine that is opened. */
static void test_environment(void **state) {
    static const struct {
        const char *name, *value, *kernels; /* kernels: NULL, or the only ones */
        enum plane_vectors most;
        bool fine;
    } cases[] = {{"MPU_CODE", "avx512", NULL, PLANE_VECTORS_AVX512, true},
                 {"MPU_CODE", "avx2", NULL, PLANE_VECTORS_AVX2, true},
                 {"MPU_CODE", "none", NULL, PLANE_VECTORS_NONE, true},
                 {"MPU_CODE", "base", "base", PLANE_VECTORS_NONE, true},
                 {"MPU_CODE", "sse", NULL, PLANE_VECTORS_NONE, false},
                 {"MPU_COMPOSE_AT", "0", NULL, PLANE_VECTORS_AVX512, true},
                 {"MPU_COMPOSE_AT", "soon", NULL, PLANE_VECTORS_NONE, false}};
    struct target_bench b = target_bench_open("racer", NULL, 0);
    const uint8_t bits[64] = {8, 8, 8};
    const struct dp_setup setup = {
        .target = b.target, .library = b.library, .mpus = 1, .reg_bits = bits};
    size_t count;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diag *d = diag_new(NULL, NULL);
        assert_int_equal(setenv(cases[i].name, cases[i].value, 1), 0);
        struct datapath *dp = plane_fused_ops.open(&setup, d);
        unsetenv(cases[i].name);
        assert_true((dp != NULL) == cases[i].fine);
        assert_true(dp || strstr(diag_first(d), cases[i].value));
        if (dp) {
            enum plane_vectors has = plane_code_vectors();
            assert_int_equal(plane_of(dp)->vectors, cases[i].most < has ? cases[i].most : has);
            if (cases[i].kernels)
                assert_ptr_equal(atomic_load(&plane_of(dp)->choice.chosen),
                                 plane_kernels_all(&count)[0]);
            if (strcmp(cases[i].name, "MPU_COMPOSE_AT") == 0)
                assert_int_equal(plane_of(dp)->compose_at, 0);
            dp->ops->close(dp);
        }
        diag_free(d);
    }
    target_bench_close(&b);
}

/* At the widths of the effort, and with all draws at each. */
static void verify(const struct target_bench *bench, unsigned width, size_t way) {
    struct verify_options o = {
        .effort = VERIFY_LIGHT, .op = OP_COUNT, .width = width, .seed = 7 + width};
    struct diag *d = diag_new(NULL, NULL);
    struct verify_machine m;
    struct verify_count n;
    assert_true(verify_library(&m, bench->library, 0));
    m.open = ways[way];
    if (!verify_matrix(&m, &o, &n, d))
        fail_msg("%s, way %zu: %s", bench->target->name, way, diag_first(d));
    assert_true(n.instructions > 20);
    diag_free(d);
}

static void test_matrix(void **state) {
    (void)state;
    /* With all draws each target in each way, else each target and each way. */
    for (size_t i = 0; i < target_count(); i++) {
        if (!draws_takes(i, 3))
            continue;
        const struct target_bench b = target_bench_open(targets[i], NULL, 0);
        for (size_t way = 0; way < WAYS - 1; way++) /* of one instruction each */
            for (unsigned width = 0; width <= (draws_all() ? 64 : 0); width++)
                if (has_way(way) &&
                    (draws_all() || way == (i + 2) % (WAYS - 1) || way == (i == 0 ? 1 : 4)))
                    verify(&b, width, way);
        target_bench_close(&b);
    }
}

/* ---- random runs ---- */

#define REGISTERS 8
#define MOST      50
#define MOST_VRFS 4

struct run_bench {
    struct target_bench on;
    struct datapath *strict, *fused;
    uint64_t seed;
    uint8_t bits[64];
    struct insn insns[MOST];
    unsigned fewer; /* runs with fewer steps */
    unsigned whole; /* runs with code as a whole */
};

static unsigned below(struct run_bench *b, unsigned n) {
    return (unsigned)(splitmix64(&b->seed) >> 20) % n;
}

static bool fits(const struct run_bench *b, const struct insn *insn) {
    struct str why = {0};
    bool fine = recipe_fits(plane_recipes(b->on.library), insn, &why);
    str_free(&why);
    return fine;
}

/* Any instruction that the machine has, registers alike as often as not. */
static struct insn draw_insn(struct run_bench *b, unsigned width) {
    for (;;) {
        enum isa_op op = (enum isa_op)below(b, OP_COUNT);
        if (!(isa_info(op)->flags & ISA_VECTOR) || isa_info(op)->flags & ISA_USER ||
            isa_has_table(op) || !machine_has(b->on.library, op))
            continue;
        struct insn x = recipe_usual_insn(op, width);
        x.rs = (uint8_t)below(b, REGISTERS);
        x.rt = (uint8_t)below(b, REGISTERS);
        x.rd = (uint8_t)below(b, REGISTERS);
        if (recipe_applies(&x) && fits(b, &x))
            return x;
    }
}

static void want_same(struct run_bench *b, uint32_t vrf, enum dp_what what, unsigned reg,
                      uint32_t lanes, uint64_t seed) {
    uint64_t *strict = xcalloc(lanes, 8), *fused = xcalloc(lanes, 8);
    b->strict->ops->get(b->strict, vrf, what, reg, 0, lanes, strict);
    b->fused->ops->get(b->fused, vrf, what, reg, 0, lanes, fused);
    for (uint32_t i = 0; i < lanes; i++)
        if (strict[i] != fused[i])
            fail_msg("%s, run %u: r%u (kind %d) of VRF %u, lane %u: %llx, strict has %llx",
                     b->on.target->name, (unsigned)seed, reg, (int)what, vrf, i,
                     (unsigned long long)fused[i], (unsigned long long)strict[i]);
    free(strict);
    free(fused);
}

/* A DRAM has few of them in an MPU. */
static uint32_t vrfs_of(struct datapath *dp) {
    return plane_of(dp)->vrfs < MOST_VRFS ? plane_of(dp)->vrfs : MOST_VRFS;
}

static struct dp_code *run_on(struct datapath *dp, const struct dp_run *run, uint32_t lanes,
                              struct vrf_range range) {
    struct diag *d = diag_new(NULL, NULL);
    struct dp_binding bindings[MOST_VRFS];
    uint32_t vrfs = vrfs_of(dp);
    struct dp_code *code = dp->ops->prepare(dp, run, d);
    uint64_t *counts = xcalloc(run->count + 2, 8);
    struct dp_outcome out = {.lanes = counts};
    if (!code)
        fail_msg("%s", diag_first(d));
    for (uint32_t v = 0; v < vrfs; v++)
        bindings[v] = (struct dp_binding){.vrf = v, .valid_lanes = lanes};
    dp->ops->bind(dp, bindings, vrfs);
    dp->ops->execute(dp, code, (struct vrf_set){&range, 1}, (struct dp_moment){0},
                     code->insn_lane_fj ? &out : NULL);
    free(counts);
    diag_free(d);
    return code;
}

static void one_run(struct run_bench *b, uint64_t seed, size_t way) {
    const struct target *t = b->on.target;
    uint32_t lanes = 1 + below(b, t->lanes < 200 ? t->lanes : 200);
    const struct dp_setup setup = {.target = t,
                                   .library = b->on.library,
                                   .mpus = 1,
                                   .lanes = lanes,
                                   .reg_bits = b->bits,
                                   .init = DP_INIT_RANDOM,
                                   .seed = seed};
    struct diag *d = diag_new(NULL, NULL);
    unsigned width = 1 + below(b, below(b, 2) ? 64 : 9);
    struct dp_run run = {.insns = b->insns, .count = 1 + below(b, below(b, 4) ? 6 : MOST)};
    memset(b->bits, 64, REGISTERS);
    run.masked = below(b, 2);
    for (size_t i = 0; i < run.count; i++)
        b->insns[i] = draw_insn(b, width);
    b->strict = plane_strict_ops.open(&setup, d);
    b->fused = ways[way](&setup, d);
    assert_true(b->strict && b->fused);
    uint32_t vrfs = vrfs_of(b->strict), first = below(b, vrfs), count = 1 + below(b, vrfs - first);
    run_on(b->strict, &run, lanes, (struct vrf_range){first, count});
    const struct dp_code *code = run_on(b->fused, &run, lanes, (struct vrf_range){first, count});
    const struct plane_fused *made = atomic_load(&code->fused);
    const struct plane_part *parts = atomic_load(&code->parts);
    for (size_t i = 0; parts && i < run.count; i++) /* none is left to steps */
        assert_true(code->forms[i]->step_count == 0 ||
                    plane_pattern_made(parts[i].pattern, plane_code_kind_of(code)));
    /* where there is code, composed steps are not kept */
    assert_true(!made || !made->steps || plane_of(b->fused)->vectors == PLANE_VECTORS_NONE);
    b->fewer += parts || (made && made->steps);
    b->whole += made && made->routines;
    for (uint32_t v = 0; v < vrfs; v++) {
        for (unsigned r = 0; r < REGISTERS; r++)
            want_same(b, v, DP_REGISTER, r, lanes, seed);
        want_same(b, v, DP_C, 0, lanes, seed);
        want_same(b, v, DP_M, 0, lanes, seed);
    }
    b->strict->ops->close(b->strict);
    b->fused->ops->close(b->fused);
    diag_free(d);
}

static void test_runs(void **state) {
    (void)state;
    const unsigned runs = draws(DRAWS_FUSED_RUNS);
    for (size_t i = 0; i < target_count(); i++) {
        struct run_bench b = {.on = target_bench_open(targets[i], NULL, 0), .seed = 20301130 + i};
        for (unsigned k = 0; k < runs; k++)
            one_run(&b, 1000 * i + k, k % WAYS);
        assert_true(b.fewer > runs / 2);
        assert_true(plane_code_vectors() == PLANE_VECTORS_NONE || runs < 20 || b.whole > 0);
        target_bench_close(&b.on);
    }
}

/* ---- threads ---- */

#define TIMES        6
#define SHARED_TIMES 12

struct thread_work {
    struct datapath *dp;
    const struct dp_code *code;
    struct vrf_range range;
};

static void *run_times(void *argument) {
    const struct thread_work *w = argument;
    for (unsigned i = 0; i < TIMES; i++)
        w->dp->ops->execute(w->dp, w->code, (struct vrf_set){&w->range, 1}, (struct dp_moment){0},
                            NULL);
    return NULL;
}

/* One code on a VRF for each thread, which is composed while they run. */
static void test_threads(void **state) {
    (void)state;
    struct run_bench b = {.on = target_bench_open("racer", NULL, 0), .seed = 77};
    const unsigned runs = draws(DRAWS_FUSED_RUNS);
    memset(b.bits, 64, REGISTERS);
    for (unsigned n = 0; n < runs; n++) {
        const struct dp_setup setup = {.target = b.on.target,
                                       .library = b.on.library,
                                       .mpus = 1,
                                       .lanes = b.on.target->lanes,
                                       .reg_bits = b.bits,
                                       .init = DP_INIT_RANDOM,
                                       .seed = n};
        struct diag *d = diag_new(NULL, NULL);
        struct dp_run run = {.insns = b.insns, .count = 1 + below(&b, 8)};
        for (size_t i = 0; i < run.count; i++)
            b.insns[i] = draw_insn(&b, 8);
        b.strict = plane_strict_ops.open(&setup, d);
        b.fused = ways[n % WAYS](&setup, d);
        struct plane_machine *m = plane_of(b.fused);
        m->compose_at = below(&b, TIMES * MOST_VRFS) * m->words_per_vrf;
        pthread_t threads[MOST_VRFS];
        struct thread_work work[MOST_VRFS];
        struct dp_binding bindings[MOST_VRFS];
        for (uint32_t v = 0; v < MOST_VRFS; v++)
            bindings[v] = (struct dp_binding){.vrf = v, .valid_lanes = setup.lanes};
        struct dp_code *strict = b.strict->ops->prepare(b.strict, &run, d);
        struct dp_code *code = b.fused->ops->prepare(b.fused, &run, d);
        assert_true(strict && code);
        b.strict->ops->bind(b.strict, bindings, MOST_VRFS);
        b.fused->ops->bind(b.fused, bindings, MOST_VRFS);
        for (uint32_t v = 0; v < MOST_VRFS; v++) {
            work[v] = (struct thread_work){b.fused, code, {v, 1}};
            assert_int_equal(pthread_create(&threads[v], NULL, run_times, &work[v]), 0);
        }
        for (uint32_t v = 0; v < MOST_VRFS; v++)
            pthread_join(threads[v], NULL);
        run_times(&(struct thread_work){b.strict, strict, {0, MOST_VRFS}});
        for (uint32_t v = 0; v < MOST_VRFS; v++)
            for (unsigned r = 0; r < REGISTERS; r++)
                want_same(&b, v, DP_REGISTER, r, setup.lanes, n);
        b.strict->ops->close(b.strict);
        b.fused->ops->close(b.fused);
        diag_free(d);
    }
    target_bench_close(&b.on);
}

/* Machines of one library, each with a thread of its own, which share its forms and nothing else.
 */
struct forms_work {
    const struct target_bench *on;
    uint64_t seed;
    unsigned differ; /* registers that are not strict's; cmocka fails in its own thread alone */
};

/* How many registers differ in lanes of the VRF 0. */
static unsigned differing(struct datapath *strict, struct datapath *fused, uint32_t lanes) {
    uint64_t *left = xcalloc(lanes, 8), *right = xcalloc(lanes, 8);
    unsigned differ = 0;
    for (unsigned r = 0; r < REGISTERS; r++) {
        strict->ops->get(strict, 0, DP_REGISTER, r, 0, lanes, left);
        fused->ops->get(fused, 0, DP_REGISTER, r, 0, lanes, right);
        differ += memcmp(left, right, (size_t)lanes * 8) != 0;
    }
    free(left);
    free(right);
    return differ;
}

static void *run_machines(void *argument) {
    struct forms_work *w = argument;
    struct run_bench b = {.on = *w->on, .seed = w->seed};
    const uint32_t lanes = b.on.target->lanes;
    memset(b.bits, 64, REGISTERS);
    for (unsigned n = 0; n < SHARED_TIMES; n++) {
        const struct dp_setup setup = {.target = b.on.target,
                                       .library = b.on.library,
                                       .mpus = 1,
                                       .lanes = lanes,
                                       .reg_bits = b.bits,
                                       .init = DP_INIT_RANDOM,
                                       .seed = n};
        struct diag *d = diag_new(NULL, NULL);
        struct dp_run run = {.insns = b.insns, .count = 1 + below(&b, 8)};
        for (size_t i = 0; i < run.count; i++)
            b.insns[i] = draw_insn(&b, 4);
        b.strict = plane_strict_ops.open(&setup, d);
        b.fused = ways[n % WAYS](&setup, d);
        run_on(b.strict, &run, lanes, (struct vrf_range){0, 1});
        run_on(b.fused, &run, lanes, (struct vrf_range){0, 1});
        w->differ += differing(b.strict, b.fused, lanes);
        b.strict->ops->close(b.strict);
        b.fused->ops->close(b.fused);
        diag_free(d);
    }
    return NULL;
}

static void test_threads_forms(void **state) {
    (void)state;
    const struct target_bench on = target_bench_open("racer", NULL, 0);
    pthread_t threads[MOST_VRFS];
    struct forms_work work[MOST_VRFS];
    for (unsigned k = 0; k < MOST_VRFS; k++) {
        work[k] = (struct forms_work){.on = &on, .seed = 41 + k / 2}; /* two draw the same */
        assert_int_equal(pthread_create(&threads[k], NULL, run_machines, &work[k]), 0);
    }
    for (unsigned k = 0; k < MOST_VRFS; k++) {
        pthread_join(threads[k], NULL);
        assert_int_equal(work[k].differ, 0);
    }
    target_bench_close(&on);
}

/* ---- lists of steps ---- */

#define PLANES           6
#define SCRATCHES        4
#define MOST_STEPS_DRAWN 40

struct step_bench {
    uint64_t seed;
    struct step_list steps;
    unsigned planes, scratches, written; /* written: bit k of scratch k */
    unsigned fewer;
};

static unsigned step_below(struct step_bench *b, unsigned n) {
    return (unsigned)(splitmix64(&b->seed) >> 20) % n;
}

/* Mostly one of the tile, sometimes a constant. */
static uint32_t draw_source(struct step_bench *b) {
    unsigned k = step_below(b, 8), scratch = step_below(b, b->scratches);
    if (k == 0)
        return scratch_operand(SLOT_ZERO + step_below(b, 2));
    return k < 4 && b->written >> scratch & 1 ? scratch_operand(SLOT_FIRST + scratch)
                                              : tile_operand(step_below(b, b->planes));
}

static void draw_step(struct step_bench *b) {
    static const uint8_t often[] = {0x00, 0xff, 0xaa, 0x55, 0x66, 0x99, 0x88, 0x11, 0xee, 0xca};
    uint32_t operands[3], mask = draw_source(b), scratch = step_below(b, b->scratches);
    bool masked = step_below(b, 3) == 0, aside = step_below(b, 3) == 0;
    uint8_t f = (uint8_t)step_below(b, 256);
    if (step_below(b, 4))
        f = often[step_below(b, sizeof often)];
    for (unsigned k = 0; k < 3; k++)
        operands[k] = draw_source(b);
    if (aside && (!masked || b->written >> scratch & 1)) {
        plane_emit(&b->steps, f, operands, 3, scratch_operand(SLOT_FIRST + scratch), masked, mask);
        b->written |= 1u << scratch;
    } else {
        plane_emit(&b->steps, f, operands, 3, tile_operand(step_below(b, b->planes)), masked, mask);
    }
}

static void emit_copy(struct step_bench *b, uint32_t from, uint32_t to, bool opposite) {
    plane_emit(&b->steps, opposite ? 1 : 2, &from, 1, to, false, 0);
}

/* Planes in a circle, each gets what the one before it held, or the opposite of that. */
static void draw_circle(struct step_bench *b) {
    unsigned first = step_below(b, b->planes), count = 1 + step_below(b, b->planes);
    uint32_t aside = scratch_operand(SLOT_FIRST);
    emit_copy(b, tile_operand(first), aside, step_below(b, 2));
    b->written |= 1;
    for (unsigned k = 1; k < count; k++)
        emit_copy(b, tile_operand((first + k) % b->planes),
                  tile_operand((first + k - 1) % b->planes), step_below(b, 2));
    emit_copy(b, aside, tile_operand((first + count - 1) % b->planes), step_below(b, 2));
}

static void run_all(const struct step_list *steps, uint32_t slots, uint64_t *tile) {
    const struct plane_kernels *kernels = plane_kernels_widest();
    uint64_t *scratch = aligned_alloc(64, (size_t)(slots + 1) * PLANE_STRIDE);
    struct plane_frame f = {{(unsigned char *)tile, (unsigned char *)scratch - 1},
                            PLANE_BLOCK_WORDS};
    assert_non_null(scratch);
    memset(scratch, 0x5a, (size_t)(slots + 1) * PLANE_STRIDE);
    memset(scratch, 0, PLANE_STRIDE);
    memset((unsigned char *)scratch + PLANE_STRIDE, 0xff, PLANE_STRIDE);
    for (size_t i = 0; i < steps->len; i++)
        kernels->run[steps->data[i].kernel](&steps->data[i], &f);
    free(scratch);
}

static struct step_list compose(const struct step_bench *b, struct plane_functions *functions,
                                uint32_t *slots) {
    struct step_list made = {0};
    plane_functions_read(functions, b->steps.data, b->steps.len);
    assert_false(functions->unknown);
    plane_functions_cover(functions);
    plane_functions_write(functions, &made, slots);
    return made;
}

static void one_list(struct step_bench *b, struct plane_functions *functions, unsigned number) {
    static _Alignas(64) uint64_t strict[PLANES][PLANE_TILE_WORDS], fused[PLANES][PLANE_TILE_WORDS];
    uint32_t slots = SLOT_FIRST;
    unsigned count = 1 + step_below(b, step_below(b, 3) ? 8 : MOST_STEPS_DRAWN);
    b->planes = 1 + step_below(b, PLANES);
    b->scratches = 1 + step_below(b, SCRATCHES);
    b->written = 0;
    vec_clear(&b->steps);
    while (b->steps.len < count)
        if (step_below(b, 8))
            draw_step(b);
        else
            draw_circle(b);
    for (unsigned k = 0; k < PLANES; k++)
        strict[k][0] = fused[k][0] = splitmix64(&b->seed);
    struct step_list made = compose(b, functions, &slots);
    run_all(&b->steps, SLOT_FIRST + SCRATCHES, strict[0]);
    run_all(&made, slots, fused[0]);
    b->fewer += made.len < b->steps.len;
    for (unsigned k = 0; k < PLANES; k++)
        if (strict[k][0] != fused[k][0])
            fail_msg("list %u: plane %u is %llx, and of the list's own steps %llx", number, k,
                     (unsigned long long)fused[k][0], (unsigned long long)strict[k][0]);
    vec_free(&made);
}

/* Raw lists over few planes: swaps, opposites, masks that are written on the way. */
static void test_steps(void **state) {
    (void)state;
    const unsigned lists = 400 * draws(DRAWS_FUSED_RUNS);
    struct plane_functions functions = {.unknown = false};
    struct step_bench b = {.seed = 20301130};
    for (unsigned i = 0; i < lists; i++)
        one_list(&b, &functions, i);
    assert_true(b.fewer > lists / 2);
    vec_clear(&b.steps);
    emit_copy(&b, tile_operand(0), tile_operand(0), true);
    /* In its place, without scratch. */
    uint32_t slots = SLOT_FIRST;
    struct step_list made = compose(&b, &functions, &slots);
    assert_int_equal(made.len, 1);
    assert_int_equal(slots, SLOT_FIRST);
    vec_free(&made);
    plane_functions_free(&functions);
    vec_free(&b.steps);
}

/* A pattern of names: these tests alone. */
int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_avx2),          cmocka_unit_test(test_avx512),
        cmocka_unit_test(test_environment),   cmocka_unit_test(test_threads),
        cmocka_unit_test(test_threads_forms), cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_runs),          cmocka_unit_test(test_steps)};
    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
