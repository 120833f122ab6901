/* SPDX-License-Identifier: MIT
 * A recipe against its own contract, at several widths. */
#include "recipe/verify/computes.h"
#include "recipe/timing/timing.h"

#include "support/alloc.h"
#include "support/str.h"

#include <stdlib.h>
#include <string.h>

/* Built-in recipes are checked by the tests, at every width. */
const uint8_t recipe_user_widths[] = {1, 2, 3, 4, 5, 8, 13, 16, 32, 33, 63, 64};
const size_t recipe_user_width_count = sizeof recipe_user_widths;

/* --- expect --- */

struct counts {
    const struct recipe_set *set;
    const struct recipe *recipe;
    const struct insn *insn;
    struct recipe_count n;
    uint64_t by_op[PLANE_MAX_OPS]; /* of the first variant: all of that name */
    unsigned sections;             /* that work */
    struct diag *diag;
};

static const char *const count_names[] = {"micro_ops", "logic",   "copies",   "crossings",
                                          "handover",  "latency", "interval", "scratch"};
#define COUNT_NAMES (sizeof count_names / sizeof count_names[0])
#define HANDOVER    4

static uint64_t named_count(const struct counts *counts, size_t index) {
    const uint64_t values[COUNT_NAMES] = {counts->n.micro_ops,       counts->n.logic,
                                          counts->n.copies,          counts->n.crossings,
                                          counts->n.handover,        counts->n.latency_cycles,
                                          counts->n.interval_cycles, counts->n.scratch_rows};
    return values[index];
}

static bool unknown_count(const struct counts *counts, const struct recipe_expr *expr) {
    const struct target *t = counts->set->target;
    const char *known[COUNT_NAMES + PLANE_MAX_OPS + 2];
    size_t n = 0;
    for (size_t i = 0; i < COUNT_NAMES; i++)
        known[n++] = count_names[i];
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++)
        if (plane_target(t)->ops[i].first_variant == i)
            known[n++] = plane_target(t)->ops[i].name;
    known[n++] = "w";
    recipe_error(counts->diag, counts->recipe->unit.file, expr->at, "nothing is counted as '%s'",
                 expr->name);
    if (counts->diag)
        diag_suggest(counts->diag, expr->at, expr->name, known, n);
    return false;
}

/* The name that the head gives to the instruction's constant. */
static bool is_constant(const struct recipe *recipe, const char *name) {
    struct signature s;
    notation_signature(recipe->op, &s);
    for (unsigned i = 0; i < s.in_count; i++)
        if (s.in[i] == FIELD_IMM && strcmp(recipe->unit.in[i].name, name) == 0)
            return true;
    return false;
}

static bool count_value(const struct counts *counts, const struct recipe_expr *expr,
                        int64_t *value) {
    const struct target *t = counts->set->target;
    if (strcmp(expr->name, "w") == 0) {
        *value = recipe_info(counts->insn->op)->flags & ISA_WIDTH ? counts->insn->width : 1;
        return true;
    }
    if (is_constant(counts->recipe, expr->name)) {
        *value = counts->insn->imm;
        return true;
    }
    for (size_t i = 0; i < COUNT_NAMES; i++)
        if (strcmp(count_names[i], expr->name) == 0) {
            *value = (int64_t)named_count(counts, i);
            return true;
        }
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++)
        if (strcmp(plane_target(t)->ops[i].name, expr->name) == 0) {
            *value = (int64_t)counts->by_op[plane_target(t)->ops[i].first_variant];
            return true;
        }
    return unknown_count(counts, expr);
}

static bool expect_value(const struct counts *counts, const struct recipe_expr *expr,
                         int64_t *value) {
    int64_t b = 0;
    if (expr->kind == EXPR_NUMBER) {
        *value = expr->number;
        return true;
    }
    if (expr->kind == EXPR_NAME)
        return count_value(counts, expr, value);
    if (expr->kind == EXPR_BINARY && expect_value(counts, expr->args[0], value) &&
        expect_value(counts, expr->args[1], &b)) {
        if (notation_expr_binary(expr->op, *value, b, value))
            return true;
        recipe_error(counts->diag, counts->recipe->unit.file, expr->at, "not a number");
        return false;
    }
    if (expr->kind != EXPR_BINARY)
        recipe_error(counts->diag, counts->recipe->unit.file, expr->at,
                     "expect is made of counts, w, the constant, numbers and operators");
    return false;
}

/* The handover is what sections in the middle show. */
static bool is_measured(const struct counts *counts, const struct recipe_expr *expr) {
    return expr->kind != EXPR_NAME || strcmp(expr->name, count_names[HANDOVER]) != 0 ||
           counts->sections >= 3;
}

static bool check_relation(const struct counts *counts, const struct recipe_expr *expr) {
    int64_t a, b;
    if (!is_measured(counts, expr->args[0]))
        return true;
    if (!expect_value(counts, expr->args[0], &a) || !expect_value(counts, expr->args[1], &b))
        return false;
    if (expr->op == MARK2('=', '=') ? a == b : a <= b)
        return true;
    recipe_error(counts->diag, counts->recipe->unit.file, expr->at,
                 "%s: at width %u this is %lld, expected %s%lld", counts->recipe->unit.name,
                 counts->insn->width, (long long)a, expr->op == MARK2('=', '=') ? "" : "at most ",
                 (long long)b);
    return false;
}

