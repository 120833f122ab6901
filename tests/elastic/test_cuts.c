/* SPDX-License-Identifier: MIT
 * What has to hold of time wherever runs of instructions are cut, and what follows from the rules
 * of docs/control-path.md for any program: where one controller works in one MPU, each time is a
 * maximum of sums of others, so that what is added costs no more than it takes itself, and what
 * gets faster makes nothing slower. */
#include "tests/draws.h"
#include "ezpim/ezpim.h"
#include "tests/elastic/programs.h"
#include "tests/elastic/rig.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define PROGRAMS draws(DRAWS_ELASTIC_CUTS)
enum { MOST_ENTRIES = 8192 }; /* more than any text has */

static const char *const names[] = {"racer", "mimdram", "duality-cache", "racer-ideal", "simdram"};
enum { RIGS = sizeof names / sizeof *names };

static int set_up(void **state) {
    struct rig *rigs = xcalloc(RIGS, sizeof *rigs);
    for (unsigned i = 0; i < RIGS; i++)
        rig_open(&rigs[i], names[i], NULL, 0);
    *state = rigs;
    return 0;
}

static int tear_down(void **state) {
    struct rig *rigs = *state;
    for (unsigned i = 0; i < RIGS; i++)
        rig_close(&rigs[i]);
    free(rigs);
    return 0;
}

static void draw(const struct rig *r, uint64_t seed, uint32_t mpus, bool straight,
                 struct str *text) {
    ref_program_draw(&(struct ref_draw){.seed = seed,
                                        .allowed = r->allowed,
                                        .mpus = mpus,
                                        .vrfs = 4,
                                        .lanes = 8,
                                        .budget = 100,
                                        .straight = straight},
                     text);
}

static struct rig_outcome run(struct rig *r, const char *text, struct rig_way way) {
    struct rig_program p;
    rig_assemble(r, text, &p);
    struct rig_outcome x = rig_run(r, &p, &way);
    rig_program_close(&p);
    return x;
}

static uint64_t time_of(struct rig *r, const char *text) {
    struct rig_outcome x = run(r, text, (struct rig_way){.seed = 7});
    assert_int_equal(x.end, CONTROL_DONE);
    rig_outcome_free(&x);
    return x.stats.time_ps;
}

static void fail_of(const struct rig *r, uint64_t seed, const char *what, uint64_t before,
                    uint64_t after, const char *text) {
    fail_msg("program %llu on %s: %s: %llu, then %llu\n%s", (unsigned long long)seed,
             r->target->name, what, (unsigned long long)before, (unsigned long long)after, text);
}

/* ---- cuts ---- */

static void cut(struct rig *r, const struct rig_program *p, uint64_t seed, const char *text) {
    struct rig_outcome whole = rig_run(r, p, &(struct rig_way){.seed = seed, .figures = true});
    for (uint32_t cuts = 1; cuts <= 9; cuts += 4) {
        struct rig_outcome x =
            rig_run(r, p, &(struct rig_way){.seed = seed, .figures = true, .cuts = cuts});
        if (strcmp(str_text(&whole.figures), str_text(&x.figures)) != 0)
            fail_of(r, seed, "cut into runs", whole.stats.time_ps, x.stats.time_ps, text);
        rig_outcome_free(&x);
    }
    rig_outcome_free(&whole);
}

static void cuts_change_nothing(void **state) {
    struct rig *rigs = *state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct rig *r = &rigs[seed % RIGS];
        struct str text = {0};
        rig_reset(r);
        r->target->controllers = 1 + (uint32_t)(seed / 3 % 3);
        r->target->playback_entries = seed % 4 ? 1024 : 8;
        struct rig_program p;
        draw(r, seed, 1 + (uint32_t)(seed % 3), false, &text);
        rig_assemble(r, str_text(&text), &p);
        cut(r, &p, seed, str_text(&text));
        rig_program_close(&p);
        str_free(&text);
    }
}

/* ---- what is added ---- */

static bool begins(const char *line, const char *word) {
    return strncmp(line, word, strlen(word)) == 0;
}

