/* SPDX-License-Identifier: MIT
 * Rounds: the same text again and again, each time with the next slice of the groups.  Clocks and
 * counts go on from one round to the next; between rounds every MPU waits for the last one, since
 * the host takes the results of all of them and brings the next inputs. */
#include "emu/control/state.h"

void control_rounds_take(struct control *control, const struct package *package) {
    control->package = control->bodies.maker.package = package;
    map_free(&control->bodies.ensembles);
    arena_free(&control->bodies.memory);
}

bool control_rounds_next(struct control *control) {
    if (control->ended.how != CONTROL_DONE || !control->config.next_round)
        return false;
    const struct package *package = control->config.next_round(control->config.round_context);
    if (!package)
        return false;
    control_rounds_take(control, package);
    control_count_forget(control);
    control->account.stats.rounds++;
    control->account.stats.elements += control->account.round_lanes;
    control->account.round_lanes = 0;
    control_streams_open(control);
    control_account_barrier(control, false);
    control_order_begin(control);
    return control->dp->failure
               ? control_stop(control, CONTROL_STOPPED, STOP_AT(0), "%s", control->dp->failure)
               : true;
}
