/* SPDX-License-Identifier: MIT
 * Instructions: the mnemonic chooses the forms, the operands one of them; the table of the ISA
 * knows the rest, so a new instruction needs nothing here. */
#include "asm/builder_state.h"
#include "asm/operand.h"

#include <string.h>

/* How messages call an instruction. */
static const char *name_of(const struct assembler *a, enum mpu_op op) {
    return isa_users_name(&a->users, op);
}

struct mnemonic {
    struct asm_token at;
    size_t length;  /* of the name without its suffix */
    unsigned width; /* of the suffix, or 0 */
};

void asm_suggest_mnemonic(struct assembler *a, const struct asm_token *t) {
    size_t count;
    const char *const *names = isa_mnemonics(&count);
    const char **all = xcalloc(count + ISA_USERS + a->macros.len, sizeof *all);
    char *wanted = xstrndup(asm_token_text(a, t), token_length(t));
    memcpy(all, names, count * sizeof *all);
    count += isa_users_names(&a->users, all + count);
    for (size_t i = 0; i < a->macros.len; i++)
        all[count++] = a->macros.data[i].name;
    diag_suggest(a->d, asm_span(a, t->begin, t->end), wanted, all, count);
    free(wanted);
    free(all);
}

void asm_suggest_user(struct assembler *a, const struct asm_token *t) {
    const char *names[ISA_USERS];
    size_t count = isa_users_names(&a->users, names);
    char *wanted = xstrndup(asm_token_text(a, t), token_length(t));
    diag_suggest(a->d, asm_span(a, t->begin, t->end), wanted, names, count);
    free(wanted);
}

static bool all_digits(const char *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (s[i] < '0' || s[i] > '9')
            return false;
    return n > 0;
}

/* Splits "ADD.32"; false after reporting a width that cannot be. */
static bool split_mnemonic(struct assembler *a, struct mnemonic *m) {
    const char *text = asm_token_text(a, &m->at);
    size_t length = token_length(&m->at);
    const char *dot = memchr(text, '.', length);
    m->length = length;
    m->width = 0;
    if (!dot)
        return true;
    m->length = (size_t)(dot - text);
    size_t digits = length - m->length - 1;
    m->width = digits == 1   ? (unsigned)(dot[1] - '0')
               : digits == 2 ? (unsigned)(dot[1] - '0') * 10 + (unsigned)(dot[2] - '0')
                             : 0;
    if (all_digits(dot + 1, digits) && m->width >= 1 && m->width <= 64)
        return true;
    asm_error(a, m->at.begin + m->length, m->at.end, "a width is a number from 1 to 64");
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
        [ROLE_RS] = "rs",
        [ROLE_RT] = "rt",
        [ROLE_RD] = "rd",
        [ROLE_COUNT] = "count",
        [ROLE_SRCWIDTH] = "width",
        [ROLE_IMM] = "number",
        [ROLE_RFH] = "RFHn",
        [ROLE_VRF] = "VRFn",
        [ROLE_RFH_DST] = "RFHn",
        [ROLE_VRF_SRC] = "VRFn",
        [ROLE_VRF_DST] = "VRFn",
        [ROLE_TARGET] = "label",
        [ROLE_VALUE] = "number",
        [ROLE_MPU] = "MPUn",
        [ROLE_GROUP] = "@group",
        [ROLE_COND] = "cond",
        [ROLE_LANEMAP] = "map",
        [ROLE_LUT] = "lut",
        [ROLE_CALL] = "NAME rs rt rd else label",
        [ROLE_MOVE] = "move",
    };
    return texts[role];
}

/* Format M is matched by kind alone, so that both orders of the paper assemble: Table II prints
 * `VRF rs VRF rd`, Fig. 6 `rs VRF rd VRF`. */
