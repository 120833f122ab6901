/* SPDX-License-Identifier: MIT
 * Tables as logic: the networks that are made of them, their recipes on every plane machine by the
 * strict engine, and what they cost. */
#define _GNU_SOURCE /* mkdtemp */
#include "tests/draws.h"
#include "luts.h"
#include "made_up.h"

#include "machines/plane/verify/verify.h"
#include "recipe/lut/field.h"
#include "recipe/lut/lut.h"
#include "recipe/lut/schedule.h"
#include "recipe/lut/synthesis.h"
#include "recipe/map/map.h"
#include "recipe/set/set.h"
#include "recipe/table/table.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const machines[] = {"racer",       "racer-magic",   "racer-felix",
                                       "racer-ideal", "mimdram",       "simdram",
                                       "ambit",       "duality-cache", "pypim"};
#define MACHINES (sizeof machines / sizeof *machines)

#ifdef MPU_SANITIZED
enum { MOST_BITS = 4, MOST_SHAPES = 3, MOST_BOXES = 0, MADE_UP = 2 };
/* Of the machines, so many apart are asked. */
enum { RANDOM_STEP = 2, KEPT_STEP = 4 };
#else
enum { MOST_BITS = 8, MOST_SHAPES = 6, MOST_BOXES = 3, MADE_UP = 6 };
enum { RANDOM_STEP = 1, KEPT_STEP = 1 };
#endif

struct machine_set {
    struct diag *d;
    struct target *t;
    struct recipe_set *s;
};
static struct machine_set sets[MACHINES];

static void open_one(struct machine_set *set, const char *name) {
    set->d = diag_new(NULL, NULL);
    set->t = target_open(name, NULL, 0, set->d);
    set->s = set->t ? recipe_set_open(set->t, set->d) : NULL;
    if (!set->s)
        fail_msg("%s", diag_first(set->d));
}

static void close_one(struct machine_set *set) {
    recipe_set_free(set->s);
    target_free(set->t);
    diag_free(set->d);
}

static int open_sets(void **state) {
    (void)state;
    for (size_t i = 0; i < MACHINES; i++)
        open_one(&sets[i], machines[i]);
    return 0;
}

static int close_sets(void **state) {
    (void)state;
    for (size_t i = 0; i < MACHINES; i++)
        close_one(&sets[i]);
    return 0;
}

/* --- one form --- */

static struct insn lut_insn(const struct isa_lut *table, bool aliased) {
    struct insn insn = {.op = OP_LUT, .rs = 1, .rd = aliased ? 1 : 2, .lut = 7};
    isa_set_table(&insn, table);
    return insn;
}

/* The strict engine on all values, or on edges and random ones; and the same list from the recipe
 * table. */
static void verify_form(const struct machine_set *set, const struct isa_lut *table, bool aliased,
                        bool masked) {
    struct insn insn = lut_insn(table, aliased);
    struct uop_list list = {0}, other = {0};
    if (!recipe_expand(set->s, &insn, masked, &list, set->d) ||
        !verify_list(set->t, &insn, masked, &list, true, set->d) ||
        !plane_verify_run(set->t, &insn, masked, &list, 5, set->d))
        fail_msg("%s: k = %u, w = %u: %s", set->t->name, table->index_bits, table->width,
                 diag_first(set->d));
    struct recipe_table *made = recipe_table_build(set->t, set->s, &insn, 1, set->d);
    assert_non_null(made);
    assert_true(recipe_table_expand(made, &insn, masked, &other, set->d));
    assert_int_equal(list.len, other.len);
    recipe_table_free(made);
    vec_free(&list);
    vec_free(&other);
}

static void verify_forms(const struct machine_set *set, const struct isa_lut *table) {
    for (unsigned form = 0; form < 4; form++)
        verify_form(set, table, form & 1, form >> 1);
}

/* Each size on some of the machines, all of which have had all of them in the end. */
static void test_random(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (unsigned k = 1; k <= MOST_BITS; k++)
        for (unsigned n = 0; n < MACHINES; n++) {
            unsigned w = k + (unsigned)(splitmix64(&seed) % (k < 4 ? 60 : 3));
            if ((n + k) % (k > 6 ? 4 : k > 3 ? 2 : RANDOM_STEP))
                continue;
            struct isa_lut *table = luts_random(k, w, &seed);
            verify_forms(&sets[n], table);
            luts_free(table);
        }
}

/* Tables of each size up to ten bits, each on the next machine: `fresh` rounds from a seed. */
static uint64_t fresh_seed;
static unsigned fresh;

