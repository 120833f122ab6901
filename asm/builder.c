/* SPDX-License-Identifier: MIT
 * Appends instructions, constants and tables to an object. */
#include "asm/builder_state.h"
#include "support/bits.h"

#include <string.h>

struct builder *builder_new(struct diag *diag) {
    struct builder *b = xcalloc(1, sizeof *b);
    b->o = object_new();
    b->d = diag;
    b->errors_before = diag_errors(diag);
    b->place.file = NO_INDEX;
    b->open_sub = NO_INDEX;
    return b;
}

struct object *builder_object(struct builder *builder) {
    return builder->o;
}

void builder_place(struct builder *builder, const char *file, uint32_t line, uint32_t column) {
    if (file && (builder->o->files.len == 0 ||
                 strcmp(file, builder->o->files.data[builder->file_index]) != 0))
        builder->file_index = object_file(builder->o, file);
    builder->place = (struct place){file ? builder->file_index : NO_INDEX, line, column};
}

void builder_span(struct builder *builder, struct span at) {
    builder->at = at;
}

struct span builder_here(const struct builder *builder) {
    return builder->at.source ? builder->at : object_span(builder->o, builder->place, builder->d);
}

static bool same_place(struct place left, struct place right) {
    return left.file == right.file && left.line == right.line && left.column == right.column;
}

static void note_line(struct builder *builder) {
    struct object *o = builder->o;
    struct place last = o->lines.len ? vec_last(&o->lines).place : (struct place){NO_INDEX, 0, 0};
    if (same_place(last, builder->place))
        return;
    struct line_entry e = {(uint32_t)o->text.len, builder->place};
    vec_push(&o->lines, e);
}

void builder_reloc(struct builder *builder, enum reloc_type type, unsigned piece, uint32_t target,
                   int64_t addend) {
    struct reloc r = {(uint32_t)builder->o->text.len, type, (uint8_t)piece, target, addend};
    vec_push(&builder->o->relocs, r);
}

/* What an index in the word needs so that a linker can change it. */
static void emit_reloc(struct builder *builder, const struct insn *insn) {
    enum debug_kind kind;
    if (insn->op == OP_COMPUTEG)
        builder_reloc(builder, RELOC_GROUP, 0, (uint32_t)insn->imm, 0);
    else if (insn->op == OP_GMOVE)
        builder_reloc(builder, RELOC_MOVE, 0, (uint32_t)insn->imm, 0);
    else if (isa_has_table(insn->op))
        builder_reloc(builder, RELOC_LUT12, insn->width, insn->lut, 0);
    else if (object_debug_kind(insn->op, &kind))
        builder_reloc(builder, RELOC_DEBUG, 0, (uint32_t)insn->imm, 0);
    else if (isa_info(insn->op)->format == FORMAT_J)
        builder_reloc(builder, RELOC_J24, 0, builder_label_at(builder, (uint32_t)insn->imm), 0);
}

static uint32_t push_word(struct builder *builder, const struct insn *insn, uint32_t word) {
    struct object *o = builder->o;
    if (o->text.len == OBJECT_MAX_TEXT)
        diag_error(builder->d, builder_here(builder), "the text has more than 2^24 instructions");
    note_line(builder);
    o->sets |= UINT32_C(1) << isa_info(insn->op)->set;
    vec_push(&o->text, word);
    return (uint32_t)o->text.len - 1;
}

uint32_t builder_word(struct builder *builder, const struct insn *insn) {
    uint32_t word = 0;
    enum isa_error e = isa_encode(insn, &word);
    if (e != ISA_OK)
        diag_error(builder->d, builder_here(builder), "%s cannot be encoded: %s",
                   isa_info(insn->op)->name, isa_error_text(e));
    return push_word(builder, insn, word);
}

uint32_t builder_emit(struct builder *builder, const struct insn *insn) {
    emit_reloc(builder, insn);
    return builder_word(builder, insn);
}

uint32_t builder_encoded(struct builder *builder, const struct insn *insn, uint32_t word) {
    emit_reloc(builder, insn);
    return push_word(builder, insn, word);
}

