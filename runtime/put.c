/* SPDX-License-Identifier: MIT
 * From arrays to registers. */
#include "runtime/internal.h"

#include "support/alloc.h"
#include "support/bits.h"
#include "support/file.h"

#include <stdlib.h>
#include <string.h>

uint32_t placement_vrf(const mpu_session *s, const struct placement *p) {
    const struct target *t = s->target->t;
    return p->mpu * target_vrfs_per_mpu(t) + p->vrf * t->rfh_per_mpu + p->rfh;
}

size_t group_placements(const struct package *p, uint32_t g, size_t *first) {
    size_t low = 0, high = p->placement_count, end;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (p->placements[mid].group < g)
            low = mid + 1;
        else
            high = mid;
    }
    for (end = low; end < p->placement_count && p->placements[end].group == g; end++) {
    }
    *first = low;
    return end - low;
}

const struct placement *first_placement(const struct package *p, const struct variable *v) {
    size_t first;
    return group_placements(p, object_variable_home(v), &first) ? &p->placements[first] : NULL;
}

static uint32_t outside(const mpu_session *s, const char *name, struct diag *d) {
    const struct target *t = s->target->t;
    diag_error(d, NO_SPAN,
               "%s lies outside of the machine: %u MPU%s in use, %u RFH%s per MPU, %u VRF%s per "
               "RFH",
               name, COUNTED(s->package->mpus), COUNTED(t->rfh_per_mpu), COUNTED(t->vrf_per_rfh));
    return NO_INDEX;
}

/* A fixed VRF of the program where it lies; else the VRF of the machine with that number. */
uint32_t bare_vrf(const mpu_session *s, const struct place_name *p, const char *name,
                  struct diag *d) {
    const struct package *k = s->package;
    const struct target *t = s->target->t;
    uint64_t mpu = p->mpu == NO_INDEX ? k->image_first : p->mpu;
    if (in_rounds(s)) {
        diag_error(d, NO_SPAN,
                   "%s: the program runs in %llu rounds on target '%s', and a register of the "
                   "machine holds other elements in each",
                   name, (unsigned long long)k->rounds, t->name);
        return NO_INDEX;
    }
    uint32_t rfh = p->rfh, vrf = p->vrf;
    if (k->reg_bits[p->reg] == 0) {
        diag_error(d, NO_SPAN, "%s: the program does not use r%u, so the machine does not keep it",
                   name, (unsigned)p->reg);
        return NO_INDEX;
    }
    for (size_t i = 0; i < k->fixed_count; i++) {
        if (k->fixed[i].rfh != p->rfh || k->fixed[i].vrf != p->vrf)
            continue;
        mpu += k->fixed[i].mpu_offset;
        rfh = k->fixed[i].phys_rfh;
        vrf = k->fixed[i].phys_vrf;
    }
    if (mpu >= k->mpus || rfh >= t->rfh_per_mpu || vrf >= t->vrf_per_rfh)
        return outside(s, name, d);
    return (uint32_t)mpu * target_vrfs_per_mpu(t) + vrf * t->rfh_per_mpu + rfh;
}

/* ---- accepting ---- */

static mpu_result wrong_type(const char *name, struct element_type have, struct element_type want,
                             struct mpu_type type, struct diag *d) {
    char text[8];
    object_type_text(type, text);
    diag_error(d, NO_SPAN, "the array for '%s' is %s; the variable is %s, which takes %s", name,
               array_type_name(have), text, array_type_name(want));
    return MPU_REJECTED;
}

static bool same_type(struct element_type a, struct element_type b) {
    return a.kind == b.kind && a.bits == b.bits;
}

static struct mpu_type type_of_elements(struct element_type t) {
    static const enum type_kind kinds[] = {[ELEMENT_BOOL] = TYPE_BOOL,
                                           [ELEMENT_UINT] = TYPE_UINT,
                                           [ELEMENT_INT] = TYPE_INT,
                                           [ELEMENT_FLOAT] = TYPE_FLOAT};
    return (struct mpu_type){kinds[t.kind], t.kind == ELEMENT_BOOL ? 1 : t.bits};
}

/* The type that values are checked against: the variable's, the one written behind a bare
 * register, or the array's own. */
static struct mpu_type wanted_type(const mpu_session *s, const struct place_name *p,
                                   enum source_form form, const struct array *a) {
    if (!p->bare)
        return s->object->vars.data[p->variable].type;
    if (p->typed)
        return p->type;
    return form == FORM_TYPED            ? type_of_elements(a->type)
           : a->type.kind == ELEMENT_INT ? (struct mpu_type){TYPE_INT, 64}
                                         : (struct mpu_type){TYPE_UINT, 64};
}

