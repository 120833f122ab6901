/* SPDX-License-Identifier: MIT
 * The choice of instructions that a command line makes: every mnemonic, width and alias that it
 * names, each once. */
#include "tools/mpu-recipe/forms.h"

#include "recipe/set/set.h"

#include <string.h>

enum { RS, RT, RD };
static const char *const register_names[] = {"rs", "rt", "rd"};
static const uint32_t register_flags[] = {READS_RS | WRITES_RS, READS_RT | WRITES_RT,
                                          READS_RD | WRITES_RD};

void form_choice_init(struct form_choice *choice) {
    *choice = (struct form_choice){.registers = {1, 2, 3}};
}

void form_choice_free(struct form_choice *choice) {
    vec_free(&choice->ops);
    vec_free(&choice->widths);
}

/* --- names --- */

static bool has_cond(enum isa_op op) {
    const struct isa_info *info = isa_info(op);
    for (unsigned i = 0; i < info->operand_count; i++)
        if (info->operands[i] == ROLE_COND)
            return true;
    return false;
}

/* Forms of one mnemonic are told apart as the ISA reference does it. */
static const char *form_suffix(enum isa_op op) {
    const char *name = isa_info(op)->name;
    bool alone = isa_find(name, strlen(name)) == op && isa_next_form(op) == OP_COUNT;
    return alone ? "" : has_cond(op) ? " cond" : " rs";
}

static bool is_named(enum isa_op op, const char *piece, size_t length) {
    const char *name = isa_info(op)->name, *suffix = form_suffix(op);
    size_t n = strlen(name);
    return length == n ||
           (length == n + strlen(suffix) && memcmp(piece + n, suffix, length - n) == 0);
}

bool form_is_wanted(const struct form_choice *choice, enum isa_op op) {
    if (isa_info(op)->flags & ISA_USER)
        return choice->users && choice->users->by_opcode[op - OP_USER_C0].name;
    return (isa_info(op)->flags & (ISA_VECTOR | ISA_RESERVED)) == ISA_VECTOR && !isa_has_table(op);
}

bool form_take_op(struct form_choice *choice, const char *piece, size_t length) {
    size_t before = choice->ops.len;
    size_t word = strcspn(piece, " ,");
    enum isa_op op =
        choice->users ? isa_users_find(choice->users, piece, word) : isa_find(piece, word);
    if (op != OP_COUNT && isa_info(op)->flags & ISA_USER && form_is_wanted(choice, op)) {
        vec_push(&choice->ops, op);
        return true;
    }
    for (; op != OP_COUNT; op = isa_next_form(op))
        if ((form_is_wanted(choice, op) || isa_has_table(op)) && is_named(op, piece, length))
            vec_push(&choice->ops, op);
    return choice->ops.len > before;
}

bool form_take_width(struct form_choice *choice, const char *piece, size_t length) {
    uint64_t first, last;
    const char *dots = memchr(piece, '.', length);
    size_t n = dots ? (size_t)(dots - piece) : length;
    if (!number_parse_u64(piece, n, &first))
        return false;
    last = first;
    if (dots &&
        (length < n + 3 || dots[1] != '.' || !number_parse_u64(dots + 2, length - n - 2, &last)))
        return false;
    if (first < 1 || last > 64 || first > last)
        return false;
    for (; first <= last; first++)
        vec_push(&choice->widths, (uint8_t)first);
    return true;
}

static int register_role(const char *name) {
    for (int i = 0; i < 3; i++)
        if (memcmp(name, register_names[i], 2) == 0)
            return i;
    return -1;
}

bool form_take_alias(struct form_choice *choice, const char *piece, size_t length) {
    if (length != 5 || piece[2] != '=')
        return false;
    int a = register_role(piece), b = register_role(piece + 3);
    if (a < 0 || b < 0 || a == b)
        return false;
    uint8_t from = choice->registers[a], to = choice->registers[b];
    for (int i = 0; i < 3; i++)
        if (choice->registers[i] == from)
            choice->registers[i] = to;
    choice->named |= (uint8_t)(1u << a | 1u << b);
    choice->aliased = true;
    return true;
}

