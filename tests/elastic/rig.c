/* SPDX-License-Identifier: MIT */
#include "tests/elastic/rig.h"

#include "asm/asm.h"
#include "emu/control/state.h"
#include "linker/linker.h"
#include "machines/plane/link/plane.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <string.h>

void rig_open(struct rig *r, const char *target, const struct target_override *set, size_t count) {
    static const struct target_override small[] = {{"machine.mpus", "4"},
                                                   {"machine.mpu_columns", "2"},
                                                   {"machine.rfh_per_mpu", "2"},
                                                   {"machine.vrf_per_rfh", "6"},
                                                   {"machine.active_vrf_per_rfh", "1"},
                                                   {"array.lanes", "8"}};
    enum { SMALL = sizeof small / sizeof *small };
    struct target_override all[SMALL + 8];
    struct diag *d = diag_new(NULL, NULL);
    assert_true(count <= 8);
    memcpy(all, small, sizeof small);
    for (size_t i = 0; i < count; i++)
        all[SMALL + i] = set[i];
    *r = (struct rig){.target = target_open(target, all, SMALL + count, d)};
    r->library = r->target ? machine_library_open(r->target, NULL, 0, d) : NULL;
    if (!r->library)
        fail_msg("%s: %s", target, diag_first(d));
    diag_free(d);
    r->usual = *r->target;
    for (unsigned op = 0; op < OP_COUNT; op++)
        r->allowed[op] = machine_has(r->library, (enum isa_op)op);
}

void rig_reset(struct rig *r) {
    *r->target = r->usual;
}

void rig_close(struct rig *r) {
    rig_reset(r);
    machine_library_close(r->library);
    target_free(r->target);
}

void rig_take(const struct rig *r, struct object *object, struct rig_program *out) {
    struct diag *d = diag_new(NULL, NULL);
    *out = (struct rig_program){.object = object};
    out->package = package_build(object, r->target, r->library, NULL, 0, d);
    if (!out->package && !r->may_lack_rows)
        fail_msg("%s", diag_first(d));
    diag_free(d);
}

void rig_link(const struct rig *r, struct object *object, struct rig_program *out) {
    const struct link_options link = {0};
    const struct object *const inputs[] = {object};
    struct diag *d = diag_new(NULL, NULL);
    struct object *linked = link_objects(inputs, 1, &link, d);
    if (!linked)
        fail_msg("%s", diag_first(d));
    object_free(object);
    diag_free(d);
    rig_take(r, linked, out);
}

void rig_assemble(const struct rig *r, const char *text, struct rig_program *out) {
    const struct asm_options options = {.debug = true};
    struct diag *d = diag_new(NULL, NULL);
    struct object *o = asm_assemble("test.s", text, strlen(text), &options, d);
    if (!o)
        fail_msg("%s\n%s", diag_first(d), text);
    diag_free(d);
    rig_link(r, o, out);
}

void rig_program_close(struct rig_program *p) {
    package_free(p->package);
    object_free(p->object);
}

static struct datapath *open_machine(const struct rig *r, const struct rig_program *p,
                                     uint64_t seed) {
    const struct dp_setup setup = {.target = r->target,
                                   .library = r->library,
                                   .code = p->package->code,
                                   .mpus = p->package->mpus,
                                   .lanes = p->package->lanes,
                                   .reg_bits = p->package->reg_bits,
                                   .init = DP_INIT_RANDOM,
                                   .seed = seed};
    struct diag *d = diag_new(NULL, NULL);
    struct datapath *dp = datapath_find(r->target->kind->name, NULL)->open(&setup, d);
    if (!dp)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    return dp;
}

static void play(const struct rig *r, struct ref_log *log, const struct rig_way *way,
                 struct rig_outcome *out) {
    struct ref_events *e = ref_log_events(log);
    if (way->issue_queue)
        e->program.issue_queue = way->issue_queue;
    e->program.recipes = plane_recipes(r->library);
    out->reference = ref_play(e);
}

void rig_outcome_free(struct rig_outcome *x) {
    free(x->reference.mpu_ps);
    str_free(&x->figures);
}