static void test_fresh(void **state) {
    (void)state;
    uint64_t seed = fresh_seed;
    for (unsigned n = 0; n < fresh; n++)
        for (unsigned k = 1; k <= 10; k++) {
            unsigned w = k + (unsigned)(splitmix64(&seed) % (k < 4 ? 60 : 3));
            uint64_t form = splitmix64(&seed), from = seed;
            struct isa_lut *table = luts_random(k, w, &seed);
            print_message("%s: k = %u, w = %u, seed %llu\n", machines[(n + k) % MACHINES], k, w,
                          (unsigned long long)from);
            verify_form(&sets[(n + k) % MACHINES], table, form & 1, form >> 1 & 1);
            luts_free(table);
        }
}

/* --- sizes that cannot all be random --- */

static uint64_t clip(uint32_t index, unsigned k) {
    (void)k;
    return index < 1000 ? index : 1000;
}
static uint64_t ones(uint32_t index, unsigned k) {
    (void)k;
    return (uint64_t)__builtin_popcount(index);
}
static uint64_t few(uint32_t index, unsigned k) {
    (void)k;
    return index % 4099 == 7 ? index * 77777u : 0;
}
static uint64_t sign(uint32_t index, unsigned k) {
    return index >> (k - 1) & 1 ? UINT64_MAX : index;
}

static void test_large(void **state) {
    static luts_element *const elements[] = {clip, ones, few, sign, luts_gray, luts_crc32};
    (void)state;
    for (unsigned i = 0; i < MOST_SHAPES; i++) {
        struct isa_lut *table = luts_new(11 + i, i == 5 ? 32 : 16 + i % 2, elements[i]);
        verify_form(&sets[(3 * i) % MACHINES], table, i % 2, i % 3 == 0);
        luts_free(table);
    }
}

/* --- what it costs --- */

static struct recipe_count count_of(const struct machine_set *set, const struct insn *insn) {
    struct recipe_count count = {0};
    assert_true(recipe_count(set->s, insn, false, &count));
    return count;
}

static struct recipe_count count_table(const struct machine_set *set, const struct isa_lut *table) {
    struct insn insn = lut_insn(table, false);
    return count_of(set, &insn);
}

static uint64_t zero(uint32_t index, unsigned k) {
    return (void)index, (void)k, 0;
}
static uint64_t all_ones(uint32_t index, unsigned k) {
    return (void)index, (void)k, UINT64_MAX;
}
static uint64_t inverse(uint32_t index, unsigned k) {
    return (void)k, ~(uint64_t)index;
}
static uint64_t sum_of_two(uint32_t index, unsigned k) {
    return (void)k, (index ^ index >> 1) & 1;
}

/* A table that says what an instruction does takes no more micro-ops and no more scratch. */
static void test_direct(void **state) {
    static const struct {
        luts_element *element;
        enum isa_op op;
    } same[] = {{luts_identity, OP_MOV},
                {inverse, OP_INV},
                {zero, OP_INIT0},
                {all_ones, OP_INIT1},
                {luts_reversed, OP_BFLIP}};
    (void)state;
    for (size_t n = 0; n < MACHINES; n++)
        for (unsigned w = 2; w <= 16; w += 3)
            for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
                struct isa_lut *table = luts_new(w, w, same[i].element);
                struct insn insn = {.op = same[i].op, .width = (uint8_t)w, .rs = 1, .rd = 2};
                struct recipe_count direct = count_of(&sets[n], &insn);
                struct recipe_count looked_up = count_table(&sets[n], table);
                if (looked_up.micro_ops > direct.micro_ops || looked_up.logic > direct.logic)
                    fail_msg("%s: %s.%u: %llu micro-ops, not %llu", machines[n],
                             isa_info(same[i].op)->name, w, (unsigned long long)looked_up.micro_ops,
                             (unsigned long long)direct.micro_ops);
                luts_free(table);
            }
}

/* Bits that are sums of two cost an XOR each and what moves a bit to its neighbour. */
static void test_sums(void **state) {
    (void)state;
    for (size_t n = 0; n < MACHINES; n++) {
        struct insn insn = {.op = OP_XOR, .width = 1, .rs = 1, .rt = 2, .rd = 3};
        uint64_t one = count_of(&sets[n], &insn).logic;
        struct isa_lut *two = luts_new(2, 2, sum_of_two), *gray = luts_new(9, 9, luts_gray);
        assert_in_range(count_table(&sets[n], two).logic, 1, one);
        /* Where sections can be joined, what moves a bit is logic, too: inverted twice. */
        uint64_t move = plane_target(sets[n].t)->partitioned ? 2 : 0;
        assert_in_range(count_table(&sets[n], gray).logic, 8, 8 * (one + move));
        luts_free(two);
        luts_free(gray);
    }
}

