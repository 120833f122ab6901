/* SPDX-License-Identifier: MIT
 * Records of an object: what a program declares, its moves, and where it stands in the source. */
#include "object/write.h"

static void put_files(struct object_writer *writer) {
    for (size_t i = 0; i < writer->o->files.len; i++)
        put_u32(bytes_of(writer, OBJECT_FILES),
                object_write_name(writer, writer->o->files.data[i]));
}

static void put_sizes(struct object_writer *writer) {
    for (size_t i = 0; i < writer->o->sizes.len; i++) {
        const struct size_decl *d = &writer->o->sizes.data[i];
        uint32_t name = object_write_name(writer, d->name);
        struct str *s = bytes_of(writer, OBJECT_SIZES);
        put_u32(s, name);
        put_u32(s, d->has_default ? SIZE_HAS_DEFAULT : 0);
        put_u64(s, d->has_default ? d->value : 0);
        put_place(s, &d->place);
        put_u32(s, 0);
    }
}

static void put_bounds(struct object_writer *writer) {
    for (size_t i = 0; i < writer->o->sizes.len; i++)
        if (states_bound(&writer->o->sizes.data[i])) {
            struct str *s = bytes_of(writer, OBJECT_BOUNDS);
            put_u32(s, (uint32_t)i);
            put_u32(s, 0);
            put_u64(s, writer->o->sizes.data[i].bound);
        }
}

static void put_derived(struct object_writer *writer) {
    for (size_t i = 0; i < writer->o->sizes.len; i++) {
        const struct size_decl *d = &writer->o->sizes.data[i];
        if (d->op == SIZE_GIVEN)
            continue;
        struct str *s = bytes_of(writer, OBJECT_DERIVED);
        put_u32(s, (uint32_t)i);
        put_u32(s, (uint32_t)d->op);
        put_u32(s, d->left.size);
        put_u32(s, d->right.size);
        put_u64(s, (uint64_t)d->left.value);
        put_u64(s, (uint64_t)d->right.value);
    }
}

static void put_value(struct object_writer *writer, const struct value_decl *decl) {
    uint32_t name = object_write_name(writer, decl->name);
    struct str *s = bytes_of(writer, OBJECT_VALUES);
    put_u32(s, name);
    put_u8(s, (unsigned)decl->type.kind);
    put_u8(s, decl->type.bits);
    put_u8(s, decl->ndim);
    put_u8(s, decl->elements ? VALUE_HAS_DEFAULT : 0);
    for (uint32_t i = 0; i < VALUE_MAX_DIMS; i++)
        put_u32(s, i < decl->ndim ? decl->shape[i] : 0);
    put_place(s, &decl->place);
    put_u32(s, 0);
    for (uint32_t i = 0; decl->elements && i < object_value_count(decl); i++)
        put_u64(bytes_of(writer, OBJECT_DEFAULTS), decl->elements[i]);
}

static void put_lut(struct object_writer *writer, uint32_t index) {
    const struct lut_decl *t = &writer->o->luts.data[index];
    uint32_t name = object_write_name(writer, t->name), given = object_lut_given(t);
    struct str *s = bytes_of(writer, OBJECT_LUTS);
    put_u32(s, name);
    put_u8(s, t->table.index_bits);
    put_u8(s, t->table.width);
    put_u8(s, t->element_bits);
    put_u8(s, 0);
    put_u32(s, given);
    put_u32(s, t->fill_count);
    put_place(s, &t->place);
    put_u32(s, 0);
    for (uint32_t i = 0; i < given; i++)
        put_u64(bytes_of(writer, OBJECT_LUT_DATA), t->table.entries[i]);
    for (uint32_t i = 0; i < t->fill_count; i++) {
        const struct lut_fill *f = &t->fills[i];
        s = bytes_of(writer, OBJECT_LUT_FILLS);
        put_u32(s, index);
        put_u32(s, (uint32_t)f->source);
        put_u32(s, f->first);
        put_u32(s, f->count);
        put_u32(s, f->target);
        put_u32(s, 0);
        put_u64(s, (uint64_t)f->addend);
    }
}

static void put_product(struct object_writer *writer, const struct product_decl *decl) {
    uint32_t name = object_write_name(writer, decl->name);
    struct str *s = bytes_of(writer, OBJECT_PRODUCTS);
    put_u32(s, name);
    put_u8(s, decl->product.a);
    put_u8(s, decl->product.b);
    put_u8(s, decl->product.lo);
    put_u8(s, decl->product.width);
    put_u32(s, (decl->product.signed_a ? PRODUCT_SIGNED_A : 0u) |
                   (decl->product.signed_b ? PRODUCT_SIGNED_B : 0u));
    put_place(s, &decl->place);
}