static mpu_result check_values(const mpu_session *s, const struct place_name *p, const char *name,
                               enum source_form form, const struct array *a, struct diag *d) {
    struct mpu_type type = wanted_type(s, p, form, a);
    struct mpu_type outer =
        p->bare ? type : object_variable_array_type(&s->object->vars.data[p->variable]);
    if (a->type.kind == ELEMENT_FLOAT && (p->bare || form == FORM_TEXT)) {
        diag_error(d, NO_SPAN, "the array for '%s' is %s; registers take integers", name,
                   array_type_name(a->type));
        return MPU_REJECTED;
    }
    if (form == FORM_TYPED && !same_type(a->type, host_type(outer)))
        return wrong_type(name, a->type, host_type(outer), outer, d);
    return values_fit(name, a, type, d) ? MPU_OK : MPU_REJECTED;
}

static void note_input(mpu_session *s, const char *name, const struct data_source *from,
                       const struct array *a) {
    struct session_input in = {xstrdup(name), xstrdup(from->name), {0}};
    if (from->sha256[0])
        memcpy(in.sha256, from->sha256, sizeof in.sha256);
    else if (from->hash)
        sha256_hex(a->data, (size_t)a->count * (a->type.bits / 8u), in.sha256);
    vec_push(&s->inputs, in);
}

static void keep(mpu_session *s, const struct place_name *p, const char *name,
                 const struct array *a) {
    struct pending_put put = {
        .place = *p, .name = xstrdup(name), .values = a->borrowed ? array_copy(a) : *a};
    vec_push(&s->pending, put);
    if (!p->bare)
        s->was_put[p->variable] = 1;
}

void pending_free(struct pending_list *list) {
    for (size_t i = 0; i < list->len; i++) {
        free(list->data[i].name);
        array_free(&list->data[i].values);
    }
    vec_free(list);
}

static bool is_input(const mpu_session *s, const struct place_name *p, struct diag *d) {
    if (p->bare || (s->object->vars.data[p->variable].direction & VAR_IN))
        return true;
    const struct variable *v = &s->object->vars.data[p->variable];
    diag_error(d, NO_SPAN, "variable '%s' is not an input of the program", v->name);
    diag_note(d, object_span(s->object, v->place, d), "'%s' is declared here", v->name);
    return false;
}

/* Its elements stand in the text, and nothing is written to the machine. */
static mpu_result put_link_value(mpu_session *s, uint32_t value, struct array *a,
                                 const struct data_source *from, struct diag *d) {
    const struct value_decl *v = &s->object->values.data[value];
    struct place_name p = {.bare = true, .typed = true, .type = v->type};
    mpu_result r = check_values(s, &p, v->name, from->form, a, d);
    if (r == MPU_OK)
        r = link_value_put(s, value, from->form, a, d);
    if (r != MPU_OK)
        return r;
    note_input(s, v->name, from, a);
    if (!a->borrowed)
        array_free(a);
    *a = (struct array){0};
    return MPU_OK;
}

mpu_result session_put_diag(mpu_session *s, const char *name, struct array *a,
                            const struct data_source *from, struct diag *d) {
    struct place_name p;
    struct array shaped = *a;
    uint32_t value = object_find_value(s->object, name);
    if (value != NO_INDEX)
        return put_link_value(s, value, a, from, d);
    if (!place_name_parse(s->object, name, &p, d) || !is_input(s, &p, d) ||
        !rounds_accept(s, "put", d))
        return MPU_USAGE;
    mpu_result r = check_values(s, &p, name, from->form, &shaped, d);
    if (r == MPU_OK)
        r = shape_accept(s, &p, name, from->form, &shaped, d);
    if (r != MPU_OK)
        return r;
    note_input(s, name, from, &shaped);
    keep(s, &p, name, &shaped);
    *a = (struct array){0};
    return MPU_OK;
}

/* ---- writing ---- */

/* The elements of an array in lanes 0, 1, ..., extended to the register's width. */
static void write_lanes(mpu_session *s, uint32_t vrf, unsigned reg, unsigned width,
                        const struct array *a) {
    uint64_t lanes[DP_PIECE_LANES];
    uint32_t count = (uint32_t)a->count;
    for (uint32_t done = 0, n; done < count; done += n) {
        n = dp_piece(done, count);
        for (uint32_t i = 0; i < n; i++)
            lanes[i] = array_get(a, done + i);
        s->dp->ops->put(s->dp, vrf, DP_REGISTER, reg, width, done, n, lanes);
    }
}

