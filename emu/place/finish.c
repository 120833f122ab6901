/* SPDX-License-Identifier: MIT
 * Who finishes reductions (docs/linking.md, "Reductions that the host finishes").  The text of one
 * is counted by itself: the program goes there at once and ends behind it.  Against that stands
 * what the host takes to read the elements, by the rules of its link. */
#include "emu/place/count.h"
#include "emu/place/place.h"
#include "support/saturate.h"
#include "target/host.h"

#include <stdlib.h>
#include <string.h>

struct finisher {
    const struct object *program;
    const struct target *t;
    const struct machine_library *library;
    const struct size_binding *sizes; /* [size_count] */
    size_t size_count;
    enum group_place asked;
    struct package_finish finish;
    uint8_t *by_host; /* [program.finishes.len]; what finish has */
};

static struct package *build(const struct finisher *f, struct diag *d) {
    return place_groups(f->program, f->t, f->library, f->sizes, f->size_count, f->asked, &f->finish,
                        d);
}

/* Without a choice of places, and without a word. */
static bool has_room(const struct finisher *f) {
    const struct package_place place = {
        f->asked, f->asked == PLACE_SPREAD ? PLACE_SPREAD : PLACE_PACKED, 0, 0, false};
    struct diag *quiet = diag_new(NULL, NULL);
    struct package *p = package_build_at(f->program, f->t, f->library, f->sizes, f->size_count,
                                         &place, &f->finish, quiet);
    bool room = p != NULL;
    package_free(p);
    diag_free(quiet);
    return room;
}

/* ---- what the host takes ---- */

static uint32_t vrf_of(const struct target *t, const struct placement *x) {
    return x->mpu * target_vrfs_per_mpu(t) + x->vrf * t->rfh_per_mpu + x->rfh;
}

uint64_t place_read_ps(const struct package *p, const struct target *t,
                       const struct finish_record *r) {
    struct host_slice *slices = xcalloc(p->placement_count + 1, sizeof *slices);
    size_t n = 0;
    uint64_t elements = 0;
    for (size_t i = 0; i < p->placement_count; i++) {
        const struct placement *x = &p->placements[i];
        if (x->group != r->group)
            continue;
        slices[n++] =
            (struct host_slice){vrf_of(t, x), (uint64_t)x->count * package_finish_bytes(r)};
        elements += x->count;
    }
    struct host_transfer x = target_host_transfer(t, HOST_OUT, slices, n);
    free(slices);
    return sat_add(x.time_ps,
                   target_host_transpose_ps(t, sat_mul(elements, package_finish_bytes(r))));
}

static bool same_register(const struct finish_record *a, const struct finish_record *b) {
    return a->group == b->group && a->reg == b->reg && a->type.bits == b->type.bits;
}

/* The records of the range that begins with record i: a register is read once. */
static uint64_t range_read_ps(const struct finisher *f, const struct package *p, size_t i,
                              size_t end) {
    const struct finish_record *all = f->program->finishes.data;
    uint64_t ps = 0;
    for (size_t k = i; k < end; k++) {
        bool again = false;
        for (size_t before = i; before < k && !again; before++)
            again = same_register(&all[before], &all[k]);
        ps = again ? ps : sat_add(ps, place_read_ps(p, f->t, &all[k]));
    }
    return ps;
}

/* ---- what the text takes ---- */

static void put_word(uint32_t *text, uint32_t at, enum mpu_op op, uint32_t to) {
    struct insn i = {.op = op, .imm = op == OP_JUMP ? (int32_t)to : 0};
    isa_encode(&i, &text[at]);
}

static uint32_t start_of(const struct object *o, const struct entry *e) {
    uint32_t symbol = e && e->symbol != NO_INDEX ? e->symbol : object_find_symbol(o, "main");
    return symbol == NO_INDEX ? 0 : (uint32_t)o->symbols.data[symbol].value;
}

