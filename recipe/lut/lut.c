/* SPDX-License-Identifier: MIT
 * From a table to a recipe: networks made in several ways, each checked for every index, and the
 * one that takes least on the target. */
#include "recipe/lut/lut.h"

#include "recipe/expand/expand.h"
#include "recipe/lut/synthesis.h"
#include "recipe/lut/network_text.h"
#include "recipe/map/derive.h"
#include "recipe/map/map.h"
#include "recipe/set/words.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <inttypes.h>
#include <string.h>

/* Values that a section holds at most, so that registers keep the other rows where both lie in
 * the same ones. */
#define MOST_ROWS 64
/* Rows that a gate's micro-ops may need beside its inputs and its result, at first. */
#define ROWS_LEFT   10
#define FEWEST_ROWS 6
/* Above so many gates what a network costs is taken from its gates, not from its micro-ops. */
#define MOST_TRIED 1500
/* Names of values where there are many: the mapping decides for each which way round it is held. */
#define MANY_GATES 2000
#define FEW_NAMES  512

struct table_mapper {
    struct recipe_set *set;
    struct lut_truth truth;
    struct lut_costs costs;
    lut_expand_fn *expand;
    struct diag *diag;
};

/* One way, as far as it was followed. */
struct table_way {
    const char *name;
    struct lut_network network;
    uint64_t estimate;
    const struct recipe *recipe;
    struct lut_written written;
    uint64_t cost, micro_ops;
};

/* --- what gates cost --- */

static uint64_t least_of(const struct table_mapper *mapper, const uint8_t *truths, unsigned count) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += mapping_function_cost(mapper->set, truths[i]);
    return sum;
}

/* Four times the cost: which inputs and results are held inverted is open, so that all are as
 * likely. */
static void find_costs(struct table_mapper *mapper) {
    static const uint8_t ands[] = {0x88, 0x44, 0x11, 0xEE}, xors[] = {0x66, 0x99},
                         selects[] = {0xD8, 0x27};
    mapper->costs = (struct lut_costs){{0}};
    mapper->costs.gate[LUT_AND] = least_of(mapper, ands, 4);
    mapper->costs.gate[LUT_XOR] = 2 * least_of(mapper, xors, 2);
    mapper->costs.gate[LUT_MUX] = 2 * least_of(mapper, selects, 2);
}

static uint64_t gates_of(const struct lut_network *network) {
    uint64_t counts[LUT_GATES];
    lut_count_gates(network, counts);
    return counts[LUT_AND] + counts[LUT_XOR] + counts[LUT_MUX];
}

/* --- recipes --- */

static const struct recipe_file table_file = {.name = "table", .text = ""};

struct recipe *lut_parse(struct recipe_set *set, const char *text, size_t size, struct diag *diag) {
    struct recipe_ast ast = {.arena = &set->arena, .next_id = set->ast.next_id};
    const struct recipe_file file = {.name = "table", .text = text, .size = size};
    struct recipe *read = NULL;
    if (notation_parse(&ast, &file, set->target, diag) && ast.recipes.len == 1 && !ast.subs.len &&
        !ast.instructions.len) {
        read = ast.recipes.data[0];
        read->op = OP_LUT;
        read->origin = "generic";
        read->unit.file = &table_file; /* the text goes */
        notation_resolve_unit(set, &read->unit, diag);
    }
    set->ast.next_id = ast.next_id;
    vec_free(&ast.recipes);
    vec_free(&ast.subs);
    vec_free(&ast.instructions);
    return read && !read->unit.broken ? read : NULL;
}

/* The text of a generic recipe, read and mapped. */
static const struct recipe *map_text(const struct table_mapper *mapper, const struct str *text,
                                     struct diag *diag) {
    struct recipe *read = lut_parse(mapper->set, str_text(text), text->len, diag);
    return read ? mapping_run(mapper->set, read, diag) : NULL;
}