/* Times are the recipe's own, in cycles, as if the front end never made a section wait: a target
 * whose clocks a user changes has other times, not other recipes.  Where nothing is expected of
 * them there need only be some, which recipe_verify has looked at where buffers are used; in one
 * section one micro-op follows the other. */
static bool count_times(struct counts *counts, const struct uop_list *list, const char **error) {
    static const uint32_t first = 0;
    const struct recipe_set *s = counts->set;
    struct target eager = *s->target;
    struct timing_profile profile;
    bool known = plane_target(s->target)->sections == 1 ||
                 (recipe_has_golden(s, counts->insn->op) && recipe_uses_buffers(list));
    eager.front_end_ps = 0;
    *error = NULL;
    if (counts->recipe->expect_count)
        return recipe_count_list(&eager, list, &counts->n, error);
    return known ||
           recipe_timing_schedule(&eager, list->data, list->len, &first, 1, &profile, NULL, error);
}

static bool check_expects(struct counts *counts, const struct uop_list *list) {
    const char *error;
    uint64_t seen = 0;
    if (!count_times(counts, list, &error)) {
        recipe_error(counts->diag, counts->recipe->unit.file, counts->recipe->unit.at,
                     "%s: at width %u: %s", counts->recipe->unit.name, counts->insn->width, error);
        recipe_note_keys(counts->diag, counts->set->target, error);
        return false;
    }
    for (size_t i = 0; counts->recipe->expect_count && i < list->len; i++) {
        counts->by_op[plane_target(counts->set->target)->ops[list->data[i].kind].first_variant]++;
        seen |= (uint64_t)1 << list->data[i].section;
    }
    counts->sections = (unsigned)__builtin_popcountll(seen);
    bool fine = true;
    for (unsigned i = 0; i < counts->recipe->expect_count; i++)
        fine &= check_relation(counts, counts->recipe->expects[i]);
    return fine;
}

/* --- instructions to check with --- */

static int constant_role(enum isa_op op) {
    return isa_constant_role(recipe_info(op));
}

/* Constants that take different ways through a recipe; false when there are no more. */
static bool pick_constant(enum isa_op op, unsigned w, unsigned index, int32_t *imm) {
    const int32_t counts[] = {0, 1, (int32_t)w - 1, (int32_t)w, 63};
    const int32_t widths[] = {1, (int32_t)w, (int32_t)(w + 1) / 2};
    const int32_t values[] = {0, 1, -1, 0x555, -0x556};
    switch (constant_role(op)) {
    case ROLE_CONVERSION:
        *imm = (int32_t)index;
        return index < CONVERSIONS;
    case ROLE_COUNT:
        *imm = index < 5 ? counts[index] : 0;
        return index < 5;
    case ROLE_SRCWIDTH:
        *imm = index < 3 ? widths[index] : 0;
        return index < 3;
    case ROLE_IMM:
        *imm = index < 5 ? values[index] : 0;
        return index < 5;
    case ROLE_SHAPE:
        return isa_product_pick(w, index, imm);
    default:
        *imm = 0;
        return index < 1;
    }
}

/* The product that MUL makes. */
static int32_t usual_shape(unsigned width) {
    int32_t constant = 0;
    isa_product_pick(width, 0, &constant);
    return constant;
}

static int32_t usual_constant(enum isa_op op, unsigned width) {
    const char *name = recipe_info(op)->name; /* LIKk takes the bits from 12k on */
    unsigned first = strncmp(name, "LIK", 3) == 0 ? 12 * (unsigned)(name[3] - '0') : 0;
    unsigned left = width > first ? width - first : 0;
    switch (constant_role(op)) {
    case ROLE_COUNT:
        return 1;
    case ROLE_SRCWIDTH:
        return (int32_t)(width + 1) / 2;
    case ROLE_IMM:
        return 0x555 & ((1 << (left < 12 ? left : 12)) - 1);
    case ROLE_SHAPE:
        return usual_shape(width);
    default:
        return 0;
    }
}

struct insn recipe_usual_insn(enum isa_op op, unsigned width) {
    uint32_t flags = recipe_info(op)->flags;
    struct insn insn = {.op = op, .imm = usual_constant(op, width)};
    insn.rs = flags & (READS_RS | WRITES_RS) ? 1 : 0;
    insn.rt = flags & (READS_RT | WRITES_RT) ? 2 : 0;
    insn.rd = flags & (READS_RD | WRITES_RD) ? 3 : 0;
    insn.width = flags & ISA_WIDTH ? (uint8_t)width : 0;
    return insn;
}

/* One recipe's forms. */
struct form_check {
    const struct recipe_set *set;
    const struct recipe *recipe;
    struct recipe_forms *forms;
    struct diag *diag;
    enum recipe_effort effort;
};

