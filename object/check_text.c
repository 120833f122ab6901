/* SPDX-License-Identifier: MIT
 * Checks of text, relocations and line table. */
#include "object/check_object.h"

#include <inttypes.h>

/* The relocation of a word, or NULL; relocations ascend, so one pass walks both lists. */
struct text_cursor {
    size_t next_reloc;
    uint32_t sets;
    uint32_t calls; /* RECIPEs so far: they name the calls in order, each once */
};

bool object_debug_kind(enum isa_op op, enum debug_kind *kind) {
    *kind = op == OP_MARK ? DEBUG_MARK : op == OP_PRINT ? DEBUG_PRINT : DEBUG_ASSERT;
    return op == OP_MARK || op == OP_PRINT || op == OP_ASSERT;
}

const char *object_debug_word(enum debug_kind kind) {
    static const char *const words[DEBUG_KINDS] = {"MARK", "PRINT", "ASSERT", "SHOW"};
    return words[kind];
}

bool object_debug_has_register(enum debug_kind kind) {
    return kind == DEBUG_PRINT || kind == DEBUG_SHOW;
}

/* LI takes piece 0 of a size or value, LIKk piece k. */
static int constant_piece(enum isa_op op) {
    static const enum isa_op ops[] = {OP_LI, OP_LIK1, OP_LIK2, OP_LIK3, OP_LIK4, OP_LIK5};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (ops[i] == op)
            return (int)i;
    return -1;
}

static bool debug_fits(const struct object *object, enum isa_op op, uint32_t record) {
    enum debug_kind kind;
    return object_debug_kind(op, &kind) && record < object->debugs.len &&
           object->debugs.data[record].kind == kind;
}

static bool addend_in(const struct reloc *reloc, int64_t limit) {
    return reloc->addend >= -limit && reloc->addend <= limit;
}

static bool jump_fits(const struct object *object, const struct insn *insn,
                      const struct reloc *reloc) {
    if (isa_info(insn->op)->format != FORMAT_J || reloc->target >= object->symbols.len ||
        !addend_in(reloc, OBJECT_MAX_TEXT))
        return false;
    const struct symbol *s = &object->symbols.data[reloc->target];
    if (!s->defined)
        return true;
    int64_t to = s->value + reloc->addend;
    return s->kind != SYMBOL_ABS && to >= 0 && (uint64_t)to <= object->text.len;
}

static bool reloc_fits(const struct object *object, const struct insn *insn,
                       const struct reloc *reloc) {
    if (reloc->type != RELOC_IMM12 && reloc->type != RELOC_VALUE12 && reloc->type != RELOC_LUT12 &&
        reloc->piece != 0)
        return false;
    switch (reloc->type) {
    case RELOC_J24:
        return jump_fits(object, insn, reloc);
    case RELOC_GROUP:
        return insn->op == OP_COMPUTEG && reloc->target < object->groups.len && reloc->addend == 0;
    case RELOC_DEBUG:
        return debug_fits(object, insn->op, reloc->target) && reloc->addend == 0;
    case RELOC_MOVE:
        return insn->op == OP_GMOVE && reloc->target < object->moves.len && reloc->addend == 0;
    case RELOC_LUT12:
        return isa_has_table(insn->op) && reloc->target < object->luts.len && reloc->addend == 0 &&
               reloc->piece >= 1 && reloc->piece <= 64 && !object->linked;
    case RELOC_CALL:
        return insn->op == OP_RECIPE && reloc->target == (uint32_t)insn->imm && reloc->addend == 0;
    case RELOC_COUNT:
        return insn->op == OP_REPEAT && reloc->target < object->sizes.len &&
               addend_in(reloc, (int64_t)OBJECT_MAX_EXTENT);
    case RELOC_IMM12:
        return constant_piece(insn->op) == reloc->piece && reloc->target < object->sizes.len &&
               addend_in(reloc, (int64_t)OBJECT_MAX_EXTENT);
    case RELOC_VALUE12:
        return constant_piece(insn->op) == reloc->piece && reloc->target < object->values.len &&
               reloc->addend >= 0 &&
               reloc->addend < (int64_t)object_value_count(&object->values.data[reloc->target]);
    default:
        return false;
    }
}