static const char *next_line(const char *line) {
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

/* Behind a header, or at a subroutine of bodies. */
static bool is_in_body(const char *line, bool before) {
    if (begins(line, "COMPUTE_DONE") || begins(line, "RETURN"))
        return false;
    return before || begins(line, "COMPUTE") || begins(line, "sub");
}

/* The text with `added` before some of the instructions of its bodies. */
static void insert(const char *text, const char *added, uint64_t seed, struct str *out) {
    bool inside = false;
    for (const char *line = text, *end; *line; line = end) {
        end = next_line(line);
        if (inside && !begins(line, "COMPUTEG") && !begins(line, "COMPUTE ") &&
            splitmix64(&seed) % 4 == 0)
            str_append(out, added);
        str_append_n(out, line, (size_t)(end - line));
        inside = is_in_body(line, inside);
    }
}

/* One controller and one MPU, and an entry of the playback buffer for each instruction. */
static void make_elastic(struct rig *r, uint64_t seed) {
    rig_reset(r);
    r->target->playback_entries = MOST_ENTRIES;
    r->target->active_vrf_per_rfh = seed % 2 ? 1 : 0;
    r->target->recipe_templates = seed % 3 ? 1024 : 40;
    r->target->front_end_ps = seed % 5 ? 1000 : 333;
}

static uint64_t slots_ps(const struct rig *r, uint64_t count) {
    return count * target_issue_ps(r->target);
}

static uint64_t fetches_ps(const struct rig *r, const struct rig_outcome *more,
                           const struct rig_outcome *less) {
    return r->target->front_end_ps *
           (more->stats.part_cycles[TIMING_FETCH] - less->stats.part_cycles[TIMING_FETCH]);
}

/* n executed instructions that do nothing add at most n slots and the fetches, and take nothing
 * away. */
static void check_added(struct rig *r, uint64_t seed, const char *text, const char *added) {
    struct str more = {0};
    struct rig_way way = {.seed = seed};
    insert(text, added, seed, &more);
    struct rig_outcome a = run(r, text, way), b = run(r, str_text(&more), way);
    uint64_t n = b.stats.instructions - a.stats.instructions;
    assert_int_equal(a.end, CONTROL_DONE);
    assert_int_equal(b.end, CONTROL_DONE);
    if (b.stats.time_ps < a.stats.time_ps ||
        b.stats.time_ps - a.stats.time_ps > slots_ps(r, n) + fetches_ps(r, &b, &a))
        fail_of(r, seed, added, a.stats.time_ps, b.stats.time_ps, str_text(&more));
    rig_outcome_free(&a);
    rig_outcome_free(&b);
    str_free(&more);
}

static void bubbles_cost_their_slots(void **state) {
    struct rig *rigs = *state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct rig *r = &rigs[seed % RIGS];
        struct str text = {0};
        make_elastic(r, seed);
        draw(r, 1000 + seed, 1, false, &text);
        check_added(r, seed, str_text(&text), seed % 2 ? "NOP\n" : "MARK \"more\"\n");
        str_free(&text);
    }
}

/* Nothing but what any instruction costs that does nothing. */
static void prints_cost_what_bubbles_do(void **state) {
    struct rig *rigs = *state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct rig *r = &rigs[seed % RIGS];
        struct str text = {0}, nops = {0}, prints = {0};
        rig_reset(r);
        draw(r, 2000 + seed, 1, false, &text);
        insert(str_text(&text), "NOP\n", seed, &nops);
        insert(str_text(&text), "PRINT \"p \" r1:u1\n", seed, &prints);
        uint64_t a = time_of(r, str_text(&nops)), b = time_of(r, str_text(&prints));
        if (a != b)
            fail_of(r, seed, "PRINT for NOP", a, b, str_text(&prints));
        str_free(&text);
        str_free(&nops);
        str_free(&prints);
    }
}

static struct rig_outcome run_ezpim(struct rig *r, const char *source) {
    const struct ez_options options = {.optimize = 1, .debug = true};
    struct diag *d = diag_new(NULL, NULL);
    struct object *o = ez_compile("test.ez", source, strlen(source), &options, d);
    struct rig_program p;
    if (!o)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    rig_link(r, o, &p);
    struct rig_outcome x = rig_run(r, &p, &(struct rig_way){.seed = 7});
    assert_int_equal(x.end, CONTROL_DONE);
    rig_program_close(&p);
    return x;
}

