/* SPDX-License-Identifier: MIT
 * Instructions.  The mnemonic selects several forms and the operands one of these; everything else
 * is in the table of the ISA, so a new instruction needs no code here. */
#include "asm/builder_state.h"
#include "asm/operand.h"

#include <string.h>

/* How messages call an instruction. */
static const char *name_of(const struct assembler *assembler, enum isa_op op) {
    return isa_users_name(&assembler->users, op);
}

struct mnemonic {
    struct asm_token at;
    size_t length;  /* of the name without its suffix */
    unsigned width; /* of the suffix, or 0 */
};

static void asm_suggest_mnemonic(struct assembler *assembler, const struct asm_token *token) {
    size_t count;
    const char *const *names = isa_mnemonics(&count);
    const char **all = xcalloc(count + ISA_USERS + assembler->macros.len, sizeof *all);
    char *wanted = xstrndup(asm_token_text(assembler, token), token_length(token));
    memcpy(all, names, count * sizeof *all);
    count += isa_users_names(&assembler->users, all + count);
    for (size_t i = 0; i < assembler->macros.len; i++)
        all[count++] = assembler->macros.data[i].name;
    diag_suggest(assembler->d, asm_span(assembler, token->begin, token->end), wanted, all, count);
    free(wanted);
    free(all);
}

void asm_suggest_user(struct assembler *assembler, const struct asm_token *token) {
    const char *names[ISA_USERS];
    size_t count = isa_users_names(&assembler->users, names);
    char *wanted = xstrndup(asm_token_text(assembler, token), token_length(token));
    diag_suggest(assembler->d, asm_span(assembler, token->begin, token->end), wanted, names, count);
    free(wanted);
}

static bool all_digits(const char *text, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (text[i] < '0' || text[i] > '9')
            return false;
    return n > 0;
}

/* Splits "ADD.32"; false after reporting a width that cannot be. */
static bool split_mnemonic(struct assembler *assembler, struct mnemonic *mnemonic) {
    const char *text = asm_token_text(assembler, &mnemonic->at);
    size_t length = token_length(&mnemonic->at);
    const char *dot = memchr(text, '.', length);
    mnemonic->length = length;
    mnemonic->width = 0;
    if (!dot)
        return true;
    mnemonic->length = (size_t)(dot - text);
    size_t digits = length - mnemonic->length - 1;
    mnemonic->width = digits == 1   ? (unsigned)(dot[1] - '0')
                      : digits == 2 ? (unsigned)(dot[1] - '0') * 10 + (unsigned)(dot[2] - '0')
                                    : 0;
    if (all_digits(dot + 1, digits) && mnemonic->width >= 1 && mnemonic->width <= 64)
        return true;
    asm_error(assembler, mnemonic->at.begin + mnemonic->length, mnemonic->at.end,
              "a width is a number from 1 to 64");
    return false;
}

/* What a role of the table is written as. */
static enum asm_operand_kind kind_of_role(enum operand_role role) {
    switch (role) {
    case ROLE_RS:
    case ROLE_RT:
    case ROLE_RD:
        return OPERAND_REGISTER;
    case ROLE_RFH:
    case ROLE_RFH_DST:
        return OPERAND_RFH;
    case ROLE_VRF:
    case ROLE_VRF_SRC:
    case ROLE_VRF_DST:
        return OPERAND_VRF;
    case ROLE_MPU:
        return OPERAND_MPU;
    case ROLE_GROUP:
        return OPERAND_GROUP;
    case ROLE_COND:
        return OPERAND_COND;
    default:
        return OPERAND_VALUE;
    }
}

static const char *role_text(enum operand_role role) {
    static const char *const texts[] = {
        [ROLE_RS] = "rs",          [ROLE_RT] = "rt",
        [ROLE_RD] = "rd",          [ROLE_COUNT] = "count",
        [ROLE_SRCWIDTH] = "width", [ROLE_CONVERSION] = "conversion",
        [ROLE_IMM] = "number",     [ROLE_RFH] = "RFHn",
        [ROLE_VRF] = "VRFn",       [ROLE_RFH_DST] = "RFHn",
        [ROLE_VRF_SRC] = "VRFn",   [ROLE_VRF_DST] = "VRFn",
        [ROLE_TARGET] = "label",   [ROLE_VALUE] = "number",
        [ROLE_MPU] = "MPUn",       [ROLE_GROUP] = "@group",
        [ROLE_COND] = "cond",      [ROLE_LANEMAP] = "map",
        [ROLE_LUT] = "table",      [ROLE_CALL] = "NAME rs rt rd else label",
        [ROLE_MOVE] = "move",      [ROLE_SHAPE] = "shape",
    };
    return texts[role];
}

