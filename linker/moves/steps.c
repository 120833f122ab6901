/* SPDX-License-Identifier: MIT
 * Moves whose numbers grow with the laps of REPEATs: what can be said of them before they run. */
#include "linker/package/pack.h"
#include "object/text.h"

/* Laps that are looked at for one GMOVE; of more, the first and the last.  A range that leaves its
 * extent in another one stops the run. */
#define MAX_LAPS ((uint64_t)1 << 18)

/* A GMOVE and the REPEATs around it, the innermost first. */
struct stepped {
    struct pack *k;
    uint32_t move, repeats;
    uint64_t count[MOVE_MAX_LAPS];
};

/* False after an error. */
static bool check_lap(const struct stepped *stepped, const uint64_t *laps) {
    const struct object *o = stepped->k->program;
    const struct move *m = &o->moves.data[stepped->move];
    struct str problem = {0}, lap = {0};
    bool fits = package_move_range_fits(o, stepped->k->p->sizes, stepped->move, laps, &problem);
    object_move_laps_text(stepped->repeats, laps, &lap);
    if (!fits)
        diag_error(stepped->k->d, object_span(o, m->place, stepped->k->d),
                   "move '%s' cannot be carried out in %s: its %s", m->name, str_text(&lap),
                   str_text(&problem));
    str_free(&problem);
    str_free(&lap);
    return fits;
}

/* The next lap, the innermost counter first; false behind the last one. */
static bool next_lap(const struct stepped *stepped, uint64_t *laps) {
    for (uint32_t n = 0; n < stepped->repeats; n++) {
        if (++laps[n] < stepped->count[n])
            return true;
        laps[n] = 0;
    }
    return false;
}

static bool check_ends(const struct stepped *stepped) {
    uint64_t laps[MOVE_MAX_LAPS] = {0};
    if (!check_lap(stepped, laps))
        return false;
    for (uint32_t n = 0; n < stepped->repeats; n++)
        laps[n] = stepped->count[n] - 1;
    return check_lap(stepped, laps);
}

static bool check_all(const struct stepped *stepped) {
    uint64_t laps[MOVE_MAX_LAPS] = {0};
    bool fits;
    do
        fits = check_lap(stepped, laps);
    while (fits && next_lap(stepped, laps));
    return fits;
}

static void check_gmove(const struct stepped *stepped) {
    uint64_t laps = 1;
    for (uint32_t n = 0; n < stepped->repeats; n++)
        laps = stepped->count[n] == 0 ? 0 : laps > MAX_LAPS ? laps : laps * stepped->count[n];
    if (laps > MAX_LAPS)
        check_ends(stepped);
    else if (laps)
        check_all(stepped);
}

/* Counts of the REPEATs around instruction `index`, up to as many as the move needs. */
static void find_counts(const struct text *text, uint32_t index, struct stepped *stepped) {
    uint32_t found = 0;
    for (uint32_t i = index; i-- > 0 && found < stepped->repeats;) {
        if (text->insns[i].op == OP_REPEAT_END && text->match[i] != NO_INDEX)
            i = text->match[i];
        else if (text->insns[i].op == OP_REPEAT && text->match[i] != NO_INDEX)
            stepped->count[found++] = (uint64_t)text->insns[i].imm;
    }
}

void link_check_steps(struct pack *pack) {
    const struct object *o = pack->program;
    struct text t;
    object_text_load(&t, pack->p->text, pack->p->text_count, pack->p->luts, &pack->scratch);
    for (uint32_t i = 0; i < t.len && !diag_full(pack->d); i++) {
        const struct insn *x = &t.insns[i];
        if (x->op != OP_GMOVE || (uint64_t)x->imm >= o->moves.len || !o->moves.data[x->imm].laps ||
            package_move_unplaced(pack->p, o, (uint32_t)x->imm))
            continue;
        struct stepped s = {.k = pack, .move = (uint32_t)x->imm};
        s.repeats = object_move_repeats(&o->moves.data[s.move]);
        find_counts(&t, i, &s);
        check_gmove(&s);
    }
}