/* Rows of a section that a list uses beside those of registers. */
static uint32_t scratch_of(const struct uop_list *list) {
    uint32_t rows = 0;
    for (size_t i = 0; i < list->len; i++)
        for (unsigned k = 0; k < list->data[i].ndst; k++) {
            uint32_t plane = list->data[i].dst[k];
            if (PLANE_CLASS(plane) == PLANE_SCRATCH && PLANE_NUMBER(plane) >= rows)
                rows = PLANE_NUMBER(plane) + 1;
        }
    return rows;
}

/* Where sections can be joined the form that takes most rows, too: registers are to have a third of
 * them. */
static bool leaves_rows(const struct table_mapper *mapper, const struct table_way *way,
                        struct insn insn, struct diag *diag) {
    const struct plane_target *t = plane_target(mapper->set->target);
    struct uop_list list = {0};
    if (!t->partitioned)
        return true;
    insn.rd = insn.rs;
    bool fine = mapper->expand(mapper->set, way->recipe, &insn, true, &list, diag) &&
                scratch_of(&list) <= t->scratch_rows * 2 / 3;
    vec_free(&list);
    return fine;
}

/* Carries the recipe out for distinct registers. */
static bool count_recipe(const struct table_mapper *mapper, struct table_way *way,
                         struct diag *diag) {
    const struct target *t = mapper->set->target;
    struct insn insn = {.op = OP_LUT, .width = (uint8_t)mapper->truth.outputs, .rs = 1, .rd = 2};
    struct uop_list list = {0};
    bool fine = leaves_rows(mapper, way, insn, diag) &&
                mapper->expand(mapper->set, way->recipe, &insn, false, &list, diag);
    way->micro_ops = way->cost = 0;
    for (size_t i = 0; i < list.len; i++) {
        if (recipe_word_goes_on(t, &list.data[i]))
            continue;
        way->micro_ops++;
        way->cost += mapping_op_cost(t, &plane_target(t)->ops[list.data[i].kind], 1);
    }
    vec_free(&list);
    return fine;
}

/* Where sections can be joined, values that one has no room for lie in others. */
static uint32_t rows_of(const struct target *target) {
    int class = expand_plain_scratch_class(target);
    uint32_t rows = class < 0 ? 0 : plane_target(target)->row_classes[class].scratch_rows;
    if (plane_target(target)->partitioned)
        return rows * plane_target(target)->sections / 2;
    return rows < MOST_ROWS ? rows : MOST_ROWS;
}

/* Gates that are carried out before there are too many micro-ops in any case: what is expected of
 * each, halved, since neighbours may be one block. */
static uint64_t most_gates(const struct table_mapper *mapper, const struct table_way *way) {
    const struct target *t = mapper->set->target;
    uint64_t longest = 1, gates = gates_of(&way->network) + 1;
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++) {
        uint64_t time = mapping_op_cost(t, &plane_target(t)->ops[i], 1);
        longest = time > longest ? time : longest;
    }
    uint64_t micro_ops = way->estimate / 4 * mapping_cost_unit(t) / longest / 2 + 1;
    return micro_ops > gates ? (uint64_t)MAX_MICRO_OPS * gates / micro_ops : MAX_MICRO_OPS;
}

enum outcome { DONE, TOO_FEW_ROWS, FAILED };

/* With at most `rows` values held. */
static enum outcome follow(const struct table_mapper *mapper, struct table_way *way,
                           uint32_t rows) {
    uint64_t gates = gates_of(&way->network);
    const struct lut_bounds bounds = {.sections = plane_target(mapper->set->target)->sections > 1,
                                      .rows = rows,
                                      .gates = most_gates(mapper, way),
                                      .names = gates > MANY_GATES ? FEW_NAMES : UINT32_MAX};
    struct str text = {0};
    struct diag *quiet = diag_new(NULL, NULL);
    enum outcome result = TOO_FEW_ROWS;
    if (lut_write(&way->network, &bounds, &text, &way->written)) {
        way->recipe = map_text(mapper, &text, quiet);
        result = !way->recipe ? FAILED : count_recipe(mapper, way, quiet) ? DONE : TOO_FEW_ROWS;
    }
    diag_free(quiet);
    str_free(&text);
    return result;
}

