/* SPDX-License-Identifier: MIT
 * Registers of variables.  Variables without a group lie in every VRF and come first; those of
 * groups at different places never meet in a VRF and may have the same registers. */
#include "ezpim/ez/sharing.h"
#include "ezpim/ir.h"

enum { FIXED_PLACE = UINT16_MAX }; /* all groups with `at` */

static void find_places(struct unit *u) {
    for (size_t i = 0; i < u->groups.items.len; i++) {
        struct ez_symbol *g = u->groups.items.data[i];
        g->place = g->like ? g->like->place : g->at_rfh != NO_INDEX ? FIXED_PLACE : (uint32_t)i;
    }
}

static bool shares_vrf(const struct ez_symbol *a, const struct ez_symbol *b) {
    return !a->group || !b->group || a->group->place == b->group->place;
}

static void report_full(struct unit *u, const struct ez_symbol *s, unsigned before) {
    diag_error(u->diag, s->name.at, "`%s` needs %u register%s, and %u of %d are taken",
               s->name.text, s->count, s->count == 1 ? "" : "s", before, IR_REGISTERS);
    for (size_t i = 0; i < u->variables.items.len && u->variables.items.data[i] != s; i++) {
        const struct ez_symbol *v = u->variables.items.data[i];
        char type[8];
        mpu_type_text(v->type.type, type);
        if (shares_vrf(s, v) && v->has_k)
            diag_note(u->diag, v->name.at, "`%s`, %s[%u]", v->name.text, type, v->count);
        else if (shares_vrf(s, v))
            diag_note(u->diag, v->name.at, "`%s`, %s", v->name.text, type);
    }
}

/* The lowest stretch of free registers; false if there is none. */
static bool find_stretch(uint64_t taken, uint32_t count, uint8_t *first) {
    uint64_t all = count >= 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
    for (uint32_t r = 0; r + count <= IR_REGISTERS; r++)
        if (!(taken & all << r)) {
            *first = (uint8_t)r;
            return true;
        }
    return false;
}

static bool give_registers(struct unit *u, struct ez_symbol *s, uint64_t *taken) {
    if (!find_stretch(*taken, s->count, &s->reg)) {
        u->full = s;
        u->full_before = (unsigned)__builtin_popcountll(*taken);
        return false;
    }
    *taken |= ez_all_elements(s) << s->reg;
    return true;
}

/* Variables of the places `place` (NO_INDEX: of no group) on top of what is taken. */
static bool fill_place(struct unit *u, uint32_t place, uint64_t *taken) {
    for (size_t i = 0; i < u->variables.items.len; i++) {
        struct ez_symbol *s = u->variables.items.data[i];
        uint32_t own = s->group ? s->group->place : NO_INDEX;
        if (own == place && !give_registers(u, s, taken))
            return false;
    }
    return true;
}

static bool assign_all(struct unit *u) {
    uint64_t shared = u->bare | u->passed;
    bool good = fill_place(u, NO_INDEX, &shared);
    for (size_t i = 0; good && i < u->groups.items.len; i++) {
        uint64_t taken = shared;
        uint32_t place = u->groups.items.data[i]->place;
        bool first = true;
        for (size_t k = 0; k < i; k++)
            first &= u->groups.items.data[k]->place != place;
        good = !first || fill_place(u, place, &taken);
    }
    return good;
}

static unsigned registers_of(const struct unit *u, const struct ez_symbol *at) {
    unsigned sum = 0;
    for (size_t i = 0; i < u->variables.items.len; i++)
        if (shares_vrf(at, u->variables.items.data[i]))
            sum += u->variables.items.data[i]->count;
    return sum;
}

/* Reductions that are folded together take more registers; where temporaries would lack room, they
 * are folded each alone all the same. */
static void choose_runs(struct unit *u, uint32_t folded) {
    enum { ROOM_FOR_TEMPORARIES = 16 };
    ez_fold_runs(u, folded);
    for (size_t i = 0; i < u->hidden.items.len; i++)
        if (registers_of(u, u->hidden.items.data[i]) + ROOM_FOR_TEMPORARIES > IR_REGISTERS)
            folded = 1;
    ez_fold_runs(u, folded);
}

void ez_fold_runs(struct unit *u, uint32_t folded) {
    u->folded = folded;
    for (size_t i = 0; i < u->hidden.items.len; i++) {
        struct ez_symbol *s = u->hidden.items.data[i];
        if (!s->grows)
            continue;
        if (!s->together)
            s->together = s->count;
        s->count = s->together < folded ? s->together : folded;
    }
}

bool ez_give_registers(struct unit *u, struct ez_plan plan) {
    static const struct ez_limits all = {IR_REGISTERS, 64 * IR_REGISTERS, 64 * IR_REGISTERS};
    find_places(u);
    choose_runs(u, plan.folded);
    u->shares_registers = false;
    u->gives_inputs = plan.give;
    u->puts_in = plan.put_in;
    return plan.share ? ez_find_times(u) && !ez_share_registers(u, all) : assign_all(u);
}

void ez_report_full(struct unit *u) {
    report_full(u, u->full, u->full_before);
}
