/* SPDX-License-Identifier: MIT
 * Instructions, constants and tables into an object. */
#include "asm/builder_state.h"
#include "support/bits.h"

#include <string.h>

struct builder *builder_new(struct diag *d) {
    struct builder *b = xcalloc(1, sizeof *b);
    b->o = object_new();
    b->d = d;
    b->errors_before = diag_errors(d);
    b->place.file = NO_INDEX;
    b->open_sub = NO_INDEX;
    return b;
}

struct object *builder_object(struct builder *b) {
    return b->o;
}

void builder_place(struct builder *b, const char *file, uint32_t line, uint32_t column) {
    if (file && (b->o->files.len == 0 || strcmp(file, b->o->files.data[b->file_index]) != 0))
        b->file_index = object_file(b->o, file);
    b->place = (struct place){file ? b->file_index : NO_INDEX, line, column};
}

void builder_span(struct builder *b, struct span at) {
    b->at = at;
}

struct span builder_here(const struct builder *b) {
    return b->at.source ? b->at : object_span(b->o, b->place, b->d);
}

static bool same_place(struct place a, struct place b) {
    return a.file == b.file && a.line == b.line && a.column == b.column;
}

static void note_line(struct builder *b) {
    struct object *o = b->o;
    struct place last = o->lines.len ? vec_last(&o->lines).place : (struct place){NO_INDEX, 0, 0};
    if (same_place(last, b->place))
        return;
    struct line_entry e = {(uint32_t)o->text.len, b->place};
    vec_push(&o->lines, e);
}

void builder_reloc(struct builder *b, enum reloc_type type, unsigned piece, uint32_t target,
                   int64_t addend) {
    struct reloc r = {(uint32_t)b->o->text.len, type, (uint8_t)piece, target, addend};
    vec_push(&b->o->relocs, r);
}

/* What an index in the word needs so that a linker can change it. */
static void emit_reloc(struct builder *b, const struct insn *insn) {
    enum debug_kind kind;
    if (insn->op == OP_COMPUTEG)
        builder_reloc(b, RELOC_GROUP, 0, (uint32_t)insn->imm, 0);
    else if (insn->op == OP_GMOVE)
        builder_reloc(b, RELOC_MOVE, 0, (uint32_t)insn->imm, 0);
    else if (object_debug_kind(insn->op, &kind))
        builder_reloc(b, RELOC_DEBUG, 0, (uint32_t)insn->imm, 0);
    else if (isa_info(insn->op)->format == FORMAT_J)
        builder_reloc(b, RELOC_J24, 0, builder_label_at(b, (uint32_t)insn->imm), 0);
}

static uint32_t push_word(struct builder *b, const struct insn *insn, uint32_t word) {
    struct object *o = b->o;
    if (o->text.len == OBJECT_MAX_TEXT)
        diag_error(b->d, builder_here(b), "the text has more than 2^24 instructions");
    note_line(b);
    o->sets |= UINT32_C(1) << isa_info(insn->op)->set;
    vec_push(&o->text, word);
    return (uint32_t)o->text.len - 1;
}

uint32_t builder_word(struct builder *b, const struct insn *insn) {
    uint32_t word = 0;
    enum isa_error e = isa_encode(insn, &word);
    if (e != ISA_OK)
        diag_error(b->d, builder_here(b), "%s cannot be encoded: %s", isa_info(insn->op)->name,
                   isa_error_text(e));
    return push_word(b, insn, word);
}

uint32_t builder_emit(struct builder *b, const struct insn *insn) {
    emit_reloc(b, insn);
    return builder_word(b, insn);
}

uint32_t builder_encoded(struct builder *b, const struct insn *insn, uint32_t word) {
    emit_reloc(b, insn);
    return push_word(b, insn, word);
}

