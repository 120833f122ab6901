/* SPDX-License-Identifier: MIT
 * Random programs on a small machine of each kind, for tests of what is counted and reported. */
#ifndef TESTS_REPORT_RIG_H
#define TESTS_REPORT_RIG_H

#include "emu/control/control.h"
#include "emu/report/report.h"

/* A target cut down to three MPUs. */
struct rig {
    struct target *target;
    struct machine_library *library;
    bool allowed[OP_COUNT]; /* has a recipe on the target */
};
void verify_rig_open(struct rig *r, const char *target);
/* With other numbers changed instead. */
void rig_open_with(struct rig *r, const char *target, const struct target_override *set,
                   size_t count);
/* Calls `test` with each built-in target that has costs. */
void rig_each(void (*test)(const struct rig *r, const char *target, size_t number));
void verify_rig_close(struct rig *r);

/* A program that was run, and the machine, as it left it. */
struct rig_run {
    struct object *object;
    struct package package;
    struct datapath *dp;
    struct control *control;
};
/* Program `seed`; the observer, which may be NULL, gets every micro-op. */
void rig_run(const struct rig *r, uint64_t seed, enum batch_mode batch, dp_observer *observer,
             void *context, struct rig_run *out);
void rig_run_free(struct rig_run *x);
/* Its statistics, with host transfers that cost something. */
void rig_report(const struct rig *r, const struct rig_run *x, struct figures *out);

#endif
