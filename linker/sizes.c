/* SPDX-License-Identifier: MIT
 * Sizes: their values, and the words that depend on them. */
#include "linker/pack.h"
#include "linker/where.h"
#include "support/bits.h"

#include <inttypes.h>
#include <string.h>

static void unknown_size(const struct object *o, const char *name, struct diag *d) {
    const char **names = xcalloc(o->sizes.len + 1, sizeof *names);
    size_t count = object_given_sizes(o, names);
    diag_error(d, NO_SPAN, "the program has no size '%s'", name);
    diag_suggest(d, NO_SPAN, name, names, count);
    struct str list = {0};
    for (size_t i = 0; i < count; i++)
        str_printf(&list, "%s%s", i ? ", " : "", names[i]);
    diag_note(d, NO_SPAN, count ? "its sizes are: %s" : "it has no sizes%s", str_text(&list));
    str_free(&list);
    free(names);
}

static bool bind_one(const struct object *o, const struct size_binding *b, int64_t *values,
                     bool *bound, struct diag *d) {
    uint32_t i = object_find_size(o, b->name);
    if (i == NO_INDEX) {
        if (d)
            unknown_size(o, b->name, d);
        return false;
    }
    bound[i] = true; /* a wrong value is one mistake, not two */
    if (o->sizes.data[i].op != SIZE_GIVEN) {
        if (d)
            object_size_derived(o, i, d);
        return false;
    }
    if (b->value < 1 || b->value > OBJECT_MAX_EXTENT) {
        if (d)
            diag_error(d, NO_SPAN, "size '%s' cannot be %" PRIu64 "; sizes are 1 to 2^40", b->name,
                       b->value);
        return false;
    }
    values[i] = (int64_t)b->value;
    return object_size_allows(o, i, b->value, d);
}

static bool default_one(const struct object *o, uint32_t i, int64_t *values, struct diag *d) {
    const struct size_decl *s = &o->sizes.data[i];
    values[i] = (int64_t)s->value;
    if (s->has_default)
        return true;
    if (d)
        diag_error(d, object_span(o, s->place, d),
                   "size '%s' has no value; give it one with --size %s=N", s->name, s->name);
    return false;
}

static bool bind_given(const struct object *o, const struct size_binding *bindings, size_t count,
                       int64_t *values, struct diag *d) {
    bool ok = true;
    bool *bound = xcalloc(o->sizes.len + 1, sizeof *bound);
    for (size_t i = 0; i < count; i++)
        ok = (bindings[i].elements || bind_one(o, &bindings[i], values, bound, d)) && ok;
    for (uint32_t i = 0; i < o->sizes.len; i++)
        if (!bound[i] && o->sizes.data[i].op == SIZE_GIVEN)
            ok = default_one(o, i, values, d) && ok;
    free(bound);
    return ok;
}

/* All that a formula is made of stands before it, and must have its value. */
static bool derive_all(const struct object *o, int64_t *values, struct diag *d) {
    for (uint32_t i = 0; i < o->sizes.len; i++)
        if (o->sizes.data[i].op != SIZE_GIVEN && !object_size_value(o, i, values, &values[i], d))
            return false;
    return true;
}

/* Given sizes always can be extents. */
static bool check_extent(const struct object *o, const struct group *g, const struct extent *e,
                         const int64_t *values, struct diag *d) {
    if (e->size == NO_INDEX || values[e->size] >= 1)
        return true;
    if (d) {
        diag_error(d, object_span(o, g->place, d),
                   "an extent of group '%s' comes to %" PRId64 "; extents are 1 to 2^40", g->name,
                   values[e->size]);
        object_size_note(o, e->size, values, d);
    }
    return false;
}

bool link_check_extents(const struct object *o, const int64_t *values, struct diag *d) {
    bool ok = true;
    for (size_t i = 0; i < o->groups.len; i++)
        for (uint32_t k = 0; k < o->groups.data[i].ndim; k++)
            ok = check_extent(o, &o->groups.data[i], &o->groups.data[i].extent[k], values, d) && ok;
    return ok;
}