static const struct extent no_extent = {NO_INDEX, 0};

static void put_group(struct object_writer *writer, const struct group *group) {
    uint32_t name = object_write_name(writer, group->name);
    struct str *s = bytes_of(writer, OBJECT_GROUPS);
    put_u32(s, name);
    put_u32(s, group->ndim | (group->per_mpu ? GROUP_PER_MPU : 0));
    for (uint32_t i = 0; i < GROUP_MAX_DIMS; i++)
        put_extent(s, i < group->ndim ? &group->extent[i] : &no_extent);
    put_u32(s, group->like);
    put_u32(s, group->at_rfh);
    put_u32(s, group->at_vrf);
    put_place(s, &group->place);
}

static void put_variable(struct object_writer *writer, const struct variable *variable) {
    uint32_t name = object_write_name(writer, variable->name);
    struct str *s = bytes_of(writer, OBJECT_VARS);
    put_u32(s, name);
    put_u8(s, variable->direction);
    put_u8(s, (unsigned)variable->type.kind);
    put_u8(s, variable->type.bits);
    put_u8(s, variable->has_k ? VAR_HAS_K : 0);
    put_u32(s, variable->count);
    put_u32(s, variable->group);
    put_u32(s, variable->reg);
    put_place(s, &variable->place);
}

static void put_form(struct str *str, uint32_t variable, const struct array_form *form) {
    put_u32(str, variable);
    put_u8(str, (unsigned)form->type.kind);
    put_u8(str, form->type.bits);
    put_u8(str, (unsigned)form->order);
    put_u8(str, form->shaped);
    put_u32(str, form->ndim);
    put_u32(str, 0);
    for (uint32_t i = 0; i < FORM_MAX_DIMS; i++)
        put_extent(str, i < form->ndim ? &form->shape[i] : &no_extent);
}

static void put_forms(struct object_writer *writer) {
    for (uint32_t i = 0; i < writer->o->vars.len; i++)
        if (!object_form_plain(&writer->o->vars.data[i].form))
            put_form(bytes_of(writer, OBJECT_FORMS), i, &writer->o->vars.data[i].form);
}

static void put_data(struct str *str, const struct data_record *record) {
    put_u32(str, record->variable);
    put_u32(str, 0);
    put_u64(str, record->count);
    for (uint64_t i = 0; i < record->count; i++)
        put_u64(str, record->values[i]);
}

static void put_length(struct str *str, const struct length_record *record) {
    put_u32(str, record->variable);
    put_u32(str, record->length);
}

static void put_constant(struct object_writer *writer, const struct constant_record *record) {
    uint32_t array = object_write_name(writer, record->array),
             constant = object_write_name(writer, record->constant);
    struct str *s = bytes_of(writer, OBJECT_CONSTANTS);
    put_u32(s, array);
    put_u32(s, record->dimension);
    put_u32(s, constant);
}

static void put_number(struct str *str, const struct number_record *record) {
    put_u32(str, record->index);
    put_u32(str, 0);
    put_extent(str, &record->every);
    put_extent(str, &record->below);
}

static void put_finish(struct str *str, const struct finish_record *record) {
    put_u32(str, record->variable);
    put_u32(str, record->element);
    put_u8(str, (unsigned)record->kind);
    put_u8(str, record->reg);
    put_u8(str, (unsigned)record->type.kind);
    put_u8(str, record->type.bits);
    put_u32(str, record->group);
    put_u32(str, record->first);
    put_u32(str, record->last);
    put_place(str, &record->place);
    put_u32(str, 0);
}

static void put_debug(struct object_writer *writer, const struct debug_record *record) {
    uint32_t text = object_write_name(writer, record->text);
    struct str *s = bytes_of(writer, OBJECT_DEBUGS);
    bool has_register = object_debug_has_register(record->kind);
    put_u32(s, text);
    put_u8(s, (unsigned)record->kind);
    put_u8(s, has_register ? record->reg : 0);
    put_u8(s, has_register ? (unsigned)record->type.kind : 0);
    put_u8(s, has_register ? record->type.bits : 0);
}