static bool matches(const struct isa_info *info, const struct asm_operands *o) {
    unsigned wanted[8] = {0}, given[8] = {0};
    if (o->count != info->operand_count)
        return false;
    for (size_t i = 0; i < o->count; i++) {
        enum asm_operand_kind kind = kind_of_role((enum operand_role)info->operands[i]);
        if (info->format != FORMAT_M && o->list[i].kind != kind)
            return false;
        wanted[kind]++;
        given[o->list[i].kind]++;
    }
    return memcmp(wanted, given, sizeof wanted) == 0;
}

static void syntax_note(struct assembler *a, const struct mnemonic *m, enum mpu_op op) {
    struct str text = {0};
    for (const char *between = "it is written: "; op != OP_COUNT; op = isa_next_form(op)) {
        const struct isa_info *info = isa_info(op);
        str_printf(&text, "%s%s", between, name_of(a, op));
        for (size_t i = 0; i < info->operand_count; i++)
            str_printf(&text, " %s", role_text((enum operand_role)info->operands[i]));
        between = "; or: ";
        if (info->fixed_width)
            break;
    }
    diag_note(a->d, asm_span(a, m->at.begin, m->at.end), "%s", text.text);
    str_free(&text);
}

/* A name that is known as nothing where a register belongs. */
static bool names_nothing(const struct isa_info *info, const struct asm_operand *o, size_t i) {
    return kind_of_role((enum operand_role)info->operands[i]) == OPERAND_REGISTER &&
           o->kind == OPERAND_VALUE && o->value.kind == VALUE_LABEL;
}

/* Points at the first operand that is wrong for the first form. */
static void report_operand(struct assembler *a, enum mpu_op op, const struct asm_operand *o,
                           size_t i) {
    const struct isa_info *info = isa_info(op);
    enum asm_operand_kind wanted = kind_of_role((enum operand_role)info->operands[i]);
    if (info->format == FORMAT_M) {
        asm_error_token(a, &o->at, "%s takes two VRFs and two registers", info->name);
    } else if (names_nothing(info, o, i)) {
        asm_error_token(a, &o->at, "'%s' is neither a register nor a variable", o->value.label);
        asm_suggest(a, &o->at, &a->variable_names);
    } else {
        asm_error_token(a, &o->at, "operand %zu of %s must be %s, not %s", i + 1, name_of(a, op),
                        asm_operand_kind_text(wanted), asm_operand_kind_text(o->kind));
    }
}

static void report_mismatch(struct assembler *a, const struct mnemonic *m, enum mpu_op op,
                            const struct asm_operands *o) {
    const struct isa_info *info = isa_info(op);
    bool any_order = info->format == FORMAT_M && o->count != info->operand_count;
    size_t i = 0;
    while (i < o->count && i < info->operand_count &&
           (any_order || o->list[i].kind == kind_of_role((enum operand_role)info->operands[i])))
        i++;
    if (i < o->count && i < info->operand_count)
        report_operand(a, op, &o->list[i], i);
    else
        asm_error_token(a, i < o->count ? &o->list[i].at : &m->at, "%s has %u operand%s, not %zu",
                        name_of(a, op), (unsigned)info->operand_count,
                        info->operand_count == 1 ? "" : "s", o->count);
    syntax_note(a, m, op);
}

static enum mpu_op choose_form(struct assembler *a, const struct mnemonic *m, enum mpu_op first,
                               const struct asm_operands *o) {
    for (enum mpu_op op = first; op != OP_COUNT; op = isa_next_form(op))
        if (matches(isa_info(op), o))
            return op;
    report_mismatch(a, m, first, o);
    return OP_COUNT;
}

/* MEMCPY's widths are opcodes. */
static enum mpu_op choose_width(struct assembler *a, const struct mnemonic *m, enum mpu_op op) {
    unsigned width = m->width ? m->width : a->o->default_width;
    if (!isa_info(op)->fixed_width)
        return op;
    for (; op != OP_COUNT; op = isa_next_form(op))
        if (isa_info(op)->fixed_width == width)
            return op;
    if (m->width)
        asm_error(a, m->at.begin + m->length, m->at.end,
                  "%.*s has the widths 8, 16, 32 and 64, not %u", (int)m->length,
                  asm_token_text(a, &m->at), width);
    else
        asm_error_token(a, &m->at, "%.*s needs a suffix .8, .16, .32 or .64, for .width is %u",
                        (int)m->length, asm_token_text(a, &m->at), width);
    return OP_COUNT;
}