#define EZPIM_OUTPUT                                                                               \
    "group g[30];\nin x, y: i32 @ g;\nout z: i32 @ g;\n"                                           \
    "main { compute g { z = x + y; z = z ^ select(x < y, x, z); "

/* The output is printed from where it lies: one instruction more in each batch. */
static void an_output_is_printed_in_its_slot(void **state) {
    struct rig *rigs = *state;
    for (unsigned i = 0; i < RIGS; i++) {
        struct rig *r = &rigs[i];
        make_elastic(r, 1);
        struct rig_outcome a = run_ezpim(r, EZPIM_OUTPUT "} }"),
                           b = run_ezpim(r, EZPIM_OUTPUT "print(z, \"z\"); } }");
        uint64_t n = b.stats.instructions - a.stats.instructions;
        assert_int_equal(n, b.stats.batches);
        assert_true(b.stats.time_ps >= a.stats.time_ps);
        assert_true(b.stats.time_ps - a.stats.time_ps <= slots_ps(r, n) + fetches_ps(r, &b, &a));
        rig_outcome_free(&a);
        rig_outcome_free(&b);
    }
}

/* ---- loops ---- */

/* Behind the REPEAT_END of the loop whose body begins at `line`. */
static const char *loop_end(const char *line) {
    for (unsigned depth = 1; depth; line = next_line(line))
        if (begins(line, "REPEAT_END"))
            depth--;
        else if (begins(line, "REPEAT "))
            depth++;
    return line;
}

/* One copy of text[0 .. size), with labels of its own. */
static void copy_labels(const char *text, size_t size, uint64_t copy, struct str *out) {
    for (size_t i = 0; i < size; i++) {
        bool label = text[i] == 'L' && isdigit((unsigned char)text[i + 1]) &&
                     (i == 0 || isspace((unsigned char)text[i - 1]));
        str_char(out, text[i]);
        if (label)
            str_printf(out, "%llu_", (unsigned long long)copy);
    }
}

static void unroll(const char *text, const char *end, uint64_t *copies, struct str *out) {
    for (const char *line = text, *next; line < end; line = next) {
        next = next_line(line);
        if (!begins(line, "REPEAT ")) {
            str_append_n(out, line, (size_t)(next - line));
            continue;
        }
        const char *body = next;
        unsigned long times = strtoul(line + strlen("REPEAT "), NULL, 10);
        struct str flat = {0};
        next = loop_end(body);
        const char *footer = next - strlen("REPEAT_END\n");
        unroll(body, footer, copies, &flat);
        for (; times; times--)
            copy_labels(str_text(&flat), flat.len, ++*copies, out);
        str_free(&flat);
    }
}

static uint64_t count_executed(const struct rig_outcome *x, const struct rig_outcome *less) {
    return x->stats.instructions - less->stats.instructions;
}

/* Of a loop and of what it comes to, the loop has slots of its own, and behind each of its jumps
 * fetching may have to begin anew; the other one has more to fetch. */
static void check_unrolled(struct rig *r, uint64_t seed, const char *text) {
    struct str flat = {0};
    uint64_t copies = 0;
    struct rig_way way = {.seed = seed};
    unroll(text, text + strlen(text), &copies, &flat);
    struct rig_outcome a = run(r, text, way), b = run(r, str_text(&flat), way);
    assert_int_equal(a.end, CONTROL_DONE);
    assert_int_equal(b.end, CONTROL_DONE);
    uint64_t jumps = count_executed(&a, &b);
    if (a.stats.time_ps > b.stats.time_ps + slots_ps(r, 2 * jumps) ||
        b.stats.time_ps > a.stats.time_ps + slots_ps(r, b.stats.part_cycles[TIMING_FETCH]))
        fail_of(r, seed, "unrolled", a.stats.time_ps, b.stats.time_ps, text);
    rig_outcome_free(&a);
    rig_outcome_free(&b);
    str_free(&flat);
}