static bool has_masked_form(const struct form_check *check) {
    return !(recipe_info(check->recipe->op)->flags & ISA_UNMASKED);
}

static void count_form(const struct form_check *check, const struct insn *insn, bool masked,
                       const struct uop_list *list) {
    uint32_t scratch = recipe_highest_scratch(check->set->target, list);
    if (scratch > check->forms->highest_scratch)
        check->forms->highest_scratch = scratch;
    check->forms->run++;
    check->forms->masked += masked;
    check->forms->aliased += (insn->rs && insn->rs == insn->rt) ||
                             (insn->rs && insn->rs == insn->rd) ||
                             (insn->rt && insn->rt == insn->rd);
}

static bool run_form(const struct form_check *check, const struct insn *insn, bool masked,
                     struct uop_list *list) {
    list->len = 0;
    if (!recipe_expand_with(check->set, check->recipe, insn, masked, list, check->diag)) {
        check->forms->short_of = 1 + recipe_short_of(check->set, check->recipe, insn, masked);
        return false;
    }
    if (!recipe_verify(check->set, check->recipe, insn, masked, check->effort, list, check->diag))
        return false;
    count_form(check, insn, masked, list);
    return true;
}

/* Where the lines of the array apply the mask, the masked form is the same list with predicates. */
static bool is_other_list(const struct form_check *check) {
    return has_masked_form(check) && plane_target(check->set->target)->mask_by != MASK_GATE;
}

static bool check_apart(const struct form_check *check, const struct insn *insn) {
    struct uop_list list = {0};
    struct counts n = {
        .set = check->set, .recipe = check->recipe, .insn = insn, .diag = check->diag};
    bool fine = run_form(check, insn, false, &list) && check_expects(&n, &list) &&
                (!is_other_list(check) || run_form(check, insn, true, &list));
    vec_free(&list);
    return fine;
}

bool recipe_alias(enum isa_op op, unsigned index, struct insn *insn) {
    static const uint8_t ways[][3] = {{1, 2, 3}, {1, 1, 3}, {1, 2, 1}, {1, 2, 2}, {1, 1, 1}};
    static const uint8_t two[][3] = {{1, 2, 3}, {1, 1, 1}};
    uint32_t flags = recipe_info(op)->flags;
    bool rs = flags & (READS_RS | WRITES_RS), rt = flags & (READS_RT | WRITES_RT),
         rd = flags & (READS_RD | WRITES_RD), all = rs && rt && rd;
    unsigned count = all ? 5 : (unsigned)rs + rt + rd == 2 ? 2 : 1;
    if (index >= count)
        return false;
    const uint8_t *way = all ? ways[index] : two[index];
    insn->rs = rs ? way[0] : 0;
    insn->rt = rt ? way[1] : 0;
    insn->rd = rd ? way[2] : 0;
    return true;
}

/* Every alias of the usual instruction, and the masked forms. */
static bool check_aliases(const struct form_check *check, unsigned width) {
    struct insn insn = recipe_usual_insn(check->recipe->op, width);
    struct uop_list list = {0};
    bool fine = true;
    for (unsigned i = 0; fine && recipe_applies(&insn) && recipe_alias(insn.op, i, &insn); i++)
        if (recipe_applies(&insn))
            fine = (i == 0 || run_form(check, &insn, false, &list)) &&
                   (!has_masked_form(check) || run_form(check, &insn, true, &list));
    vec_free(&list);
    return fine;
}

static bool check_width(const struct form_check *check, unsigned width) {
    struct insn insn = recipe_usual_insn(check->recipe->op, width);
    for (unsigned k = 0; pick_constant(insn.op, width, k, &insn.imm); k++)
        if (recipe_applies(&insn) && !check_apart(check, &insn))
            return false;
    return true;
}

bool recipe_check(const struct recipe_set *set, const struct recipe *recipe, const uint8_t *widths,
                  size_t count, struct diag *diag) {
    struct recipe_forms forms = {0};
    const struct form_check check = {set, recipe, &forms, diag, RECIPE_ONCE};
    bool fine = recipe_computes_check(recipe, diag);
    for (size_t i = 0; i < count && fine; i++)
        fine = check_width(&check, widths[i]);
    return fine;
}

bool recipe_check_forms(const struct recipe_set *set, const struct recipe *recipe,
                        const uint8_t *widths, size_t count, struct recipe_forms *forms,
                        struct diag *diag) {
    bool own = recipe->unit.file && recipe->unit.file->own;
    const struct form_check check = {set, recipe, forms, diag, own ? RECIPE_ALL : RECIPE_ONCE};
    bool fine = recipe_computes_check(recipe, diag);
    for (size_t i = 0; i < count && fine; i++) {
        bool all = recipe->op != OP_MASKED &&
                   memchr(recipe_user_widths, widths[i], recipe_user_width_count);
        fine = check_width(&check, widths[i]) && (!all || check_aliases(&check, widths[i]));
    }
    return fine;
}

bool recipe_applies(const struct insn *insn) {
    uint32_t word;
    if (insn->op == OP_MASKED)
        return true;
    return isa_encode(insn, &word) == ISA_OK;
}
