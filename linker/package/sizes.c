/* SPDX-License-Identifier: MIT
 * Sizes: their values, and the words that depend on them. */
#include "linker/package/pack.h"
#include "linker/where.h"
#include "support/bits.h"

#include <inttypes.h>
#include <string.h>

static void unknown_size(const struct object *object, const char *name, struct diag *diag) {
    const char **names = xcalloc(object->sizes.len + 1, sizeof *names);
    size_t count = object_given_sizes(object, names);
    diag_error(diag, NO_SPAN, "the program has no size '%s'", name);
    diag_suggest(diag, NO_SPAN, name, names, count);
    struct str list = {0};
    for (size_t i = 0; i < count; i++)
        str_printf(&list, "%s%s", i ? ", " : "", names[i]);
    diag_note(diag, NO_SPAN, count ? "its sizes are: %s" : "it has no sizes%s", str_text(&list));
    str_free(&list);
    free(names);
}

static bool bind_one(const struct object *object, const struct size_binding *binding,
                     int64_t *values, bool *bound, struct diag *diag) {
    uint32_t i = object_find_size(object, binding->name);
    if (i == NO_INDEX) {
        if (diag)
            unknown_size(object, binding->name, diag);
        return false;
    }
    bound[i] = true; /* a wrong value is one mistake, not two */
    if (object->sizes.data[i].op != SIZE_GIVEN) {
        if (diag)
            object_size_derived(object, i, diag);
        return false;
    }
    if (binding->value < 1 || binding->value > OBJECT_MAX_EXTENT) {
        if (diag)
            diag_error(diag, NO_SPAN, "size '%s' cannot be %" PRIu64 "; sizes are 1 to 2^40",
                       binding->name, binding->value);
        return false;
    }
    values[i] = (int64_t)binding->value;
    return object_size_allows(object, i, binding->value, diag);
}

static bool default_one(const struct object *object, uint32_t index, int64_t *values,
                        struct diag *diag) {
    const struct size_decl *s = &object->sizes.data[index];
    values[index] = (int64_t)s->value;
    if (s->has_default)
        return true;
    uint32_t buffer = diag ? object_buffer_of_length(object, index) : NO_INDEX;
    if (buffer != NO_INDEX)
        object_report_length(object, buffer, diag);
    else if (diag)
        diag_error(diag, object_span(object, s->place, diag),
                   "size '%s' has no value; give it one with --size %s=N", s->name, s->name);
    return false;
}

static bool bind_given(const struct object *object, const struct size_binding *bindings,
                       size_t count, int64_t *values, struct diag *diag) {
    bool ok = true;
    bool *bound = xcalloc(object->sizes.len + 1, sizeof *bound);
    for (size_t i = 0; i < count; i++)
        ok = (bindings[i].elements || bind_one(object, &bindings[i], values, bound, diag)) && ok;
    for (uint32_t i = 0; i < object->sizes.len; i++)
        if (!bound[i] && object->sizes.data[i].op == SIZE_GIVEN)
            ok = default_one(object, i, values, diag) && ok;
    free(bound);
    return ok;
}

/* All that a formula is made of stands before it, and must have its value. */
static bool derive_all(const struct object *object, int64_t *values, struct diag *diag) {
    for (uint32_t i = 0; i < object->sizes.len; i++)
        if (object->sizes.data[i].op != SIZE_GIVEN &&
            !object_size_value(object, i, values, &values[i], diag))
            return false;
    return true;
}

/* Given sizes always can be extents. */
static bool can_be_extent(const struct extent *extent, const int64_t *values) {
    return extent->size == NO_INDEX || values[extent->size] >= 1;
}

static bool check_extent(const struct object *object, const struct group *group,
                         const struct extent *extent, const int64_t *values, struct diag *diag) {
    if (can_be_extent(extent, values))
        return true;
    if (diag) {
        diag_error(diag, object_span(object, group->place, diag),
                   "an extent of group '%s' comes to %" PRId64 "; extents are 1 to 2^40",
                   group->name, values[extent->size]);
        object_size_note(object, extent->size, values, diag);
    }
    return false;
}