/* --- instructions --- */

bool form_has_constant(enum isa_op op) {
    return isa_constant_role(isa_info(op)) >= 0;
}

bool form_takes_constant(const struct form_choice *choice) {
    for (size_t i = 0; i < choice->ops.len; i++)
        if (form_has_constant(choice->ops.data[i]))
            return true;
    return false;
}

bool form_make(const struct form_choice *choice, enum isa_op op, unsigned width,
               struct insn *insn) {
    uint32_t flags = isa_info(op)->flags;
    *insn = (struct insn){.op = op};
    uint8_t *registers[] = {&insn->rs, &insn->rt, &insn->rd};
    for (unsigned i = 0; i < 3; i++) {
        bool there = flags & register_flags[i];
        if (choice->named >> i & 1 && !there)
            return false;
        *registers[i] = there ? choice->registers[i] : 0;
    }
    insn->width = flags & ISA_WIDTH ? (uint8_t)width : 0;
    if (form_has_constant(op))
        insn->imm = choice->has_constant ? choice->constant : recipe_usual_insn(op, width).imm;
    return recipe_applies(insn);
}

static void label_aliases(const struct insn *insn, struct str *out) {
    const uint8_t registers[] = {insn->rs, insn->rt, insn->rd};
    for (unsigned i = RT; i <= RD; i++)
        for (unsigned k = RS; k < i; k++)
            if (registers[i] && registers[i] == registers[k]) {
                str_printf(out, " %s=%s", register_names[i], register_names[k]);
                break;
            }
}

void form_name(enum isa_op op, const struct isa_users *users, struct str *out) {
    bool own = users && isa_info(op)->flags & ISA_USER;
    str_printf(out, "%s%s", own ? isa_users_name(users, op) : isa_info(op)->name, form_suffix(op));
}

void form_label(const struct insn *insn, const struct isa_users *users, struct str *out) {
    form_name(insn->op, users, out);
    struct isa_product p;
    if (isa_has_shape(insn->op) && isa_product_of(insn->imm, insn->width, &p))
        str_printf(out, " %ux%u>>%u%s", p.a, p.b, p.lo, isa_product_signs(&p));
    else if (isa_constant_role(isa_info(insn->op)) == ROLE_IMM && insn->imm >= 0)
        str_printf(out, " 0x%X", (unsigned)insn->imm);
    else if (form_has_constant(insn->op))
        str_printf(out, " %d", insn->imm);
    label_aliases(insn, out);
}

static const uint8_t usual_widths[] = {8, 16, 32, 64};

static bool each_width(const struct form_choice *choice, enum isa_op op, form_visit *visit,
                       void *context, size_t *made) {
    const uint8_t *widths = choice->widths.len ? choice->widths.data : usual_widths;
    size_t count = choice->widths.len ? choice->widths.len : sizeof usual_widths;
    if (!(isa_info(op)->flags & ISA_WIDTH))
        count = 1;
    for (size_t i = 0; i < count; i++) {
        struct insn insn;
        if (!form_make(choice, op, widths[i], &insn))
            continue;
        *made += 1;
        if (!visit(context, &insn))
            return false;
    }
    return true;
}

bool form_each(const struct form_choice *choice, form_visit *visit, void *context, size_t *made) {
    size_t n = 0;
    bool fine = true;
    for (size_t i = 0; fine && i < choice->ops.len; i++)
        fine = each_width(choice, choice->ops.data[i], visit, context, &n);
    for (unsigned op = 0; fine && choice->ops.len == 0 && op < OP_COUNT; op++)
        if (form_is_wanted(choice, (enum isa_op)op))
            fine = each_width(choice, (enum isa_op)op, visit, context, &n);
    if (made)
        *made = n;
    return fine;
}