static bool set_width(struct assembler *a, const struct mnemonic *m, const struct isa_info *info,
                      struct insn *i) {
    if (info->fixed_width) {
        i->width = info->fixed_width;
    } else if (info->flags & ISA_WIDTH) {
        i->width = (uint8_t)(m->width ? m->width : a->o->default_width);
    } else if (m->width) {
        asm_error(a, m->at.begin + m->length, m->at.end, "%s has no width", info->name);
        return false;
    }
    return true;
}

/* The value of an operand that must be a number known now. */
static bool number_in(struct assembler *a, const struct asm_operand *o, const char *what, wide low,
                      wide high, int32_t *out) {
    if (o->value.kind == VALUE_ELEMENT)
        asm_error_token(a, &o->at, "only LI and LIK1 to LIK5 take a link-time value");
    else if (o->value.kind == VALUE_SIZE)
        asm_error_token(a, &o->at,
                        "a size is a link-time value: only LI, LIK1 to LIK5, REPEAT and "
                        "the extents of groups take it");
    else if (o->value.kind == VALUE_LABEL) {
        asm_error_token(a, &o->at, "'%s' is not a constant that is known here", o->value.label);
        asm_suggest(a, &o->at, &a->constant_names);
    } else if (o->value.number < low || o->value.number > high)
        asm_report_out_of_range(a, &o->at, what, o->value.number, low, high);
    *out = (int32_t)o->value.number;
    return !a->failed;
}

static bool is_constant_piece(enum mpu_op op) {
    return op == OP_LI || op == OP_LIK1 || op == OP_LIK2 || op == OP_LIK3 || op == OP_LIK4 ||
           op == OP_LIK5;
}

static unsigned piece_of(enum mpu_op op) {
    return is_constant_piece(op) ? (unsigned)(op - OP_LI) : 0;
}

/* The n bits that the immediate sets take it as a signed or as an unsigned number; LIK also as a
 * pattern of 12 bits. */
static bool set_immediate(struct assembler *a, const struct asm_operand *o, struct insn *i) {
    unsigned k = piece_of(i->op);
    int bits = (int)i->width - 12 * (int)k;
    if (bits <= 0) {
        asm_error_token(a, &o->at, "%s sets bits %u and up, which width %u does not have",
                        isa_info(i->op)->name, 12 * k, (unsigned)i->width);
        return false;
    }
    bool whole = bits > 12 || (bits == 12 && k);
    bits = bits > 12 ? 12 : bits;
    wide low = -((wide)1 << (bits - 1)), high = ((wide)1 << bits) - 1;
    high = whole && k == 0 ? 2047 : high;
    if (o->value.kind == VALUE_NUMBER && k && o->value.number >= 4096 + low &&
        o->value.number < 4096) {
        i->imm = (int32_t)o->value.number;
        return true;
    }
    if (!number_in(a, o, "the number", low, high, &i->imm)) {
        if (i->op == OP_LI && whole && o->value.kind == VALUE_NUMBER)
            diag_note(a->d, asm_span(a, o->at.begin, o->at.end),
                      "bits 12 and up are set by LIK1 to LIK5 behind LI");
        return false;
    }
    if (k == 0 && i->imm > 2047)
        i->imm -= 4096;
    return true;
}

static bool set_source_width(struct assembler *a, const struct asm_operand *o, struct insn *i) {
    return number_in(a, o, "the source's width", 1, i->width, &i->imm);
}