uint32_t builder_recipe_call(struct builder *builder, const struct insn *user, uint32_t otherwise) {
    struct recipe_call c = {.otherwise = otherwise};
    struct insn recipe = {.op = OP_RECIPE, .imm = (int32_t)builder->o->calls.len};
    enum isa_error e = isa_encode(user, &c.word);
    if (e != ISA_OK)
        diag_error(builder->d, builder_here(builder), "%s cannot be encoded: %s",
                   isa_info(user->op)->name, isa_error_text(e));
    if (otherwise != NO_INDEX)
        builder_use(builder, otherwise);
    vec_push(&builder->o->calls, c); /* otherwise is a label until the end */
    builder_reloc(builder, RELOC_CALL, 0, (uint32_t)recipe.imm, 0);
    return builder_word(builder, &recipe);
}

uint32_t builder_kernel_call(struct builder *builder, uint32_t kernel,
                             const struct kernel_argument *arguments,
                             const struct launch_geometry *geometry, uint32_t otherwise) {
    struct object *o = builder->o;
    const struct insn named = {.op = OP_RECIPE, .imm = (int32_t)kernel};
    const struct insn recipe = {.op = OP_RECIPE, .imm = (int32_t)o->calls.len};
    uint32_t count = o->kernels.data[kernel].parameter_count;
    struct kernel_argument *copy = ARENA_ARRAY(&o->arena, count + 1, struct kernel_argument);
    struct recipe_call c = {.otherwise = otherwise, .arguments = copy};
    if (otherwise == NO_INDEX)
        c.otherwise = o->kernels.data[kernel].otherwise;
    else
        builder_use(builder, otherwise);
    isa_encode(&named, &c.word);
    memcpy(copy, arguments, count * sizeof *copy);
    for (uint32_t i = 0; i < count; i++)
        if (copy[i].bytes)
            copy[i].bytes =
                (const unsigned char *)arena_copy(&o->arena, (const char *)copy[i].bytes,
                                                  o->kernels.data[kernel].parameters[i].bytes);
    if (geometry) {
        struct launch_geometry *own = ARENA_ARRAY(&o->arena, 1, struct launch_geometry);
        *own = *geometry;
        c.geometry = own;
    }
    vec_push(&o->calls, c);
    builder_reloc(builder, RELOC_CALL, 0, (uint32_t)recipe.imm, 0);
    return builder_word(builder, &recipe);
}

uint32_t builder_rrr(struct builder *builder, enum isa_op op, unsigned width, unsigned rs,
                     unsigned rt, unsigned rd) {
    struct insn i = {
        .op = op, .width = (uint8_t)width, .rs = (uint8_t)rs, .rt = (uint8_t)rt, .rd = (uint8_t)rd};
    return builder_emit(builder, &i);
}

uint32_t builder_imm(struct builder *builder, enum isa_op op, unsigned width, unsigned rd,
                     int32_t imm) {
    struct insn i = {.op = op, .width = (uint8_t)width, .rd = (uint8_t)rd, .imm = imm};
    return builder_emit(builder, &i);
}

uint32_t builder_plain(struct builder *builder, enum isa_op op) {
    struct insn i = {.op = op};
    return builder_emit(builder, &i);
}

static const enum isa_op piece_op[] = {OP_LI, OP_LIK1, OP_LIK2, OP_LIK3, OP_LIK4, OP_LIK5};
#define PIECES 6

/* Piece index of the value; *needed: it is not what LI leaves there. */
static int64_t constant_piece(uint64_t value, unsigned width, unsigned index, bool *needed) {
    unsigned n = width - 12 * index < 12 ? width - 12 * index : 12;
    bool negative = sign_extend(value, width < 12 ? width : 12) < 0;
    int64_t piece = sign_extend(value >> 12 * index, n);
    *needed = piece != (negative ? -1 : 0);
    return piece;
}

/* The count by which a number of 12 bits is shifted to give the value; 0: there is none. */
static unsigned constant_shift(uint64_t value, unsigned width) {
    unsigned zeros = value ? (unsigned)__builtin_ctzll(value) : 0;
    int64_t rest = sign_extend(value, width) >> zeros;
    return rest >= -2048 && rest <= 2047 ? zeros : 0;
}

