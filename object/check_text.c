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

bool object_debug_kind(enum mpu_op op, enum debug_kind *kind) {
    *kind = op == OP_MARK ? DEBUG_MARK : op == OP_PRINT ? DEBUG_PRINT : DEBUG_ASSERT;
    return op == OP_MARK || op == OP_PRINT || op == OP_ASSERT;
}

/* LI takes piece 0 of a size or value, LIKk piece k. */
static int constant_piece(enum mpu_op op) {
    static const enum mpu_op ops[] = {OP_LI, OP_LIK1, OP_LIK2, OP_LIK3, OP_LIK4, OP_LIK5};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (ops[i] == op)
            return (int)i;
    return -1;
}

static bool debug_fits(const struct object *o, enum mpu_op op, uint32_t record) {
    enum debug_kind kind;
    return object_debug_kind(op, &kind) && record < o->debugs.len &&
           o->debugs.data[record].kind == kind;
}

static bool addend_in(const struct reloc *r, int64_t limit) {
    return r->addend >= -limit && r->addend <= limit;
}

static bool jump_fits(const struct object *o, const struct insn *i, const struct reloc *r) {
    if (isa_info(i->op)->format != FORMAT_J || r->target >= o->symbols.len ||
        !addend_in(r, OBJECT_MAX_TEXT))
        return false;
    const struct symbol *s = &o->symbols.data[r->target];
    if (!s->defined)
        return true;
    int64_t to = s->value + r->addend;
    return s->kind != SYMBOL_ABS && to >= 0 && (uint64_t)to <= o->text.len;
}

static bool reloc_fits(const struct object *o, const struct insn *i, const struct reloc *r) {
    if (r->type != RELOC_IMM12 && r->type != RELOC_VALUE12 && r->piece != 0)
        return false;
    switch (r->type) {
    case RELOC_J24:
        return jump_fits(o, i, r);
    case RELOC_GROUP:
        return i->op == OP_COMPUTEG && r->target < o->groups.len && r->addend == 0;
    case RELOC_DEBUG:
        return debug_fits(o, i->op, r->target) && r->addend == 0;
    case RELOC_MOVE:
        return i->op == OP_GMOVE && r->target < o->moves.len && r->addend == 0;
    case RELOC_CALL:
        return i->op == OP_RECIPE && r->target == (uint32_t)i->imm && r->addend == 0;
    case RELOC_COUNT:
        return i->op == OP_REPEAT && r->target < o->sizes.len &&
               addend_in(r, (int64_t)OBJECT_MAX_EXTENT);
    case RELOC_IMM12:
        return constant_piece(i->op) == r->piece && r->target < o->sizes.len &&
               addend_in(r, (int64_t)OBJECT_MAX_EXTENT);
    case RELOC_VALUE12:
        return constant_piece(i->op) == r->piece && r->target < o->values.len && r->addend >= 0 &&
               r->addend < (int64_t)object_value_count(&o->values.data[r->target]);
    default:
        return false;
    }
}

/* What the word itself says must hold too where no relocation will replace it. */
static bool word_fits(const struct object *o, const struct insn *i) {
    enum debug_kind kind;
    if (isa_info(i->op)->format == FORMAT_J)
        return i->imm >= 0 && (uint32_t)i->imm <= o->text.len;
    if (i->op == OP_COMPUTEG)
        return (uint32_t)i->imm < o->groups.len;
    if (i->op == OP_GMOVE)
        return (uint32_t)i->imm < o->moves.len;
    if (object_debug_kind(i->op, &kind))
        return debug_fits(o, i->op, (uint32_t)i->imm);
    return i->op != OP_RECIPE || (uint32_t)i->imm < o->calls.len;
}

static void check_word(struct check *c, struct text_cursor *cursor, uint32_t index) {
    const struct object *o = c->o;
    struct insn i;
    enum isa_error e = isa_decode(o->text.data[index], &i);
    if (e != ISA_OK) {
        object_check_fail(c, "instruction %" PRIu32 " (0x%08" PRIx32 ") is illegal: %s", index,
                          o->text.data[index], isa_error_text(e));
        return;
    }
    cursor->sets |= UINT32_C(1) << isa_info(i.op)->set;
    const struct reloc *r = NULL;
    if (cursor->next_reloc < o->relocs.len && o->relocs.data[cursor->next_reloc].index == index)
        r = &o->relocs.data[cursor->next_reloc++];
    if (r && !reloc_fits(o, &i, r))
        object_check_fail(c, "the relocation of instruction %" PRIu32 " (%s) does not fit it",
                          index, isa_info(i.op)->name);
    if (i.op == OP_RECIPE && (uint32_t)i.imm != cursor->calls++)
        object_check_fail(c, "instruction %" PRIu32 " (RECIPE) does not name the next call", index);
    if ((!r || o->linked) && !word_fits(o, &i))
        object_check_fail(c, "instruction %" PRIu32 " (%s) names what is not there: %" PRId32,
                          index, isa_info(i.op)->name, i.imm);
}

static void check_relocs_ascend(struct check *c) {
    const struct object *o = c->o;
    for (size_t i = 0; i < o->relocs.len && c->ok; i++)
        if (o->relocs.data[i].index >= o->text.len ||
            (i && o->relocs.data[i].index <= o->relocs.data[i - 1].index))
            object_check_fail(c, "relocation %zu is out of order or for no instruction", i);
}

static void check_lines(struct check *c) {
    const struct object *o = c->o;
    for (size_t i = 0; i < o->lines.len && c->ok; i++) {
        const struct line_entry *e = &o->lines.data[i];
        if (e->index >= o->text.len || (i && e->index <= o->lines.data[i - 1].index) ||
            (e->place.file != NO_INDEX && e->place.file >= o->files.len))
            object_check_fail(c, "line entry %zu is out of order or for no instruction or file", i);
    }
}

void object_check_text(struct check *c) {
    const struct object *o = c->o;
    struct text_cursor cursor = {0};
    if (o->text.len > OBJECT_MAX_TEXT)
        object_check_fail(c, "the text has %zu instructions; the most is 2^24", o->text.len);
    check_relocs_ascend(c);
    check_lines(c);
    for (uint32_t i = 0; c->ok && i < o->text.len; i++)
        check_word(c, &cursor, i);
    if (c->ok && cursor.calls != o->calls.len)
        object_check_fail(c, "there are %zu calls for %" PRIu32 " RECIPEs", o->calls.len,
                          cursor.calls);
    if (c->ok && (cursor.sets & ~o->sets))
        object_check_fail(c, "the text uses instruction sets that the note does not name: 0x%x",
                          (unsigned)(cursor.sets & ~o->sets));
}
