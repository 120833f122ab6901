/* SPDX-License-Identifier: MIT
 * Code that is made of steps, beside the kernels: random lists of steps over pieces of 1 to 200
 * words from any word on, with the words around them and behind the spill area as they were; code
 * that is wrong in one place is found by the same comparison; what names a plane outside of its
 * register is refused; and a system that gives no pages to execute. */
#include "tests/draws.h"

#include "machines/plane/run/native.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define PLANES    40 /* of the tile */
#define BASES     3
#define SCRATCHES 60
#define WORDS     240 /* of a plane in the test's tile, which is as long as it likes */
#define MOST      400 /* steps */

/* Planes of the test lie in `tile` as in a machine: PLANE_STRIDE apart.  A piece that is longer
 * than that would run into the next plane, so planes take several slots. */
#define SLOTS_OF_PLANE 3
#define TILE_SLOTS     (PLANES * SLOTS_OF_PLANE + 1)

struct bench {
    uint64_t seed;
    struct step_list steps; /* tile slots are planes' numbers */
    struct plane_code_place places[PLANES];
    struct plane_code_source source;
    struct plane_emission emission;
    uint64_t *start, *strict, *made; /* tiles */
    uint64_t *scratch;
    unsigned char *spill;
    uint64_t written; /* scratch that some step has written */
    size_t first, words;
    unsigned planes;
};

static unsigned below(struct bench *b, unsigned n) {
    return (unsigned)(splitmix64(&b->seed) >> 20) % n;
}

#define TILE_BYTES ((size_t)TILE_SLOTS * PLANE_STRIDE)

static uint32_t draw_source(struct bench *b) {
    unsigned k = below(b, 10), scratch = below(b, SCRATCHES);
    if (k == 0)
        return scratch_operand(SLOT_ZERO + below(b, 2));
    return k < 6 && b->written >> scratch & 1 ? scratch_operand(SLOT_FIRST + scratch)
                                              : tile_operand(below(b, b->planes));
}

static void draw_step(struct bench *b) {
    static const uint8_t often[] = {0x00, 0xff, 0xaa, 0x55, 0x66, 0x99, 0x88, 0x11,
                                    0xee, 0xca, 0xe8, 0x96, 0x44, 0x22, 0xd8};
    uint32_t operands[3], mask = draw_source(b), scratch = below(b, SCRATCHES);
    bool masked = below(b, 4) == 0, aside = below(b, 3) != 0;
    uint8_t f = below(b, 2) ? often[below(b, sizeof often)] : (uint8_t)below(b, 256);
    for (unsigned k = 0; k < 3; k++)
        operands[k] = draw_source(b);
    if (aside && (!masked || b->written >> scratch & 1)) {
        plane_emit(&b->steps, f, operands, 3, scratch_operand(SLOT_FIRST + scratch), masked, mask);
        b->written |= (uint64_t)1 << scratch;
    } else {
        plane_emit(&b->steps, f, operands, 3, tile_operand(below(b, b->planes)), masked, mask);
    }
}

/* Planes by three bases, each for a third of the tile. */
static void place_planes(struct bench *b) {
    const uint32_t third = (TILE_SLOTS - 1) / BASES / SLOTS_OF_PLANE * SLOTS_OF_PLANE;
    for (uint32_t k = 0; k < PLANES; k++) {
        uint32_t slot = k * SLOTS_OF_PLANE, base = slot / third < BASES ? slot / third : BASES - 1;
        b->places[k] =
            (struct plane_code_place){.base = base, .offset = (slot - base * third) * PLANE_STRIDE};
        b->source.extent[base] = (slot - base * third + 1) * PLANE_STRIDE;
    }
}

static void begin(struct bench *b, uint64_t seed) {
    *b = (struct bench){.seed = seed};
    b->start = aligned_alloc(64, TILE_BYTES);
    b->strict = aligned_alloc(64, TILE_BYTES);
    b->made = aligned_alloc(64, TILE_BYTES);
    b->scratch =
        aligned_alloc(64, (size_t)(SLOT_FIRST + SCRATCHES) * SLOTS_OF_PLANE * PLANE_STRIDE);
    b->spill = aligned_alloc(64, 1 << 20);
    assert_true(b->start && b->strict && b->made && b->scratch && b->spill);
}

static void end(struct bench *b) {
    free(b->start);
    free(b->strict);
    free(b->made);
    free(b->scratch);
    free(b->spill);
    vec_free(&b->steps);
    plane_emission_free(&b->emission);
}