/* --- S-boxes --- */

/* Micro-ops that move bits between sections. */
static uint64_t count_moves(const struct machine_set *set, const struct recipe *recipe) {
    struct insn insn = {.op = OP_LUT, .width = 8, .rs = 1, .rd = 2};
    struct uop_list list = {0};
    struct recipe_count count;
    const char *error;
    assert_true(recipe_expand_with(set->s, recipe, &insn, false, &list, set->d));
    assert_true(verify_list(set->t, &insn, false, &list, true, set->d));
    assert_true(recipe_count_list(set->t, &list, &count, &error));
    vec_free(&list);
    return plane_target(set->t)->sections > 1 ? count.crossings + count.copies : 0;
}

/* Boyar and Peralta's circuit for AES has 32 ANDs and 81 XORs and XNORs; the bound is 1.3 times
 * that, in gates and in what least programs for such gates cost on each machine. */
static void test_aes(void **state) {
    (void)state;
    struct isa_lut *table = luts_new(8, 8, luts_aes);
    for (size_t n = 0; n < MACHINES && MOST_BOXES; n++) {
        const struct machine_set *set = &sets[n];
        struct lut_report report;
        const struct recipe *made =
            lut_map(set->s, table, 8, 8, recipe_expand_with, &report, set->d);
        if (!made)
            fail_msg("%s", diag_first(set->d));
        assert_string_equal(report.way, "inversion");
        assert_in_range(report.gates, 100, 149);
        assert_int_equal(report.selects, 0);
        uint64_t published =
            32 * mapping_function_cost(set->s, 0x88) + 81 * mapping_function_cost(set->s, 0x66);
        uint64_t bound = published * 13 / 10 + count_moves(set, made);
        assert_in_range(report.cost, 1, bound * report.unit);
    }
    if (MOST_BOXES)
        verify_form(&sets[7], table, true, true);
    luts_free(table);
}

static uint8_t random_map(uint64_t *seed, struct lut_affine *map) {
    bool seen[256] = {false};
    do {
        memset(seen, 0, sizeof seen);
        for (unsigned i = 0; i < 8; i++)
            map->columns[i] = (uint8_t)splitmix64(seed);
        map->added = (uint8_t)splitmix64(seed);
        for (unsigned x = 0; x < 256; x++)
            seen[lut_affine_apply(map, (uint8_t)x)] = true;
    } while (memchr(seen, false, sizeof seen));
    return map->added;
}

/* Inversion between random maps, in eight of twelve bits; and what looks like it. */
static void test_inversions(void **state) {
    (void)state;
    uint64_t seed = 9, entries[256];
    struct isa_lut table = {8, 12, entries};
    struct lut_field field;
    lut_field_make(&field);
    for (unsigned n = MOST_BOXES == 0; n < 3; n++) {
        struct lut_affine in, out;
        struct lut_truth truth;
        struct lut_network network;
        uint64_t counts[LUT_GATES];
        random_map(&seed, &in);
        random_map(&seed, &out);
        for (unsigned x = 0; x < 256; x++)
            entries[x] = (uint64_t)lut_affine_apply(
                             &out, lut_field_inverse(&field, lut_affine_apply(&in, (uint8_t)x)))
                         << 2;
        if (n == 2) {
            entries[3] ^= entries[200];
            entries[200] ^= entries[3];
            entries[3] ^= entries[200];
        }
        lut_truth_make(&table, 8, 12, &truth);
        lut_network_start(&network, 8, 12);
        assert_int_equal(lut_make_inversion(&truth, &network), n < 2);
        if (n < 2) {
            assert_true(lut_truth_holds(&truth, &network));
            lut_count_gates(&network, counts);
            assert_in_range(counts[LUT_AND] + counts[LUT_XOR], 100, 160);
        }
        lut_network_free(&network);
        lut_truth_free(&truth);
    }
}

/* --- networks --- */

