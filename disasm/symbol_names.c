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

static int by_value(const void *a, const void *b) {
    const struct keyed *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

void disasm_names_open(struct symbol_names *n, const struct object *o) {
    struct keyed *keys = xcalloc(o->symbols.len + 1, sizeof *keys);
    *n =
        (struct symbol_names){.o = o, .by_value = xcalloc(o->symbols.len + 1, sizeof *n->by_value)};
    for (uint32_t i = 0; i < o->symbols.len; i++)
        if (o->symbols.data[i].defined && o->symbols.data[i].kind != SYMBOL_ABS)
            keys[n->count++] = (struct keyed){o->symbols.data[i].value, i};
    object_users(o, &n->users, &n->arena, NULL);
    qsort(keys, n->count, sizeof *keys, by_value);
    for (size_t i = 0; i < n->count; i++)
        n->by_value[i] = keys[i].symbol;
    free(keys);
}

void disasm_names_close(struct symbol_names *n) {
    free(n->by_value);
    n->by_value = NULL;
    arena_free(&n->arena);
}

size_t disasm_names_from(const struct symbol_names *n, uint32_t index) {
    size_t low = 0, high = n->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (n->o->symbols.data[n->by_value[middle]].value < (int64_t)index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void disasm_name_of_index(const struct symbol_names *n, uint32_t index, struct str *out) {
    size_t at = disasm_names_from(n, index);
    if (at == n->count || n->o->symbols.data[n->by_value[at]].value != (int64_t)index) {
        if (at == 0)
            return;
        at--;
    }
    const struct symbol *s = &n->o->symbols.data[n->by_value[at]];
    str_append(out, s->name);
    if (s->value != (int64_t)index)
        str_printf(out, "+%" PRIu32, index - (uint32_t)s->value);
}

const struct reloc *disasm_reloc_of(const struct object *o, uint32_t index) {
    size_t low = 0, high = o->relocs.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (o->relocs.data[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low < o->relocs.len && o->relocs.data[low].index == index ? &o->relocs.data[low] : NULL;
}

static void put_addend(int64_t addend, struct str *out) {
    if (addend)
        str_printf(out, "%+" PRId64, addend);
}

void disasm_reloc_target(const struct object *o, const struct reloc *r, struct str *out) {
    switch (r->type) {
    case RELOC_J24:
        str_append(out, o->symbols.data[r->target].name);
        put_addend(r->addend, out);
        break;
    case RELOC_GROUP:
        str_printf(out, "@%s", o->groups.data[r->target].name);
        break;
    case RELOC_MOVE:
        str_append(out, o->moves.data[r->target].name);
        break;
    case RELOC_CALL:
    case RELOC_DEBUG:
        str_printf(out, "%" PRIu32, r->target);
        break;
    case RELOC_VALUE12:
        str_append(out, "value(");
        object_value_element(o, r->target, (uint32_t)r->addend, out);
        str_char(out, ')');
        break;
    default: /* an object holds no others than COUNT and IMM12 */
        str_printf(out, "size(%s)", o->sizes.data[r->target].name);
        put_addend(r->addend, out);
        break;
    }
}

void disasm_call_text(const struct symbol_names *n, uint32_t i, struct str *out) {
    const struct recipe_call *c = &n->o->calls.data[i];
    struct insn insn;
    if (isa_decode(c->word, &insn) == ISA_OK)
        isa_users_format(&n->users, &insn, NULL, out);
    if (c->otherwise != NO_INDEX)
        str_printf(out, " else %s", n->o->symbols.data[c->otherwise].name);
}

void disasm_reloc_type_name(const struct reloc *r, struct str *out) {
    static const char *const names[] = {
        [RELOC_J24] = "J24",         [RELOC_GROUP] = "GROUP", [RELOC_MOVE] = "MOVE",
        [RELOC_CALL] = "CALL",       [RELOC_DEBUG] = "DEBUG", [RELOC_COUNT] = "COUNT",
        [RELOC_MPU] = "MPU",         [RELOC_LUT12] = "LUT12", [RELOC_IMM12] = "IMM12",
        [RELOC_VALUE12] = "VALUE12",
    };
    str_printf(out, "R_MPU_%s", names[r->type]);
    if (r->type == RELOC_IMM12 || r->type == RELOC_VALUE12)
        str_printf(out, "_%u", r->piece);
}

static void put_extent(const struct object *o, const struct extent *e, struct str *out) {
    if (e->size == NO_INDEX)
        str_printf(out, "%" PRIu64, e->value);
    else
        str_append(out, o->sizes.data[e->size].name);
}

void disasm_grid_text(const struct geometry *g, struct str *out) {
    str_printf(out, "[%" PRIu32, g->grid[0]);
    if (g->grid_dims == 2)
        str_printf(out, ", %" PRIu32, g->grid[1]);
    str_char(out, ']');
}

void disasm_group_text(const struct object *o, const struct group *g, struct str *out) {
    str_printf(out, "%s[", g->name);
    for (uint32_t i = 0; i < g->ndim; i++) {
        str_append(out, i ? ", " : "");
        put_extent(o, &g->extent[i], out);
    }
    str_char(out, ']');
    if (g->per_mpu && g->like == NO_INDEX)
        str_append(out, " per mpu");
    if (g->like != NO_INDEX)
        str_printf(out, " like %s", o->groups.data[g->like].name);
    if (g->at_rfh != NO_INDEX)
        str_printf(out, " at RFH%" PRIu32 ".VRF%" PRIu32, g->at_rfh, g->at_vrf);
}

/* The index of a destination's coordinate: a letter, and a number behind it where something else in
 * the program is called so. */
static void put_index(const struct object *o, unsigned d, struct str *out) {
    static const char letters[MOVE_MAX_DIMS] = "ijklpq";
    char name[16] = {letters[d]};
    for (unsigned n = 1;
         object_find_size(o, name) != NO_INDEX || object_find_symbol(o, name) != NO_INDEX;)
        snprintf(name, sizeof name, "%c%u", letters[d], n++);
    str_append(out, name);
}

/* A size by its bare name, unless that means the laps. */
static void put_size(const struct object *o, uint32_t size, struct str *out) {
    const char *name = o->sizes.data[size].name;
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
static bool put_term(struct terms *t, int64_t factor) {
    if (factor)
        put_factor(factor, !t->some, t->out);
    t->some |= factor != 0;
    return factor != 0;
}

static void put_laps(struct terms *t, const struct move *m, enum move_form form, unsigned d) {
    for (unsigned n = 0; m->laps && n < MOVE_MAX_LAPS; n++)
        if (put_term(t, m->laps->coeff[form][d][n])) {
            str_append(t->out, "lap");
            if (n)
                str_printf(t->out, "(%u)", n);
        }
}

/* The size and the number at the end. */
static void put_rest(struct terms *t, int64_t offset, uint32_t size, int64_t size_coeff) {
    if (put_term(t, size_coeff))
        put_size(t->o, size, t->out);
    if (!t->some)
        str_printf(t->out, "%" PRId64, offset);
    else if (offset)
        str_printf(t->out, " %c %" PRId64, offset < 0 ? '-' : '+', offset < 0 ? -offset : offset);
}

static void put_bound(const struct object *o, const struct move *m, enum move_form form, unsigned d,
                      struct str *out) {
    const struct move_bound *b = form == MOVE_FIRST ? &m->first[d] : &m->last[d];
    struct terms t = {.o = o, .out = out};
    put_laps(&t, m, form, d);
    put_rest(&t, b->offset, b->size, b->size_coeff);
}

static void put_stride(const struct object *o, const struct move *m, unsigned d, struct str *out) {
    static const struct move_bound none = {.size = NO_INDEX};
    const struct move_bound *b = m->strides ? &m->strides->offset[d] : &none;
    struct terms t = {.o = o, .out = out};
    put_term(&t, m->strides ? m->strides->coeff[d] : 1);
    put_index(o, d, out);
    put_laps(&t, m, MOVE_STRIDE, d);
    put_rest(&t, b->offset, b->size, b->size_coeff);
}

static void put_side(const struct object *o, uint32_t group, uint8_t reg, uint8_t count, bool has_k,
                     struct str *out) {
    if (group != NO_INDEX)
        str_printf(out, "@%s ", o->groups.data[group].name);
    str_printf(out, "r%u", reg);
    if (has_k)
        str_printf(out, " .. r%u", reg + count - 1u);
}

static void put_destination(const struct object *o, const struct move *m, struct str *out) {
    uint32_t dims = object_move_dims(o, m->dst_group, m->dst_has_k);
    put_side(o, m->dst_group, m->dst_reg, m->dst_count, m->dst_has_k, out);
    for (uint32_t d = 0; d < dims; d++) {
        str_append(out, d ? ", " : "[");
        put_stride(o, m, d, out);
        if (!(m->bounded >> d & 1))
            continue;
        str_append(out, ": ");
        put_bound(o, m, MOVE_FIRST, d, out);
        str_append(out, " .. ");
        put_bound(o, m, MOVE_LAST, d, out);
    }
    str_append(out, dims ? "]" : "");
}

/* In whose VRFs it lies. */
static void put_scope(const struct object *o, const struct group_scope *s, struct str *out) {
    for (uint32_t i = 0; i < s->count; i++)
        str_printf(out, "%s%s", i ? ", " : " in ", o->groups.data[s->groups[i]].name);
}

/* "@g r3: u16[i, j]"; m: from its near side. */
static void put_register_index(const struct object *o, const struct move *m, struct str *out) {
    const struct move_index *x = &m->index;
    uint32_t dims = object_move_dims(o, m->dst_group, m->dst_has_k) - (m->dst_has_k && !x->follows);
    char type[8];
    object_type_text(x->type, type);
    put_side(o, m->dst_group, x->reg, (uint8_t)object_move_index_count(m), x->follows, out);
    str_printf(out, ": %s", type);
    for (uint32_t d = 0; d < dims; d++) {
        str_append(out, d ? ", " : "[");
        put_stride(o, m, d, out);
    }
    str_char(out, ']');
}

static void put_coordinate(const struct object *o, const struct move *m, unsigned c,
                           struct str *out) {
    const struct move_affine *a = &m->source[c];
    struct terms t = {.o = o, .out = out};
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        if (put_term(&t, a->coeff[d]))
            put_index(o, d, out);
    put_laps(&t, m, MOVE_SOURCE, c);
    put_rest(&t, a->offset, a->size, a->size_coeff);
}

static void put_source(const struct object *o, const struct move *m, struct str *out) {
    uint32_t dims = object_move_dims(o, m->src_group, m->src_has_k);
    put_side(o, m->src_group, m->src_reg, m->src_count, m->src_has_k, out);
    for (uint32_t d = 0; d < dims; d++) {
        str_append(out, d ? ", " : "[");
        if (m->index.kind && m->index.coordinate == d)
            put_register_index(o, m, out);
        else
            put_coordinate(o, m, d, out);
    }
    str_append(out, dims ? "]" : "");
}

static void put_scatter(const struct object *o, const struct move *m, struct str *out) {
    struct move near = object_move_from_near(m);
    near.index.kind = INDEX_GATHER;
    put_source(o, &near, out);
    str_append(out, " = ");
    put_destination(o, &near, out);
}

void disasm_move_text(const struct object *o, const struct move *m, struct str *out) {
    str_printf(out, "%s u%u ", m->name, m->width);
    if (m->index.kind == INDEX_SCATTER) {
        put_scatter(o, m, out);
    } else {
        put_destination(o, m, out);
        str_append(out, " = ");
        put_source(o, m, out);
    }
    if (m->outside == MOVE_WRAP)
        str_append(out, " wrap");
    else if (m->outside == MOVE_CLIP)
        str_append(out, " clip");
    else if (m->outside == MOVE_FILL)
        str_printf(out, " else %" PRIu64, m->fill);
    put_scope(o, &m->scope, out);
}

/* How its array differs from its registers. */
static void put_form(const struct object *o, const struct variable *v, struct str *out) {
    static const char *const orders[] = {"", " first", " split"};
    const struct array_form *f = &v->form;
    char type[8];
    object_type_text(v->type, type);
    if (f->type.bits)
        str_printf(out, " as %s", type);
    str_append(out, orders[f->order]);
    if (!f->shaped)
        return;
    str_append(out, " shape[");
    for (uint32_t i = 0; i < f->ndim; i++) {
        str_append(out, i ? ", " : "");
        put_extent(o, &f->shape[i], out);
    }
    str_char(out, ']');
}

void disasm_variable_text(const struct object *o, const struct variable *v, struct str *out) {
    char type[8];
    object_type_text(object_variable_array_type(v), type);
    str_printf(out, "%s: %s", v->name, type);
    if (v->has_k)
        str_printf(out, "[%" PRIu32 "]", v->count);
    if (v->group != NO_INDEX)
        str_printf(out, " @%s", o->groups.data[v->group].name);
    str_printf(out, " = r%u", v->reg);
    put_form(o, v, out);
    put_scope(o, &v->scope, out);
}
