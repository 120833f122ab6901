/* SPDX-License-Identifier: MIT
 * A recipe against its own contract, at several widths. */
#include "recipe/computes.h"

#include "support/alloc.h"
#include "support/str.h"

#include <stdlib.h>
#include <string.h>

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

static uint64_t named_count(const struct counts *c, size_t i) {
    const uint64_t values[COUNT_NAMES] = {
        c->n.micro_ops, c->n.logic,          c->n.copies,          c->n.crossings,
        c->n.handover,  c->n.latency_cycles, c->n.interval_cycles, c->n.scratch_rows};
    return values[i];
}

static bool unknown_count(const struct counts *c, const struct recipe_expr *e) {
    const struct target *t = c->set->target;
    const char *known[COUNT_NAMES + PLANE_MAX_OPS + 2];
    size_t n = 0;
    for (size_t i = 0; i < COUNT_NAMES; i++)
        known[n++] = count_names[i];
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++)
        if (plane_target(t)->ops[i].first_variant == i)
            known[n++] = plane_target(t)->ops[i].name;
    known[n++] = "w";
    recipe_error(c->diag, c->recipe->unit.file, e->at, "nothing is counted as '%s'", e->name);
    if (c->diag)
        diag_suggest(c->diag, e->at, e->name, known, n);
    return false;
}

/* The name that the head gives to the instruction's constant. */
static bool is_constant(const struct recipe *c, const char *name) {
    struct signature s;
    notation_signature(c->op, &s);
    for (unsigned i = 0; i < s.in_count; i++)
        if (s.in[i] == FIELD_IMM && strcmp(c->unit.in[i].name, name) == 0)
            return true;
    return false;
}

static bool count_value(const struct counts *c, const struct recipe_expr *e, int64_t *v) {
    const struct target *t = c->set->target;
    if (strcmp(e->name, "w") == 0) {
        *v = recipe_info(c->insn->op)->flags & ISA_WIDTH ? c->insn->width : 1;
        return true;
    }
    if (is_constant(c->recipe, e->name)) {
        *v = c->insn->imm;
        return true;
    }
    for (size_t i = 0; i < COUNT_NAMES; i++)
        if (strcmp(count_names[i], e->name) == 0) {
            *v = (int64_t)named_count(c, i);
            return true;
        }
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++)
        if (strcmp(plane_target(t)->ops[i].name, e->name) == 0) {
            *v = (int64_t)c->by_op[plane_target(t)->ops[i].first_variant];
            return true;
        }
    return unknown_count(c, e);
}

static bool expect_value(const struct counts *c, const struct recipe_expr *e, int64_t *v) {
    int64_t b = 0;
    if (e->kind == EXPR_NUMBER) {
        *v = e->number;
        return true;
    }
    if (e->kind == EXPR_NAME)
        return count_value(c, e, v);
    if (e->kind == EXPR_BINARY && expect_value(c, e->args[0], v) &&
        expect_value(c, e->args[1], &b)) {
        if (notation_expr_binary(e->op, *v, b, v))
            return true;
        recipe_error(c->diag, c->recipe->unit.file, e->at, "not a number");
        return false;
    }
    if (e->kind != EXPR_BINARY)
        recipe_error(c->diag, c->recipe->unit.file, e->at,
                     "expect is made of counts, w, the constant, numbers and operators");
    return false;
}

/* The handover is what sections in the middle show. */
static bool is_measured(const struct counts *c, const struct recipe_expr *e) {
    return e->kind != EXPR_NAME || strcmp(e->name, count_names[HANDOVER]) != 0 || c->sections >= 3;
}

static bool check_relation(const struct counts *c, const struct recipe_expr *e) {
    int64_t a, b;
    if (!is_measured(c, e->args[0]))
        return true;
    if (!expect_value(c, e->args[0], &a) || !expect_value(c, e->args[1], &b))
        return false;
    if (e->op == MARK2('=', '=') ? a == b : a <= b)
        return true;
    recipe_error(c->diag, c->recipe->unit.file, e->at,
                 "%s: at width %u this is %lld, expected %s%lld", c->recipe->unit.name,
                 c->insn->width, (long long)a, e->op == MARK2('=', '=') ? "" : "at most ",
                 (long long)b);
    return false;
}

/* Times are the recipe's own, in cycles, as if the front end never made a section wait: a target
 * whose clocks a user changes has other times, not other recipes. */
static bool count_times(struct counts *c, const struct uop_list *list, const char **error) {
    struct target eager = *c->set->target;
    eager.front_end_ps = 0;
    return recipe_count_list(&eager, list, &c->n, error);
}