/* A jump may enter there, so that no run goes on across it. */
static void cut(struct control *c, const struct rig_way *way) {
    uint64_t seed = way->seed;
    for (uint32_t i = 0; i < c->text.len && way->cuts; i++)
        if (splitmix64(&seed) % way->cuts == 0)
            c->text.entered[i] = 1;
}

static void put(struct str *out, const char *what, uint64_t number) {
    str_printf(out, "%s %llu\n", what, (unsigned long long)number);
}

static void put_list(struct str *out, const char *what, const uint64_t *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        put(out, what, list[i]);
}

static void put_insns(const struct control *c, struct str *out) {
    const struct control_insn_stats *insns = control_insn_stats(c);
    for (uint32_t i = 0; i < c->text.len; i++) {
        put(out, "index", i);
        put(out, "executed", insns[i].executed);
        put(out, "micro-ops", insns[i].micro_ops);
        put(out, "energy", insns[i].energy_fj);
        put(out, "busy", insns[i].time_ps);
    }
}

static void put_regions(const struct control *c, struct str *out) {
    size_t count;
    const struct control_region_stats *regions = control_regions(c, &count);
    for (size_t i = 0; i < count; i++) {
        put(out, "region", regions[i].mark);
        put(out, "time", regions[i].time_ps);
        put(out, "micro-ops", regions[i].micro_ops);
        put(out, "energy", regions[i].energy_fj);
    }
}

/* All but the power of single runs, which is theirs alone. */
static void put_figures(const struct control *c, struct str *out) {
    const struct control_stats *s = control_stats(c);
    const struct dp_tables *t = control_tables(c);
    put(out, "time", s->time_ps);
    put(out, "mpu time", s->mpu_time_ps);
    put(out, "instructions", s->instructions);
    put(out, "ensembles", s->ensembles);
    put(out, "batches", s->batches);
    put(out, "transfers", s->transfers);
    put(out, "slots", s->issue_slots);
    put(out, "datapath cycles", s->datapath_cycles);
    put_list(out, "part", s->part_ps, TIMING_PARTS);
    put_list(out, "cycles", s->part_cycles, TIMING_PARTS);
    put_list(out, "uops", s->uops, t->kind_count);
    put_list(out, "energy", s->energy_fj, t->part_count);
    put(out, "transfer energy", s->transfer_fj);
    put(out, "network energy", s->network_fj);
    put(out, "front end energy", s->front_end_fj);
    put(out, "static energy", s->static_fj);
    put(out, "writes", s->wear.writes);
    put(out, "most writes", s->wear.most_writes);
    put(out, "masked", s->masks.micro_ops);
    put_insns(c, out);
    put_regions(c, out);
}

/* The log stands before the machine in any case; only with a reference it is told of steps. */
struct rig_outcome rig_run(struct rig *r, const struct rig_program *p, const struct rig_way *way) {
    struct datapath *dp = open_machine(r, p, way->seed);
    struct ref_log *log = ref_log_new(dp, way->answer_ps);
    const struct control_config config = {.step = way->reference ? ref_log_step : NULL,
                                          .step_context = log};
    struct control *c = control_new(p->object, p->package, r->target, dp, &config);
    struct rig_outcome out = {0};
    ref_log_attach(log, c);
    cut(c, way);
    out.end = control_run(c);
    out.stats = *control_stats(c);
    for (uint32_t i = 0; i < c->mpu_count && c->mpus[i] < 64; i++)
        out.mpu_ps[c->mpus[i]] = timing_reached(c->timing, c->mpus[i]);
    if (way->reference && out.end == CONTROL_DONE)
        play(r, log, way, &out);
    if (way->figures)
        put_figures(c, &out.figures);
    ref_log_close(log);
    control_free(c);
    dp->ops->close(dp);
    return out;
}

struct rig_outcome rig_run_text(struct rig *r, const char *text) {
    struct rig_program p;
    rig_assemble(r, text, &p);
    struct rig_outcome out = rig_run(r, &p, &(struct rig_way){.seed = 1, .reference = true});
    assert_int_equal(out.end, CONTROL_DONE);
    rig_program_close(&p);
    return out;
}
