/* SPDX-License-Identifier: MIT
 * From a run of the control path to what its MPUs did: the steps that its log is told of, in their
 * order, and between them what the machine was asked for - masks and copies. */
#ifndef TESTS_ELASTIC_LOG_H
#define TESTS_ELASTIC_LOG_H

#include "emu/control/control.h"
#include "tests/elastic/events.h"

struct ref_log;
/* Stands between the control path and the machine until ref_log_close.  With an answer_ps the
 * machine is one that says itself whether a mask is empty, in that time. */
struct ref_log *ref_log_new(struct datapath *dp, uint64_t answer_ps);
/* For control_config.step, with the log as its context. */
void ref_log_step(void *context, const struct control_step *step);
/* Before the run: the control path that was made with that configuration. */
void ref_log_attach(struct ref_log *log, struct control *control);
/* After it: what was done; the log's, as long as it and the control path are. */
struct ref_events *ref_log_events(struct ref_log *log);
void ref_log_close(struct ref_log *log);

#endif
