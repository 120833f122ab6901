/* SPDX-License-Identifier: MIT
 * What units were at work when, in so few intervals that it fits a picture, and which MPU sent to
 * which: what a report page draws.  The memory it takes is bounded, however long the run is. */
#ifndef EMU_OBSERVE_TIMELINE_H
#define EMU_OBSERVE_TIMELINE_H

#include "emu/timing/span.h"
#include "support/str.h"

struct timeline;
struct dp_tables;

#define TIMELINE_INTERVALS 100u /* the most; at least half as many, but in runs of a few ps */
#define TIMELINE_MPUS      16u  /* those that have rows of their own; all are in the rows of all */
#define TIMELINE_UNITS     262144u /* that are told apart; further ones do not count as units */
#define TIMELINE_PAIRS     1024u /* of MPUs between which messages went; further ones are left out */

/* The tables name tracks, and outlive the timeline. */
struct timeline *observe_timeline_new(const struct dp_tables *tables);
void observe_timeline_free(struct timeline *timeline);
/* config.span of the control path; the context is the timeline. */
void observe_timeline_span(void *timeline, const struct timing_span *span);
/* Appends one line of JSON: {"interval_ps": .., "end_ps": .., "rows": [{"unit": "batches", "mpu": 3
 * or null for all, "units": how many were at work at all, "busy_ps": [one for each interval, of all
 * these units together]}, ..], "messages": [{"from": .., "to": .., "sent": .., "busy_ps": ..,
 * "energy_fj": ..}, ..], "pairs_left_out": ..}.  Rows of all MPUs come first. */
void observe_timeline_json(const struct timeline *timeline, struct str *out);

#endif
