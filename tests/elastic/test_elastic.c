/* SPDX-License-Identifier: MIT
 * Random programs on all plane targets, with random numbers for all that takes time: the emulator
 * and the reference agree to the picosecond about the whole, about each MPU, and about the cycles
 * of the front end. */
#include "tests/draws.h"
#include "tests/control/random_messages.h"
#include "tests/elastic/programs.h"
#include "tests/elastic/rig.h"

#include "support/bits.h"

#include <stdio.h>

#define PROGRAMS     draws(DRAWS_ELASTIC)
#define SMALL_QUEUES draws(DRAWS_ELASTIC_SMALL_QUEUES)

#ifdef MPU_SANITIZED
/* The others are of the same kinds, with recipes and numbers of their own. */
static const char *const names[] = {"racer", "mimdram", "duality-cache", "racer-magic", "pypim"};
#else
static const char *const names[] = {"racer",       "mimdram",     "duality-cache", "racer",
                                    "simdram",     "racer-magic", "ambit",         "racer-felix",
                                    "racer-ideal", "racer-oscar", "pypim"};
#endif
enum { RIGS = sizeof names / sizeof *names };

struct bench {
    struct rig rigs[RIGS];
    uint64_t done, other;
    uint64_t tried, refused; /* programs that some targets have no rows for */
};

static int set_up(void **state) {
    struct bench *b = xcalloc(1, sizeof *b);
    for (unsigned i = 0; i < RIGS; i++)
        rig_open(&b->rigs[i], names[i], NULL, 0);
    b->rigs[RIGS - 1].may_lack_rows = true;
    *state = b;
    return 0;
}

static int tear_down(void **state) {
    struct bench *b = *state;
    for (unsigned i = 0; i < RIGS; i++)
        rig_close(&b->rigs[i]);
    free(b);
    return 0;
}

static uint32_t below(uint64_t *seed, uint32_t n) {
    return (uint32_t)((splitmix64(seed) >> 33) % n);
}

static bool one_in(uint64_t *seed, uint32_t n) {
    return below(seed, n) == 0;
}