/* Of what an INDEX counts: no lane divides by less than 1. */
static bool check_number(const struct object *object, const struct number_record *record,
                         const int64_t *values, struct diag *diag) {
    const struct extent *bad = !can_be_extent(&record->every, values)   ? &record->every
                               : !can_be_extent(&record->below, values) ? &record->below
                                                                        : NULL;
    if (bad && diag) {
        diag_error(diag, link_text_span(object, record->index, diag),
                   "INDEX counts by %" PRId64 " here; it must be 1 to 2^40", values[bad->size]);
        object_size_note(object, bad->size, values, diag);
        link_note_where(object, record->index, diag);
    }
    return !bad;
}

bool link_check_extents(const struct object *object, const int64_t *values, struct diag *diag) {
    bool ok = true;
    for (size_t i = 0; i < object->numbers.len; i++)
        ok = check_number(object, &object->numbers.data[i], values, diag) && ok;
    for (size_t i = 0; i < object->groups.len; i++)
        for (uint32_t k = 0; k < object->groups.data[i].ndim; k++)
            ok = check_extent(object, &object->groups.data[i], &object->groups.data[i].extent[k],
                              values, diag) &&
                 ok;
    return ok;
}

bool link_bind_sizes(const struct object *object, const struct size_binding *bindings, size_t count,
                     int64_t *values, struct diag *diag) {
    return bind_given(object, bindings, count, values, diag) && derive_all(object, values, diag) &&
           link_check_extents(object, values, diag);
}

/* `elements` times the extents of a group; 0 if they are more than OBJECT_MAX_EXTENT. */
static uint64_t times_extents(const struct group *group, const int64_t *sizes, uint64_t elements) {
    for (uint32_t i = 0; i < group->ndim; i++) {
        const struct extent *e = &group->extent[i];
        uint64_t n = e->size == NO_INDEX ? e->value : (uint64_t)sizes[e->size];
        if (n == 0 || elements > OBJECT_MAX_EXTENT / n)
            return 0;
        elements *= n;
    }
    return elements;
}

uint64_t link_group_elements(const struct object *object, const int64_t *sizes, uint32_t group) {
    const struct group *g = &object->groups.data[group];
    return times_extents(g, sizes, g->per_mpu ? grid_mpus(&object->geometry) : 1);
}

uint64_t link_group_share(const struct object *object, const int64_t *sizes, uint32_t group) {
    return times_extents(&object->groups.data[group], sizes, 1);
}

/* A group is like one before it (object_check). */
void link_find_kin(const struct object *object, const int64_t *sizes, uint32_t *leader,
                   uint64_t *most) {
    for (uint32_t g = 0; g < object->groups.len; g++) {
        uint32_t like = object->groups.data[g].like;
        leader[g] = like == NO_INDEX ? g : leader[like];
        if (!most)
            continue;
        uint64_t elements = link_group_share(object, sizes, g);
        most[leader[g]] = leader[g] == g || elements > most[leader[g]] ? elements : most[leader[g]];
    }
}

static bool patch_count(const struct object *object, const struct reloc *reloc,
                        const int64_t *sizes, uint32_t *text, struct diag *diag) {
    int64_t value = sizes[reloc->target] + reloc->addend;
    if (value >= 0 && value < INT64_C(1) << 22) {
        text[reloc->index] = (text[reloc->index] & ~UINT32_C(0x3fffff)) | (uint32_t)value;
        return true;
    }
    if (diag) {
        struct str from = {0};
        object_size_said(object, reloc->target, &from);
        diag_error(diag, link_text_span(object, reloc->index, diag),
                   "the repeat count %" PRId64 " from %s is not in 0..%d", value, str_text(&from),
                   (1 << 22) - 1);
        object_size_note(object, reloc->target, sizes, diag);
        link_note_where(object, reloc->index, diag);
        str_free(&from);
    }
    return false;
}

static void patch_piece(const struct reloc *reloc, int64_t value, uint32_t *text) {
    uint32_t piece = (uint32_t)((uint64_t)value >> (12 * reloc->piece)) & 0xfff;
    text[reloc->index] = (text[reloc->index] & ~UINT32_C(0xfff)) | piece;
}

/* True if relocation right makes a further piece of the constant that left begins. */
static bool continues(const struct object *object, const struct reloc *left,
                      const struct reloc *right, const struct insn *first) {
    struct insn i;
    return right->type == left->type && right->piece > 0 && right->target == left->target &&
           right->addend == left->addend &&
           isa_decode(object->text.data[right->index], &i) == ISA_OK && i.rd == first->rd &&
           i.width == first->width;
}

