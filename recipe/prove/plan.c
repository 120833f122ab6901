/* SPDX-License-Identifier: MIT
 * What is proved: for each instruction the widths, the constants, with and without a mask. */
#include "recipe/prove/prove.h"

#include "recipe/prove/smt.h"
#include "recipe/set/set.h"
#include "support/file.h"
#include "support/vec.h"

#define MASKED_WIDTH 8
/* The cost at 64 bits over that at 32: 2 where it is linear, 4 where it is quadratic; population
 * count, with its tree of adders, lies a little above 2. */
#define LINEAR_NUMERATOR   5
#define LINEAR_DENOMINATOR 2

/* --- instructions --- */

static struct insn plain_insn(enum isa_op op, unsigned width) {
    const struct isa_info *info = isa_info(op);
    struct insn insn = {.op = op};
    insn.rs = info->flags & (READS_RS | WRITES_RS) ? 1 : 0;
    insn.rt = info->flags & (READS_RT | WRITES_RT) ? 2 : 0;
    insn.rd = info->flags & (READS_RD | WRITES_RD) ? 3 : 0;
    insn.width = (uint8_t)(info->flags & ISA_WIDTH ? width : 0);
    return insn;
}

static int constant_role(enum isa_op op) {
    return isa_constant_role(isa_info(op));
}

/* The i-th constant to prove at width w; false when there are no more.  At width 8 every shift
 * count and every source width, elsewhere the ends, their neighbours and the middle. */
static bool pick_constant(enum isa_op op, unsigned w, unsigned index, int32_t *imm) {
    const int32_t counts[] = {0, 1, (int32_t)w / 2, (int32_t)w - 1, (int32_t)w, 63};
    const int32_t widths[] = {1, (int32_t)w / 2, (int32_t)w - 1, (int32_t)w};
    static const int32_t values[] = {0, 1, -1, 0x555, -0x556, 0x7ff, -0x800};
    bool all = w == MASKED_WIDTH;
    unsigned many;
    switch (constant_role(op)) {
    case ROLE_CONVERSION:
        *imm = (int32_t)index;
        return index < CONVERSIONS;
    case ROLE_COUNT:
        many = all ? 64 : 6;
        *imm = index >= many ? 0 : all ? (int32_t)index : counts[index];
        return index < many;
    case ROLE_SRCWIDTH:
        many = all ? w : 4;
        *imm = index >= many ? 0 : all ? (int32_t)index + 1 : widths[index];
        return index < many;
    case ROLE_IMM:
        *imm = index < 7 ? values[index] : 0;
        return index < 7;
    default:
        *imm = 0;
        return index < 1;
    }
}

/* In the alias-th way in which registers are one. */
static void plan_alias(enum isa_op op, unsigned width, bool masked, unsigned alias,
                       struct prove_tasks *tasks) {
    struct prove_task t = {.insn = plain_insn(op, width), .masked = masked};
    recipe_alias(op, alias, &t.insn);
    for (unsigned i = 0; pick_constant(op, width, i, &t.insn.imm); i++)
        if (recipe_applies(&t.insn))
            vec_push(tasks, t);
}

static void plan_width(enum isa_op op, unsigned width, bool masked, bool forms,
                       struct prove_tasks *tasks) {
    struct insn insn;
    plan_alias(op, width, masked, 0, tasks);
    for (unsigned i = 1; forms && recipe_alias(op, i, &insn); i++)
        plan_alias(op, width, masked, i, tasks);
}

/* --- widths --- */

static uint64_t micro_ops(const struct recipe_set *set, const struct insn *insn) {
    struct uop_list list = {0};
    uint64_t count = recipe_expand(set, insn, false, &list, NULL) ? list.len : 0;
    vec_free(&list);
    return count;
}

/* True if the cost grows no faster than the width. */
static bool prove_is_linear(const struct recipe_set *set, enum isa_op op) {
    struct insn narrow = plain_insn(op, 32), wide = plain_insn(op, 64);
    if (!(isa_info(op)->flags & ISA_WIDTH))
        return true;
    /* Constants that mean the same at both widths: a shift by half the width does not. */
    static const int32_t constants[] = {1, 3, -1};
    unsigned many = constant_role(op) < 0 ? 1 : constant_role(op) == ROLE_IMM ? 3 : 2;
    for (unsigned i = 0; i < many; i++) {
        narrow.imm = wide.imm = constant_role(op) < 0 ? 0 : constants[i];
        if (recipe_applies(&narrow) &&
            LINEAR_DENOMINATOR * micro_ops(set, &wide) > LINEAR_NUMERATOR * micro_ops(set, &narrow))
            return false;
    }
    return true;
}

/* 8, 16, 32 and 64 as far as the instruction has them; 1 for one without a width. */
static unsigned prove_widths(const struct recipe_set *set, enum isa_op op, uint8_t widths[8]) {
    unsigned count = 0;
    if (!recipe_exists(set, op))
        return 0;
    if (!(isa_info(op)->flags & ISA_WIDTH)) {
        widths[0] = 1;
        return 1;
    }
    for (unsigned w = 8; w <= 64; w *= 2) {
        struct insn insn = plain_insn(op, w);
        insn.imm = constant_role(op) < 0 ? 0 : 1;
        if (recipe_applies(&insn))
            widths[count++] = (uint8_t)w;
    }
    return count;
}