static void loops_cost_their_slots(void **state) {
    struct rig *rigs = *state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct rig *r = &rigs[seed % RIGS];
        struct str text = {0};
        make_elastic(r, seed);
        draw(r, 3000 + seed, 1, true, &text);
        check_unrolled(r, seed, str_text(&text));
        str_free(&text);
    }
}

/* ---- what gets larger or faster ---- */

/* A number of the target, and values of it that never make a program slower from one to the next.
 * With several controllers, or MPUs that send one another messages, this need not be so: an older
 * ensemble that is issued earlier may take the port just before a younger one that then waits, and
 * likewise messages the links. */
struct series {
    const char *what;
    size_t place; /* in struct target */
    bool wide;    /* 64 bits */
    uint64_t values[12];
    uint32_t count;
};
#define SERIES(field, is_wide, ...)                                                                \
    {                                                                                              \
#field, offsetof(struct target, field), is_wide,                                           \
            {__VA_ARGS__ }, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)             \
    }
static const struct series series[] = {
    SERIES(playback_entries, false, 0, 1, 2, 4, 8, 16, 32, 64, 128, MOST_ENTRIES),
    SERIES(issue_queue, false, 13, 14, 15, 16, 17, 20, 32, 64, 128, 1024),
    SERIES(recipe_templates, false, 1, 10, 20, 50, 100, 200, 1024),
    SERIES(recipe_pointers, false, 1, 2, 3, 5, 20),
    SERIES(front_end_ps, true, 5003, 3000, 1001, 1000, 999, 47),
    SERIES(datapath_ps, true, 5003, 3000, 1001, 1000, 999, 47),
};
enum { ALL_SERIES = sizeof series / sizeof *series };

static void set_value(const struct rig *r, const struct series *x, uint64_t value) {
    unsigned char *place = (unsigned char *)r->target + x->place;
    uint32_t narrow = (uint32_t)value;
    if (x->wide)
        memcpy(place, &value, sizeof value);
    else
        memcpy(place, &narrow, sizeof narrow);
}

/* The other numbers of the front end are small, so that these matter. */
static void make_tight(struct rig *r, uint64_t seed) {
    rig_reset(r);
    r->target->playback_entries = seed % 2 ? 16 : 1024;
    r->target->recipe_templates = seed % 3 ? 1024 : 60;
    r->target->active_vrf_per_rfh = seed % 5 ? 1 : 0;
    r->target->instruction_store_bytes = seed % 4 ? 2097152 : 256;
}

static void check_series(struct rig *r, const struct rig_program *p, const struct series *x,
                         uint64_t seed, const char *text) {
    uint64_t last = UINT64_MAX;
    make_tight(r, seed);
    for (uint32_t i = 0; i < x->count; i++) {
        set_value(r, x, x->values[i]);
        struct rig_outcome out = rig_run(r, p, &(struct rig_way){.seed = seed});
        assert_int_equal(out.end, CONTROL_DONE);
        if (out.stats.time_ps > last)
            fail_of(r, seed, x->what, last, out.stats.time_ps, text);
        last = out.stats.time_ps;
        rig_outcome_free(&out);
    }
}

static void what_is_better_makes_nothing_slower(void **state) {
    struct rig *rigs = *state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct rig *r = &rigs[seed % RIGS];
        struct str text = {0};
        struct rig_program p;
        rig_reset(r);
        draw(r, 4000 + seed, 1, false, &text);
        rig_assemble(r, str_text(&text), &p);
        check_series(r, &p, &series[seed / RIGS % ALL_SERIES], seed, str_text(&text));
        rig_program_close(&p);
        str_free(&text);
    }
}

/* A machine that is told which VRFs work, range by range: wherever runs are cut, and with better
 * numbers. */
static void ranges_too(void **state) {
    struct rig r;
    uint64_t done = 0;
    (void)state;
    rig_open(&r, "pypim", NULL, 0);
    r.may_lack_rows = true;
    for (uint64_t seed = 1; seed <= PROGRAMS / 4; seed++) {
        struct str text = {0};
        struct rig_program p;
        rig_reset(&r);
        r.target->active_vrf_per_rfh = seed % 2 ? 0 : 2;
        draw(&r, 8000 + seed, 1 + (uint32_t)(seed % 2), false, &text);
        rig_assemble(&r, str_text(&text), &p);
        if (p.package) {
            cut(&r, &p, seed, str_text(&text));
            check_series(&r, &p, &series[seed % ALL_SERIES], seed, str_text(&text));
            done++;
        }
        rig_program_close(&p);
        str_free(&text);
    }
    assert_true(done > PROGRAMS / 8);
    rig_close(&r);
}