/* Format M is matched by kind alone, so that both orders of the paper assemble: Table II prints
 * `VRF rs VRF rd`, Fig. 6 `rs VRF rd VRF`. */
static bool matches(const struct isa_info *info, const struct asm_operands *operands) {
    unsigned wanted[8] = {0}, given[8] = {0};
    if (operands->count != info->operand_count)
        return false;
    for (size_t i = 0; i < operands->count; i++) {
        enum asm_operand_kind kind = kind_of_role((enum operand_role)info->operands[i]);
        if (info->format != FORMAT_M && operands->list[i].kind != kind)
            return false;
        wanted[kind]++;
        given[operands->list[i].kind]++;
    }
    return memcmp(wanted, given, sizeof wanted) == 0;
}

static void syntax_note(struct assembler *assembler, const struct mnemonic *mnemonic,
                        enum isa_op op) {
    struct str text = {0};
    for (const char *between = "it is written: "; op != OP_COUNT; op = isa_next_form(op)) {
        const struct isa_info *info = isa_info(op);
        str_printf(&text, "%s%s", between, name_of(assembler, op));
        for (size_t i = 0; i < info->operand_count; i++)
            str_printf(&text, " %s", role_text((enum operand_role)info->operands[i]));
        between = "; or: ";
        if (info->fixed_width)
            break;
    }
    diag_note(assembler->d, asm_span(assembler, mnemonic->at.begin, mnemonic->at.end), "%s",
              text.text);
    str_free(&text);
}

/* A name that is known as nothing where a register belongs. */
static bool names_nothing(const struct isa_info *info, const struct asm_operand *operand,
                          size_t index) {
    return kind_of_role((enum operand_role)info->operands[index]) == OPERAND_REGISTER &&
           operand->kind == OPERAND_VALUE && operand->value.kind == VALUE_LABEL;
}

/* Points at the first operand that is wrong for the first form. */
static void report_operand(struct assembler *assembler, enum isa_op op,
                           const struct asm_operand *operand, size_t index) {
    const struct isa_info *info = isa_info(op);
    enum asm_operand_kind wanted = kind_of_role((enum operand_role)info->operands[index]);
    if (info->format == FORMAT_M) {
        asm_error_token(assembler, &operand->at, "%s takes two VRFs and two registers", info->name);
    } else if (names_nothing(info, operand, index)) {
        asm_error_token(assembler, &operand->at, "'%s' is neither a register nor a variable",
                        operand->value.label);
        asm_suggest(assembler, &operand->at, &assembler->variable_names);
    } else {
        asm_error_token(assembler, &operand->at, "operand %zu of %s must be %s, not %s", index + 1,
                        name_of(assembler, op),
                        info->operands[index] == ROLE_LUT     ? "a table"
                        : info->operands[index] == ROLE_SHAPE ? "a shape"
                                                              : asm_operand_kind_text(wanted),
                        asm_operand_kind_text(operand->kind));
    }
}

static void report_mismatch(struct assembler *assembler, const struct mnemonic *mnemonic,
                            enum isa_op op, const struct asm_operands *operands) {
    const struct isa_info *info = isa_info(op);
    bool any_order = info->format == FORMAT_M && operands->count != info->operand_count;
    size_t i = 0;
    while (
        i < operands->count && i < info->operand_count &&
        (any_order || operands->list[i].kind == kind_of_role((enum operand_role)info->operands[i])))
        i++;
    if (i < operands->count && i < info->operand_count)
        report_operand(assembler, op, &operands->list[i], i);
    else
        asm_error_token(assembler, i < operands->count ? &operands->list[i].at : &mnemonic->at,
                        "%s has %u operand%s, not %zu", name_of(assembler, op),
                        (unsigned)info->operand_count, info->operand_count == 1 ? "" : "s",
                        operands->count);
    syntax_note(assembler, mnemonic, op);
}

