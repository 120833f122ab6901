/* SPDX-License-Identifier: MIT
 * Instructions inline: `ADD x y z;` with variables or registers in the ISA's order. */
#include "ezpim/ez/check.h"
#include "ezpim/ir.h"

#include <string.h>

static void report_mnemonic(struct checker *c, struct stmt *s) {
    size_t count, own;
    const char *const *names = isa_mnemonics(&count);
    const char *users[ISA_USERS];
    diag_error(c->u->diag, s->name.at, "there is no instruction `%s`", s->name.text);
    own = isa_users_names(&c->u->users, users);
    diag_suggest(c->u->diag, s->name.at, s->name.text, names, count);
    diag_suggest(c->u->diag, s->name.at, s->name.text, users, own);
}

/* What straight-line code of a lane may do; masks, control and transfers are the compiler's. */
static bool may_stand(const struct isa_info *info) {
    bool vector = (info->flags & ISA_VECTOR) && !(info->flags & (WRITES_M | ISA_RESERVED));
    bool format = info->format == FORMAT_R || info->format == FORMAT_I || info->format == FORMAT_Z;
    return vector && format;
}

static void report_cannot_stand(struct checker *c, struct stmt *s, const struct isa_info *info) {
    const char *why = "is not for one lane's data";
    if (info->flags & ISA_RESERVED)
        why = "is not supported by this release";
    else if (info->flags & WRITES_M)
        why = "changes the mask, which the compiler owns";
    diag_error(c->u->diag, s->name.at, "`%s` %s", info->name, why);
}

static bool is_cond(const struct expr *e) {
    return e->kind == EXPR_NAME && strcmp(e->name.text, "cond") == 0;
}

static bool form_fits(const struct isa_info *info, const struct stmt *s) {
    if (info->operand_count != s->operand_count)
        return false;
    for (unsigned i = 0; i < info->operand_count; i++)
        if ((info->operands[i] == ROLE_COND) != is_cond(s->operands[i]))
            return false;
    return true;
}

static const char *role_text(uint8_t role) {
    switch ((enum operand_role)role) {
    case ROLE_RS:
        return "rs";
    case ROLE_RT:
        return "rt";
    case ROLE_RD:
        return "rd";
    case ROLE_COUNT:
        return "count";
    case ROLE_SRCWIDTH:
        return "source width";
    case ROLE_COND:
        return "cond";
    default:
        return "number";
    }
}

static void report_operands(struct checker *c, struct stmt *s, const struct isa_info *info) {
    struct str roles = {0};
    for (unsigned i = 0; i < info->operand_count; i++)
        str_printf(&roles, " %s", role_text(info->operands[i]));
    diag_error(c->u->diag, s->at, "`%s` takes %u operand%s:%s", info->name, info->operand_count,
               info->operand_count == 1 ? "" : "s", str_text(&roles));
    str_free(&roles);
}

static bool find_form(struct checker *c, struct stmt *s) {
    enum mpu_op first = isa_users_find(&c->u->users, s->name.text, strlen(s->name.text));
    if (first == OP_COUNT) {
        report_mnemonic(c, s);
        return false;
    }
    for (enum mpu_op op = first; op != OP_COUNT; op = isa_next_form(op)) {
        if (!form_fits(isa_info(op), s))
            continue;
        s->machine = op;
        if (!may_stand(isa_info(op)))
            report_cannot_stand(c, s, isa_info(op));
        return may_stand(isa_info(op));
    }
    if (may_stand(isa_info(first)))
        report_operands(c, s, isa_info(first));
    else
        report_cannot_stand(c, s, isa_info(first));
    return false;
}

static bool is_register_role(uint8_t role) {
    return role == ROLE_RS || role == ROLE_RT || role == ROLE_RD;
}

static uint32_t role_reads(uint8_t role) {
    return role == ROLE_RS ? READS_RS : role == ROLE_RT ? READS_RT : READS_RD;
}

static uint32_t role_writes(uint8_t role) {
    return role == ROLE_RS ? WRITES_RS : role == ROLE_RT ? WRITES_RT : WRITES_RD;
}

static uint32_t bare_operand(const struct expr *e) {
    return e->kind == EXPR_NAME ? ez_bare_register(e->name.text) : IR_NONE;
}

/* "r64" and up, when no variable is called so. */
static bool is_high_register(struct checker *c, const struct expr *e) {
    const char *name = e->name.text;
    return e->kind == EXPR_NAME && name[0] == 'r' && name[1] &&
           name[1 + strspn(name + 1, "0123456789")] == '\0' && bare_operand(e) == IR_NONE &&
           !find_symbol(c, name);
}