bool link_bind_sizes(const struct object *o, const struct size_binding *bindings, size_t count,
                     int64_t *values, struct diag *d) {
    return bind_given(o, bindings, count, values, d) && derive_all(o, values, d) &&
           link_check_extents(o, values, d);
}

/* `elements` times the extents of a group; 0 if they are more than OBJECT_MAX_EXTENT. */
static uint64_t times_extents(const struct group *g, const int64_t *sizes, uint64_t elements) {
    for (uint32_t i = 0; i < g->ndim; i++) {
        const struct extent *e = &g->extent[i];
        uint64_t n = e->size == NO_INDEX ? e->value : (uint64_t)sizes[e->size];
        if (n == 0 || elements > OBJECT_MAX_EXTENT / n)
            return 0;
        elements *= n;
    }
    return elements;
}

uint64_t link_group_elements(const struct object *o, const int64_t *sizes, uint32_t group) {
    const struct group *g = &o->groups.data[group];
    return times_extents(g, sizes, g->per_mpu ? grid_mpus(&o->geometry) : 1);
}

uint64_t link_group_share(const struct object *o, const int64_t *sizes, uint32_t group) {
    return times_extents(&o->groups.data[group], sizes, 1);
}

/* A group is like one before it (object_check). */
void link_find_kin(const struct object *o, const int64_t *sizes, uint32_t *leader, uint64_t *most) {
    for (uint32_t g = 0; g < o->groups.len; g++) {
        uint32_t like = o->groups.data[g].like;
        leader[g] = like == NO_INDEX ? g : leader[like];
        if (!most)
            continue;
        uint64_t elements = link_group_share(o, sizes, g);
        most[leader[g]] = leader[g] == g || elements > most[leader[g]] ? elements : most[leader[g]];
    }
}

static bool patch_count(const struct object *o, const struct reloc *r, const int64_t *sizes,
                        uint32_t *text, struct diag *d) {
    int64_t value = sizes[r->target] + r->addend;
    if (value >= 0 && value < INT64_C(1) << 22) {
        text[r->index] = (text[r->index] & ~UINT32_C(0x3fffff)) | (uint32_t)value;
        return true;
    }
    if (d) {
        struct str from = {0};
        object_size_said(o, r->target, &from);
        diag_error(d, link_text_span(o, r->index, d),
                   "the repeat count %" PRId64 " from %s is not in 0..%d", value, str_text(&from),
                   (1 << 22) - 1);
        object_size_note(o, r->target, sizes, d);
        link_note_where(o, r->index, d);
        str_free(&from);
    }
    return false;
}

static void patch_piece(const struct reloc *r, int64_t value, uint32_t *text) {
    uint32_t piece = (uint32_t)((uint64_t)value >> (12 * r->piece)) & 0xfff;
    text[r->index] = (text[r->index] & ~UINT32_C(0xfff)) | piece;
}

/* True if relocation b makes a further piece of the constant that a begins. */
static bool continues(const struct object *o, const struct reloc *a, const struct reloc *b,
                      const struct insn *first) {
    struct insn i;
    return b->type == a->type && b->piece > 0 && b->target == a->target && b->addend == a->addend &&
           isa_decode(o->text.data[b->index], &i) == ISA_OK && i.rd == first->rd &&
           i.width == first->width;
}

/* LI sign-extends its 12 bits, LIKk replaces 12 more each: the register must end with the whole
 * value, else the constant needs more pieces. */
static bool constant_fits(const struct object *o, size_t n, int64_t value, bool is_unsigned,
                          unsigned *width) {
    const struct reloc *a = &o->relocs.data[n];
    struct insn first;
    *width = 64;
    if (a->piece != 0 || isa_decode(o->text.data[a->index], &first) != ISA_OK)
        return true;
    uint64_t made = (uint64_t)sign_extend((uint64_t)value, 12);
    for (size_t i = n + 1; i < o->relocs.len; i++) {
        const struct reloc *b = &o->relocs.data[i];
        if (b->index != a->index + (i - n) || !continues(o, a, b, &first))
            break;
        uint64_t mask = UINT64_C(0xfff) << (12 * b->piece);
        made = (made & ~mask) | ((uint64_t)value & mask);
    }
    unsigned w = *width = first.width;
    bool in_range = w == 64 || (uint64_t)value <= low_bits(w) ||
                    (!is_unsigned && value < 0 && value >= -(INT64_C(1) << (w - 1)));
    return in_range && ((made ^ (uint64_t)value) & low_bits(w)) == 0;
}