static enum isa_op choose_form(struct assembler *assembler, const struct mnemonic *mnemonic,
                               enum isa_op first, const struct asm_operands *operands) {
    for (enum isa_op op = first; op != OP_COUNT; op = isa_next_form(op))
        if (matches(isa_info(op), operands))
            return op;
    report_mismatch(assembler, mnemonic, first, operands);
    return OP_COUNT;
}

/* MEMCPY's widths are opcodes. */
static enum isa_op choose_width(struct assembler *assembler, const struct mnemonic *mnemonic,
                                enum isa_op op) {
    unsigned width = mnemonic->width ? mnemonic->width : assembler->o->default_width;
    if (!isa_info(op)->fixed_width)
        return op;
    for (; op != OP_COUNT; op = isa_next_form(op))
        if (isa_info(op)->fixed_width == width)
            return op;
    if (mnemonic->width)
        asm_error(assembler, mnemonic->at.begin + mnemonic->length, mnemonic->at.end,
                  "%.*s has the widths 8, 16, 32 and 64, not %u", (int)mnemonic->length,
                  asm_token_text(assembler, &mnemonic->at), width);
    else
        asm_error_token(assembler, &mnemonic->at,
                        "%.*s needs a suffix .8, .16, .32 or .64, for .width is %u",
                        (int)mnemonic->length, asm_token_text(assembler, &mnemonic->at), width);
    return OP_COUNT;
}

static bool set_width(struct assembler *assembler, const struct mnemonic *mnemonic,
                      const struct isa_info *info, struct insn *insn) {
    if (info->fixed_width) {
        insn->width = info->fixed_width;
    } else if (info->flags & ISA_BFLOAT && !mnemonic->width) {
        insn->width = 16;
    } else if (info->format == FORMAT_P) { /* the shape's; a suffix has to be the same */
        insn->width = (uint8_t)mnemonic->width;
    } else if (info->flags & ISA_WIDTH) {
        insn->width = (uint8_t)(mnemonic->width ? mnemonic->width : assembler->o->default_width);
    } else if (mnemonic->width) {
        asm_error(assembler, mnemonic->at.begin + mnemonic->length, mnemonic->at.end,
                  "%s has no width", info->name);
        return false;
    }
    return true;
}

/* The value of an operand that must be a number known now. */
static bool number_in(struct assembler *assembler, const struct asm_operand *operand,
                      const char *what, wide low, wide high, int32_t *out) {
    struct asm_value v = operand->value;
    if (v.kind == VALUE_ELEMENT)
        asm_error_token(assembler, &operand->at,
                        "only LI, LIK1 to LIK5 and .lut take a link-time value");
    else if (v.kind == VALUE_SIZE)
        asm_error_token(assembler, &operand->at,
                        "a size is a link-time value: only LI, LIK1 to LIK5, REPEAT and "
                        "the extents of groups take it");
    else if ((v.kind != VALUE_LABEL || asm_label_number(assembler, &v)) &&
             (v.number < low || v.number > high))
        asm_report_out_of_range(assembler, &operand->at, what, v.number, low, high);
    *out = (int32_t)v.number;
    return !assembler->failed;
}

static bool is_constant_piece(enum isa_op op) {
    return op == OP_LI || op == OP_LIK1 || op == OP_LIK2 || op == OP_LIK3 || op == OP_LIK4 ||
           op == OP_LIK5;
}

static unsigned piece_of(enum isa_op op) {
    return is_constant_piece(op) ? (unsigned)(op - OP_LI) : 0;
}

/* The n bits that the immediate sets take it as a signed or as an unsigned number; LIK also as a
 * pattern of 12 bits. */
static bool set_immediate(struct assembler *assembler, const struct asm_operand *operand,
                          struct insn *insn) {
    unsigned k = piece_of(insn->op);
    int bits = (int)insn->width - 12 * (int)k;
    if (bits <= 0) {
        asm_error_token(assembler, &operand->at,
                        "%s sets bits %u and up, which width %u does not have",
                        isa_info(insn->op)->name, 12 * k, (unsigned)insn->width);
        return false;
    }
    bool whole = bits > 12 || (bits == 12 && k);
    bits = bits > 12 ? 12 : bits;
    wide low = -((wide)1 << (bits - 1)), high = ((wide)1 << bits) - 1;
    high = whole && k == 0 ? 2047 : high;
    if (operand->value.kind == VALUE_NUMBER && k && operand->value.number >= 4096 + low &&
        operand->value.number < 4096) {
        insn->imm = (int32_t)operand->value.number;
        return true;
    }
    if (!number_in(assembler, operand, "the number", low, high, &insn->imm)) {
        if (insn->op == OP_LI && whole && operand->value.kind == VALUE_NUMBER)
            diag_note(assembler->d, asm_span(assembler, operand->at.begin, operand->at.end),
                      "bits 12 and up are set by LIK1 to LIK5 behind LI");
        return false;
    }
    if (k == 0 && insn->imm > 2047)
        insn->imm -= 4096;
    return true;
}