/* What the word itself says must hold too where no relocation will replace it. */
static bool word_fits(const struct object *object, const struct insn *insn) {
    enum debug_kind kind;
    if (isa_info(insn->op)->format == FORMAT_J)
        return insn->imm >= 0 && (uint32_t)insn->imm <= object->text.len;
    if (insn->op == OP_COMPUTEG)
        return (uint32_t)insn->imm < object->groups.len;
    if (insn->op == OP_GMOVE)
        return (uint32_t)insn->imm < object->moves.len;
    if (object_debug_kind(insn->op, &kind))
        return debug_fits(object, insn->op, (uint32_t)insn->imm);
    if (isa_has_table(insn->op))
        return insn->lut < object->luts.len;
    if (isa_has_shape(insn->op))
        return insn->shape < object->products.len;
    return insn->op != OP_RECIPE || (uint32_t)insn->imm < object->calls.len;
}

static void check_word(struct check *check, struct text_cursor *cursor, uint32_t index) {
    const struct object *o = check->o;
    struct insn i;
    enum isa_error e = isa_decode(o->text.data[index], &i);
    if (e != ISA_OK) {
        object_check_fail(check, "instruction %" PRIu32 " (0x%08" PRIx32 ") is illegal: %s", index,
                          o->text.data[index], isa_error_text(e));
        return;
    }
    cursor->sets |= UINT32_C(1) << isa_info(i.op)->set;
    const struct reloc *r = NULL;
    if (cursor->next_reloc < o->relocs.len && o->relocs.data[cursor->next_reloc].index == index)
        r = &o->relocs.data[cursor->next_reloc++];
    if (r && !reloc_fits(o, &i, r))
        object_check_fail(check, "the relocation of instruction %" PRIu32 " (%s) does not fit it",
                          index, isa_info(i.op)->name);
    if (i.op == OP_RECIPE && (uint32_t)i.imm != cursor->calls++)
        object_check_fail(check, "instruction %" PRIu32 " (RECIPE) does not name the next call",
                          index);
    if ((!r || o->linked) && !word_fits(o, &i))
        object_check_fail(check, "instruction %" PRIu32 " (%s) names what is not there: %" PRId32,
                          index, isa_info(i.op)->name,
                          isa_has_table(i.op)   ? i.lut
                          : isa_has_shape(i.op) ? i.shape
                                                : i.imm);
}

static void check_relocs_ascend(struct check *check) {
    const struct object *o = check->o;
    for (size_t i = 0; i < o->relocs.len && check->ok; i++)
        if (o->relocs.data[i].index >= o->text.len ||
            (i && o->relocs.data[i].index <= o->relocs.data[i - 1].index))
            object_check_fail(check, "relocation %zu is out of order or for no instruction", i);
}

static void check_lines(struct check *check) {
    const struct object *o = check->o;
    for (size_t i = 0; i < o->lines.len && check->ok; i++) {
        const struct line_entry *e = &o->lines.data[i];
        if (e->index >= o->text.len || (i && e->index <= o->lines.data[i - 1].index) ||
            (e->place.file != NO_INDEX && e->place.file >= o->files.len))
            object_check_fail(check, "line entry %zu is out of order or for no instruction or file",
                              i);
    }
}

void object_check_text(struct check *check) {
    const struct object *o = check->o;
    struct text_cursor cursor = {0};
    if (o->text.len > OBJECT_MAX_TEXT)
        object_check_fail(check, "the text has %zu instructions; the most is 2^24", o->text.len);
    check_relocs_ascend(check);
    check_lines(check);
    for (uint32_t i = 0; check->ok && i < o->text.len; i++)
        check_word(check, &cursor, i);
    if (check->ok && cursor.calls != o->calls.len)
        object_check_fail(check, "there are %zu calls for %" PRIu32 " RECIPEs", o->calls.len,
                          cursor.calls);
    if (check->ok && (cursor.sets & ~o->sets))
        object_check_fail(check, "the text uses instruction sets that the note does not name: 0x%x",
                          (unsigned)(cursor.sets & ~o->sets));
}

static bool is_index(const struct object *object, uint32_t index) {
    struct insn insn;
    return index < object->text.len && isa_decode(object->text.data[index], &insn) == ISA_OK &&
           insn.op == OP_INDEX;
}

void object_check_numbers(struct check *check) {
    uint64_t next = 0;
    for (size_t i = 0; i < check->o->numbers.len && check->ok; i++) {
        const struct number_record *r = &check->o->numbers.data[i];
        if (r->index < next || !is_index(check->o, r->index))
            object_check_fail(check, "numbering %zu is of no INDEX, or out of order", i);
        else if (!object_extent_ok(check->o, &r->every) ||
                 ((r->below.size != NO_INDEX || r->below.value) &&
                  !object_extent_ok(check->o, &r->below)))
            object_check_fail(check, "the INDEX at %" PRIu32 " counts by no number", r->index);
        next = (uint64_t)r->index + 1;
    }
}