/* LI sign-extends its 12 bits, LIKk replaces 12 more each: the register must end with the whole
 * value, else the constant needs more pieces. */
static bool constant_fits(const struct object *object, size_t n, int64_t value, bool is_unsigned,
                          unsigned *width) {
    const struct reloc *a = &object->relocs.data[n];
    struct insn first;
    *width = 64;
    if (a->piece != 0 || isa_decode(object->text.data[a->index], &first) != ISA_OK)
        return true;
    uint64_t made = (uint64_t)sign_extend((uint64_t)value, 12);
    for (size_t i = n + 1; i < object->relocs.len; i++) {
        const struct reloc *b = &object->relocs.data[i];
        if (b->index != a->index + (i - n) || !continues(object, a, b, &first))
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
static void put_source(const struct patcher *patcher, const struct reloc *reloc, struct str *out) {
    if (reloc->type != RELOC_VALUE12) {
        object_size_said(patcher->o, reloc->target, out);
        return;
    }
    str_append(out, "value ");
    object_value_element(patcher->o, reloc->target, (uint32_t)reloc->addend, out);
}

static void no_room(const struct patcher *patcher, const struct reloc *reloc, int64_t value,
                    bool is_unsigned, unsigned width) {
    struct str from = {0};
    if (is_unsigned)
        str_printf(&from, "%" PRIu64 ", from ", (uint64_t)value);
    else
        str_printf(&from, "%" PRId64 ", from ", value);
    put_source(patcher, reloc, &from);
    diag_error(patcher->d, link_text_span(patcher->o, reloc->index, patcher->d),
               "%s, does not fit the constant of %u bits that is made here", str_text(&from),
               width);
    if (reloc->type != RELOC_VALUE12)
        object_size_note(patcher->o, reloc->target, patcher->sizes, patcher->d);
    link_note_where(patcher->o, reloc->index, patcher->d);
    str_free(&from);
}

static bool patch_constant(const struct patcher *patcher, size_t n, int64_t value,
                           bool is_unsigned) {
    const struct reloc *r = &patcher->o->relocs.data[n];
    struct insn insn;
    unsigned width;
    patch_piece(r, value, patcher->text);
    if (constant_fits(patcher->o, n, value, is_unsigned, &width) &&
        isa_decode(patcher->text[r->index], &insn) == ISA_OK)
        return true;
    if (patcher->d)
        no_room(patcher, r, value, is_unsigned, width);
    return false;
}

static bool patch_one(const struct patcher *patcher, size_t n) {
    const struct reloc *r = &patcher->o->relocs.data[n];
    if (r->type == RELOC_COUNT)
        return patch_count(patcher->o, r, patcher->sizes, patcher->text, patcher->d);
    if (r->type == RELOC_IMM12)
        return patch_constant(patcher, n, patcher->sizes[r->target] + r->addend,
                              false); /* within 2^41 */
    bool is_unsigned = patcher->o->values.data[r->target].type.kind != TYPE_INT;
    return patch_constant(
        patcher, n, (int64_t)patcher->values[patcher->first[r->target] + r->addend], is_unsigned);
}

static bool is_patched(const struct reloc *reloc) {
    return reloc->type == RELOC_COUNT || reloc->type == RELOC_IMM12 || reloc->type == RELOC_VALUE12;
}

void link_list_patches(const struct object *object, struct package *package) {
    uint32_t *list = ARENA_ARRAY(&package->arena, object->relocs.len, uint32_t);
    for (size_t i = 0; i < object->relocs.len; i++)
        if (is_patched(&object->relocs.data[i]))
            list[package->patch_count++] = object->relocs.data[i].index;
    package->patches = list;
}

bool link_patch_text(const struct object *object, const int64_t *sizes, const uint64_t *values,
                     uint32_t *text, struct diag *diag) {
    bool ok = true;
    uint32_t *first = xcalloc(object->values.len + 1, sizeof *first);
    struct patcher p = {object, sizes, values, first, text, diag};
    object_value_elements(object, first);
    if (object->text.len)
        memcpy(text, object->text.data, object->text.len * sizeof *text);
    for (size_t i = 0; i < object->relocs.len; i++)
        if (is_patched(&object->relocs.data[i]))
            ok = patch_one(&p, i) && ok;
    free(first);
    return ok;
}