static bool set_source_width(struct assembler *assembler, const struct asm_operand *operand,
                             struct insn *insn) {
    return number_in(assembler, operand, "the source's width", 1, insn->width, &insn->imm);
}

static bool add_size_reloc(struct assembler *assembler, const struct asm_operand *operand,
                           const struct insn *insn, enum reloc_type type, unsigned piece) {
    const wide most = (wide)OBJECT_MAX_EXTENT;
    if (operand->value.number < -most || operand->value.number > most) {
        asm_error_token(assembler, &operand->at,
                        "the number added to a size must be in -2^40..2^40");
        return false;
    }
    if (type != RELOC_COUNT && 12 * piece >= insn->width) {
        asm_error_token(assembler, &operand->at,
                        "%s sets bits %u and up, which width %u does not have",
                        isa_info(insn->op)->name, 12 * piece, (unsigned)insn->width);
        return false;
    }
    builder_reloc(assembler->b, type, piece, operand->value.size, (int64_t)operand->value.number);
    return true;
}

static bool set_value(struct assembler *assembler, const struct asm_operand *operand,
                      struct insn *insn) {
    enum debug_kind kind;
    if (insn->op == OP_REPEAT && operand->value.kind == VALUE_SIZE)
        return add_size_reloc(assembler, operand, insn, RELOC_COUNT, 0);
    if (!object_debug_kind(insn->op, &kind))
        return number_in(assembler, operand, "the number", 0, (1 << 22) - 1, &insn->imm);
    if (!number_in(assembler, operand, "the record", 0, (1 << 22) - 1, &insn->imm))
        return false;
    const struct object *p = assembler->o;
    if ((size_t)insn->imm < p->debugs.len && p->debugs.data[insn->imm].kind == kind)
        return true;
    asm_error_token(assembler, &operand->at,
                    "there is no record %d for %s; write its text, or .%s before", (int)insn->imm,
                    isa_info(insn->op)->name,
                    kind == DEBUG_MARK    ? "mark"
                    : kind == DEBUG_PRINT ? "print"
                                          : "assert");
    return false;
}

/* A word of CVT, or its number. */
static bool set_conversion(struct assembler *assembler, const struct asm_operand *operand,
                           struct insn *insn) {
    if (operand->value.kind != VALUE_LABEL)
        return number_in(assembler, operand, "a conversion", 0, CONVERSIONS - 1, &insn->imm);
    const char *names[CONVERSIONS];
    size_t count = 0;
    for (int32_t code = 0; code < CONVERSIONS; code++) {
        const char *name = isa_conversion_name((unsigned)code);
        if (!name)
            continue;
        names[count++] = name;
        if (strcmp(name, operand->value.label) == 0) {
            insn->imm = code;
            return true;
        }
    }
    asm_error_token(assembler, &operand->at, "'%s' is no conversion", operand->value.label);
    diag_suggest(assembler->d, asm_span(assembler, operand->at.begin, operand->at.end),
                 operand->value.label, names, count);
    return false;
}