struct dp_elements variable_elements(const mpu_session *s, const struct variable *v, uint32_t k,
                                     const struct array *a) {
    uint8_t bytes = a->type.bits / 8u;
    bool first = v->form.order == FORM_FIRST; /* the elements of a register side by side */
    uint64_t begin = first ? a->count / v->count * k : k;
    return (struct dp_elements){.lanes = s->package->lanes,
                                .reg = (uint8_t)(v->reg + k),
                                .bits = v->type.bits,
                                .bytes = bytes,
                                .sign = v->type.kind == TYPE_INT,
                                .step = first ? 1 : v->count,
                                .data = a->data + (size_t)begin * bytes};
}

/* A variable of several registers takes turns with them while the elements are in the cache. */
static uint64_t most_in_a_row(const struct variable *v, const struct array *a) {
    enum { CACHED = 1 << 18 };
    return v->count == 1 ? UINT64_MAX : CACHED / (v->count * (a->type.bits / 8u));
}

/* Whether the elements of `next` stand behind those of p, in the array and on the machine. */
static bool follows(const mpu_session *s, const struct placement *p, const struct placement *next) {
    return p->count == s->package->lanes && next->first == p->first + p->count &&
           placement_vrf(s, next) == placement_vrf(s, p) + 1;
}

void each_row(mpu_session *s, const struct variable *v, const struct array *a,
              void (*visit)(struct datapath *dp, const struct dp_elements *x)) {
    size_t i, n = group_placements(s->here, v->group, &i);
    const struct placement *p = s->here->placements + i, *end = p + n;
    while (p < end) {
        const struct placement *row = p;
        uint64_t count = p->count;
        while (++p < end && follows(s, p - 1, p) && count < most_in_a_row(v, a))
            count += p->count;
        for (uint32_t k = 0; k < v->count; k++) {
            struct dp_elements x = variable_elements(s, v, k, a);
            x.vrf = placement_vrf(s, row);
            x.count = count;
            x.data += row->first * x.step * x.bytes;
            visit(s->dp, &x);
        }
    }
}

static void put_group(mpu_session *s, const struct variable *v, const struct array *a) {
    each_row(s, v, a, datapath_put_elements);
    host_charge_group(s, s->here, v, HOST_IN, UINT64_MAX);
}

/* One value for the first `valid[i]` lanes of each VRF. */
static void put_in_all(mpu_session *s, const struct variable *v, const struct array *a,
                       const uint32_t *valid, size_t vrfs) {
    for (size_t i = 0, first; i < vrfs; i++) {
        first = i;
        while (valid[i] == s->package->lanes && i + 1 < vrfs && valid[i + 1])
            i++;
        for (uint32_t k = 0; k < v->count && valid[i]; k++) {
            struct dp_elements x = variable_elements(s, v, k, a);
            x.vrf = (uint32_t)first;
            x.count = (i - first) * (uint64_t)x.lanes + valid[i];
            x.step = 0;
            datapath_put_elements(s->dp, &x);
        }
    }
}

/* Lanes that hold an element, of each VRF of the variable's scope; 0 of others. */
static void find_valid(const mpu_session *s, const struct variable *v, uint32_t *valid,
                       size_t vrfs) {
    const struct package *k = s->here;
    uint8_t *named = xcalloc(vrfs + 1, 1);
    for (size_t i = 0; i < k->placement_count; i++) {
        uint32_t vrf = placement_vrf(s, &k->placements[i]), count = k->placements[i].count;
        named[vrf] |= object_scope_has(&v->scope, k->placements[i].group);
        valid[vrf] = count > valid[vrf] ? count : valid[vrf];
    }
    for (size_t vrf = 0; vrf < vrfs; vrf++)
        valid[vrf] = named[vrf] ? valid[vrf] : 0;
    free(named);
}

/* Every VRF of the scope; a VRF that several groups share is written and charged once. */
static void put_everywhere(mpu_session *s, const struct variable *v, const struct array *a) {
    size_t vrfs = (size_t)s->here->mpus * target_vrfs_per_mpu(s->target->t);
    uint32_t *valid = xcalloc(vrfs + 1, sizeof *valid);
    uint64_t bytes = host_type(v->type).bits / 8u * (uint64_t)v->count;
    VEC(struct host_slice) slices = {0};
    find_valid(s, v, valid, vrfs);
    put_in_all(s, v, a, valid, vrfs);
    for (uint32_t vrf = 0; vrf < vrfs; vrf++)
        if (valid[vrf])
            vec_push(&slices, ((struct host_slice){vrf, bytes * valid[vrf]}));
    host_charge(s, HOST_SAME, slices.data, slices.len);
    vec_free(&slices);
    free(valid);
}