/* The bits of operand i that the instruction works on: a source may be narrower than the rest. */
static unsigned operand_width(const struct stmt *s, const struct isa_info *info, unsigned i) {
    for (unsigned k = 0; k < info->operand_count; k++)
        if (info->operands[k] == ROLE_SRCWIDTH && info->operands[i] == ROLE_RS &&
            s->operands[k]->is_constant)
            return (unsigned)s->operands[k]->value;
    return s->machine_width;
}

static bool check_operand_kind(struct checker *c, struct expr *e, uint8_t role) {
    uint32_t element;
    if (!is_register_role(role)) {
        if (role == ROLE_COND)
            return true;
        check_expr(c, e);
        if (e->is_constant && !type_is_bool(e->type))
            return true;
        if (e->type.state != STATE_ERROR)
            diag_error(c->u->diag, e->at, "this operand is a constant number");
        return false;
    }
    if (e->kind != EXPR_NAME && e->kind != EXPR_INDEX) {
        diag_error(c->u->diag, e->at, "this operand is a variable or a register");
        return false;
    }
    if (is_high_register(c, e)) {
        diag_error(c->u->diag, e->at, "`%s` is out of range: the registers are r0..r%d",
                   e->name.text, IR_REGISTERS - 1);
        return false;
    }
    return bare_operand(e) != IR_NONE || check_element(c, e, &element) != NULL;
}

static bool check_operand_kinds(struct checker *c, struct stmt *s, const struct isa_info *info) {
    bool good = true;
    for (unsigned i = 0; i < info->operand_count; i++)
        good &= check_operand_kind(c, s->operands[i], info->operands[i]);
    return good;
}

static bool suffix_width(struct checker *c, struct stmt *s) {
    uint64_t width = 0;
    check_expr(c, s->width);
    if (!check_integer(c, s->width, 1, 64, "a width", &width))
        return false;
    s->machine_width = (uint8_t)width;
    return true;
}

static bool report_widths(struct checker *c, struct stmt *s, const struct expr *a,
                          const struct expr *b) {
    diag_error(c->u->diag, s->at, "`%s` is %s and `%s` is %s: `%s` needs a width",
               source_text(c, a->at), type_name(c, a->type.type), source_text(c, b->at),
               type_name(c, b->type.type), s->name.text);
    diag_note(c->u->diag, s->name.at, "write `%s.%u`", s->name.text,
              a->type.type.bits > b->type.type.bits ? b->type.type.bits : a->type.type.bits);
    return false;
}

/* Without a suffix the width is that of the variables, 64 when there are registers alone. */
static bool variables_width(struct checker *c, struct stmt *s, const struct isa_info *info) {
    const struct expr *first = NULL;
    bool narrow_source = info->operand_count > 1 && info->operands[1] == ROLE_SRCWIDTH;
    for (unsigned i = 0; i < info->operand_count; i++) {
        const struct expr *e = s->operands[i];
        if (!is_register_role(info->operands[i]) || !e->symbol ||
            (narrow_source && info->operands[i] == ROLE_RS))
            continue;
        if (first && first->type.type.bits != e->type.type.bits)
            return report_widths(c, s, first, e);
        first = e;
    }
    s->machine_width = first ? first->type.type.bits : 64;
    return true;
}

static bool find_width(struct checker *c, struct stmt *s, const struct isa_info *info) {
    if (info->flags & ISA_WIDTH)
        return s->width ? suffix_width(c, s) : variables_width(c, s, info);
    if (!s->width)
        return true;
    diag_error(c->u->diag, s->width->at, "`%s` has no width", info->name);
    return false;
}

static bool check_operand_width(struct checker *c, const struct expr *e, unsigned width) {
    if (!e->symbol || e->type.type.bits >= width)
        return true;
    diag_error(c->u->diag, e->at, "`%s` has %u bits, and the instruction works on %u",
               source_text(c, e->at), e->type.type.bits, width);
    return false;
}

static void read_operand(struct checker *c, struct expr *e) {
    uint32_t bare = bare_operand(e);
    if (bare == IR_NONE) {
        check_read(c, e);
        return;
    }
    c->u->bare |= (uint64_t)1 << bare;
    if (c->u->bare_written >> bare & 1 || c->incomplete)
        return;
    diag_error(c->u->diag, e->at, "`%s` is read before it is written", e->name.text);
    c->u->bare_written |= (uint64_t)1 << bare;
}

static void write_operand(struct checker *c, struct expr *e) {
    uint32_t bare = bare_operand(e);
    if (bare != IR_NONE) {
        c->u->bare |= (uint64_t)1 << bare;
        c->u->bare_written |= (uint64_t)1 << bare;
        return;
    }
    e->symbol->var.varies = true;
    if (e->symbol->var.group || e->symbol->kind == SYMBOL_EZ_LOCAL ||
        e->symbol->var.direction == VAR_IN)
        check_write(c, e);
    else
        diag_error(c->u->diag, e->at,
                   "`%s` has no group: it is one value, and an instruction writes every lane",
                   e->symbol->name.text);
}