static bool set_operand(struct assembler *assembler, enum operand_role role,
                        const struct asm_operand *operand, struct insn *insn) {
    switch (role) {
    case ROLE_RS:
        insn->rs = (uint8_t)operand->number;
        return true;
    case ROLE_RT:
        insn->rt = (uint8_t)operand->number;
        return true;
    case ROLE_RD:
        insn->rd = (uint8_t)operand->number;
        return true;
    case ROLE_RFH:
        insn->rfh = (uint16_t)operand->number;
        return true;
    case ROLE_VRF:
    case ROLE_RFH_DST:
        insn->vrf = (uint16_t)operand->number;
        return true;
    case ROLE_VRF_SRC:
        insn->vrf_src = (uint8_t)operand->number;
        return true;
    case ROLE_VRF_DST:
        insn->vrf_dst = (uint8_t)operand->number;
        return true;
    case ROLE_MPU:
        insn->mode = operand->mode;
        insn->imm = (int32_t)operand->value.number;
        return true;
    case ROLE_GROUP:
        insn->imm = (int32_t)operand->number;
        return true;
    case ROLE_COUNT:
        return number_in(assembler, operand, "a shift count", 0, 63, &insn->imm);
    case ROLE_SRCWIDTH:
        return set_source_width(assembler, operand, insn);
    case ROLE_CONVERSION:
        return set_conversion(assembler, operand, insn);
    case ROLE_IMM:
        if (operand->value.kind == VALUE_SIZE && is_constant_piece(insn->op))
            return add_size_reloc(assembler, operand, insn, RELOC_IMM12, piece_of(insn->op));
        if (operand->value.kind == VALUE_ELEMENT && is_constant_piece(insn->op))
            return add_size_reloc(assembler, operand, insn, RELOC_VALUE12, piece_of(insn->op));
        return set_immediate(assembler, operand, insn);
    case ROLE_LUT:
        return asm_set_table(assembler, operand, insn);
    case ROLE_SHAPE:
        return asm_set_shape(assembler, operand, insn->width, insn);
    case ROLE_VALUE:
        return set_value(assembler, operand, insn);
    default:
        return true; /* cond; targets are emit_jump's */
    }
}

/* The operand for a role: the one in its place, or for format M the next of its kind. */
static const struct asm_operand *operand_for(const struct isa_info *info,
                                             const struct asm_operands *operands, size_t role) {
    enum asm_operand_kind kind = kind_of_role((enum operand_role)info->operands[role]);
    size_t nth = 0;
    if (info->format != FORMAT_M)
        return &operands->list[role];
    for (size_t i = 0; i < role; i++)
        nth += kind_of_role((enum operand_role)info->operands[i]) == kind;
    for (size_t i = 0; i < operands->count; i++)
        if (operands->list[i].kind == kind && nth-- == 0)
            return &operands->list[i];
    return &operands->list[role];
}

/* A plain number may be a numeric label; see struct numeric_jump. */
static void emit_numeric_jump(struct assembler *assembler, enum isa_op op,
                              const struct asm_operand *operand) {
    struct numeric_jump j = {assembler->o->relocs.len, (uint64_t)operand->value.number,
                             asm_kept_span(assembler, operand->at.begin, operand->at.end)};
    struct insn i = {.op = op};
    vec_push(&assembler->numeric_jumps, j);
    builder_reloc(assembler->b, RELOC_J24, 0, 0, 0);
    builder_word(assembler->b, &i);
}

static void emit_jump(struct assembler *assembler, enum isa_op op,
                      const struct asm_operand *operand) {
    struct insn i = {.op = op};
    if (operand->value.kind == VALUE_SIZE || operand->value.kind == VALUE_ELEMENT) {
        asm_error_token(assembler, &operand->at, "a jump goes to a label or an index, not to a %s",
                        operand->value.kind == VALUE_SIZE ? "size" : "link-time value");
        return;
    }
    if (operand->value.number < -(wide)OBJECT_MAX_TEXT ||
        operand->value.number > (wide)OBJECT_MAX_TEXT) {
        asm_error_token(assembler, &operand->at, "a text has at most 2^24 instructions");
        return;
    }
    builder_span(assembler->b, asm_kept_span(assembler, operand->at.begin, operand->at.end));
    if (operand->value.kind == VALUE_LABEL)
        builder_jump_to(assembler->b, op, builder_label(assembler->b, operand->value.label),
                        (int64_t)operand->value.number);
    else if (operand->literal)
        emit_numeric_jump(assembler, op, operand);
    else if (operand->value.number < 0)
        asm_error_token(assembler, &operand->at, "the jump leads out of the text");
    else {
        i.imm = (int32_t)operand->value.number;
        builder_emit(assembler->b, &i);
    }
}

static void note_mark(struct assembler *assembler, enum isa_op op, const struct asm_token *at) {
    if (op != OP_UNMASK && op != OP_JUMP_COND && op != OP_JUMP_NONE &&
        strcmp(isa_info(op)->name, "SETMASK") != 0)
        return;
    struct mark m = {(uint32_t)assembler->o->text.len,
                     asm_kept_span(assembler, at->begin, at->end)};
    vec_push(&assembler->marks, m);
}

