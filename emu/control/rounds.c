/* SPDX-License-Identifier: MIT
 * Rounds: the same text again and again, each time with the next slice of the groups.  Clocks and
 * counts go on from one round to the next; every MPU waits for the last one, since the host takes
 * the results of all of them and brings the next inputs. */
#include "emu/control/state.h"

void control_rounds_take(struct control *c, const struct package *package) {
    c->package = c->maker.package = package;
    map_free(&c->ensembles);
    arena_free(&c->round);
}

bool control_rounds_next(struct control *c) {
    if (c->end != CONTROL_DONE || !c->config.next_round)
        return false;
    const struct package *package = c->config.next_round(c->config.round_context);
    if (!package)
        return false;
    control_rounds_take(c, package);
    control_count_forget(c);
    c->stats.rounds++;
    c->stats.elements += c->round_lanes;
    c->round_lanes = 0;
    control_streams_open(c);
    control_account_barrier(c, false);
    control_order_begin(c);
    return c->dp->failure ? control_stop(c, CONTROL_STOPPED, STOP_AT(0), "%s", c->dp->failure)
                          : true;
}