static void draw_list(struct bench *b, enum plane_vectors vectors) {
    unsigned count = 1 + below(b, below(b, 3) ? 20 : MOST);
    b->source = (struct plane_code_source){
        .places = b->places, .slots = PLANES, .vectors = vectors, .fetches = true, .tiles = true};
    place_planes(b);
    b->planes = 1 + below(b, PLANES);
    b->written = 0;
    vec_clear(&b->steps);
    while (b->steps.len < count)
        draw_step(b);
    b->source.steps = b->steps.data;
    b->source.count = b->steps.len;
    b->first = below(b, WORDS - 200);
    b->words = 1 + below(b, below(b, 2) ? 200 : 12);
    for (size_t i = 0; i < TILE_BYTES / 8; i++)
        b->start[i] = splitmix64(&b->seed);
}

/* Word by word from the truth tables. */
static uint32_t in_test(uint32_t operand) {
    return (operand / PLANE_STRIDE * SLOTS_OF_PLANE) * PLANE_STRIDE | (operand & 1);
}

static void run_strict(struct bench *b) {
    const struct plane_kernels *kernels = plane_kernels_widest();
    const size_t plane = (size_t)SLOTS_OF_PLANE * PLANE_STRIDE;
    struct plane_frame f = {
        {(unsigned char *)(b->strict + b->first), (unsigned char *)b->scratch - 1}, b->words};
    memcpy(b->strict, b->start, TILE_BYTES);
    memset(b->scratch, 0, plane);
    memset((unsigned char *)b->scratch + plane, 0xff, plane);
    for (size_t i = 0; i < b->steps.len; i++) {
        struct plane_step s = b->steps.data[i];
        s.dst = in_test(s.dst);
        s.mask = in_test(s.mask);
        for (unsigned k = 0; k < 3; k++)
            s.src[k] = in_test(s.src[k]);
        kernels->run[s.kernel](&s, &f);
    }
}

static void run_made(struct bench *b, size_t words) {
    struct plane_routine *routine = plane_routine_make(&b->emission, b->source.vectors);
    const uint32_t third = (TILE_SLOTS - 1) / BASES / SLOTS_OF_PLANE * SLOTS_OF_PLANE;
    struct plane_code_call call = {.spill = b->spill};
    assert_non_null(routine);
    memcpy(b->made, b->start, TILE_BYTES);
    memset(b->spill, 0x5a, routine->spill_bytes + 64);
    plane_spill_begin(b->spill);
    for (uint32_t k = 0; k < BASES; k++)
        call.base[k] = (unsigned char *)(b->made + b->first) + (size_t)k * third * PLANE_STRIDE;
    plane_routine_run(routine, &call, words);
    for (unsigned k = 0; k < 64; k++)
        assert_int_equal(b->spill[routine->spill_bytes + k], 0x5a);
    plane_routine_free(routine);
}

static bool same(const struct bench *b) {
    return memcmp(b->strict, b->made, TILE_BYTES) == 0;
}

static enum plane_vectors vectors_below(enum plane_vectors most, unsigned number) {
    return most > PLANE_VECTORS_AVX2 && number % 2 ? PLANE_VECTORS_AVX512 : PLANE_VECTORS_AVX2;
}

static void test_lists(void **state) {
    const unsigned lists = 40 * draws(DRAWS_FUSED_RUNS);
    const enum plane_vectors most = plane_code_vectors();
    unsigned spilled = 0, at_once = 0;
    struct bench b;
    (void)state;
    if (most == PLANE_VECTORS_NONE)
        skip();
    begin(&b, 20301130);
    for (unsigned i = 0; i < lists; i++) {
        draw_list(&b, vectors_below(most, i));
        assert_true(plane_code_emit(&b.source, &b.emission));
        run_strict(&b);
        run_made(&b, b.words);
        spilled += b.emission.spill_bytes > PLANE_SPILL_FIRST;
        at_once += b.emission.several != 0 && b.words >= PLANE_TILE_WORDS;
        if (!same(&b))
            fail_msg("list %u: %zu steps, %zu words from %zu on", i, b.steps.len, b.words, b.first);
    }
    assert_true(spilled > lists / 50 && at_once > lists / 50);
    end(&b);
}

/* ---- wrong in one place ---- */