/* False after reporting a width that the number formats of floating point do not have. */
static bool check_float_width(struct assembler *assembler, const struct mnemonic *mnemonic,
                              const struct insn *insn) {
    uint32_t flags = isa_info(insn->op)->flags;
    bool binary = insn->width == 16 || insn->width == 32 || insn->width == 64;
    if (flags & ISA_BFLOAT ? insn->width == 16 : !(flags & ISA_FLOAT) || binary)
        return true;
    asm_error_token(assembler, &mnemonic->at, "%s has width %s, not %u",
                    name_of(assembler, insn->op), flags & ISA_BFLOAT ? "16" : "16, 32 or 64",
                    insn->width);
    return false;
}

static bool encode(struct assembler *assembler, const struct mnemonic *mnemonic,
                   const struct insn *insn, uint32_t *word) {
    if (!check_float_width(assembler, mnemonic, insn))
        return false;
    enum isa_error e = isa_encode(insn, word);
    if (e == ISA_OK)
        return true;
    uint32_t both = WRITES_RT | WRITES_RD;
    if ((isa_info(insn->op)->flags & both) == both && insn->rd == insn->rt)
        asm_error_token(assembler, &mnemonic->at,
                        "%s writes rt and rd, which must be different registers",
                        name_of(assembler, insn->op));
    else
        asm_error_token(assembler, &mnemonic->at, "%s cannot be encoded: %s",
                        name_of(assembler, insn->op), isa_error_text(e));
    return false;
}

static void emit(struct assembler *assembler, const struct mnemonic *mnemonic, enum isa_op op,
                 const struct asm_operands *operands) {
    const struct isa_info *info = isa_info(op);
    struct insn i = {.op = op};
    size_t relocs = assembler->o->relocs.len;
    uint32_t word;
    if (!set_width(assembler, mnemonic, info, &i))
        return;
    asm_tell_builder(assembler, mnemonic->at.begin, mnemonic->at.end);
    note_mark(assembler, op, &mnemonic->at);
    if (info->format == FORMAT_J) {
        emit_jump(assembler, op, &operands->list[0]);
        return;
    }
    for (size_t r = 0; r < info->operand_count; r++)
        if (!set_operand(assembler, (enum operand_role)info->operands[r],
                         operand_for(info, operands, r), &i))
            return;
    if (encode(assembler, mnemonic, &i, &word))
        builder_encoded(assembler->b, &i, word);
    else
        assembler->o->relocs.len = relocs;
}

bool asm_make_insn(struct assembler *assembler, const struct asm_token *mnemonic, enum isa_op op,
                   const struct asm_operands *operands, struct insn *out) {
    const struct isa_info *info = isa_info(op);
    struct mnemonic m = {.at = *mnemonic};
    uint32_t word;
    *out = (struct insn){.op = op};
    if (!split_mnemonic(assembler, &m) || choose_form(assembler, &m, op, operands) == OP_COUNT ||
        !set_width(assembler, &m, info, out))
        return false;
    for (size_t r = 0; r < info->operand_count; r++)
        if (!set_operand(assembler, (enum operand_role)info->operands[r],
                         operand_for(info, operands, r), out))
            return false;
    return encode(assembler, &m, out, &word);
}

/* MARK "name", ASSERT "message", PRINT "label" r3:u32: makes the record and the operand. */
static bool make_record(struct assembler *assembler, enum isa_op op,
                        struct asm_operands *operands) {
    struct debug_record r = {.text = operands->list[0].text};
    object_debug_kind(op, &r.kind);
    size_t wanted = r.kind == DEBUG_PRINT ? 2 : 1;
    if (operands->count != wanted || (wanted == 2 && operands->list[1].kind != OPERAND_REGISTER)) {
        asm_error_token(
            assembler, operands->count > wanted ? &operands->list[wanted].at : &assembler->token,
            "%s%s takes a string%s", operands->count > wanted ? "the line should end here: " : "",
            isa_info(op)->name,
            wanted == 2                ? " and a register with its type: PRINT \"x\" r3:u32"
            : operands->count > wanted ? " alone"
                                       : "");
        return false;
    }
    if (wanted == 2) {
        const struct asm_operand *reg = &operands->list[1];
        r.reg = (uint8_t)reg->number;
        r.type =
            reg->typed ? reg->type : (struct lane_type){TYPE_UINT, assembler->o->default_width};
    }
    uint32_t record = builder_debug(assembler->b, &r);
    operands->list[0] = (struct asm_operand){.kind = OPERAND_VALUE,
                                             .at = operands->list[0].at,
                                             .value = {.kind = VALUE_NUMBER, .number = record}};
    operands->count = 1;
    return true;
}