bool insn_writes(const struct stmt *s, unsigned i) {
    const struct isa_info *info = isa_info(s->machine);
    uint8_t role = info->operands[i];
    return is_register_role(role) && (info->flags & role_writes(role));
}

bool insn_reads(const struct stmt *s, unsigned i) {
    const struct isa_info *info = isa_info(s->machine);
    uint8_t role = info->operands[i];
    const struct expr *e = s->operands[i];
    if (!is_register_role(role))
        return false;
    return (info->flags & role_reads(role)) ||
           (insn_writes(s, i) && e->symbol && e->type.type.bits > s->machine_width);
}

/* What is written in part keeps its other bits, so they must have been written before. */
static void check_flow(struct checker *c, struct stmt *s, const struct isa_info *info) {
    for (unsigned i = 0; i < info->operand_count; i++)
        if (insn_reads(s, i))
            read_operand(c, s->operands[i]);
    for (unsigned i = 0; i < info->operand_count; i++)
        if (insn_writes(s, i))
            write_operand(c, s->operands[i]);
}

static void check_condition_flow(struct checker *c, struct stmt *s, const struct isa_info *info) {
    if ((info->flags & READS_C) && c->condition != CONDITION_SET) {
        diag_error(c->u->diag, s->at, "`%s` reads the condition, which %s", info->name,
                   c->condition == CONDITION_LOST ? "was overwritten" : "nothing has set");
        if (c->condition == CONDITION_LOST)
            diag_note(c->u->diag, c->condition_lost, "by this");
    }
    if (info->flags & WRITES_C)
        c->condition = CONDITION_SET;
}

/* Constants that the operand takes: the ranges of enum operand_role. */
static bool check_constant(struct checker *c, const struct stmt *s, struct expr *e, uint8_t role,
                           int32_t *value) {
    uint64_t pattern;
    bool piece = s->machine >= OP_LIK1 && s->machine <= OP_LIK5, good;
    if (role == ROLE_COUNT)
        good = check_integer(c, e, 0, 63, "the shift count", &pattern);
    else if (role == ROLE_SRCWIDTH)
        good = check_integer(c, e, 1, s->machine_width, "the source's width", &pattern);
    else
        good = check_integer(c, e, -2048, piece ? 4095 : 2047, "the number", &pattern);
    if (good)
        *value = (int32_t)e->value;
    return good;
}

/* The encoder knows which operands must differ and what goes with a width. */
static bool check_encoding(struct checker *c, struct stmt *s, const struct isa_info *info) {
    struct insn insn = {.op = s->machine, .width = s->machine_width};
    uint8_t *fields[] = {&insn.rs, &insn.rt, &insn.rd};
    uint8_t next = 0;
    for (unsigned i = 0; i < info->operand_count; i++) {
        const struct expr *e = s->operands[i];
        uint8_t role = info->operands[i];
        if (!is_register_role(role)) {
            if (role != ROLE_COND && !check_constant(c, s, s->operands[i], role, &insn.imm))
                return false;
            continue;
        }
        uint8_t number = next++;
        for (unsigned k = 0; k < i; k++) /* the same variable is the same register */
            if (is_register_role(info->operands[k]) &&
                strcmp(source_text(c, s->operands[k]->at), source_text(c, e->at)) == 0)
                number = *fields[info->operands[k] - ROLE_RS];
        *fields[role - ROLE_RS] = number;
    }
    uint32_t word;
    enum isa_error error = isa_encode(&insn, &word);
    if (error == ISA_OK)
        return true;
    diag_error(c->u->diag, s->at, "this is no legal `%s`: %s", info->name, isa_error_text(error));
    return false;
}

static bool check_operand_widths(struct checker *c, struct stmt *s, const struct isa_info *info) {
    bool good = true;
    for (unsigned i = 0; i < info->operand_count; i++)
        if (is_register_role(info->operands[i]))
            good &= check_operand_width(c, s->operands[i], operand_width(s, info, i));
    return good;
}

void check_insn(struct checker *c, struct stmt *s) {
    if (!find_form(c, s)) {
        c->incomplete = true;
        return;
    }
    const struct isa_info *info = isa_info(s->machine);
    if (!check_operand_kinds(c, s, info) || !find_width(c, s, info) ||
        !check_operand_widths(c, s, info) || !check_encoding(c, s, info)) {
        c->incomplete = true;
        return;
    }
    check_flow(c, s, info);
    check_condition_flow(c, s, info);
}