/* Random tables of each size, by each way that takes all tables. */
static void test_networks(void **state) {
    (void)state;
    const struct lut_costs costs = {{[LUT_AND] = 2, [LUT_XOR] = 5, [LUT_MUX] = 4}};
    uint64_t seed = 2;
    for (unsigned k = 1; k <= 8; k++)
        for (unsigned n = 0; n < draws(DRAWS_RECIPE_TABLES); n++) {
            struct isa_lut *table = luts_random(k, 1 + n % 7, &seed);
            struct lut_truth truth;
            struct lut_network network;
            lut_truth_make(table, k, table->width, &truth);
            lut_network_start(&network, k, table->width);
            if (n % 20 == 0 || k < 5)
                lut_make_diagram(&truth, UINT64_MAX, &costs, &network);
            else
                lut_make_selects(&truth, UINT64_MAX, &network);
            assert_true(lut_truth_holds(&truth, &network));
            if (n == 0 && k > 2) { /* and the check sees what is wrong */
                network.out[0] ^= 1;
                assert_false(lut_truth_holds(&truth, &network));
            }
            lut_network_free(&network);
            lut_truth_free(&truth);
            luts_free(table);
        }
}

/* Runs a schedule on 64 indices at a time. */
static uint64_t value_of(const struct lut_schedule *schedule, const struct lut_network *network,
                         uint64_t *held, size_t word, unsigned output) {
    uint64_t result = 0;
    for (size_t i = 0; i < schedule->steps.len; i++) {
        const struct lut_step *s = &schedule->steps.data[i];
        const struct lut_node *g = &network->nodes.data[s->node];
        uint64_t a[3] = {0};
        if (s->output != LUT_NO_OUTPUT) {
            result = s->output == output ? held[s->name] ^ -(uint64_t)(network->out[output] & 1)
                                         : result;
            continue;
        }
        for (unsigned k = 0; k < lut_gate_args(g->gate); k++) {
            uint32_t from = g->args[k] >> 1;
            a[k] = network->nodes.data[from].gate == LUT_INPUT ? lut_variable_word(from - 1, word)
                                                               : held[s->args[k]];
            a[k] ^= -(uint64_t)(g->args[k] & 1);
        }
        held[s->name] = g->gate == LUT_AND   ? a[0] & a[1]
                        : g->gate == LUT_XOR ? a[0] ^ a[1]
                                             : (a[0] & a[1]) | (~a[0] & a[2]);
    }
    return result;
}

/* With few values at once, and names that are used again, the values are the same. */
static void test_schedule(void **state) {
    (void)state;
    static const uint32_t outputs[] = {3, 0, 2, 1};
    uint64_t seed = 4, least = UINT64_MAX;
    struct isa_lut *table = luts_random(8, 4, &seed);
    struct lut_truth truth;
    struct lut_network network;
    struct lut_schedule s;
    lut_truth_make(table, 8, 4, &truth);
    lut_network_start(&network, 8, 4);
    lut_make_selects(&truth, 15, &network);
    for (uint32_t limit = 9; limit < 400; limit *= 2) {
        assert_true(lut_schedule_make(&network, outputs, 4, limit, 4 * limit, 100000, &s));
        assert_in_range(s.most_held, 1, limit);
        assert_in_range(s.gates, s.again + 1, least);
        least = s.gates;
        uint64_t *held = xcalloc(s.names, sizeof *held);
        for (size_t word = 0; word < truth.words; word++)
            for (unsigned o = 0; o < 4; o++)
                assert_true(value_of(&s, &network, held, word, o) == lut_truth_of(&truth, o)[word]);
        free(held);
        lut_schedule_free(&s);
    }
    assert_false(lut_schedule_make(&network, outputs, 4, 2, 8, 100000, &s));
    lut_schedule_free(&s);
    assert_false(lut_schedule_make(&network, outputs, 4, 12, 48, 100, &s));
    lut_schedule_free(&s);
    lut_network_free(&network);
    lut_truth_free(&truth);
    luts_free(table);
}

/* --- what there is no recipe for --- */

static void want_refused(const struct target *t, const struct isa_lut *table, const char *why) {
    struct diag *d = diag_new(NULL, NULL);
    struct recipe_set *s = recipe_set_open(t, d);
    struct insn insn = {.op = OP_LUT, .rs = 1, .rd = 2, .width = 16};
    struct uop_list list = {0};
    insn.table = table;
    for (unsigned n = 0; n < 2; n++) { /* it says so again */
        struct diag *said = diag_new(NULL, NULL);
        assert_false(recipe_expand(s, &insn, false, &list, said));
        diag_flush(said);
        assert_non_null(diag_first(said));
        if (!strstr(diag_first(said), why))
            fail_msg("%s", diag_first(said));
        diag_free(said);
    }
    vec_free(&list);
    recipe_set_free(s);
    diag_free(d);
}