static bool add_size_reloc(struct assembler *a, const struct asm_operand *o, const struct insn *i,
                           enum reloc_type type, unsigned piece) {
    const wide most = (wide)OBJECT_MAX_EXTENT;
    if (o->value.number < -most || o->value.number > most) {
        asm_error_token(a, &o->at, "the number added to a size must be in -2^40..2^40");
        return false;
    }
    if (type != RELOC_COUNT && 12 * piece >= i->width) {
        asm_error_token(a, &o->at, "%s sets bits %u and up, which width %u does not have",
                        isa_info(i->op)->name, 12 * piece, (unsigned)i->width);
        return false;
    }
    builder_reloc(a->b, type, piece, o->value.size, (int64_t)o->value.number);
    return true;
}

static bool set_value(struct assembler *a, const struct asm_operand *o, struct insn *i) {
    enum debug_kind kind;
    if (i->op == OP_REPEAT && o->value.kind == VALUE_SIZE)
        return add_size_reloc(a, o, i, RELOC_COUNT, 0);
    if (!object_debug_kind(i->op, &kind))
        return number_in(a, o, "the number", 0, (1 << 22) - 1, &i->imm);
    if (!number_in(a, o, "the record", 0, (1 << 22) - 1, &i->imm))
        return false;
    const struct object *p = a->o;
    if ((size_t)i->imm < p->debugs.len && p->debugs.data[i->imm].kind == kind)
        return true;
    asm_error_token(a, &o->at, "there is no record %d for %s; write its text, or .%s before",
                    (int)i->imm, isa_info(i->op)->name,
                    kind == DEBUG_MARK    ? "mark"
                    : kind == DEBUG_PRINT ? "print"
                                          : "assert");
    return false;
}

static bool set_operand(struct assembler *a, enum operand_role role, const struct asm_operand *o,
                        struct insn *i) {
    switch (role) {
    case ROLE_RS:
        i->rs = (uint8_t)o->number;
        return true;
    case ROLE_RT:
        i->rt = (uint8_t)o->number;
        return true;
    case ROLE_RD:
        i->rd = (uint8_t)o->number;
        return true;
    case ROLE_RFH:
        i->rfh = (uint16_t)o->number;
        return true;
    case ROLE_VRF:
    case ROLE_RFH_DST:
        i->vrf = (uint16_t)o->number;
        return true;
    case ROLE_VRF_SRC:
        i->vrf_src = (uint8_t)o->number;
        return true;
    case ROLE_VRF_DST:
        i->vrf_dst = (uint8_t)o->number;
        return true;
    case ROLE_MPU:
        i->mode = o->mode;
        i->imm = (int32_t)o->value.number;
        return true;
    case ROLE_GROUP:
        i->imm = (int32_t)o->number;
        return true;
    case ROLE_COUNT:
        return number_in(a, o, "a shift count", 0, 63, &i->imm);
    case ROLE_SRCWIDTH:
        return set_source_width(a, o, i);
    case ROLE_IMM:
        if (o->value.kind == VALUE_SIZE && is_constant_piece(i->op))
            return add_size_reloc(a, o, i, RELOC_IMM12, piece_of(i->op));
        if (o->value.kind == VALUE_ELEMENT && is_constant_piece(i->op))
            return add_size_reloc(a, o, i, RELOC_VALUE12, piece_of(i->op));
        return set_immediate(a, o, i);
    case ROLE_VALUE:
        return set_value(a, o, i);
    default:
        return true; /* cond; targets are emit_jump's */
    }
}

/* The operand for a role: the one in its place, or for format M the next of its kind. */
static const struct asm_operand *operand_for(const struct isa_info *info,
                                             const struct asm_operands *o, size_t role) {
    enum asm_operand_kind kind = kind_of_role((enum operand_role)info->operands[role]);
    size_t nth = 0;
    if (info->format != FORMAT_M)
        return &o->list[role];
    for (size_t i = 0; i < role; i++)
        nth += kind_of_role((enum operand_role)info->operands[i]) == kind;
    for (size_t i = 0; i < o->count; i++)
        if (o->list[i].kind == kind && nth-- == 0)
            return &o->list[i];
    return &o->list[role];
}