static mpu_result put_variable(mpu_session *s, const struct variable *v, const struct array *a,
                               struct diag *d) {
    if (v->group == NO_INDEX && s->object->groups.len == 0) {
        diag_error(d, NO_SPAN,
                   "variable '%s' has no group and the program has none: name a register, as in "
                   "RFH0.VRF0.r%u",
                   v->name, (unsigned)v->reg);
        return MPU_REJECTED;
    }
    if (v->group == NO_INDEX)
        put_everywhere(s, v, a);
    else
        put_group(s, v, a);
    return MPU_OK;
}

/* The machine keeps as many bits of a register as the program uses. */
static mpu_result put_bare(mpu_session *s, const struct pending_put *p, struct diag *d) {
    const struct array *a = &p->values;
    uint32_t vrf = bare_vrf(s, &p->place, p->name, d);
    if (vrf == NO_INDEX)
        return MPU_REJECTED;
    uint8_t bits = s->package->reg_bits[p->place.reg];
    struct mpu_type kept = {a->type.kind == ELEMENT_INT && bits > 1 ? TYPE_INT : TYPE_UINT, bits};
    struct mpu_type kept_unsigned = {TYPE_UINT, bits};
    for (uint64_t i = 0; i < a->count; i++)
        if (!value_fits(a->type, array_get(a, i), kept) &&
            !value_fits(a->type, array_get(a, i), kept_unsigned))
            return values_fit(p->name, a, kept, d) ? MPU_OK : MPU_REJECTED;
    write_lanes(s, vrf, p->place.reg, bits, a);
    struct host_slice one = {vrf, a->count * (a->type.bits / 8u)};
    host_charge(s, HOST_IN, &one, 1);
    return MPU_OK;
}

mpu_result put_now(mpu_session *s, const struct pending_put *p, struct diag *d) {
    if (p->place.bare)
        return put_bare(s, p, d);
    s->is_gone[p->place.variable] = 0;
    return put_variable(s, &s->object->vars.data[p->place.variable], &p->values, d);
}

static mpu_result wrong_count(const mpu_session *s, const struct data_record *r, uint64_t want,
                              struct diag *d) {
    const struct variable *v = &s->object->vars.data[r->variable];
    diag_error(d, object_span(s->object, v->place, d),
               ".data gives '%s' %llu values; it has %llu elements", v->name,
               (unsigned long long)r->count, (unsigned long long)want);
    return MPU_REJECTED;
}

static mpu_result record_array(const mpu_session *s, const struct data_record *r, struct array *a,
                               struct diag *d) {
    const struct variable *v = &s->object->vars.data[r->variable];
    uint32_t ndim;
    uint64_t n = 1, shape[ARRAY_MAX_DIMS];
    variable_shape(s, v, &ndim, shape);
    for (uint32_t i = 0; i < ndim; i++)
        if (__builtin_mul_overflow(n, shape[i], &n))
            n = UINT64_MAX;
    if (n != r->count || !array_make(a, (struct element_type){ELEMENT_UINT, 64}, ndim, shape))
        return wrong_count(s, r, n, d);
    for (uint64_t i = 0; i < n; i++)
        array_set(a, i, r->values[i]);
    return MPU_OK;
}

mpu_result data_records(mpu_session *s, struct pending_list *out, struct diag *d) {
    for (size_t i = 0; i < s->object->data.len; i++) {
        const struct data_record *x = &s->object->data.data[i];
        struct pending_put put = {.place = {.variable = x->variable}};
        mpu_result r = record_array(s, x, &put.values, d);
        if (r != MPU_OK)
            return r;
        vec_push(out, put);
    }
    return MPU_OK;
}

static bool is_due(const mpu_session *s, uint32_t variable, bool again) {
    return !again || (s->is_gone[variable] && !s->was_put[variable]);
}

mpu_result put_data_records(mpu_session *s, bool again, struct diag *d) {
    struct pending_list records = {0};
    mpu_result r = data_records(s, &records, d);
    for (size_t i = 0; r == MPU_OK && i < records.len; i++)
        if (is_due(s, records.data[i].place.variable, again))
            r = put_now(s, &records.data[i], d);
    pending_free(&records);
    return r;
}
