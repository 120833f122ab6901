/* SPDX-License-Identifier: MIT
 * Names for numbers. */
#include "disasm/symbol_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct keyed {
    int64_t value;
    uint32_t symbol;
};

static int by_value(const void *left, const void *right) {
    const struct keyed *x = left, *y = right;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

void disasm_names_open(struct symbol_names *names, const struct object *object) {
    struct keyed *keys = xcalloc(object->symbols.len + 1, sizeof *keys);
    *names = (struct symbol_names){
        .o = object, .by_value = xcalloc(object->symbols.len + 1, sizeof *names->by_value)};
    for (uint32_t i = 0; i < object->symbols.len; i++)
        if (object->symbols.data[i].defined && object->symbols.data[i].kind != SYMBOL_ABS)
            keys[names->count++] = (struct keyed){object->symbols.data[i].value, i};
    object_users(object, &names->users, &names->arena, NULL);
    qsort(keys, names->count, sizeof *keys, by_value);
    for (size_t i = 0; i < names->count; i++)
        names->by_value[i] = keys[i].symbol;
    free(keys);
}

void disasm_names_close(struct symbol_names *names) {
    free(names->by_value);
    names->by_value = NULL;
    arena_free(&names->arena);
}

size_t disasm_names_from(const struct symbol_names *names, uint32_t index) {
    size_t low = 0, high = names->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (names->o->symbols.data[names->by_value[middle]].value < (int64_t)index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void disasm_name_of_index(const struct symbol_names *names, uint32_t index, struct str *out) {
    size_t at = disasm_names_from(names, index);
    if (at == names->count || names->o->symbols.data[names->by_value[at]].value != (int64_t)index) {
        if (at == 0)
            return;
        at--;
    }
    const struct symbol *s = &names->o->symbols.data[names->by_value[at]];
    str_append(out, s->name);
    if (s->value != (int64_t)index)
        str_printf(out, "+%" PRIu32, index - (uint32_t)s->value);
}

const struct reloc *disasm_reloc_of(const struct object *object, uint32_t index) {
    size_t low = 0, high = object->relocs.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (object->relocs.data[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low < object->relocs.len && object->relocs.data[low].index == index
               ? &object->relocs.data[low]
               : NULL;
}

static void put_addend(int64_t addend, struct str *out) {
    if (addend)
        str_printf(out, "%+" PRId64, addend);
}

void disasm_reloc_target(const struct object *object, const struct reloc *reloc, struct str *out) {
    switch (reloc->type) {
    case RELOC_J24:
        str_append(out, object->symbols.data[reloc->target].name);
        put_addend(reloc->addend, out);
        break;
    case RELOC_GROUP:
        str_printf(out, "@%s", object->groups.data[reloc->target].name);
        break;
    case RELOC_MOVE:
        str_append(out, object->moves.data[reloc->target].name);
        break;
    case RELOC_CALL:
    case RELOC_DEBUG:
        str_printf(out, "%" PRIu32, reloc->target);
        break;
    case RELOC_LUT12:
        str_append(out, object->luts.data[reloc->target].name);
        break;
    case RELOC_VALUE12:
        str_append(out, "value(");
        object_value_element(object, reloc->target, (uint32_t)reloc->addend, out);
        str_char(out, ')');
        break;
    default: /* an object holds no others than COUNT and IMM12 */
        str_printf(out, "size(%s)", object->sizes.data[reloc->target].name);
        put_addend(reloc->addend, out);
        break;
    }
}

bool disasm_decode(const struct object *object, uint32_t index, const struct reloc *reloc,
                   struct insn *insn, enum isa_error *error) {
    *error = object_decode(object, object->text.data[index], insn);
    if (*error == ISA_OK && reloc && reloc->type == RELOC_LUT12)
        insn->width = reloc->piece;
    return *error == ISA_OK;
}

void disasm_call_text(const struct symbol_names *names, uint32_t index, struct str *out) {
    const struct recipe_call *c = &names->o->calls.data[index];
    struct insn insn;
    const struct kernel_decl *k = object_call_kernel(names->o, c);
    if (k)
        object_kernel_call_text(names->o, c, out);
    else if (isa_decode(c->word, &insn) == ISA_OK)
        isa_users_format(&names->users, &insn, NULL, out);
    if (c->otherwise != NO_INDEX && !(k && c->otherwise == k->otherwise))
        str_printf(out, " else %s", names->o->symbols.data[c->otherwise].name);
}

void disasm_reloc_type_name(const struct reloc *reloc, struct str *out) {
    static const char *const names[] = {
        [RELOC_J24] = "J24",         [RELOC_GROUP] = "GROUP", [RELOC_MOVE] = "MOVE",
        [RELOC_CALL] = "CALL",       [RELOC_DEBUG] = "DEBUG", [RELOC_COUNT] = "COUNT",
        [RELOC_MPU] = "MPU",         [RELOC_LUT12] = "LUT12", [RELOC_IMM12] = "IMM12",
        [RELOC_VALUE12] = "VALUE12",
    };
    str_printf(out, "R_MPU_%s", names[reloc->type]);
    if (reloc->type == RELOC_IMM12 || reloc->type == RELOC_VALUE12 || reloc->type == RELOC_LUT12)
        str_printf(out, "_%u", reloc->piece);
}

static void put_extent(const struct object *object, const struct extent *extent, struct str *out) {
    if (extent->size == NO_INDEX)
        str_printf(out, "%" PRIu64, extent->value);
    else
        str_append(out, object->sizes.data[extent->size].name);
}

void disasm_grid_text(const struct geometry *geometry, struct str *out) {
    str_printf(out, "[%" PRIu32, geometry->grid[0]);
    if (geometry->grid_dims == 2)
        str_printf(out, ", %" PRIu32, geometry->grid[1]);
    str_char(out, ']');
}

void disasm_group_text(const struct object *object, const struct group *group, struct str *out) {
    str_printf(out, "%s[", group->name);
    for (uint32_t i = 0; i < group->ndim; i++) {
        str_append(out, i ? ", " : "");
        put_extent(object, &group->extent[i], out);
    }
    str_char(out, ']');
    if (group->per_mpu && group->like == NO_INDEX)
        str_append(out, " per mpu");
    if (group->like != NO_INDEX)
        str_printf(out, " like %s", object->groups.data[group->like].name);
    if (group->at_rfh != NO_INDEX)
        str_printf(out, " at RFH%" PRIu32 ".VRF%" PRIu32, group->at_rfh, group->at_vrf);
}

/* The index of a destination's coordinate: a letter, and a number behind it where something else in
 * the program is called so. */
static void put_index(const struct object *object, unsigned d, struct str *out) {
    static const char letters[MOVE_MAX_DIMS] = "ijklpq";
    char name[16] = {letters[d]};
    for (unsigned n = 1; object_find_size(object, name) != NO_INDEX ||
                         object_find_symbol(object, name) != NO_INDEX;)
        snprintf(name, sizeof name, "%c%u", letters[d], n++);
    str_append(out, name);
}

/* A size by its bare name, unless that means the laps. */
static void put_size(const struct object *object, uint32_t size, struct str *out) {
    const char *name = object->sizes.data[size].name;
    str_printf(out, strcmp(name, "lap") == 0 ? "size(%s)" : "%s", name);
}

/* " + 2 * " or " - " before the next term; the first has no blanks around its sign. */
static void put_factor(int64_t factor, bool first, struct str *out) {
    uint64_t size = factor < 0 ? (uint64_t)-factor : (uint64_t)factor;
    str_append(out, first ? factor < 0 ? "-" : "" : factor < 0 ? " - " : " + ");
    if (size != 1)
        str_printf(out, "%" PRIu64 " * ", size);
}

/* A sum as it is written; its first term has no blanks around its sign. */
struct terms {
    const struct object *o;
    struct str *out;
    bool some;
};

/* The sign and the factor before a name that follows; false if it is 0 times that. */
static bool put_term(struct terms *terms, int64_t factor) {
    if (factor)
        put_factor(factor, !terms->some, terms->out);
    terms->some |= factor != 0;
    return factor != 0;
}

static void put_laps(struct terms *terms, const struct move *move, enum move_form form,
                     unsigned d) {
    for (unsigned n = 0; move->laps && n < MOVE_MAX_LAPS; n++)
        if (put_term(terms, move->laps->coeff[form][d][n])) {
            str_append(terms->out, "lap");
            if (n)
                str_printf(terms->out, "(%u)", n);
        }
}

/* The size and the number at the end. */
static void put_rest(struct terms *terms, int64_t offset, uint32_t size, int64_t size_coeff) {
    if (put_term(terms, size_coeff))
        put_size(terms->o, size, terms->out);
    if (!terms->some)
        str_printf(terms->out, "%" PRId64, offset);
    else if (offset)
        str_printf(terms->out, " %c %" PRId64, offset < 0 ? '-' : '+',
                   offset < 0 ? -offset : offset);
}

static void put_bound(const struct object *object, const struct move *move, enum move_form form,
                      unsigned d, struct str *out) {
    const struct move_bound *b = form == MOVE_FIRST ? &move->first[d] : &move->last[d];
    struct terms t = {.o = object, .out = out};
    put_laps(&t, move, form, d);
    put_rest(&t, b->offset, b->size, b->size_coeff);
}

static void put_stride(const struct object *object, const struct move *move, unsigned d,
                       struct str *out) {
    static const struct move_bound none = {.size = NO_INDEX};
    const struct move_bound *b = move->strides ? &move->strides->offset[d] : &none;
    struct terms t = {.o = object, .out = out};
    put_term(&t, move->strides ? move->strides->coeff[d] : 1);
    put_index(object, d, out);
    put_laps(&t, move, MOVE_STRIDE, d);
    put_rest(&t, b->offset, b->size, b->size_coeff);
}

static void put_side(const struct object *object, uint32_t group, uint8_t reg, uint8_t count,
                     bool has_k, struct str *out) {
    if (group != NO_INDEX)
        str_printf(out, "@%s ", object->groups.data[group].name);
    str_printf(out, "r%u", reg);
    if (has_k)
        str_printf(out, " .. r%u", reg + count - 1u);
}

static void put_destination(const struct object *object, const struct move *move, struct str *out) {
    uint32_t dims = object_move_dims(object, move->dst_group, move->dst_has_k);
    put_side(object, move->dst_group, move->dst_reg, move->dst_count, move->dst_has_k, out);
    for (uint32_t d = 0; d < dims; d++) {
        str_append(out, d ? ", " : "[");
        put_stride(object, move, d, out);
        if (!(move->bounded >> d & 1))
            continue;
        str_append(out, ": ");
        put_bound(object, move, MOVE_FIRST, d, out);
        str_append(out, " .. ");
        put_bound(object, move, MOVE_LAST, d, out);
    }
    str_append(out, dims ? "]" : "");
}

/* In whose VRFs it lies. */
static void put_scope(const struct object *object, const struct group_scope *scope,
                      struct str *out) {
    for (uint32_t i = 0; i < scope->count; i++)
        str_printf(out, "%s%s", i ? ", " : " in ", object->groups.data[scope->groups[i]].name);
}

/* "@g r3: u16[i, j]"; move: from its near side. */
static void put_register_index(const struct object *object, const struct move *move,
                               struct str *out) {
    const struct move_index *x = &move->index;
    uint32_t dims = object_move_dims(object, move->dst_group, move->dst_has_k) -
                    (move->dst_has_k && !x->follows);
    char type[8];
    object_type_text(x->type, type);
    put_side(object, move->dst_group, x->reg, (uint8_t)object_move_index_count(move), x->follows,
             out);
    str_printf(out, ": %s", type);
    for (uint32_t d = 0; d < dims; d++) {
        str_append(out, d ? ", " : "[");
        put_stride(object, move, d, out);
    }
    str_char(out, ']');
}

static void put_coordinate(const struct object *object, const struct move *move, unsigned c,
                           struct str *out) {
    const struct move_affine *a = &move->source[c];
    struct terms t = {.o = object, .out = out};
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        if (put_term(&t, a->coeff[d]))
            put_index(object, d, out);
    put_laps(&t, move, MOVE_SOURCE, c);
    put_rest(&t, a->offset, a->size, a->size_coeff);
}

static void put_source(const struct object *object, const struct move *move, struct str *out) {
    uint32_t dims = object_move_dims(object, move->src_group, move->src_has_k);
    put_side(object, move->src_group, move->src_reg, move->src_count, move->src_has_k, out);
    for (uint32_t d = 0; d < dims; d++) {
        str_append(out, d ? ", " : "[");
        if (move->index.kind && move->index.coordinate == d)
            put_register_index(object, move, out);
        else
            put_coordinate(object, move, d, out);
    }
    str_append(out, dims ? "]" : "");
}

static void put_scatter(const struct object *object, const struct move *move, struct str *out) {
    struct move near = object_move_from_near(move);
    near.index.kind = INDEX_GATHER;
    put_source(object, &near, out);
    str_append(out, " = ");
    put_destination(object, &near, out);
}

void disasm_move_text(const struct object *object, const struct move *move, struct str *out) {
    str_printf(out, "%s u%u ", move->name, move->width);
    if (move->index.kind == INDEX_SCATTER) {
        put_scatter(object, move, out);
    } else {
        put_destination(object, move, out);
        str_append(out, " = ");
        put_source(object, move, out);
    }
    if (move->outside == MOVE_WRAP)
        str_append(out, " wrap");
    else if (move->outside == MOVE_CLIP)
        str_append(out, " clip");
    else if (move->outside == MOVE_FILL)
        str_printf(out, " else %" PRIu64, move->fill);
    put_scope(object, &move->scope, out);
}

/* How its array differs from its registers. */
static void put_form(const struct object *object, const struct variable *variable,
                     struct str *out) {
    static const char *const orders[] = {"", " first", " split"};
    const struct array_form *f = &variable->form;
    char type[8];
    object_type_text(variable->type, type);
    if (f->type.bits)
        str_printf(out, " as %s", type);
    str_append(out, orders[f->order]);
    if (!f->shaped)
        return;
    str_append(out, " shape[");
    for (uint32_t i = 0; i < f->ndim; i++) {
        str_append(out, i ? ", " : "");
        put_extent(object, &f->shape[i], out);
    }
    str_char(out, ']');
}

void disasm_variable_text(const struct object *object, const struct variable *variable,
                          struct str *out) {
    char type[8];
    object_type_text(object_variable_array_type(variable), type);
    str_printf(out, "%s: %s", variable->name, type);
    if (variable->has_k)
        str_printf(out, "[%" PRIu32 "]", variable->count);
    if (variable->group != NO_INDEX)
        str_printf(out, " @%s", object->groups.data[variable->group].name);
    str_printf(out, " = r%u", variable->reg);
    put_form(object, variable, out);
    put_scope(object, &variable->scope, out);
}