uint32_t builder_recipe_call(struct builder *b, const struct insn *user, uint32_t otherwise) {
    struct recipe_call c = {.otherwise = otherwise};
    struct insn recipe = {.op = OP_RECIPE, .imm = (int32_t)b->o->calls.len};
    enum isa_error e = isa_encode(user, &c.word);
    if (e != ISA_OK)
        diag_error(b->d, builder_here(b), "%s cannot be encoded: %s", isa_info(user->op)->name,
                   isa_error_text(e));
    if (otherwise != NO_INDEX)
        builder_use(b, otherwise);
    vec_push(&b->o->calls, c); /* otherwise is a label until the end */
    builder_reloc(b, RELOC_CALL, 0, (uint32_t)recipe.imm, 0);
    return builder_word(b, &recipe);
}

uint32_t builder_rrr(struct builder *b, enum mpu_op op, unsigned width, unsigned rs, unsigned rt,
                     unsigned rd) {
    struct insn i = {
        .op = op, .width = (uint8_t)width, .rs = (uint8_t)rs, .rt = (uint8_t)rt, .rd = (uint8_t)rd};
    return builder_emit(b, &i);
}

uint32_t builder_imm(struct builder *b, enum mpu_op op, unsigned width, unsigned rd, int32_t imm) {
    struct insn i = {.op = op, .width = (uint8_t)width, .rd = (uint8_t)rd, .imm = imm};
    return builder_emit(b, &i);
}

uint32_t builder_plain(struct builder *b, enum mpu_op op) {
    struct insn i = {.op = op};
    return builder_emit(b, &i);
}

static const enum mpu_op piece_op[] = {OP_LI, OP_LIK1, OP_LIK2, OP_LIK3, OP_LIK4, OP_LIK5};
#define PIECES 6

/* Piece k of the value; *needed: it is not what LI leaves there. */
static int64_t constant_piece(uint64_t value, unsigned width, unsigned k, bool *needed) {
    unsigned n = width - 12 * k < 12 ? width - 12 * k : 12;
    bool negative = sign_extend(value, width < 12 ? width : 12) < 0;
    int64_t piece = sign_extend(value >> 12 * k, n);
    *needed = piece != (negative ? -1 : 0);
    return piece;
}

/* The count by which a number of 12 bits is shifted to give the value; 0: there is none. */
static unsigned constant_shift(uint64_t value, unsigned width) {
    unsigned zeros = value ? (unsigned)__builtin_ctzll(value) : 0;
    int64_t rest = sign_extend(value, width) >> zeros;
    return rest >= -2048 && rest <= 2047 ? zeros : 0;
}

void builder_constant(struct builder *b, unsigned width, unsigned rd, uint64_t value) {
    unsigned pieces = 0, shift = constant_shift(value, width);
    bool needed;
    for (unsigned k = 1; k < PIECES && 12 * k < width; k++) {
        constant_piece(value, width, k, &needed);
        pieces += needed;
    }
    if (pieces > 1 && shift) {
        struct insn i = {.op = OP_SHLI, .width = (uint8_t)width, .imm = (int32_t)shift};
        i.rs = i.rd = (uint8_t)rd;
        builder_imm(b, OP_LI, width, rd, (int32_t)(sign_extend(value, width) >> shift));
        builder_emit(b, &i);
        return;
    }
    builder_imm(b, OP_LI, width, rd, (int32_t)sign_extend(value, width < 12 ? width : 12));
    for (unsigned k = 1; k < PIECES && 12 * k < width; k++) {
        int64_t piece = constant_piece(value, width, k, &needed);
        if (needed)
            builder_imm(b, piece_op[k], width, rd, (int32_t)piece);
    }
}

void builder_size_constant(struct builder *b, unsigned width, unsigned rd, uint32_t size,
                           int64_t addend) {
    for (unsigned k = 0; k < PIECES && 12 * k < width; k++) {
        builder_reloc(b, RELOC_IMM12, k, size, addend);
        builder_imm(b, piece_op[k], width, rd, 0);
    }
}