static void test_refused(void **state) {
    (void)state;
    uint64_t seed = 6;
    struct isa_lut *large = luts_random(16, 16, &seed), *small = luts_random(3, 16, &seed);
    struct diag *d = diag_new(NULL, NULL);
    struct target *incomplete = open_made_up("and-or");
    if (MOST_BOXES)
        want_refused(sets[0].t, large, "a table of 65536 elements of 16 bits is too large: 9");
    want_refused(sets[0].t, NULL, "LUT without a table");
    want_refused(incomplete, small, "cannot make !x");
    target_free(incomplete);
    diag_free(d);
    luts_free(large);
    luts_free(small);
}

/* Machines that nobody has built: values lie apart from registers, gates destroy what they read. */
static void test_made_up(void **state) {
    static const char *const names[] = {"imply",    "mtj",     "majority5",
                                        "senseamp", "storage", "latched"};
    (void)state;
    uint64_t seed = 8;
    for (size_t i = 0; i < MADE_UP; i++) {
        struct machine_set set = {.d = diag_new(NULL, NULL), .t = open_made_up(names[i])};
        set.s = recipe_set_open(set.t, set.d);
        assert_non_null(set.s);
        struct isa_lut *table = luts_random(4, 5, &seed);
        verify_forms(&set, table);
        luts_free(table);
        close_one(&set);
    }
}

/* With arguments, SEED ROUNDS: fresh tables alone. */
/* --- what is kept --- */

/* The lists of the forms that a LUT has: registers apart or one, without a mask or with. */
struct form_lists {
    struct uop_list list[4];
};

static void expand_forms(const struct machine_set *set, const struct isa_lut *table,
                         struct form_lists *out) {
    for (unsigned i = 0; i < 4; i++) {
        const struct insn insn = lut_insn(table, i / 2);
        if (!recipe_expand(set->s, &insn, i % 2, &out->list[i], set->d))
            fail_msg("%s", diag_first(set->d));
    }
}

static void free_forms(struct form_lists *forms) {
    for (unsigned i = 0; i < 4; i++)
        vec_free(&forms->list[i]);
}

/* The lists of a fresh set that keeps in the folder; `made`: it had to make them. */
static void check_kept(const char *machine, const char *folder, const struct isa_lut *table,
                       const struct form_lists *wanted, bool made) {
    struct machine_set set;
    struct form_lists got = {0};
    open_one(&set, machine);
    recipe_set_keep(set.s, folder);
    expand_forms(&set, table, &got);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(got.list[i].len, wanted->list[i].len);
        assert_memory_equal(got.list[i].data, wanted->list[i].data,
                            got.list[i].len * sizeof *got.list[i].data);
    }
    assert_int_equal(lut_recipes_made(set.s->luts), made);
    free_forms(&got);
    close_one(&set);
}

static void run(const char *format, const char *folder) {
    char command[4400];
    snprintf(command, sizeof command, format, folder);
    assert_int_equal(system(command), 0);
}

/* Without a cache, with an empty one, with a full one, with a damaged one: the same micro-ops. */
static void test_kept(void **state) {
    static const char damage[] = "for f in '%s'/*; do printf x >> \"$f\"; done";
    char folder[] = MPU_BINARY_DIR "/test_lut-XXXXXX";
    uint64_t seed = 11;
    (void)state;
    assert_non_null(mkdtemp(folder));
    for (size_t n = 0; n < MACHINES; n += KEPT_STEP) {
        struct isa_lut *table = luts_random((unsigned)(3 + n % 3), 8, &seed);
        struct form_lists wanted = {0};
        expand_forms(&sets[n], table, &wanted);
        check_kept(machines[n], folder, table, &wanted, true);
        check_kept(machines[n], folder, table, &wanted, false);
        run(damage, folder);
        check_kept(machines[n], folder, table, &wanted, true);
        check_kept(machines[n], folder, table, &wanted, false);
        free_forms(&wanted);
        luts_free(table);
    }
    run("rm -r '%s'", folder);
}