static bool check_expects(struct counts *c, const struct uop_list *list) {
    const char *error;
    uint64_t seen = 0;
    if (!count_times(c, list, &error)) {
        recipe_error(c->diag, c->recipe->unit.file, c->recipe->unit.at, "%s: at width %u: %s",
                     c->recipe->unit.name, c->insn->width, error);
        return false;
    }
    for (size_t i = 0; i < list->len; i++) {
        c->by_op[plane_target(c->set->target)->ops[list->data[i].kind].first_variant] +=
            list->data[i].count;
        seen |= (uint64_t)1 << list->data[i].section;
    }
    c->sections = (unsigned)__builtin_popcountll(seen);
    bool fine = true;
    for (unsigned i = 0; i < c->recipe->expect_count; i++)
        fine &= check_relation(c, c->recipe->expects[i]);
    return fine;
}

/* --- instructions to check with --- */

static int constant_role(enum mpu_op op) {
    const struct isa_info *info = recipe_info(op);
    for (unsigned i = 0; i < info->operand_count; i++)
        if (info->operands[i] == ROLE_COUNT || info->operands[i] == ROLE_SRCWIDTH ||
            info->operands[i] == ROLE_IMM)
            return info->operands[i];
    return -1;
}

/* Constants that take different ways through a recipe; false when there are no more. */
static bool pick_constant(enum mpu_op op, unsigned w, unsigned i, int32_t *imm) {
    const int32_t counts[] = {0, 1, (int32_t)w - 1, (int32_t)w, 63};
    const int32_t widths[] = {1, (int32_t)w, (int32_t)(w + 1) / 2};
    const int32_t values[] = {0, 1, -1, 0x555, -0x556};
    switch (constant_role(op)) {
    case ROLE_COUNT:
        *imm = i < 5 ? counts[i] : 0;
        return i < 5;
    case ROLE_SRCWIDTH:
        *imm = i < 3 ? widths[i] : 0;
        return i < 3;
    case ROLE_IMM:
        *imm = i < 5 ? values[i] : 0;
        return i < 5;
    default:
        *imm = 0;
        return i < 1;
    }
}

static int32_t usual_constant(enum mpu_op op, unsigned width) {
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
    default:
        return 0;
    }
}

struct insn recipe_usual_insn(enum mpu_op op, unsigned width) {
    uint32_t flags = recipe_info(op)->flags;
    struct insn insn = {.op = op, .imm = usual_constant(op, width)};
    insn.rs = flags & (READS_RS | WRITES_RS) ? 1 : 0;
    insn.rt = flags & (READS_RT | WRITES_RT) ? 2 : 0;
    insn.rd = flags & (READS_RD | WRITES_RD) ? 3 : 0;
    insn.width = flags & ISA_WIDTH ? (uint8_t)width : 0;
    return insn;
}

/* Where the mask is not applied by the lines of the array, the masked form is made of other
 * micro-ops, which some recipes do not allow. */
static bool check_mask(const struct recipe_set *set, const struct recipe *c,
                       const struct insn *insn, struct diag *d) {
    struct uop_list list = {0};
    bool fine = plane_target(set->target)->mask_by == MASK_GATE ||
                recipe_expand_with(set, c, insn, true, &list, d);
    vec_free(&list);
    return fine;
}

static bool check_one(const struct recipe_set *set, const struct recipe *c, const struct insn *insn,
                      struct diag *d) {
    struct uop_list list = {0};
    bool fine = recipe_expand_with(set, c, insn, false, &list, d);
    if (fine) {
        struct counts n = {.set = set, .recipe = c, .insn = insn, .diag = d};
        fine = recipe_verify(set, c, insn, &list, d) && check_expects(&n, &list) &&
               check_mask(set, c, insn, d);
    }
    vec_free(&list);
    return fine;
}

bool recipe_check(const struct recipe_set *set, const struct recipe *c, const uint8_t *widths,
                  size_t count, struct diag *d) {
    if (!recipe_computes_check(c, d))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct insn insn = recipe_usual_insn(c->op, widths[i]);
        for (unsigned k = 0; pick_constant(c->op, widths[i], k, &insn.imm); k++)
            if (recipe_applies(&insn) && !check_one(set, c, &insn, d))
                return false;
    }
    return true;
}

bool recipe_applies(const struct insn *insn) {
    uint32_t word;
    if (insn->op == OP_MASKED)
        return true;
    return isa_encode(insn, &word) == ISA_OK;
}
