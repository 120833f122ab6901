/* SPDX-License-Identifier: MIT
 * Instructions inline: `ADD x y z;` with variables or registers in the ISA's order. */
#include "ezpim/ez/check.h"
#include "ezpim/ir/ir.h"

#include <string.h>

static void report_mnemonic(struct checker *checker, struct stmt *stmt) {
    size_t count, own;
    const char *const *names = isa_mnemonics(&count);
    const char *users[ISA_USERS];
    diag_error(checker->u->diag, stmt->name.at, "there is no instruction `%s`", stmt->name.text);
    own = isa_users_names(&checker->u->users, users);
    diag_suggest(checker->u->diag, stmt->name.at, stmt->name.text, names, count);
    diag_suggest(checker->u->diag, stmt->name.at, stmt->name.text, users, own);
}

/* What straight-line code of a lane may do; masks, control and transfers are the compiler's. */
static bool may_stand(const struct isa_info *info) {
    bool vector = (info->flags & ISA_VECTOR) && !(info->flags & (WRITES_M | ISA_RESERVED));
    bool format = info->format == FORMAT_R || info->format == FORMAT_I || info->format == FORMAT_Z;
    return vector && format;
}

static void report_cannot_stand(struct checker *checker, struct stmt *stmt,
                                const struct isa_info *info) {
    const char *why = "is not for one lane's data";
    if (info->flags & ISA_RESERVED)
        why = "is not supported by this release";
    else if (info->flags & WRITES_M)
        why = "changes the mask, which the compiler owns";
    diag_error(checker->u->diag, stmt->name.at, "`%s` %s", info->name, why);
}

static bool is_cond(const struct expr *expr) {
    return expr->kind == EXPR_NAME && strcmp(expr->name.text, "cond") == 0;
}

static bool form_fits(const struct isa_info *info, const struct stmt *stmt) {
    if (info->operand_count != stmt->operand_count)
        return false;
    for (unsigned i = 0; i < info->operand_count; i++)
        if ((info->operands[i] == ROLE_COND) != is_cond(stmt->operands[i]))
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
    case ROLE_CONVERSION:
        return "conversion";
    case ROLE_COND:
        return "cond";
    default:
        return "number";
    }
}

static void report_operands(struct checker *checker, struct stmt *stmt,
                            const struct isa_info *info) {
    struct str roles = {0};
    for (unsigned i = 0; i < info->operand_count; i++)
        str_printf(&roles, " %s", role_text(info->operands[i]));
    diag_error(checker->u->diag, stmt->at, "`%s` takes %u operand%s:%s", info->name,
               info->operand_count, info->operand_count == 1 ? "" : "s", str_text(&roles));
    str_free(&roles);
}

