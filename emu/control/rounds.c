/* SPDX-License-Identifier: MIT
 * Rounds: the same text again and again, each time with the next slice of the groups.  Clocks and
 * counts go on from one round to the next; every MPU waits for the last one, since the host takes
 * the results of all of them and brings the next inputs. */
#include "emu/control/state.h"

void rounds_take(struct control *c, const struct package *package) {
    c->package = c->maker.package = package;
    map_free(&c->ensembles);
    arena_free(&c->round);
}

bool rounds_next(struct control *c) {
    if (c->end != CONTROL_DONE || !c->config.next_round)
        return false;
    const struct package *package = c->config.next_round(c->config.round_context);
    if (!package)
        return false;
    rounds_take(c, package);
    count_forget(c);
    c->stats.rounds++;
    c->stats.elements += c->round_lanes;
    c->round_lanes = 0;
    streams_open(c);
    account_barrier(c, false);
    order_begin(c);
    return c->dp->failure ? stop(c, CONTROL_STOPPED, STOP_AT(0), "%s", c->dp->failure) : true;
}

void rounds_describe(const struct control *c, const char *before, const char *behind,
                     struct str *out) {
    if (c->config.next_round)
        str_printf(out, "%sround %llu%s", before, (unsigned long long)c->stats.rounds, behind);
}