/* --- the plan --- */

static bool belongs(enum prove_extent extent, bool linear, unsigned width) {
    if (extent == PROVE_FULL)
        return true;
    return linear ? extent == PROVE_LINEAR || width <= 16
                  : extent == PROVE_LINEAR && width <= MASKED_WIDTH;
}

static void plan_op(const struct recipe_set *set, enum isa_op op, enum prove_extent extent,
                    bool forms, struct prove_tasks *tasks) {
    uint8_t widths[8];
    unsigned count = prove_widths(set, op, widths);
    bool linear = prove_is_linear(set, op);
    bool masked = !(isa_info(op)->flags & ISA_UNMASKED) && (linear || extent == PROVE_FULL);
    for (unsigned i = 0; i < count; i++)
        if (belongs(extent, linear, widths[i])) {
            plan_width(op, widths[i], false, forms, tasks);
            if (masked && (i == 0 || forms))
                plan_width(op, widths[i], true, forms, tasks);
        }
}

/* Carried out by recipes, and with something to compare. */
static bool has_proof(const struct recipe_set *set, enum isa_op op) {
    const struct isa_info *info = isa_info(op);
    return info->flags & ISA_VECTOR && !(info->flags & ISA_RESERVED) && info->golden &&
           !isa_has_table(op) && (!recipe_exists(set, op) || prove_smt_is_sayable(set, op));
}

void prove_plan(const struct recipe_set *set, enum prove_extent extent, bool forms,
                struct prove_tasks *tasks) {
    for (int op = 0; op < OP_COUNT; op++)
        if (has_proof(set, (enum isa_op)op))
            plan_op(set, (enum isa_op)op, extent, forms, tasks);
}

/* --- the page --- */

static const char *constants_text(enum isa_op op) {
    switch (constant_role(op)) {
    case ROLE_COUNT:
        return "counts: all at width 8; 0, 1, w/2, w-1, w, 63";
    case ROLE_SRCWIDTH:
        return "source widths: all at width 8; 1, w/2, w-1, w";
    case ROLE_CONVERSION:
        return "all conversions";
    case ROLE_IMM:
        return "0, 1, -1, 0x555, -0x556, 0x7ff, -0x800, as far as legal";
    default:
        return "";
    }
}

/* The ways in which registers are one: "-; rd = rs; ...". */
static void print_aliases(enum isa_op op, struct str *out) {
    struct insn insn;
    str_char(out, '-');
    for (unsigned i = 1; recipe_alias(op, i, &insn); i++) {
        bool st = insn.rs && insn.rs == insn.rt, sd = insn.rs && insn.rs == insn.rd;
        bool td = insn.rt && insn.rt == insn.rd;
        str_append(out, st && sd ? "; all one"
                        : st     ? "; rt = rs"
                        : sd     ? "; rd = rs"
                        : td     ? "; rd = rt"
                                 : "");
    }
}

static void document_op(const struct recipe_set *set, enum isa_op op, struct str *out) {
    const struct isa_info *info = isa_info(op);
    uint8_t widths[8];
    unsigned count = prove_widths(set, op, widths);
    if (!count)
        return;
    bool cond = info->operand_count && info->operands[0] == ROLE_COND;
    str_printf(out, "| %s%s | ", info->name, cond ? " cond" : "");
    for (unsigned i = 0; i < count; i++)
        str_printf(out, "%s%u", i ? ", " : "", widths[i]);
    str_append(out, " | ");
    print_aliases(op, out);
    str_printf(out, " | %s | %s |\n",
               info->flags & ISA_UNMASKED ? "acts on every lane" : "with and without",
               constants_text(op));
}

void prove_document(const struct recipe_set *set, struct str *out) {
    str_append(out,
               "\nInstructions without a width have 1. *Registers* are those that are one (-: each "
               "its own), *mask*\nwhether the form under a mask is proved: each width with each "
               "alias, mask and constant.\n\n"
               "| Instruction | Widths | Registers | Mask | Constants |\n|---|---|---|---|---|\n");
    for (int op = 0; op < OP_COUNT; op++)
        if (has_proof(set, (enum isa_op)op))
            document_op(set, (enum isa_op)op, out);
}

/* --- the fingerprint --- */

void prove_fingerprint(const struct recipe_set *set, char hash[65]) {
    struct prove_tasks tasks = {0};
    struct str all = {0};
    prove_plan(set, PROVE_FULL, false, &tasks);
    for (size_t i = 0; i < tasks.len; i++)
        if (tasks.data[i].insn.width <= 16)
            prove_smt_write(set, &tasks.data[i].insn,
                            tasks.data[i].masked ? SMT_PLAIN_MASKED : SMT_PLAIN, &all, NULL);
    sha256_hex(str_text(&all), all.len, hash);
    str_free(&all);
    vec_free(&tasks);
}