/* What words depend on; first[v] is where the elements of value v begin. */
struct patcher {
    const struct object *o;
    const int64_t *sizes;
    const uint64_t *values;
    const uint32_t *first;
    uint32_t *text;
    struct diag *d;
};

/* "size 'n'", a formula, or "value k[3]". */
static void put_source(const struct patcher *p, const struct reloc *r, struct str *out) {
    if (r->type != RELOC_VALUE12) {
        object_size_said(p->o, r->target, out);
        return;
    }
    str_append(out, "value ");
    object_value_element(p->o, r->target, (uint32_t)r->addend, out);
}

static void no_room(const struct patcher *p, const struct reloc *r, int64_t value, bool is_unsigned,
                    unsigned width) {
    struct str from = {0};
    if (is_unsigned)
        str_printf(&from, "%" PRIu64 ", from ", (uint64_t)value);
    else
        str_printf(&from, "%" PRId64 ", from ", value);
    put_source(p, r, &from);
    diag_error(p->d, link_text_span(p->o, r->index, p->d),
               "%s, does not fit the constant of %u bits that is made here", str_text(&from),
               width);
    if (r->type != RELOC_VALUE12)
        object_size_note(p->o, r->target, p->sizes, p->d);
    link_note_where(p->o, r->index, p->d);
    str_free(&from);
}

static bool patch_constant(const struct patcher *p, size_t n, int64_t value, bool is_unsigned) {
    const struct reloc *r = &p->o->relocs.data[n];
    struct insn insn;
    unsigned width;
    patch_piece(r, value, p->text);
    if (constant_fits(p->o, n, value, is_unsigned, &width) &&
        isa_decode(p->text[r->index], &insn) == ISA_OK)
        return true;
    if (p->d)
        no_room(p, r, value, is_unsigned, width);
    return false;
}

static bool patch_one(const struct patcher *p, size_t n) {
    const struct reloc *r = &p->o->relocs.data[n];
    if (r->type == RELOC_COUNT)
        return patch_count(p->o, r, p->sizes, p->text, p->d);
    if (r->type == RELOC_IMM12)
        return patch_constant(p, n, p->sizes[r->target] + r->addend, false); /* within 2^41 */
    bool is_unsigned = p->o->values.data[r->target].type.kind != TYPE_INT;
    return patch_constant(p, n, (int64_t)p->values[p->first[r->target] + r->addend], is_unsigned);
}

static bool is_patched(const struct reloc *r) {
    return r->type == RELOC_COUNT || r->type == RELOC_IMM12 || r->type == RELOC_VALUE12;
}

void link_list_patches(const struct object *o, struct package *p) {
    uint32_t *list = ARENA_ARRAY(&p->arena, o->relocs.len, uint32_t);
    for (size_t i = 0; i < o->relocs.len; i++)
        if (is_patched(&o->relocs.data[i]))
            list[p->patch_count++] = o->relocs.data[i].index;
    p->patches = list;
}

bool link_patch_text(const struct object *o, const int64_t *sizes, const uint64_t *values,
                     uint32_t *text, struct diag *d) {
    bool ok = true;
    uint32_t *first = xcalloc(o->values.len + 1, sizeof *first);
    struct patcher p = {o, sizes, values, first, text, d};
    object_value_elements(o, first);
    if (o->text.len)
        memcpy(text, o->text.data, o->text.len * sizeof *text);
    for (size_t i = 0; i < o->relocs.len; i++)
        if (is_patched(&o->relocs.data[i]))
            ok = patch_one(&p, i) && ok;
    free(first);
    return ok;
}