/* Every MPU goes from its start to the range, and ends behind it. */
static void lead_to(const struct object *o, const struct finish_record *r, uint32_t *text) {
    for (size_t i = 0; i <= o->entries.len; i++) {
        uint32_t start = start_of(o, i < o->entries.len ? &o->entries.data[i] : NULL);
        if (start != r->first)
            put_word(text, start, OP_JUMP, r->first);
    }
    if (r->last < o->text.len)
        put_word(text, r->last, OP_HALT, 0);
}

/* Not if a program starts in the range or behind it: leading there would change the range. */
static bool may_lead(const struct object *o, const struct finish_record *r) {
    for (size_t i = 0; i <= o->entries.len; i++) {
        uint32_t start = start_of(o, i < o->entries.len ? &o->entries.data[i] : NULL);
        if (start > r->first && start <= r->last)
            return false;
    }
    return true;
}

/* Time of the text of a range; 0 if nobody knows. */
static uint64_t range_ps(const struct finisher *f, const struct package *p,
                         const struct finish_record *r, uint64_t max_work) {
    struct package view = *p;
    if (!may_lead(f->program, r))
        return 0;
    view.text = xcalloc(p->text_count + 1, sizeof *view.text);
    memcpy(view.text, p->text, p->text_count * sizeof *view.text);
    lead_to(f->program, r, view.text);
    struct place_count c = place_count(f->program, &view, f->t, f->library, 0, max_work);
    free(view.text);
    return c.known ? c.time_ps : 0; /* one that was cut off takes longer still */
}

/* ---- the choice ---- */

static size_t range_end(const struct object *o, size_t i) {
    size_t end = i + 1;
    while (end < o->finishes.len && o->finishes.data[end].first == o->finishes.data[i].first)
        end++;
    return end;
}

/* True if the host is to finish something. */
static bool choose(struct finisher *f, const struct package *p) {
    const struct object *o = f->program;
    bool any = false;
    for (size_t i = 0, end; i < o->finishes.len; i = end) {
        end = range_end(o, i);
        uint64_t here = range_ps(f, p, &o->finishes.data[i], PLACE_WORK / o->finishes.len);
        if (here <= range_read_ps(f, p, i, end))
            continue;
        memset(f->by_host + i, 1, end - i);
        any = true;
    }
    return any;
}

static bool costs_known(const struct target *t) {
    return t->kind->costs && target_host_mode(t, HOST_SERIAL).out_bytes_per_s != 0;
}

/* What is said of the program is said of it as it stands; what the host finishes is left out of it
 * afterwards.  A program that has no room may have it in rounds, if the host folds them. */
static struct package *build_auto(struct finisher *f, struct diag *d) {
    size_t n = f->program->finishes.len;
    struct diag *quiet;
    struct package *p, *chosen;
    if (n && !has_room(f)) {
        memset(f->by_host, 1, n);
        if (!has_room(f))
            memset(f->by_host, 0, n);
        return build(f, d);
    }
    p = build(f, d);
    if (!p || !n || !costs_known(f->t) || !choose(f, p))
        return p;
    quiet = diag_new(NULL, NULL);
    chosen = build(f, quiet);
    diag_free(quiet);
    package_free(chosen ? p : NULL);
    return chosen ? chosen : p;
}

struct package *place_build(const struct object *program, const struct target *t,
                            const struct machine_library *library, const struct size_binding *sizes,
                            size_t size_count, enum group_place asked, enum finish_choice finish,
                            struct diag *d) {
    size_t n = program->finishes.len;
    uint8_t *by_host = xcalloc(n + 1, 1);
    struct finisher f = {program, t, library, sizes, size_count, asked, {finish, by_host}, by_host};
    if (finish == FINISH_HOST)
        memset(by_host, 1, n);
    struct package *p = finish == FINISH_AUTO ? build_auto(&f, d) : build(&f, d);
    free(by_host);
    return p;
}
