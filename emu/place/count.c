/* SPDX-License-Identifier: MIT
 * Counts the time of a program whose groups lie at one place, without data. */
#include "emu/place/count.h"
#include "emu/control/control.h"
#include "emu/place/place.h"
#include "support/saturate.h"

/* Where a kind of machine keeps state although nobody asks for it. */
#define STATE_LIMIT (UINT64_C(1) << 30)

struct round_count {
    const struct object *program;
    const struct package *package;
    struct arena arena;
    struct package view;
    uint64_t now;
};

static const struct package *next_round(void *context) {
    struct round_count *r = context;
    if (++r->now >= r->package->rounds)
        return NULL;
    arena_free(&r->arena);
    r->view = package_round(r->package, r->program, r->now, &r->arena);
    return &r->view;
}

static struct datapath *open_machine(const struct package *package, const struct target *target,
                                     const struct machine_library *library) {
    struct diag *quiet = diag_new(NULL, NULL);
    const struct dp_setup setup = {.target = target,
                                   .library = library,
                                   .code = package->code,
                                   .mpus = package->mpus,
                                   .lanes = package->lanes,
                                   .reg_bits = package->reg_bits,
                                   .kins = package->kins,
                                   .kin_count = package->kin_count,
                                   .memory_limit = STATE_LIMIT,
                                   .costs_only = true};
    const struct datapath_ops *ops = datapath_find(target->kind->name, NULL);
    struct datapath *dp = ops ? ops->open(&setup, quiet) : NULL;
    diag_free(quiet);
    return dp;
}

static struct place_count run(const struct object *program, const struct package *package,
                              const struct target *target, struct datapath *dp, uint64_t max_steps,
                              uint64_t max_work) {
    struct round_count rounds = {.program = program, .package = package};
    const struct control_config config = {.threads = 1,
                                          .count_laps = PLACE_LAPS,
                                          .max_steps = max_steps,
                                          .max_work = max_work,
                                          .next_round = package->rounds > 1 ? next_round : NULL,
                                          .round_context = &rounds};
    struct control *c = control_new(program, package, target, dp, &config);
    enum control_end end = control_run(c);
    const struct control_stats *s = control_stats(c);
    const struct place_count count = {.known = s->cost_known &&
                                               (end == CONTROL_DONE || end == CONTROL_LIMIT),
                                      .whole = end == CONTROL_DONE,
                                      .time_ps = sat_add(s->time_ps, s->established.time_ps),
                                      .steps = s->steps,
                                      .mpus = (uint32_t)s->mpus_used,
                                      .laps = s->laps_counted};
    control_free(c);
    arena_free(&rounds.arena);
    return count;
}

struct place_count place_count(const struct object *program, const struct package *package,
                               const struct target *target, const struct machine_library *library,
                               uint64_t max_steps, uint64_t max_work) {
    struct place_count count = {0};
    struct datapath *dp = open_machine(package, target, library);
    if (!dp)
        return count;
    control_shape(package, target, dp);
    count = run(program, package, target, dp, max_steps, max_work);
    dp->ops->close(dp);
    return count;
}
