/* SPDX-License-Identifier: MIT
 * Who finishes reductions (docs/linking.md, "Reductions that the host finishes").  The text of a
 * reduction is counted by itself, in a program that jumps to it at once and ends behind it.  Its
 * time is compared with the time that the host takes to read the elements, by the rules of its
 * link. */
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

static struct package *build(const struct finisher *finisher, struct diag *diag) {
    return place_groups(finisher->program, finisher->t, finisher->library, finisher->sizes,
                        finisher->size_count, finisher->asked, &finisher->finish, diag);
}

/* Without a choice of places, and without a word. */
static bool has_room(const struct finisher *finisher) {
    const struct package_place place = {.asked = finisher->asked,
                                        .chosen = finisher->asked == PLACE_SPREAD ? PLACE_SPREAD
                                                                                  : PLACE_PACKED};
    struct diag *quiet = diag_new(NULL, NULL);
    struct package *p =
        package_build_at(finisher->program, finisher->t, finisher->library, finisher->sizes,
                         finisher->size_count, &place, &finisher->finish, quiet);
    bool room = p != NULL;
    package_free(p);
    diag_free(quiet);
    return room;
}

/* ---- what the host takes ---- */

static uint32_t vrf_of(const struct target *target, const struct placement *placement) {
    return placement->mpu * target_vrfs_per_mpu(target) + placement->vrf * target->rfh_per_mpu +
           placement->rfh;
}

/* How long the host takes for all elements of the record, in planes: over its link and turned. */
static uint64_t place_read_ps(const struct package *package, const struct target *target,
                              const struct finish_record *record) {
    struct host_slice *slices = xcalloc(package->placement_count + 1, sizeof *slices);
    size_t n = 0;
    uint64_t elements = 0;
    for (size_t i = 0; i < package->placement_count; i++) {
        const struct placement *x = &package->placements[i];
        if (x->group != record->group)
            continue;
        slices[n++] = (struct host_slice){vrf_of(target, x),
                                          (uint64_t)x->count * package_finish_bytes(record)};
        elements += x->count;
    }
    struct host_transfer x = target_host_transfer(target, HOST_OUT, slices, n);
    free(slices);
    return sat_add(x.time_ps, target_host_transpose_ps(
                                  target, sat_mul(elements, package_finish_bytes(record))));
}

static bool same_register(const struct finish_record *left, const struct finish_record *right) {
    return left->group == right->group && left->reg == right->reg &&
           left->type.bits == right->type.bits;
}

/* The records of the range that begins with record index: a register is read once. */
static uint64_t range_read_ps(const struct finisher *finisher, const struct package *package,
                              size_t index, size_t end) {
    const struct finish_record *all = finisher->program->finishes.data;
    uint64_t ps = 0;
    for (size_t k = index; k < end; k++) {
        bool again = false;
        for (size_t before = index; before < k && !again; before++)
            again = same_register(&all[before], &all[k]);
        ps = again ? ps : sat_add(ps, place_read_ps(package, finisher->t, &all[k]));
    }
    return ps;
}

/* ---- what the text takes ---- */

static void put_word(uint32_t *text, uint32_t at, enum isa_op op, uint32_t to) {
    struct insn i = {.op = op, .imm = op == OP_JUMP ? (int32_t)to : 0};
    isa_encode(&i, &text[at]);
}

static uint32_t start_of(const struct object *object, const struct entry *entry) {
    uint32_t symbol =
        entry && entry->symbol != NO_INDEX ? entry->symbol : object_find_symbol(object, "main");
    return symbol == NO_INDEX ? 0 : (uint32_t)object->symbols.data[symbol].value;
}

/* Every MPU goes from its start to the range, and ends behind it. */
static void lead_to(const struct object *object, const struct finish_record *record,
                    uint32_t *text) {
    for (size_t i = 0; i <= object->entries.len; i++) {
        uint32_t start =
            start_of(object, i < object->entries.len ? &object->entries.data[i] : NULL);
        if (start != record->first)
            put_word(text, start, OP_JUMP, record->first);
    }
    if (record->last < object->text.len)
        put_word(text, record->last, OP_HALT, 0);
}

/* Not if a program starts in the range or behind it: leading there would change the range. */
static bool may_lead(const struct object *object, const struct finish_record *record) {
    for (size_t i = 0; i <= object->entries.len; i++) {
        uint32_t start =
            start_of(object, i < object->entries.len ? &object->entries.data[i] : NULL);
        if (start > record->first && start <= record->last)
            return false;
    }
    return true;
}

/* Time of the text of a range; 0 if nobody knows. */
static uint64_t range_ps(const struct finisher *finisher, const struct package *package,
                         const struct finish_record *record, uint64_t max_work) {
    struct package view = *package;
    if (!may_lead(finisher->program, record))
        return 0;
    view.text = xcalloc(package->text_count + 1, sizeof *view.text);
    memcpy(view.text, package->text, package->text_count * sizeof *view.text);
    lead_to(finisher->program, record, view.text);
    struct place_count c =
        place_count(finisher->program, &view, finisher->t, finisher->library, 0, max_work);
    free(view.text);
    return c.known ? c.time_ps : 0; /* one that was cut off takes longer still */
}

/* ---- the choice ---- */

static size_t range_end(const struct object *object, size_t index) {
    size_t end = index + 1;
    while (end < object->finishes.len &&
           object->finishes.data[end].first == object->finishes.data[index].first)
        end++;
    return end;
}

/* True if the host is to finish something. */
static bool choose(struct finisher *finisher, const struct package *package) {
    const struct object *o = finisher->program;
    bool any = false;
    for (size_t i = 0, end; i < o->finishes.len; i = end) {
        end = range_end(o, i);
        uint64_t here =
            range_ps(finisher, package, &o->finishes.data[i], PLACE_WORK / o->finishes.len);
        if (here <= range_read_ps(finisher, package, i, end))
            continue;
        memset(finisher->by_host + i, 1, end - i);
        any = true;
    }
    return any;
}

static bool costs_known(const struct target *target) {
    return target->kind->costs && target_host_mode(target, HOST_SERIAL).out_bytes_per_s != 0;
}

/* What is said of the program is said of it as it stands; what the host finishes is left out of it
 * afterwards.  A program that has no room may have it in rounds, if the host folds them. */
static struct package *build_auto(struct finisher *finisher, struct diag *diag) {
    size_t n = finisher->program->finishes.len;
    struct diag *quiet;
    struct package *p, *chosen;
    if (n && !has_room(finisher)) {
        memset(finisher->by_host, 1, n);
        if (!has_room(finisher))
            memset(finisher->by_host, 0, n);
        return build(finisher, diag);
    }
    p = build(finisher, diag);
    if (!p || !n || !costs_known(finisher->t) || !choose(finisher, p))
        return p;
    quiet = diag_new(NULL, NULL);
    chosen = build(finisher, quiet);
    diag_free(quiet);
    package_free(chosen ? p : NULL);
    return chosen ? chosen : p;
}

struct package *place_build(const struct object *program, const struct target *target,
                            const struct machine_library *library, const struct size_binding *sizes,
                            size_t size_count, enum group_place asked, enum finish_choice finish,
                            struct diag *diag) {
    size_t n = program->finishes.len;
    uint8_t *by_host = xcalloc(n + 1, 1);
    struct finisher f = {program,    target, library,           sizes,
                         size_count, asked,  {finish, by_host}, by_host};
    if (finish == FINISH_HOST)
        memset(by_host, 1, n);
    struct package *p = finish == FINISH_AUTO ? build_auto(&f, diag) : build(&f, diag);
    free(by_host);
    return p;
}