/* LI sign-extends its 12 bits; each LIKk replaces 12 more and leaves those above. */
static bool li_holds(struct mpu_type t) {
    return t.bits + (t.kind != TYPE_INT) <= 12;
}

void builder_value_constant(struct builder *b, unsigned width, unsigned rd, uint32_t value,
                            uint32_t element) {
    unsigned bits = li_holds(b->o->values.data[value].type) ? 12 : width;
    for (unsigned k = 0; k < PIECES && 12 * k < bits; k++) {
        builder_reloc(b, RELOC_VALUE12, k, value, element);
        builder_imm(b, piece_op[k], width, rd, 0);
    }
}

uint32_t builder_compute_group(struct builder *b, uint32_t group) {
    struct insn i = {.op = OP_COMPUTEG, .imm = (int32_t)group};
    return builder_emit(b, &i);
}

uint32_t builder_gmove(struct builder *b, uint32_t move) {
    struct insn i = {.op = OP_GMOVE, .imm = (int32_t)move};
    return builder_emit(b, &i);
}

uint32_t builder_repeat(struct builder *b, struct extent count) {
    struct insn i = {.op = OP_REPEAT};
    if (count.size != NO_INDEX)
        builder_reloc(b, RELOC_COUNT, 0, count.size, 0);
    else if (count.value >= (uint64_t)1 << 22)
        diag_error(b->d, builder_here(b), "REPEAT takes at most 2^22 - 1 rounds, not %llu",
                   (unsigned long long)count.value);
    else
        i.imm = (int32_t)count.value;
    return builder_emit(b, &i);
}

/* A copy of a caller's string that lives as long as the object. */
static const char *keep(struct builder *b, const char *s) {
    return arena_strdup(&b->o->arena, s);
}

uint32_t builder_size(struct builder *b, const struct size_decl *s) {
    struct size_decl copy = *s;
    copy.name = keep(b, s->name);
    if (copy.op != SIZE_GIVEN) {
        object_size_normalise(&copy);
        object_size_derive(b->o->sizes.data, &copy);
    }
    vec_push(&b->o->sizes, copy);
    return (uint32_t)b->o->sizes.len - 1;
}

uint32_t builder_derived(struct builder *b, enum size_op op, struct size_operand left,
                         struct size_operand right) {
    struct size_decl s = {.op = op, .left = left, .right = right, .place = b->place};
    object_size_normalise(&s);
    for (uint32_t i = 0; i < b->o->sizes.len; i++)
        if (object_size_same_formula(&b->o->sizes.data[i], &s))
            return i;
    s.name = object_size_name(b->o);
    return builder_size(b, &s);
}

uint32_t builder_value(struct builder *b, const struct value_decl *v) {
    struct value_decl copy = *v;
    uint32_t count = object_value_count(v);
    copy.name = keep(b, v->name);
    if (v->elements) {
        uint64_t *elements = ARENA_ARRAY(&b->o->arena, count, uint64_t);
        memcpy(elements, v->elements, count * sizeof *elements);
        copy.elements = elements;
    }
    vec_push(&b->o->values, copy);
    return (uint32_t)b->o->values.len - 1;
}

uint32_t builder_group(struct builder *b, const struct group *g) {
    struct group copy = *g;
    copy.name = keep(b, g->name);
    vec_push(&b->o->groups, copy);
    return (uint32_t)b->o->groups.len - 1;
}

uint32_t builder_variable(struct builder *b, const struct variable *v) {
    struct variable copy = *v;
    copy.name = keep(b, v->name);
    if (v->form.type.kind == v->type.kind && v->form.type.bits == v->type.bits)
        copy.form.type = (struct mpu_type){TYPE_BOOL, 0};
    copy.scope = object_scope_of(&b->o->arena, v->scope.groups, v->scope.count);
    vec_push(&b->o->vars, copy);
    return (uint32_t)b->o->vars.len - 1;
}