/* A plain number may be a numeric label; see struct numeric_jump. */
static void emit_numeric_jump(struct assembler *a, enum mpu_op op, const struct asm_operand *o) {
    struct numeric_jump j = {a->o->relocs.len, (uint64_t)o->value.number,
                             asm_kept_span(a, o->at.begin, o->at.end)};
    struct insn i = {.op = op};
    vec_push(&a->numeric_jumps, j);
    builder_reloc(a->b, RELOC_J24, 0, 0, 0);
    builder_word(a->b, &i);
}

static void emit_jump(struct assembler *a, enum mpu_op op, const struct asm_operand *o) {
    struct insn i = {.op = op};
    if (o->value.kind == VALUE_SIZE || o->value.kind == VALUE_ELEMENT) {
        asm_error_token(a, &o->at, "a jump goes to a label or an index, not to a %s",
                        o->value.kind == VALUE_SIZE ? "size" : "link-time value");
        return;
    }
    if (o->value.number < -(wide)OBJECT_MAX_TEXT || o->value.number > (wide)OBJECT_MAX_TEXT) {
        asm_error_token(a, &o->at, "a text has at most 2^24 instructions");
        return;
    }
    builder_span(a->b, asm_kept_span(a, o->at.begin, o->at.end));
    if (o->value.kind == VALUE_LABEL)
        builder_jump_to(a->b, op, builder_label(a->b, o->value.label), (int64_t)o->value.number);
    else if (o->literal)
        emit_numeric_jump(a, op, o);
    else if (o->value.number < 0)
        asm_error_token(a, &o->at, "the jump leads out of the text");
    else {
        i.imm = (int32_t)o->value.number;
        builder_emit(a->b, &i);
    }
}

static void note_mark(struct assembler *a, enum mpu_op op, const struct asm_token *at) {
    if (op != OP_UNMASK && op != OP_JUMP_COND && op != OP_JUMP_NONE &&
        strcmp(isa_info(op)->name, "SETMASK") != 0)
        return;
    struct mark m = {(uint32_t)a->o->text.len, asm_kept_span(a, at->begin, at->end)};
    vec_push(&a->marks, m);
}

static bool encode(struct assembler *a, const struct mnemonic *m, const struct insn *i,
                   uint32_t *word) {
    enum isa_error e = isa_encode(i, word);
    if (e == ISA_OK)
        return true;
    uint32_t both = WRITES_RT | WRITES_RD;
    if ((isa_info(i->op)->flags & both) == both && i->rd == i->rt)
        asm_error_token(a, &m->at, "%s writes rt and rd, which must be different registers",
                        name_of(a, i->op));
    else
        asm_error_token(a, &m->at, "%s cannot be encoded: %s", name_of(a, i->op),
                        isa_error_text(e));
    return false;
}

static void emit(struct assembler *a, const struct mnemonic *m, enum mpu_op op,
                 const struct asm_operands *o) {
    const struct isa_info *info = isa_info(op);
    struct insn i = {.op = op};
    size_t relocs = a->o->relocs.len;
    uint32_t word;
    if (!set_width(a, m, info, &i))
        return;
    asm_tell_builder(a, m->at.begin, m->at.end);
    note_mark(a, op, &m->at);
    if (info->format == FORMAT_J) {
        emit_jump(a, op, &o->list[0]);
        return;
    }
    for (size_t r = 0; r < info->operand_count; r++)
        if (!set_operand(a, (enum operand_role)info->operands[r], operand_for(info, o, r), &i))
            return;
    if (encode(a, m, &i, &word))
        builder_encoded(a->b, &i, word);
    else
        a->o->relocs.len = relocs;
}

bool asm_make_insn(struct assembler *a, const struct asm_token *mnemonic, enum mpu_op op,
                   const struct asm_operands *o, struct insn *out) {
    const struct isa_info *info = isa_info(op);
    struct mnemonic m = {.at = *mnemonic};
    uint32_t word;
    *out = (struct insn){.op = op};
    if (!split_mnemonic(a, &m) || choose_form(a, &m, op, o) == OP_COUNT ||
        !set_width(a, &m, info, out))
        return false;
    for (size_t r = 0; r < info->operand_count; r++)
        if (!set_operand(a, (enum operand_role)info->operands[r], operand_for(info, o, r), out))
            return false;
    return encode(a, &m, out, &word);
}