/* Each store that is left out, each plane in another's place, and a mask that is one word too long
 * leave other planes, but where the step did not change anything. */
static void test_mutants(void **state) {
    const unsigned lists = 4 * draws(DRAWS_FUSED_RUNS);
    const enum plane_vectors most = plane_code_vectors();
    unsigned mutants[3] = {0}, caught[3] = {0};
    struct bench b;
    (void)state;
    if (most == PLANE_VECTORS_NONE)
        skip();
    begin(&b, 77);
    for (unsigned i = 0; i < lists; i++) {
        draw_list(&b, vectors_below(most, i));
        run_strict(&b);
        assert_true(plane_code_emit(&b.source, &b.emission));
        if (b.words < 200 && b.words % 8 != 0) {
            run_made(&b, b.words + 1);
            mutants[0]++;
            caught[0] += !same(&b);
        }
        if (b.emission.stores.len > 0) {
            /* of the function that the piece runs through last */
            const struct plane_code_bytes *s =
                &b.emission.stores.data[below(&b, (unsigned)b.emission.stores.len)];
            memset(b.emission.code.bytes.data + s->begin, 0x90, s->end - s->begin);
            run_made(&b, b.words);
            mutants[1]++;
            caught[1] += !same(&b);
        }
        struct plane_code_place *place = &b.places[below(&b, b.planes)];
        place->offset = place->offset > 0 ? place->offset - SLOTS_OF_PLANE * PLANE_STRIDE
                                          : SLOTS_OF_PLANE * PLANE_STRIDE;
        assert_true(plane_code_emit(&b.source, &b.emission));
        run_made(&b, b.words);
        mutants[2]++;
        caught[2] += !same(&b);
    }
    /* A store that a later one covers, of a function that the piece does not need, or of what the
     * plane holds, is not missed. */
    assert_true(caught[0] > mutants[0] * 3 / 4 && caught[1] > mutants[1] / 8 &&
                caught[2] > mutants[2] / 3);
    end(&b);
}

/* ---- what code may touch ---- */

static void test_bounds(void **state) {
    const unsigned lists = 40 * draws(DRAWS_FUSED_RUNS);
    unsigned refused = 0;
    struct bench b;
    (void)state;
    begin(&b, 99);
    for (unsigned i = 0; i < lists; i++) {
        draw_list(&b, vectors_below(PLANE_VECTORS_AVX512, i));
        /* One operand anywhere, or one place that a step writes zeros to. */
        struct plane_step *s = &b.steps.data[below(&b, (unsigned)b.steps.len)];
        uint32_t used = below(&b, b.planes);
        bool bad = below(&b, 4) != 0;
        unsigned kind = below(&b, 3);
        if (bad)
            s->kernel = 0;
        if (!bad) /* what nobody has written; a kernel may not depend on it */
            s->src[0] = scratch_operand(SLOT_FIRST + SCRATCHES + below(&b, 1000));
        else
            s->dst = tile_operand(kind == 0 ? PLANES + below(&b, 1u << 20) : used);
        if (bad && kind == 1)
            b.places[used].offset =
                b.source.extent[b.places[used].base] + below(&b, 1000) * PLANE_STRIDE;
        else if (bad && kind == 2)
            b.places[used].base = BASES + below(&b, 1000);
        bool made = plane_code_emit(&b.source, &b.emission);
        assert_false(made && bad);
        refused += !made;
        assert_true(made || b.emission.bad);
    }
    assert_true(refused > lists / 2);
    end(&b);
}

/* ---- a system that gives no pages to execute ---- */

/* In a process that may not make executable what it has written (Linux from 6.3 on). */
static void test_refused(void **state) {
    (void)state;
    if (plane_code_vectors() == PLANE_VECTORS_NONE)
        skip();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct bench b;
        if (prctl(65 /* PR_SET_MDWE */, 1, 0, 0, 0))
            _exit(2);
        begin(&b, 1);
        draw_list(&b, PLANE_VECTORS_AVX2);
        bool made = plane_code_emit(&b.source, &b.emission);
        _exit(made && !plane_routine_make(&b.emission, PLANE_VECTORS_AVX2) &&
                      plane_code_vectors() == PLANE_VECTORS_NONE
                  ? 0
                  : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        skip(); /* the system cannot be told so */
    assert_int_equal(status, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists), cmocka_unit_test(test_mutants),
                                       cmocka_unit_test(test_bounds),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