/* What a trial on a target of the user's has to find. */
static size_t try_one(const char *folder, const struct isa_lut *table) {
    struct machine_set set = {.d = diag_new(NULL, NULL), .t = open_made_up("imply")};
    const struct insn insn = lut_insn(table, false);
    set.s = recipe_set_open(set.t, set.d);
    recipe_set_keep(set.s, folder);
    assert_true(recipe_is_own(set.s, &insn, false));
    for (unsigned i = 0; i < 2; i++)
        assert_true(recipe_try(set.s, &insn, i, set.d));
    size_t made = lut_recipes_made(set.s->luts);
    close_one(&set);
    return made;
}

static void test_tried(void **state) {
    char folder[] = MPU_BINARY_DIR "/test_lut-XXXXXX";
    uint64_t seed = 13;
    struct isa_lut *table = luts_random(3, 8, &seed);
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(try_one(folder, table), 1);
    assert_int_equal(try_one(folder, table), 0);
    luts_free(table);
    run("rm -r '%s'", folder);
}

/* --- texts from anywhere --- */

static void replace_first(struct str *text, const char *old, const char *new) {
    struct str out = {0};
    const char *at = strstr(str_text(text), old);
    assert_non_null(at);
    str_append_n(&out, text->text, (size_t)(at - text->text));
    str_append(&out, new);
    str_append(&out, at + strlen(old));
    str_free(text);
    *text = out;
}

/* Another set takes the text of the table's logic where `old` is `new`, or does not. */
static void check_text(const struct isa_lut *table, const struct str *logic, const char *old,
                       const char *new, bool fine) {
    struct machine_set set;
    struct str text = {0};
    const struct insn insn = lut_insn(table, false);
    str_append(&text, str_text(logic));
    if (old)
        replace_first(&text, old, new);
    open_one(&set, "racer");
    if (recipe_logic_take(set.s, &insn, text.text, text.len) != fine)
        fail_msg("'%s' in the place of '%s'", new ? new : "", old ? old : "");
    assert_int_equal(lut_recipe_is_known(set.s->luts, &insn), fine);
    assert_int_equal(lut_recipes_made(set.s->luts), 0);
    str_free(&text);
    close_one(&set);
}

static void print_logic(const struct isa_lut *table, struct str *out) {
    const struct insn insn = lut_insn(table, false);
    assert_true(recipe_logic_print(sets[0].s, &insn, out));
}

/* The text is taken if it is right for every index and follows from the index alone. */
static void test_texts(void **state) {
    static const char *const wrong[][2] = {{"a[0]", "a[1]"},
                                           {"a[0]", "a[6]"},
                                           {"a[0]", "d[0]"},
                                           {"a[0]", "C"},
                                           {"a[0]", "M"},
                                           {"d[3]", "d[8]"},
                                           {"d[3]", "a[3]"},
                                           {"any w", "w <= 4"},
                                           {"LUT(a)", "LUT(b)"},
                                           {"\n}", "}\n"},
                                           {"recipe", "\nrecipe"},
                                           {"mapped for racer", "generic"},
                                           {"mapped for racer", "for racer"},
                                           {"\n}\n", "\n  computes d == a\n}\n"}};
    uint64_t seed = 12;
    struct isa_lut *table = luts_random(6, 7, &seed), *other = luts_random(6, 7, &seed);
    struct str text = {0}, of_other = {0};
    (void)state;
    print_logic(table, &text);
    print_logic(other, &of_other);
    check_text(table, &text, NULL, NULL, true);
    check_text(table, &of_other, NULL, NULL, false);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_text(table, &text, wrong[i][0], wrong[i][1], false);
    uint64_t *entry = (uint64_t *)(uintptr_t)&table->entries[51];
    *entry ^= 4; /* one bit of one element */
    check_text(table, &text, NULL, NULL, false);
    str_free(&text);
    str_free(&of_other);
    luts_free(table);
    luts_free(other);
}

int main(int argc, char **argv) {
    const struct CMUnitTest others[] = {cmocka_unit_test(test_fresh)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_networks), cmocka_unit_test(test_schedule),
        cmocka_unit_test(test_random),   cmocka_unit_test(test_large),
        cmocka_unit_test(test_direct),   cmocka_unit_test(test_sums),
        cmocka_unit_test(test_aes),      cmocka_unit_test(test_inversions),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_made_up),
        cmocka_unit_test(test_kept),     cmocka_unit_test(test_texts),
        cmocka_unit_test(test_tried),
    };
    if (argc == 3) {
        fresh_seed = strtoull(argv[1], NULL, 10);
        fresh = (unsigned)strtoul(argv[2], NULL, 10);
        return cmocka_run_group_tests(others, open_sets, close_sets);
    }
    return cmocka_run_group_tests(tests, open_sets, close_sets);
}
