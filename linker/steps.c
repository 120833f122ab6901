/* SPDX-License-Identifier: MIT
 * Moves whose numbers grow with the laps of REPEATs: what can be said of them before they run. */
#include "linker/pack.h"
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
static bool check_lap(const struct stepped *s, const uint64_t *laps) {
    const struct object *o = s->k->program;
    const struct move *m = &o->moves.data[s->move];
    struct str problem = {0}, lap = {0};
    bool fits = package_move_range_fits(o, s->k->p->sizes, s->move, laps, &problem);
    object_move_laps_text(s->repeats, laps, &lap);
    if (!fits)
        diag_error(s->k->d, object_span(o, m->place, s->k->d),
                   "move '%s' cannot be carried out in %s: its %s", m->name, str_text(&lap),
                   str_text(&problem));
    str_free(&problem);
    str_free(&lap);
    return fits;
}

/* The next lap, the innermost counter first; false behind the last one. */
static bool next_lap(const struct stepped *s, uint64_t *laps) {
    for (uint32_t n = 0; n < s->repeats; n++) {
        if (++laps[n] < s->count[n])
            return true;
        laps[n] = 0;
    }
    return false;
}

static bool check_ends(const struct stepped *s) {
    uint64_t laps[MOVE_MAX_LAPS] = {0};
    if (!check_lap(s, laps))
        return false;
    for (uint32_t n = 0; n < s->repeats; n++)
        laps[n] = s->count[n] - 1;
    return check_lap(s, laps);
}

static bool check_all(const struct stepped *s) {
    uint64_t laps[MOVE_MAX_LAPS] = {0};
    bool fits;
    do
        fits = check_lap(s, laps);
    while (fits && next_lap(s, laps));
    return fits;
}

static void check_gmove(const struct stepped *s) {
    uint64_t laps = 1;
    for (uint32_t n = 0; n < s->repeats; n++)
        laps = s->count[n] == 0 ? 0 : laps > MAX_LAPS ? laps : laps * s->count[n];
    if (laps > MAX_LAPS)
        check_ends(s);
    else if (laps)
        check_all(s);
}

/* Counts of the REPEATs around instruction `index`, up to as many as the move needs. */
static void find_counts(const struct text *t, uint32_t index, struct stepped *s) {
    uint32_t found = 0;
    for (uint32_t i = index; i-- > 0 && found < s->repeats;) {
        if (t->insns[i].op == OP_REPEAT_END && t->match[i] != NO_INDEX)
            i = t->match[i];
        else if (t->insns[i].op == OP_REPEAT && t->match[i] != NO_INDEX)
            s->count[found++] = (uint64_t)t->insns[i].imm;
    }
}

void link_check_steps(struct pack *k) {
    const struct object *o = k->program;
    struct text t;
    object_text_load(&t, k->p->text, k->p->text_count, &k->scratch);
    for (uint32_t i = 0; i < t.len && !diag_full(k->d); i++) {
        const struct insn *x = &t.insns[i];
        if (x->op != OP_GMOVE || (uint64_t)x->imm >= o->moves.len || !o->moves.data[x->imm].laps)
            continue;
        struct stepped s = {.k = k, .move = (uint32_t)x->imm};
        s.repeats = object_move_repeats(&o->moves.data[s.move]);
        find_counts(&t, i, &s);
        check_gmove(&s);
    }
}