/* One of a list of numbers. */
static uint32_t pick(uint64_t *seed, const uint32_t *list, uint32_t count) {
    return list[below(seed, count)];
}
#define PICK(seed, ...)                                                                            \
    pick(seed, (const uint32_t[]){__VA_ARGS__},                                                    \
         sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void vary_front_end(struct target *t, uint64_t *seed) {
    t->controllers = PICK(seed, 1, 1, 1, 2, 3);
    t->playback_entries = PICK(seed, 1024, 1024, 0, 1, 2, 4, 7, 8, 16, 16, 32, 64);
    t->issue_queue = PICK(seed, 16, 16, 16, 13, 14, 20, 64, 1024);
    t->recipe_templates = PICK(seed, 1024, 1024, 100, 60, 30, 10, 1);
    t->recipe_pointers = PICK(seed, 20, 20, 4, 2, 1);
    t->recipe_table = one_in(seed, 3) ? RECIPE_TABLE_PRIVATE : RECIPE_TABLE_SHARED;
    t->efi_bits_per_cycle = PICK(seed, 64, 1, 3, 8);
    t->instruction_store_bytes = PICK(seed, 2097152, 2097152, 16, 64, 256);
    t->scheduler = one_in(seed, 5) ? SCHEDULER_SOFTWARE : SCHEDULER_HARDWARE;
    t->software_schedule_ps = PICK(seed, 1000000, 777, 50001);
    t->front_end_ps = PICK(seed, 1000, 1000, 1000, 999, 100, 3001, 47);
    if (one_in(seed, 3))
        t->datapath_ps = PICK(seed, 1000, 700, 1001, 3000, 5);
}

static void vary_network(struct target *t, uint64_t *seed) {
    t->network = PICK(seed, NETWORK_SERIAL, NETWORK_P2P, NETWORK_RING, NETWORK_HTREE);
    t->setup_ps = PICK(seed, 0, 3000, 777);
    t->register_ps = PICK(seed, 0, 48000, 1999);
    t->bit_ps = PICK(seed, 0, 500, 13001);
    t->fan_out = PICK(seed, 4, 4, 2, 3);
    t->ring_hop_ps = PICK(seed, 0, 1000, 31);
    t->chip = PICK(seed, CHIP_MESH_2D, CHIP_MESH_1D, CHIP_TORUS, CHIP_RING);
    t->flit_bytes = PICK(seed, 16, 1, 4);
    t->flit_ps = PICK(seed, 4000, 0, 1, 90001);
    t->hop_ps = PICK(seed, 800, 0, 33333);
    t->header_bytes = PICK(seed, 0, 5);
    t->queue_messages = PICK(seed, 0, 1, 2, 3);
}

static void vary_host(struct target *t, uint64_t *seed) {
    t->control = PICK(seed, CONTROL_MPU, CONTROL_MPU, CONTROL_MPU, CONTROL_MPU, CONTROL_MPU,
                      CONTROL_MPU, CONTROL_HOST, CONTROL_HOST_ALL, CONTROL_STREAM);
    t->host_mask_bytes_per_s = PICK(seed, 0, 1000000, 999999999);
    t->host_round_trip_ps = PICK(seed, 18375000, 500001, 77);
    t->word_bytes = PICK(seed, 0, 8, 64);
}

/* Some programs have the target's own numbers. */
static void vary(struct rig *r, uint64_t seed) {
    struct target *t = r->target;
    rig_reset(r);
    t->active_vrf_per_rfh = PICK(&seed, 1, 1, 2, 0);
    if (one_in(&seed, 6))
        return;
    vary_front_end(t, &seed);
    vary_network(t, &seed);
    vary_host(t, &seed);
}

static void fail_with(uint64_t seed, const struct rig *r, const char *what, const char *text) {
    fail_msg("program %llu on %s: %s\n%s", (unsigned long long)seed, r->target->name, what, text);
}

static void expect(uint64_t seed, const struct rig *r, const char *what, uint64_t found,
                   uint64_t wanted, const char *text) {
    char line[200];
    if (found == wanted)
        return;
    snprintf(line, sizeof line, "%s is %llu, and %llu by the reference", what,
             (unsigned long long)found, (unsigned long long)wanted);
    fail_with(seed, r, line, text);
}

static void compare_cycles(uint64_t seed, const struct rig *r, const struct rig_outcome *found,
                           const struct ref_cycles *c, const char *text) {
    const uint64_t *cycles = found->stats.part_cycles;
    expect(seed, r, "fetch cycles", cycles[TIMING_FETCH], c->fetch, text);
    expect(seed, r, "decode cycles", cycles[TIMING_DECODE], c->decode, text);
    expect(seed, r, "recipe cycles", cycles[TIMING_RECIPE], c->recipe, text);
    expect(seed, r, "compute cycles", cycles[TIMING_COMPUTE], c->compute, text);
    expect(seed, r, "evaluate cycles", cycles[TIMING_EVALUATE], c->evaluate, text);
    expect(seed, r, "schedule cycles", cycles[TIMING_SCHEDULE], c->schedule, text);
}

static void compare(uint64_t seed, const struct rig *r, const struct rig_outcome *found,
                    const struct ref_times *wanted, const char *text) {
    uint64_t parts = 0;
    if (wanted->problem)
        fail_with(seed, r, wanted->problem, text);
    for (int i = 0; i < TIMING_PARTS; i++)
        parts += found->stats.part_ps[i];
    expect(seed, r, "the time", found->stats.time_ps, wanted->time_ps, text);
    expect(seed, r, "the sum of the parts", parts, wanted->time_ps, text);
    expect(seed, r, "the time of all MPUs", found->stats.mpu_time_ps, wanted->all_ps, text);
    for (uint32_t i = 0; i < wanted->mpu_count && i < 64; i++)
        expect(seed, r, "the time of an MPU", found->mpu_ps[i], wanted->mpu_ps[i], text);
    compare_cycles(seed, r, found, &wanted->cycles, text);
}

/* Logged and played, then once more with nobody watching. */
static void run_both(struct bench *b, struct rig *r, const struct rig_program *p, uint64_t seed,
                     const char *text) {
    b->tried += r->may_lack_rows;
    b->refused += !p->package;
    if (!p->package)
        return;
    struct rig_way way = {.seed = seed, .answer_ps = seed / 7 % 20 ? 0 : 1 + seed % 30011};
    struct rig_outcome alone = rig_run(r, p, &way);
    way.reference = true;
    struct rig_outcome logged = rig_run(r, p, &way);
    assert_int_equal(logged.end, alone.end);
    b->done += logged.end == CONTROL_DONE;
    b->other += logged.end != CONTROL_DONE;
    if (logged.end == CONTROL_DONE) {
        compare(seed, r, &logged, &logged.reference, text);
        compare(seed, r, &alone, &logged.reference, text);
    }
    rig_outcome_free(&logged);
    rig_outcome_free(&alone);
}

static void draw_text(const struct rig *r, uint64_t seed, struct str *text) {
    uint64_t draw = seed;
    ref_program_draw(&(struct ref_draw){.seed = seed,
                                        .allowed = r->allowed,
                                        .mpus = PICK(&draw, 1, 1, 2, 3, 4),
                                        .vrfs = 4,
                                        .lanes = 8,
                                        .budget = PICK(&draw, 20, 100, 300)},
                     text);
}

static void one_text(struct bench *b, struct rig *r, uint64_t seed) {
    struct str text = {0};
    struct rig_program p;
    draw_text(r, seed, &text);
    rig_assemble(r, str_text(&text), &p);
    run_both(b, r, &p, seed, str_text(&text));
    rig_program_close(&p);
    str_free(&text);
}

/* A text for each MPU, or one for all. */
static void one_of_messages(struct bench *b, struct rig *r, uint64_t seed) {
    struct object *o = object_new();
    struct rig_program p;
    random_messages(seed, o);
    if (grid_mpus(&o->geometry) > r->target->mpus) {
        object_free(o);
        one_text(b, r, seed);
        return;
    }
    rig_take(r, o, &p);
    run_both(b, r, &p, seed, "(of random_messages)");
    rig_program_close(&p);
}

static struct { uint64_t first, count; } range = {1, 0};

static void all_agree(void **state) {
    struct bench *b = *state;
    for (uint64_t seed = range.first; seed < range.first + range.count; seed++) {
        struct rig *r = &b->rigs[seed % RIGS];
        vary(r, seed);
        if (seed / RIGS % 5 == 4)
            one_of_messages(b, r, seed);
        else
            one_text(b, r, seed);
    }
}

/* With queues that are small what needs more room is refused, and nothing else: where the reference
 * finds no order. */
static void queues_too_small_are_refused(void **state) {
    struct bench *b = *state;
    uint64_t refused = 0;
    for (uint64_t seed = 0; seed < SMALL_QUEUES && range.count >= PROGRAMS; seed++) {
        struct rig *r = &b->rigs[seed % RIGS];
        struct str text = {0};
        struct rig_program p;
        uint32_t queue = 1 + (uint32_t)(seed / RIGS) % 6;
        rig_reset(r);
        draw_text(r, seed, &text);
        rig_assemble(r, str_text(&text), &p);
        if (!p.package) {
            rig_program_close(&p);
            str_free(&text);
            continue;
        }
        struct rig_outcome x = rig_run(
            r, &p, &(struct rig_way){.seed = seed, .reference = true, .issue_queue = queue});
        r->target->issue_queue = queue;
        struct rig_outcome y = rig_run(r, &p, &(struct rig_way){.seed = seed});
        if (x.end == CONTROL_DONE && (y.end == CONTROL_DONE) != !x.reference.problem)
            fail_with(seed, r, "a queue too small", str_text(&text));
        if (x.end == CONTROL_DONE && y.end == CONTROL_DONE)
            expect(seed, r, "the time with a small queue", y.stats.time_ps, x.reference.time_ps,
                   str_text(&text));
        refused += y.end != CONTROL_DONE;
        rig_outcome_free(&x);
        rig_outcome_free(&y);
        rig_program_close(&p);
        str_free(&text);
    }
    assert_true((refused > SMALL_QUEUES / 20 && refused < SMALL_QUEUES) || range.count < PROGRAMS);
}

/* Else the test would show little. */
static void most_programs_end(void **state) {
    struct bench *b = *state;
    assert_true(b->done > 10 * b->other || range.count < PROGRAMS);
    assert_true(b->refused < b->tried / 2 || range.count < PROGRAMS);
}

/* [FIRST_SEED COUNT]: other programs than the suite's, for longer runs. */
int main(int argc, char **argv) {
    range.count = PROGRAMS;
    if (argc == 3) {
        range.first = strtoull(argv[1], NULL, 10);
        range.count = strtoull(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_agree),
        cmocka_unit_test(queues_too_small_are_refused),
        cmocka_unit_test(most_programs_end),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