void builder_constant(struct builder *builder, unsigned width, unsigned rd, uint64_t value) {
    unsigned pieces = 0, shift = constant_shift(value, width);
    bool needed;
    for (unsigned k = 1; k < PIECES && 12 * k < width; k++) {
        constant_piece(value, width, k, &needed);
        pieces += needed;
    }
    if (pieces > 1 && shift) {
        struct insn i = {.op = OP_SHLI, .width = (uint8_t)width, .imm = (int32_t)shift};
        i.rs = i.rd = (uint8_t)rd;
        builder_imm(builder, OP_LI, width, rd, (int32_t)(sign_extend(value, width) >> shift));
        builder_emit(builder, &i);
        return;
    }
    builder_imm(builder, OP_LI, width, rd, (int32_t)sign_extend(value, width < 12 ? width : 12));
    for (unsigned k = 1; k < PIECES && 12 * k < width; k++) {
        int64_t piece = constant_piece(value, width, k, &needed);
        if (needed)
            builder_imm(builder, piece_op[k], width, rd, (int32_t)piece);
    }
}

void builder_size_constant(struct builder *builder, unsigned width, unsigned rd, uint32_t size,
                           int64_t addend) {
    for (unsigned k = 0; k < PIECES && 12 * k < width; k++) {
        builder_reloc(builder, RELOC_IMM12, k, size, addend);
        builder_imm(builder, piece_op[k], width, rd, 0);
    }
}

/* LI sign-extends its 12 bits; each LIKk replaces 12 more and leaves those above. */
static bool li_holds(struct lane_type type) {
    return type.bits + (type.kind != TYPE_INT) <= 12;
}

void builder_value_constant(struct builder *builder, unsigned width, unsigned rd, uint32_t value,
                            uint32_t element) {
    unsigned bits = li_holds(builder->o->values.data[value].type) ? 12 : width;
    for (unsigned k = 0; k < PIECES && 12 * k < bits; k++) {
        builder_reloc(builder, RELOC_VALUE12, k, value, element);
        builder_imm(builder, piece_op[k], width, rd, 0);
    }
}

uint32_t builder_compute_group(struct builder *builder, uint32_t group) {
    struct insn i = {.op = OP_COMPUTEG, .imm = (int32_t)group};
    return builder_emit(builder, &i);
}

uint32_t builder_number(struct builder *builder, const struct insn *insn,
                        const struct number_record *record) {
    struct number_record copy = *record;
    copy.index = builder_emit(builder, insn);
    vec_push(&builder->o->numbers, copy);
    return copy.index;
}

uint32_t builder_gmove(struct builder *builder, uint32_t move) {
    struct insn i = {.op = OP_GMOVE, .imm = (int32_t)move};
    return builder_emit(builder, &i);
}

uint32_t builder_repeat(struct builder *builder, struct extent count) {
    struct insn i = {.op = OP_REPEAT};
    if (count.size != NO_INDEX)
        builder_reloc(builder, RELOC_COUNT, 0, count.size, 0);
    else if (count.value >= (uint64_t)1 << 22)
        diag_error(builder->d, builder_here(builder),
                   "REPEAT takes at most 2^22 - 1 rounds, not %llu",
                   (unsigned long long)count.value);
    else
        i.imm = (int32_t)count.value;
    return builder_emit(builder, &i);
}

/* A copy of a caller's string that lives as long as the object. */
static const char *keep(struct builder *builder, const char *text) {
    return arena_strdup(&builder->o->arena, text);
}

uint32_t builder_size(struct builder *builder, const struct size_decl *decl) {
    struct size_decl copy = *decl;
    copy.name = keep(builder, decl->name);
    if (copy.op != SIZE_GIVEN) {
        object_size_normalise(&copy);
        object_size_derive(builder->o->sizes.data, &copy);
    }
    vec_push(&builder->o->sizes, copy);
    return (uint32_t)builder->o->sizes.len - 1;
}

uint32_t builder_derived(struct builder *builder, enum size_op op, struct size_operand left,
                         struct size_operand right) {
    struct size_decl s = {.op = op, .left = left, .right = right, .place = builder->place};
    object_size_normalise(&s);
    for (uint32_t i = 0; i < builder->o->sizes.len; i++)
        if (object_size_same_formula(&builder->o->sizes.data[i], &s))
            return i;
    s.name = object_size_name(builder->o);
    return builder_size(builder, &s);
}

uint32_t builder_value(struct builder *builder, const struct value_decl *decl) {
    struct value_decl copy = *decl;
    uint32_t count = object_value_count(decl);
    copy.name = keep(builder, decl->name);
    if (decl->elements) {
        uint64_t *elements = ARENA_ARRAY(&builder->o->arena, count, uint64_t);
        memcpy(elements, decl->elements, count * sizeof *elements);
        copy.elements = elements;
    }
    vec_push(&builder->o->values, copy);
    return (uint32_t)builder->o->values.len - 1;
}