static void normalise_bound(struct move_bound *bound, bool given) {
    if (!given)
        *bound = (struct move_bound){0, NO_INDEX, 0};
    else if (bound->size_coeff == 0)
        bound->size = NO_INDEX;
}

/* Strides and laps, which the caller keeps, into the object: those that matter. */
static void keep_steps(struct builder *b, const struct move *m, struct move *copy) {
    copy->strides = NULL;
    copy->laps = NULL;
    for (unsigned d = 0; d < MOVE_MAX_DIMS && m->strides; d++)
        object_move_set_stride(copy, d, m->strides->coeff[d], &m->strides->offset[d], &b->o->arena);
    for (unsigned f = 0; f < MOVE_FORMS && m->laps; f++)
        for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
            if (f > MOVE_LAST || m->bounded >> d & 1)
                object_move_set_laps(copy, (enum move_form)f, d, m->laps->coeff[f][d],
                                     &b->o->arena);
}

uint32_t builder_gmove_record(struct builder *b, const struct move *m) {
    struct move copy = *m;
    uint32_t index = (uint32_t)b->o->moves.len;
    copy.name = m->name ? keep(b, m->name) : arena_printf(&b->o->arena, "$M%u", (unsigned)index);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++) {
        normalise_bound(&copy.first[d], m->bounded >> d & 1);
        normalise_bound(&copy.last[d], m->bounded >> d & 1);
        if (copy.source[d].size_coeff == 0)
            copy.source[d].size = NO_INDEX;
    }
    copy.scope = object_scope_of(&b->o->arena, m->scope.groups, m->scope.count);
    keep_steps(b, m, &copy);
    copy.fill = m->outside == MOVE_FILL ? m->fill & low_bits(m->width) : 0;
    if (m->place.line == 0)
        copy.place = b->place;
    vec_push(&b->o->moves, copy);
    return index;
}

uint32_t builder_debug(struct builder *b, const struct debug_record *r) {
    struct debug_record copy = *r;
    copy.text = keep(b, r->text);
    vec_push(&b->o->debugs, copy);
    return (uint32_t)b->o->debugs.len - 1;
}

void builder_data(struct builder *b, const struct data_record *r) {
    uint64_t *values = ARENA_ARRAY(&b->o->arena, (size_t)r->count, uint64_t);
    struct data_record copy = {r->variable, r->count, values};
    if (r->count)
        memcpy(values, r->values, (size_t)r->count * sizeof *values);
    vec_push(&b->o->data, copy);
}

/* In the order of variables. */
void builder_length(struct builder *b, uint32_t variable, uint32_t length) {
    struct length_record r = {variable, length};
    size_t at = b->o->lengths.len;
    vec_push(&b->o->lengths, r);
    for (; at > 0 && b->o->lengths.data[at - 1].variable > variable; at--)
        b->o->lengths.data[at] = b->o->lengths.data[at - 1];
    b->o->lengths.data[at] = r;
}

void builder_begin_finish(struct builder *b, const struct finish_record *r) {
    struct finish_record copy = *r;
    copy.first = (uint32_t)b->o->text.len;
    if (r->place.line == 0)
        copy.place = b->place;
    vec_push(&b->o->finishes, copy);
}

void builder_end_finish(struct builder *b) {
    struct finish_record *open = b->o->finishes.data + b->open_finish;
    size_t count = b->o->finishes.len - b->open_finish;
    for (size_t i = 0; i < count; i++)
        open[i].last = (uint32_t)b->o->text.len;
    if (count)
        qsort(open, count, sizeof *open, object_finish_compare);
    b->open_finish = b->o->finishes.len;
}

void builder_signature(struct builder *b, const struct sub_signature *s) {
    struct sub_signature copy = *s;
    copy.name = keep(b, s->name);
    if (s->place.line == 0)
        copy.place = b->place;
    vec_push(&b->o->signatures, copy);
    builder_global(b, s->name);
}