static void put_bound(struct str *str, int64_t offset, uint32_t size, int64_t size_coeff) {
    put_u64(str, (uint64_t)offset);
    put_u32(str, size);
    put_u32(str, 0);
    put_u64(str, (uint64_t)size_coeff);
}

static void put_move_head(struct object_writer *writer, const struct move *move) {
    uint32_t name = object_write_name(writer, move->name);
    struct str *s = bytes_of(writer, OBJECT_MOVES);
    put_u32(s, name);
    put_u32(s, move->dst_group);
    put_u32(s, move->src_group);
    put_u8(s, move->dst_reg);
    put_u8(s, move->src_reg);
    put_u8(s, move->dst_count);
    put_u8(s, move->src_count);
    put_u8(s, (move->dst_has_k ? MOVE_DST_HAS_K : 0) | (move->src_has_k ? MOVE_SRC_HAS_K : 0));
    put_u8(s, move->width);
    put_u8(s, move->bounded);
    put_u8(s, (unsigned)move->outside);
    put_place(s, &move->place);
    put_u64(s, move->fill);
}

static void put_move(struct object_writer *writer, const struct move *move) {
    put_move_head(writer, move);
    struct str *s = bytes_of(writer, OBJECT_MOVES);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        put_bound(s, move->first[d].offset, move->first[d].size, move->first[d].size_coeff);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        put_bound(s, move->last[d].offset, move->last[d].size, move->last[d].size_coeff);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++) {
        for (unsigned k = 0; k < MOVE_MAX_DIMS; k++)
            put_u64(s, (uint64_t)move->source[d].coeff[k]);
        put_bound(s, move->source[d].offset, move->source[d].size, move->source[d].size_coeff);
    }
}

static void put_scope(struct object_writer *writer, enum scope_record_kind kind, size_t index,
                      const struct group_scope *scope) {
    for (uint32_t i = 0; i < scope->count; i++) {
        struct str *s = bytes_of(writer, OBJECT_SCOPES);
        put_u32(s, kind);
        put_u32(s, (uint32_t)index);
        put_u32(s, scope->groups[i]);
    }
}

static void put_scopes(struct object_writer *writer) {
    for (size_t i = 0; i < writer->o->vars.len; i++)
        put_scope(writer, SCOPE_OF_VARIABLE, i, &writer->o->vars.data[i].scope);
    for (size_t i = 0; i < writer->o->moves.len; i++)
        put_scope(writer, SCOPE_OF_MOVE, i, &writer->o->moves.data[i].scope);
}

static void put_indices(struct object_writer *writer) {
    struct str *s;
    for (size_t i = 0; i < writer->o->moves.len; i++) {
        const struct move_index *x = &writer->o->moves.data[i].index;
        if (x->kind == INDEX_NONE)
            continue;
        s = bytes_of(writer, OBJECT_INDICES);
        put_u32(s, (uint32_t)i);
        put_u8(s, (unsigned)x->kind);
        put_u8(s, x->coordinate);
        put_u8(s, x->reg);
        put_u8(s, x->follows ? INDEX_FOLLOWS : 0);
        put_u8(s, (unsigned)x->type.kind);
        put_u8(s, x->type.bits);
        put_u8(s, 0);
        put_u8(s, 0);
    }
}

static void put_strides(struct object_writer *writer, uint32_t move) {
    const struct move_strides *x = writer->o->moves.data[move].strides;
    for (uint32_t d = 0; x && d < MOVE_MAX_DIMS; d++) {
        if (stride_is_usual(x, d))
            continue;
        struct str *s = bytes_of(writer, OBJECT_STRIDES);
        put_u32(s, move);
        put_u32(s, d);
        put_u64(s, (uint64_t)x->coeff[d]);
        put_bound(s, x->offset[d].offset, x->offset[d].size, x->offset[d].size_coeff);
    }
}

static void put_laps(struct object_writer *writer, uint32_t move) {
    const struct move_laps *x = writer->o->moves.data[move].laps;
    for (unsigned f = 0; x && f < MOVE_FORMS; f++)
        for (unsigned d = 0; d < MOVE_MAX_DIMS; d++) {
            if (laps_are_none(x->coeff[f][d]))
                continue;
            struct str *s = bytes_of(writer, OBJECT_LAPS);
            put_u32(s, move);
            put_u32(s, f | d << 8);
            for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
                put_u64(s, (uint64_t)x->coeff[f][d][n]);
        }
}