/* ---- one instruction again and again ---- */

/* A body of `count` times `insn`, each followed by `other`; C holds. */
static uint64_t time_of_row(struct rig *r, const char *insn, const char *other, unsigned count) {
    struct str text = {0};
    str_append(&text, "        .group g[8]\nCOMPUTEG @g\nCMPEQ.1 r3 r3\n");
    for (unsigned i = 0; i < count; i++)
        str_printf(&text, "%s\n%s", insn, other);
    str_append(&text, "COMPUTE_DONE\n");
    uint64_t ps = time_of(r, str_text(&text));
    str_free(&text);
    return ps;
}

/* On racer, where each of these keeps the datapath at work for more than a slot, what stands
 * between them costs a slot each, and fetching it nothing: at most a cycle at the start. */
static void bubbles_between_instructions(void **state) {
    static const char *const insns[] = {"ADD.64 r0 r1 r2", "CMPGT.64 r0 r1", "INC.64 r0 r0"};
    static const char *const others[] = {"NOP\n", "MARK \"m\"\n", "PRINT \"p \" r0:u4\n",
                                         "ASSERT \"is\"\n"};
    struct rig *rigs = *state;
    for (unsigned i = 0; i < 3 * RIGS; i++) {
        struct rig *r = &rigs[i / 3];
        make_elastic(r, 1);
        uint64_t alone = time_of_row(r, insns[i % 3], "", 100);
        for (unsigned k = 0; k < (i % 3 == 1 ? 3 : 4); k++) { /* CMPGT leaves C 0 */
            uint64_t ps = time_of_row(r, insns[i % 3], others[k], 100);
            if (ps < alone || ps > alone + slots_ps(r, 101))
                fail_of(r, i, others[k], alone, ps, insns[i % 3]);
        }
    }
}

/* The host prepares at most 256 instructions in one go, which is no business of theirs. */
static void the_257th_is_like_the_others(void **state) {
    struct rig *rigs = *state;
    for (unsigned i = 0; i < RIGS; i++) {
        struct rig *r = &rigs[i];
        make_elastic(r, 1);
        uint64_t a = time_of_row(r, "ADD.64 r0 r1 r2", "", 255),
                 b = time_of_row(r, "ADD.64 r0 r1 r2", "", 256),
                 c = time_of_row(r, "ADD.64 r0 r1 r2", "", 257),
                 d = time_of_row(r, "ADD.64 r0 r1 r2", "", 258);
        assert_int_equal(c - b, b - a);
        assert_int_equal(d - c, b - a);
    }
}

/* REPEAT 100 of one INC is 100 of them, and 101 slots. */
static void a_loop_of_one_instruction(void **state) {
    struct rig *rigs = *state;
    for (unsigned i = 0; i < RIGS; i++) {
        struct rig *r = &rigs[i];
        make_elastic(r, 1);
        uint64_t flat = time_of_row(r, "INC.8 r0 r0", "", 100);
        uint64_t loop = time_of_row(r, "REPEAT 100\nINC.8 r0 r0\nREPEAT_END", "", 1);
        if (loop > flat + slots_ps(r, 103) || flat > loop + slots_ps(r, 100))
            fail_of(r, i, "REPEAT", flat, loop, "INC.8");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_change_nothing),
        cmocka_unit_test(bubbles_cost_their_slots),
        cmocka_unit_test(prints_cost_what_bubbles_do),
        cmocka_unit_test(an_output_is_printed_in_its_slot),
        cmocka_unit_test(loops_cost_their_slots),
        cmocka_unit_test(what_is_better_makes_nothing_slower),
        cmocka_unit_test(ranges_too),
        cmocka_unit_test(bubbles_between_instructions),
        cmocka_unit_test(the_257th_is_like_the_others),
        cmocka_unit_test(a_loop_of_one_instruction),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