/* Whether right goes on where left ends. */
static bool goes_on(const struct lut_fill *left, const struct lut_fill *right) {
    return left->source == LUT_VALUE && right->source == LUT_VALUE &&
           left->target == right->target && left->first + left->count == right->first &&
           left->addend + left->count == right->addend;
}

static void keep_fills(struct builder *builder, const struct lut_decl *decl,
                       struct lut_decl *copy) {
    struct lut_fill *fills = ARENA_ARRAY(&builder->o->arena, decl->fill_count, struct lut_fill);
    copy->fill_count = 0;
    copy->fills = fills;
    for (uint32_t i = 0; i < decl->fill_count; i++) {
        if (copy->fill_count && goes_on(&fills[copy->fill_count - 1], &decl->fills[i]))
            fills[copy->fill_count - 1].count += decl->fills[i].count;
        else
            fills[copy->fill_count++] = decl->fills[i];
    }
}

uint32_t builder_buffer(struct builder *builder, const struct buffer_decl *decl) {
    struct buffer_decl copy = *decl;
    copy.name = keep(builder, decl->name);
    vec_push(&builder->o->buffers, copy);
    return (uint32_t)builder->o->buffers.len - 1;
}

uint32_t builder_module(struct builder *builder, const struct module_decl *decl) {
    struct module_decl copy = *decl;
    copy.name = keep(builder, decl->name);
    copy.form = keep(builder, decl->form);
    copy.bytes = arena_copy(&builder->o->arena, decl->bytes, decl->size);
    vec_push(&builder->o->modules, copy);
    return (uint32_t)builder->o->modules.len - 1;
}

uint32_t builder_kernel(struct builder *builder, const struct kernel_decl *decl) {
    struct arena *arena = &builder->o->arena;
    struct kernel_parameter *parameters =
        ARENA_ARRAY(arena, decl->parameter_count + 1, struct kernel_parameter);
    struct kernel_decl copy = *decl;
    copy.name = keep(builder, decl->name);
    copy.form = keep(builder, decl->form);
    if (decl->entry) {
        copy.entry = keep(builder, decl->entry);
        object_kernel_join(builder->o, &copy);
    } else {
        copy.bytes = arena_copy(arena, decl->bytes, decl->size);
    }
    for (uint32_t i = 0; i < decl->parameter_count; i++) {
        parameters[i] = decl->parameters[i];
        parameters[i].name = keep(builder, decl->parameters[i].name);
    }
    copy.parameters = parameters;
    if (copy.otherwise != NO_INDEX)
        builder_use(builder, copy.otherwise);
    vec_push(&builder->o->kernels, copy); /* otherwise is a label until the end */
    return (uint32_t)builder->o->kernels.len - 1;
}

uint32_t builder_lut(struct builder *builder, const struct lut_decl *decl) {
    struct object *o = builder->o;
    struct lut_decl copy = *decl;
    size_t count = (size_t)1 << decl->table.index_bits;
    keep_fills(builder, decl, &copy);
    for (uint32_t i = 0; !decl->name && i < o->luts.len; i++)
        if (object_lut_same(&o->luts.data[i], &copy))
            return i;
    uint64_t *entries = ARENA_ARRAY(&o->arena, count, uint64_t);
    memcpy(entries, decl->table.entries, count * sizeof *entries);
    copy.table.entries = entries;
    copy.name = decl->name ? keep(builder, decl->name) : arena_name(&o->arena, "$T", o->luts.len);
    vec_push(&o->luts, copy);
    return (uint32_t)o->luts.len - 1;
}

uint32_t builder_product(struct builder *builder, const struct isa_product *product) {
    struct object *o = builder->o;
    uint32_t index = object_find_product(o, product);
    if (index < o->products.len)
        return index;
    struct product_decl p = {.name = arena_name(&o->arena, "$P", o->products.len),
                             .product = *product,
                             .place = builder->place};
    vec_push(&o->products, p);
    return index;
}

uint32_t builder_group(struct builder *builder, const struct group *group) {
    struct group copy = *group;
    copy.name = keep(builder, group->name);
    vec_push(&builder->o->groups, copy);
    return (uint32_t)builder->o->groups.len - 1;
}