/* Padded to four bytes, so that the next record begins where its numbers may. */
static void put_recipe(struct object_writer *writer, const struct user_file *file) {
    uint32_t name = object_write_name(writer, file->name);
    struct str *s = bytes_of(writer, OBJECT_RECIPES);
    put_u32(s, name);
    put_u32(s, (uint32_t)file->size);
    str_append_n(s, file->text, file->size);
    while (s->len % 4)
        put_u8(s, 0);
}

static void put_passed(struct str *str, const struct passed_register *list, uint32_t count) {
    static const struct passed_register none;
    for (uint32_t i = 0; i < SIGNATURE_MAX_REGISTERS; i++) {
        const struct passed_register *p = i < count ? &list[i] : &none;
        put_u8(str, p->reg);
        put_u8(str, (unsigned)p->type.kind);
        put_u8(str, p->type.bits);
        put_u8(str, 0);
    }
}

static void put_signature(struct object_writer *writer, const struct sub_signature *signature) {
    uint32_t name = object_write_name(writer, signature->name);
    struct str *s = bytes_of(writer, OBJECT_SIGNATURES);
    put_u32(s, name);
    put_place(s, &signature->place);
    put_u64(s, signature->writes);
    put_u32(s, signature->in_count);
    put_u32(s, signature->out_count);
    put_passed(s, signature->in, signature->in_count);
    put_passed(s, signature->out, signature->out_count);
}

static void put_entry(struct object_writer *writer, const struct entry *entry) {
    struct str *s = bytes_of(writer, OBJECT_ENTRY);
    put_u32(s, entry->first_mpu);
    put_u32(s, entry->mpu_count);
    put_u32(s, entry->symbol == NO_INDEX ? NO_INDEX : writer->symbol[entry->symbol]);
}

/* In the order of ELF symbols, so that writing what was read gives the same bytes. */
static void put_symbol_places(struct object_writer *writer, bool global) {
    for (size_t i = 0; i < writer->o->symbols.len; i++) {
        const struct symbol *y = &writer->o->symbols.data[i];
        if (y->global != global || !place_known(&y->place))
            continue;
        put_u32(bytes_of(writer, OBJECT_PLACES), writer->symbol[i]);
        put_place(bytes_of(writer, OBJECT_PLACES), &y->place);
    }
}

void object_write_records(struct object_writer *writer) {
    const struct object *o = writer->o;
    put_files(writer);
    put_sizes(writer);
    put_bounds(writer);
    put_derived(writer);
    for (size_t i = 0; i < o->values.len; i++)
        put_value(writer, &o->values.data[i]);
    for (uint32_t i = 0; i < o->luts.len; i++)
        put_lut(writer, i);
    for (size_t i = 0; i < o->products.len; i++)
        put_product(writer, &o->products.data[i]);
    for (size_t i = 0; i < o->groups.len; i++)
        put_group(writer, &o->groups.data[i]);
    for (size_t i = 0; i < o->vars.len; i++)
        put_variable(writer, &o->vars.data[i]);
    put_forms(writer);
    for (size_t i = 0; i < o->data.len; i++)
        put_data(bytes_of(writer, OBJECT_DATA), &o->data.data[i]);
    for (size_t i = 0; i < o->lengths.len; i++)
        put_length(bytes_of(writer, OBJECT_LENGTHS), &o->lengths.data[i]);
    for (size_t i = 0; i < o->constants.len; i++)
        put_constant(writer, &o->constants.data[i]);
    for (size_t i = 0; i < o->finishes.len; i++)
        put_finish(bytes_of(writer, OBJECT_FINISHES), &o->finishes.data[i]);
    for (size_t i = 0; i < o->numbers.len; i++)
        put_number(bytes_of(writer, OBJECT_NUMBERS), &o->numbers.data[i]);
    for (size_t i = 0; i < o->debugs.len; i++)
        put_debug(writer, &o->debugs.data[i]);
    for (uint32_t i = 0; i < o->moves.len; i++) {
        put_move(writer, &o->moves.data[i]);
        put_strides(writer, i);
        put_laps(writer, i);
    }
    put_scopes(writer);
    put_indices(writer);
    for (size_t i = 0; i < o->recipes.len; i++)
        put_recipe(writer, &o->recipes.data[i]);
    object_write_kernels(writer);
    for (size_t i = 0; i < o->signatures.len; i++)
        put_signature(writer, &o->signatures.data[i]);
    for (size_t i = 0; i < o->entries.len; i++)
        put_entry(writer, &o->entries.data[i]);
    put_symbol_places(writer, false);
    put_symbol_places(writer, true);
}