/* Above so many gates no second try is made: with fewer rows there are more of them. */
#define MOST_TRIED_AGAIN (MAX_MICRO_OPS / 8)

/* With as many rows as there are, or with fewer where gates need them. */
static enum outcome follow_way(const struct table_mapper *mapper, struct table_way *way) {
    uint32_t rows = rows_of(mapper->set->target);
    enum outcome result = TOO_FEW_ROWS;
    rows = rows > ROWS_LEFT + FEWEST_ROWS ? rows - ROWS_LEFT : FEWEST_ROWS;
    for (; result == TOO_FEW_ROWS && rows >= FEWEST_ROWS && way->written.gates <= MOST_TRIED_AGAIN;
         rows -= rows / 4 + 1)
        result = follow(mapper, way, rows);
    return result;
}

/* --- ways --- */

static void start_way(const struct table_mapper *mapper, struct table_way *way, const char *name) {
    *way = (struct table_way){.name = name, .cost = UINT64_MAX};
    lut_network_start(&way->network, mapper->truth.inputs, mapper->truth.outputs);
}

static lut_outputs all_outputs(const struct table_mapper *mapper) {
    unsigned n = mapper->truth.outputs;
    return n == 64 ? UINT64_MAX : ((lut_outputs)1 << n) - 1;
}

#define MOST_WAYS 4

static unsigned make_ways(const struct table_mapper *mapper, struct table_way *ways) {
    lut_outputs all = all_outputs(mapper), sums;
    unsigned count = 0;
    start_way(mapper, &ways[count], "sums");
    sums = lut_make_sums(&mapper->truth, all, &ways[count].network);
    if (sums == all)
        return 1;
    ways[count].name = "diagram";
    lut_make_diagram(&mapper->truth, all & ~sums, &mapper->costs, &ways[count++].network);
    start_way(mapper, &ways[count], "inversion");
    if (lut_make_inversion(&mapper->truth, &ways[count].network))
        count++;
    else
        lut_network_free(&ways[count].network);
    return count;
}

static bool check_ways(const struct table_mapper *mapper, const struct table_way *ways,
                       unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (!lut_truth_holds(&mapper->truth, &ways[i].network)) {
            diag_error(mapper->diag, NO_SPAN,
                       "internal error: the logic made of a table (%s) does not give its values",
                       ways[i].name);
            return false;
        }
    return true;
}

static bool refuse(const struct table_mapper *mapper, const struct table_way *way) {
    diag_error(mapper->diag, NO_SPAN,
               "the logic of a table of %" PRIu32 " elements of %u bits is too large: %" PRIu64
               " gates, which in the rows that there are take more than %u micro-ops",
               lut_truth_size(&mapper->truth), mapper->truth.outputs, gates_of(&way->network),
               MAX_MICRO_OPS);
    return false;
}

/* Of a function without a program the cost is UINT32_MAX. */
static bool is_lacking(const struct table_mapper *mapper) {
    bool lacks = false;
    for (unsigned i = 0; i < LUT_GATES; i++)
        lacks |= mapper->costs.gate[i] >= UINT32_MAX;
    return lacks;
}

static const struct table_way *lacking(const struct table_mapper *mapper) {
    const char *missing = mapping_why_missing(mapper->set);
    diag_error(mapper->diag, NO_SPAN, "target '%s' cannot look up tables: its micro-ops %s",
               mapper->set->target->name, missing ? missing : "cannot carry out their logic");
    return NULL;
}

/* The written recipe of the instruction that does what the table says; generic ones go the ways
 * above. */