/* MARK "name", ASSERT "message", PRINT "label" r3:u32: makes the record and the operand. */
static bool make_record(struct assembler *a, enum mpu_op op, struct asm_operands *o) {
    struct debug_record r = {.text = o->list[0].text};
    object_debug_kind(op, &r.kind);
    size_t wanted = r.kind == DEBUG_PRINT ? 2 : 1;
    if (o->count != wanted || (wanted == 2 && o->list[1].kind != OPERAND_REGISTER)) {
        asm_error_token(a, o->count > wanted ? &o->list[wanted].at : &a->token,
                        "%s%s takes a string%s",
                        o->count > wanted ? "the line should end here: " : "", isa_info(op)->name,
                        wanted == 2         ? " and a register with its type: PRINT \"x\" r3:u32"
                        : o->count > wanted ? " alone"
                                            : "");
        return false;
    }
    if (wanted == 2) {
        const struct asm_operand *reg = &o->list[1];
        r.reg = (uint8_t)reg->number;
        r.type = reg->typed ? reg->type : (struct mpu_type){TYPE_UINT, a->o->default_width};
    }
    uint32_t record = builder_debug(a->b, &r);
    o->list[0] = (struct asm_operand){.kind = OPERAND_VALUE,
                                      .at = o->list[0].at,
                                      .value = {.kind = VALUE_NUMBER, .number = record}};
    o->count = 1;
    return true;
}

static void assemble_op(struct assembler *a, const struct mnemonic *m, enum mpu_op op) {
    struct asm_operands o;
    enum debug_kind kind;
    if (isa_info(op)->flags & ISA_RESERVED) {
        asm_error_token(a, &m->at, "%s belongs to set %s, which this version does not have yet",
                        isa_info(op)->name, isa_set_name(isa_info(op)->set));
        return;
    }
    if (!asm_parse_operands(a, isa_info(op)->format == FORMAT_J, &o))
        return;
    if (object_debug_kind(op, &kind) && o.count && o.list[0].kind == OPERAND_STRING &&
        !make_record(a, op, &o))
        return;
    op = choose_form(a, m, op, &o);
    if (op != OP_COUNT)
        op = choose_width(a, m, op);
    if (op != OP_COUNT)
        emit(a, m, op, &o);
}

static void report_unknown(struct assembler *a, const struct mnemonic *m, size_t length) {
    struct asm_token name = m->at;
    name.end = name.begin + length;
    asm_error_token(a, &name, "unknown instruction or macro '%.*s'", (int)length,
                    asm_token_text(a, &name));
    asm_suggest_mnemonic(a, &name);
    a->structure.unsure = true;
}

void asm_instruction(struct assembler *a) {
    struct mnemonic m = {.at = a->token};
    const char *text = asm_token_text(a, &m.at);
    const char *dot = memchr(text, '.', token_length(&m.at));
    size_t stem = dot ? (size_t)(dot - text) : token_length(&m.at);
    const struct macro *macro = asm_macro_find(a, text, token_length(&m.at));
    enum mpu_op op = isa_users_find(&a->users, text, stem);
    if (macro)
        asm_macro_expand(a, macro);
    else if (op == OP_COUNT)
        report_unknown(a, &m, stem);
    else {
        asm_scan(a);
        if (op == OP_RECIPE && !dot)
            asm_recipe(a, &m.at);
        else if (op == OP_GMOVE && !dot)
            asm_gmove(a, &m.at);
        else if (op == OP_LANE && !dot)
            asm_lane(a, &m.at);
        else if (split_mnemonic(a, &m))
            assemble_op(a, &m, op);
        asm_structure_step(a, op, &m.at);
    }
}