uint32_t builder_variable(struct builder *builder, const struct variable *variable) {
    struct variable copy = *variable;
    copy.name = keep(builder, variable->name);
    if (variable->form.type.kind == variable->type.kind &&
        variable->form.type.bits == variable->type.bits)
        copy.form.type = (struct lane_type){TYPE_BOOL, 0};
    copy.scope = object_scope_of(&builder->o->arena, variable->scope.groups, variable->scope.count);
    vec_push(&builder->o->vars, copy);
    return (uint32_t)builder->o->vars.len - 1;
}

static void normalise_bound(struct move_bound *bound, bool given) {
    if (!given)
        *bound = (struct move_bound){0, NO_INDEX, 0};
    else if (bound->size_coeff == 0)
        bound->size = NO_INDEX;
}

/* Strides and laps, which the caller keeps, into the object: those that matter. */
static void keep_steps(struct builder *builder, const struct move *move, struct move *copy) {
    copy->strides = NULL;
    copy->laps = NULL;
    for (unsigned d = 0; d < MOVE_MAX_DIMS && move->strides; d++)
        object_move_set_stride(copy, d, move->strides->coeff[d], &move->strides->offset[d],
                               &builder->o->arena);
    for (unsigned f = 0; f < MOVE_FORMS && move->laps; f++)
        for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
            if (f > MOVE_LAST || move->bounded >> d & 1)
                object_move_set_laps(copy, (enum move_form)f, d, move->laps->coeff[f][d],
                                     &builder->o->arena);
}

uint32_t builder_gmove_record(struct builder *builder, const struct move *move) {
    struct move copy = *move;
    uint32_t index = (uint32_t)builder->o->moves.len;
    copy.name =
        move->name ? keep(builder, move->name) : arena_name(&builder->o->arena, "$M", index);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++) {
        normalise_bound(&copy.first[d], move->bounded >> d & 1);
        normalise_bound(&copy.last[d], move->bounded >> d & 1);
        if (copy.source[d].size_coeff == 0)
            copy.source[d].size = NO_INDEX;
    }
    copy.scope = object_scope_of(&builder->o->arena, move->scope.groups, move->scope.count);
    keep_steps(builder, move, &copy);
    copy.fill = move->outside == MOVE_FILL ? move->fill & low_bits(move->width) : 0;
    if (move->place.line == 0)
        copy.place = builder->place;
    vec_push(&builder->o->moves, copy);
    return index;
}

uint32_t builder_debug(struct builder *builder, const struct debug_record *record) {
    struct debug_record copy = *record;
    copy.text = keep(builder, record->text);
    vec_push(&builder->o->debugs, copy);
    return (uint32_t)builder->o->debugs.len - 1;
}

void builder_data(struct builder *builder, const struct data_record *record) {
    uint64_t *values = ARENA_ARRAY(&builder->o->arena, (size_t)record->count, uint64_t);
    struct data_record copy = {record->variable, record->count, values};
    if (record->count)
        memcpy(values, record->values, (size_t)record->count * sizeof *values);
    vec_push(&builder->o->data, copy);
}

/* In the order of variables. */
void builder_length(struct builder *builder, uint32_t variable, uint32_t length) {
    struct length_record r = {variable, length};
    size_t at = builder->o->lengths.len;
    vec_push(&builder->o->lengths, r);
    for (; at > 0 && builder->o->lengths.data[at - 1].variable > variable; at--)
        builder->o->lengths.data[at] = builder->o->lengths.data[at - 1];
    builder->o->lengths.data[at] = r;
}

void builder_begin_finish(struct builder *builder, const struct finish_record *record) {
    struct finish_record copy = *record;
    copy.first = (uint32_t)builder->o->text.len;
    if (record->place.line == 0)
        copy.place = builder->place;
    vec_push(&builder->o->finishes, copy);
}

void builder_end_finish(struct builder *builder) {
    struct finish_record *open = builder->o->finishes.data + builder->open_finish;
    size_t count = builder->o->finishes.len - builder->open_finish;
    for (size_t i = 0; i < count; i++)
        open[i].last = (uint32_t)builder->o->text.len;
    if (count)
        qsort(open, count, sizeof *open, object_finish_compare);
    builder->open_finish = builder->o->finishes.len;
}

void builder_signature(struct builder *builder, const struct sub_signature *signature) {
    struct sub_signature copy = *signature;
    copy.name = keep(builder, signature->name);
    if (signature->place.line == 0)
        copy.place = builder->place;
    vec_push(&builder->o->signatures, copy);
    builder_global(builder, signature->name);
}