static const struct recipe *find_instruction(const struct table_mapper *mapper,
                                             const struct isa_lut *table, struct table_way *way) {
    static const enum isa_op ops[] = {OP_MOV, OP_INV, OP_BFLIP};
    unsigned w = mapper->truth.outputs;
    if (mapper->truth.inputs != w)
        return NULL;
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        bool same = true;
        for (uint64_t i = 0; i < lut_truth_size(&mapper->truth) && same; i++) {
            uint64_t reversed = 0, wanted;
            for (unsigned j = 0; j < w; j++)
                reversed |= (i >> j & 1) << (w - 1 - j);
            wanted = ops[k] == OP_MOV ? i : ops[k] == OP_INV ? ~i : reversed;
            same = ((table->entries[i] ^ wanted) & low_bits(w)) == 0;
        }
        if (!same)
            continue;
        way->recipe = recipe_chosen(mapper->set, ops[k]);
        if (!way->recipe || way->recipe->unit.broken || strcmp(way->recipe->origin, "generic") == 0)
            return NULL;
        struct diag *quiet = diag_new(NULL, NULL);
        bool counted = count_recipe(mapper, way, quiet);
        diag_free(quiet);
        return counted ? way->recipe : NULL;
    }
    return NULL;
}

/* Too far from the best by its gates, or too large, to be counted beside it. */
static bool is_hopeless(const struct table_way *way, const struct table_way *least) {
    return way != least &&
           (way->estimate / 3 > least->estimate / 2 || gates_of(&way->network) > MOST_TRIED);
}

/* What is hopeless is followed where nothing else fits the rows. */
static const struct table_way *choose(const struct table_mapper *mapper, struct table_way *ways,
                                      unsigned count) {
    const struct table_way *best = NULL, *least = &ways[0];
    for (unsigned i = 1; i < count; i++)
        if (ways[i].estimate < least->estimate)
            least = &ways[i];
    for (unsigned k = 0; k < 2 * count; k++) {
        unsigned i = k % count;
        if (best && k >= count)
            break;
        if (is_hopeless(&ways[i], least) != (k >= count))
            continue;
        enum outcome result = follow_way(mapper, &ways[i]);
        if (result == FAILED)
            return lacking(mapper);
        if (result == DONE && (!best || ways[i].cost < best->cost))
            best = &ways[i];
    }
    if (!best)
        refuse(mapper, least);
    return best;
}

static void fill_report(const struct target *target, const struct table_way *way,
                        struct lut_report *report) {
    uint64_t counts[LUT_GATES];
    lut_count_gates(&way->network, counts);
    *report = (struct lut_report){.way = way->name,
                                  .gates = gates_of(&way->network),
                                  .ands = counts[LUT_AND],
                                  .xors = counts[LUT_XOR],
                                  .selects = counts[LUT_MUX],
                                  .carried_out = way->written.gates,
                                  .held = way->written.most_held,
                                  .micro_ops = way->micro_ops,
                                  .cost = way->cost,
                                  .unit = mapping_cost_unit(target)};
}

const struct recipe *lut_map(struct recipe_set *set, const struct isa_lut *table, unsigned inputs,
                             unsigned outputs, lut_expand_fn *expand, struct lut_report *report,
                             struct diag *diag) {
    struct table_mapper m = {.set = set, .expand = expand, .diag = diag};
    struct table_way ways[MOST_WAYS];
    const struct table_way *best = NULL;
    lut_truth_make(table, inputs, outputs, &m.truth);
    find_costs(&m);
    unsigned count = make_ways(&m, ways);
    for (unsigned i = 0; i < count; i++)
        ways[i].estimate = lut_cost(&ways[i].network, &m.costs);
    if (is_lacking(&m))
        lacking(&m);
    else if (check_ways(&m, ways, count))
        best = choose(&m, ways, count);
    if (best && report)
        fill_report(set->target, best, report);
    const struct recipe *made = best ? best->recipe : NULL;
    struct table_way own = {.name = "instruction"};
    if (best && find_instruction(&m, table, &own) && own.cost < best->cost) {
        made = own.recipe;
        if (report) {
            report->way = own.name;
            report->micro_ops = own.micro_ops;
            report->cost = own.cost;
        }
    }
    for (unsigned i = 0; i < count; i++)
        lut_network_free(&ways[i].network);
    lut_truth_free(&m.truth);
    return made;
}