/* INDEX r1 every w below h: operands, and what is counted instead of elements. */
static bool parse_index(struct assembler *assembler, struct asm_operands *operands,
                        struct number_record *counts) {
    *counts = (struct number_record){.every.size = NO_INDEX, .below.size = NO_INDEX};
    if (!asm_parse_operands_to(assembler, false, "every", operands) ||
        !asm_at_name(assembler, "every"))
        return !assembler->failed;
    asm_scan(assembler);
    if (!asm_parse_extent(assembler, &counts->every))
        return false;
    if (asm_at_name(assembler, "below")) {
        asm_scan(assembler);
        if (!asm_parse_extent(assembler, &counts->below))
            return false;
    }
    asm_expect_end(assembler);
    return !assembler->failed;
}

/* Behind an INDEX that was assembled, if it was: what it counts. */
static void keep_number(struct assembler *assembler, const struct number_record *counts,
                        size_t before) {
    struct number_record r = *counts;
    r.index = (uint32_t)before;
    bool counts_elements = r.every.size == NO_INDEX && r.every.value == 0;
    if (assembler->o->text.len == before + 1 && !counts_elements)
        vec_push(&assembler->o->numbers, r);
}

static void assemble_op(struct assembler *assembler, const struct mnemonic *mnemonic,
                        enum isa_op op) {
    struct asm_operands o;
    struct number_record counts;
    size_t before = assembler->o->text.len;
    enum debug_kind kind;
    if (isa_info(op)->flags & ISA_RESERVED) {
        asm_error_token(assembler, &mnemonic->at,
                        "%s belongs to set %s, which this version does not have yet",
                        isa_info(op)->name, isa_set_name(isa_info(op)->set));
        return;
    }
    if (op == OP_INDEX ? !parse_index(assembler, &o, &counts)
                       : !asm_parse_operands_of(assembler, op, &o))
        return;
    if (object_debug_kind(op, &kind) && o.count && o.list[0].kind == OPERAND_STRING &&
        !make_record(assembler, op, &o))
        return;
    op = choose_form(assembler, mnemonic, op, &o);
    if (op != OP_COUNT)
        op = choose_width(assembler, mnemonic, op);
    if (op != OP_COUNT)
        emit(assembler, mnemonic, op, &o);
    if (op == OP_INDEX)
        keep_number(assembler, &counts, before);
}

static void report_unknown(struct assembler *assembler, const struct mnemonic *mnemonic,
                           size_t length) {
    struct asm_token name = mnemonic->at;
    name.end = name.begin + length;
    asm_error_token(assembler, &name, "unknown instruction or macro '%.*s'", (int)length,
                    asm_token_text(assembler, &name));
    asm_suggest_mnemonic(assembler, &name);
    assembler->structure.unsure = true;
}

void asm_instruction(struct assembler *assembler) {
    struct mnemonic m = {.at = assembler->token};
    const char *text = asm_token_text(assembler, &m.at);
    const char *dot = memchr(text, '.', token_length(&m.at));
    size_t stem = dot ? (size_t)(dot - text) : token_length(&m.at);
    const struct macro *macro = asm_macro_find(assembler, text, token_length(&m.at));
    enum isa_op op = isa_users_find(&assembler->users, text, stem);
    if (macro)
        asm_macro_expand(assembler, macro);
    else if (op == OP_COUNT)
        report_unknown(assembler, &m, stem);
    else {
        asm_scan(assembler);
        if (op == OP_RECIPE && !dot)
            asm_recipe(assembler, &m.at);
        else if (op == OP_GMOVE && !dot)
            asm_gmove(assembler, &m.at);
        else if (op == OP_LANE && !dot)
            asm_lane(assembler, &m.at);
        else if (split_mnemonic(assembler, &m))
            assemble_op(assembler, &m, op);
        asm_structure_step(assembler, op, &m.at);
    }
}