static bool find_form(struct checker *checker, struct stmt *stmt) {
    enum isa_op first =
        isa_users_find(&checker->u->users, stmt->name.text, strlen(stmt->name.text));
    if (first == OP_COUNT) {
        report_mnemonic(checker, stmt);
        return false;
    }
    for (enum isa_op op = first; op != OP_COUNT; op = isa_next_form(op)) {
        if (!form_fits(isa_info(op), stmt))
            continue;
        stmt->machine = op;
        if (!may_stand(isa_info(op)))
            report_cannot_stand(checker, stmt, isa_info(op));
        return may_stand(isa_info(op));
    }
    if (may_stand(isa_info(first)))
        report_operands(checker, stmt, isa_info(first));
    else
        report_cannot_stand(checker, stmt, isa_info(first));
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

static uint32_t bare_operand(const struct expr *expr) {
    return expr->kind == EXPR_NAME ? ez_bare_register(expr->name.text) : IR_NONE;
}

/* "r64" and up, when no variable is called so. */
static bool is_high_register(struct checker *checker, const struct expr *expr) {
    const char *name = expr->name.text;
    return expr->kind == EXPR_NAME && name[0] == 'r' && name[1] &&
           name[1 + strspn(name + 1, "0123456789")] == '\0' && bare_operand(expr) == IR_NONE &&
           !ez_find_symbol(checker, name);
}

/* The bits of operand `index` that the instruction works on: a source may be narrower than the
 * rest. */
static unsigned operand_width(const struct stmt *stmt, const struct isa_info *info,
                              unsigned index) {
    for (unsigned k = 0; k < info->operand_count; k++)
        if ((info->operands[k] == ROLE_SRCWIDTH || info->operands[k] == ROLE_CONVERSION) &&
            info->operands[index] == ROLE_RS && ez_is_integer_constant(stmt->operands[k]))
            return isa_source_bits(&(struct insn){.op = stmt->machine,
                                                  .width = stmt->machine_width,
                                                  .imm = (int32_t)stmt->operands[k]->value});
    return stmt->machine_width;
}

/* A word of CVT, which becomes its number; what else has no meaning is left as wrong. */
static bool is_conversion(struct checker *checker, struct expr *expr) {
    const char *names[CONVERSIONS];
    size_t count = 0;
    if (expr->kind != EXPR_NAME || ez_find_symbol(checker, expr->name.text))
        return false;
    for (unsigned code = 0; code < CONVERSIONS; code++) {
        const char *name = isa_conversion_name(code);
        if (name)
            names[count++] = name;
        if (!name || strcmp(name, expr->name.text) != 0)
            continue;
        expr->type = TYPE_NUMBER;
        expr->is_constant = true;
        expr->value = code;
        return true;
    }
    diag_error(checker->u->diag, expr->at, "`%s` is no conversion", expr->name.text);
    diag_suggest(checker->u->diag, expr->at, expr->name.text, names, count);
    ez_poison(expr);
    return true;
}

static bool check_operand_kind(struct checker *checker, struct expr *expr, uint8_t role) {
    uint32_t element;
    if (!is_register_role(role)) {
        if (role == ROLE_COND)
            return true;
        if (role == ROLE_CONVERSION && is_conversion(checker, expr))
            return expr->is_constant;
        ez_check_expr(checker, expr);
        if (ez_is_integer_constant(expr))
            return true;
        if (expr->kind == EXPR_REAL)
            diag_error(checker->u->diag, expr->at, "this operand is a constant integer, not %s",
                       ez_what_it_is(checker, expr));
        else if (expr->type.state != STATE_ERROR)
            diag_error(checker->u->diag, expr->at, "this operand is a constant number");
        return false;
    }
    if (expr->kind != EXPR_NAME && expr->kind != EXPR_INDEX) {
        diag_error(checker->u->diag, expr->at, "this operand is a variable or a register");
        return false;
    }
    if (is_high_register(checker, expr)) {
        diag_error(checker->u->diag, expr->at, "`%s` is out of range: the registers are r0..r%d",
                   expr->name.text, IR_REGISTERS - 1);
        return false;
    }
    return bare_operand(expr) != IR_NONE || ez_check_element(checker, expr, &element) != NULL;
}

static bool check_operand_kinds(struct checker *checker, struct stmt *stmt,
                                const struct isa_info *info) {
    bool good = true;
    for (unsigned i = 0; i < info->operand_count; i++)
        good &= check_operand_kind(checker, stmt->operands[i], info->operands[i]);
    return good;
}

static bool suffix_width(struct checker *checker, struct stmt *stmt) {
    uint64_t width = 0;
    ez_check_expr(checker, stmt->width);
    if (!ez_check_integer(checker, stmt->width, 1, 64, "a width", &width))
        return false;
    stmt->machine_width = (uint8_t)width;
    return true;
}

static bool report_widths(struct checker *checker, struct stmt *stmt, const struct expr *left,
                          const struct expr *right) {
    diag_error(checker->u->diag, stmt->at, "`%s` is %s and `%s` is %s: `%s` needs a width",
               ez_source_text(checker, left->at), ez_type_name(checker, left->type.type),
               ez_source_text(checker, right->at), ez_type_name(checker, right->type.type),
               stmt->name.text);
    diag_note(checker->u->diag, stmt->name.at, "write `%s.%u`", stmt->name.text,
              left->type.type.bits > right->type.type.bits ? right->type.type.bits
                                                           : left->type.type.bits);
    return false;
}

/* Without a suffix the width is that of the variables, 64 when there are registers alone. */
static bool variables_width(struct checker *checker, struct stmt *stmt,
                            const struct isa_info *info) {
    const struct expr *first = NULL;
    bool narrow_source = info->operand_count > 1 && (info->operands[1] == ROLE_SRCWIDTH ||
                                                     info->operands[1] == ROLE_CONVERSION);
    for (unsigned i = 0; i < info->operand_count; i++) {
        const struct expr *e = stmt->operands[i];
        if (!is_register_role(info->operands[i]) || !e->symbol ||
            (narrow_source && info->operands[i] == ROLE_RS))
            continue;
        if (first && first->type.type.bits != e->type.type.bits)
            return report_widths(checker, stmt, first, e);
        first = e;
    }
    stmt->machine_width = first ? first->type.type.bits : 64;
    return true;
}

static bool find_width(struct checker *checker, struct stmt *stmt, const struct isa_info *info) {
    if (info->flags & ISA_WIDTH)
        return stmt->width ? suffix_width(checker, stmt) : variables_width(checker, stmt, info);
    if (!stmt->width)
        return true;
    diag_error(checker->u->diag, stmt->width->at, "`%s` has no width", info->name);
    return false;
}

static bool check_operand_width(struct checker *checker, const struct expr *expr, unsigned width) {
    if (!expr->symbol || expr->type.type.bits >= width)
        return true;
    diag_error(checker->u->diag, expr->at, "`%s` has %u bits, and the instruction works on %u",
               ez_source_text(checker, expr->at), expr->type.type.bits, width);
    return false;
}

static void read_operand(struct checker *checker, struct expr *expr) {
    uint32_t bare = bare_operand(expr);
    if (bare == IR_NONE) {
        ez_check_read(checker, expr);
        return;
    }
    checker->u->bare |= (uint64_t)1 << bare;
    if (checker->u->bare_written >> bare & 1 || checker->incomplete)
        return;
    diag_error(checker->u->diag, expr->at, "`%s` is read before it is written", expr->name.text);
    checker->u->bare_written |= (uint64_t)1 << bare;
}

static void write_operand(struct checker *checker, struct expr *expr) {
    uint32_t bare = bare_operand(expr);
    if (bare != IR_NONE) {
        checker->u->bare |= (uint64_t)1 << bare;
        checker->u->bare_written |= (uint64_t)1 << bare;
        return;
    }
    expr->symbol->var.varies = true;
    if (expr->symbol->var.group || expr->symbol->kind == SYMBOL_EZ_LOCAL ||
        expr->symbol->var.direction == VAR_IN)
        ez_check_write(checker, expr);
    else
        diag_error(checker->u->diag, expr->at,
                   "`%s` has no group: it is one value, and an instruction writes every lane",
                   expr->symbol->name.text);
}

bool ez_insn_writes(const struct stmt *stmt, unsigned index) {
    const struct isa_info *info = isa_info(stmt->machine);
    uint8_t role = info->operands[index];
    return is_register_role(role) && (info->flags & role_writes(role));
}

bool ez_insn_reads(const struct stmt *stmt, unsigned index) {
    const struct isa_info *info = isa_info(stmt->machine);
    uint8_t role = info->operands[index];
    const struct expr *e = stmt->operands[index];
    if (!is_register_role(role))
        return false;
    return (info->flags & role_reads(role)) ||
           (ez_insn_writes(stmt, index) && e->symbol && e->type.type.bits > stmt->machine_width);
}

/* What is written in part keeps its other bits, so they must have been written before. */
static void check_flow(struct checker *checker, struct stmt *stmt, const struct isa_info *info) {
    for (unsigned i = 0; i < info->operand_count; i++)
        if (ez_insn_reads(stmt, i))
            read_operand(checker, stmt->operands[i]);
    for (unsigned i = 0; i < info->operand_count; i++)
        if (ez_insn_writes(stmt, i))
            write_operand(checker, stmt->operands[i]);
}

static void check_condition_flow(struct checker *checker, struct stmt *stmt,
                                 const struct isa_info *info) {
    if ((info->flags & READS_C) && checker->condition != CONDITION_SET) {
        diag_error(checker->u->diag, stmt->at, "`%s` reads the condition, which %s", info->name,
                   checker->condition == CONDITION_LOST ? "was overwritten" : "nothing has set");
        if (checker->condition == CONDITION_LOST)
            diag_note(checker->u->diag, checker->condition_lost, "by this");
    }
    if (info->flags & WRITES_C)
        checker->condition = CONDITION_SET;
}

/* Constants that the operand takes: the ranges of enum operand_role. */
static bool check_constant(struct checker *checker, const struct stmt *stmt, struct expr *expr,
                           uint8_t role, int32_t *value) {
    uint64_t pattern;
    bool piece = stmt->machine >= OP_LIK1 && stmt->machine <= OP_LIK5, good;
    if (role == ROLE_COUNT)
        good = ez_check_integer(checker, expr, 0, 63, "the shift count", &pattern);
    else if (role == ROLE_SRCWIDTH)
        good =
            ez_check_integer(checker, expr, 1, stmt->machine_width, "the source's width", &pattern);
    else if (role == ROLE_CONVERSION)
        good = ez_check_integer(checker, expr, 0, CONVERSIONS - 1, "the conversion", &pattern);
    else
        good = ez_check_integer(checker, expr, -2048, piece ? 4095 : 2047, "the number", &pattern);
    if (good)
        *value = (int32_t)expr->value;
    return good;
}

/* False after reporting a width that the formats of floating point do not have. */
static bool check_format_width(struct checker *checker, const struct stmt *stmt,
                               const struct isa_info *info) {
    unsigned w = stmt->machine_width;
    if (info->flags & ISA_BFLOAT ? w == 16
                                 : !(info->flags & ISA_FLOAT) || w == 16 || w == 32 || w == 64)
        return true;
    diag_error(checker->u->diag, stmt->at, "`%s` has width %s, not %u", info->name,
               info->flags & ISA_BFLOAT ? "16" : "16, 32 or 64", w);
    return false;
}

/* The encoder knows which operands must differ and what goes with a width. */
static bool check_encoding(struct checker *checker, struct stmt *stmt,
                           const struct isa_info *info) {
    struct insn insn = {.op = stmt->machine, .width = stmt->machine_width};
    uint8_t *fields[] = {&insn.rs, &insn.rt, &insn.rd};
    uint8_t next = 0;
    for (unsigned i = 0; i < info->operand_count; i++) {
        const struct expr *e = stmt->operands[i];
        uint8_t role = info->operands[i];
        if (!is_register_role(role)) {
            if (role != ROLE_COND &&
                !check_constant(checker, stmt, stmt->operands[i], role, &insn.imm))
                return false;
            continue;
        }
        uint8_t number = next++;
        for (unsigned k = 0; k < i; k++) /* the same variable is the same register */
            if (is_register_role(info->operands[k]) &&
                strcmp(ez_source_text(checker, stmt->operands[k]->at),
                       ez_source_text(checker, e->at)) == 0)
                number = *fields[info->operands[k] - ROLE_RS];
        *fields[role - ROLE_RS] = number;
    }
    uint32_t word;
    enum isa_error error = isa_encode(&insn, &word);
    if (error == ISA_OK)
        return true;
    diag_error(checker->u->diag, stmt->at, "this is no legal `%s`: %s", info->name,
               isa_error_text(error));
    return false;
}

static bool check_operand_widths(struct checker *checker, struct stmt *stmt,
                                 const struct isa_info *info) {
    bool good = true;
    for (unsigned i = 0; i < info->operand_count; i++)
        if (is_register_role(info->operands[i]))
            good &= check_operand_width(checker, stmt->operands[i], operand_width(stmt, info, i));
    return good;
}

void ez_check_insn(struct checker *checker, struct stmt *stmt) {
    if (!find_form(checker, stmt)) {
        checker->incomplete = true;
        return;
    }
    const struct isa_info *info = isa_info(stmt->machine);
    if (!check_operand_kinds(checker, stmt, info) || !find_width(checker, stmt, info) ||
        !check_format_width(checker, stmt, info) || !check_operand_widths(checker, stmt, info) ||
        !check_encoding(checker, stmt, info)) {
        checker->incomplete = true;
        return;
    }
    check_flow(checker, stmt, info);
    check_condition_flow(checker, stmt, info);
}
