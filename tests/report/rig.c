/* SPDX-License-Identifier: MIT */
#include "machines/plane/run/plane.h"
#include "rig.h"

#include "tests/control/random_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void verify_rig_open(struct rig *r, const char *target) {
    static const struct target_override small[] = {{"machine.mpus", "3"},
                                                   {"machine.rfh_per_mpu", "2"},
                                                   {"machine.vrf_per_rfh", "3"},
                                                   {"machine.active_vrf_per_rfh", "1"},
                                                   {"array.lanes", "8"}};
    rig_open_with(r, target, small, sizeof small / sizeof *small);
}

void rig_open_with(struct rig *r, const char *target, const struct target_override *set,
                   size_t count) {
    struct diag *d = diag_new(NULL, NULL);
    *r = (struct rig){.target = target_open(target, set, count, d)};
    r->library = r->target ? machine_library_open(r->target, NULL, 0, d) : NULL;
    if (!r->library)
        fail_msg("%s: %s", target, diag_first(d));
    diag_free(d);
    for (unsigned op = 0; op < OP_COUNT; op++)
        r->allowed[op] = machine_has(r->library, (enum isa_op)op);
}

void verify_rig_close(struct rig *r) {
    machine_library_close(r->library);
    target_free(r->target);
}

/* Planes; tests/machines has what other kinds take. */
static bool rig_serves(const char *name) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open(name, NULL, 0, d);
    bool plane = t && t->kind == &technology_target_kind;
    target_free(t);
    diag_free(d);
    return plane;
}

void rig_each(void (*test)(const struct rig *r, const char *target, size_t number)) {
    size_t count;
    const char *const *names = target_names(&count);
    for (size_t i = 0; i < count; i++) {
        struct rig r;
        if (!rig_serves(names[i]))
            continue;
        verify_rig_open(&r, names[i]);
        test(&r, names[i], i);
        verify_rig_close(&r);
    }
}

/* Three instructions a line; all have one. */
static void add_lines(struct object *o) {
    uint32_t file = object_file(o, "random.s");
    for (uint32_t i = 0; i < o->text.len; i += 3)
        vec_push(&o->lines, ((struct line_entry){i, {.file = file, .line = 1 + i / 3}}));
}

void rig_run(const struct rig *r, uint64_t seed, enum batch_mode batch, dp_observer *observer,
             void *context, struct rig_run *out) {
    struct diag *d = diag_new(NULL, NULL);
    struct control_config config = {.batch = batch};
    *out = (struct rig_run){.object = object_new()};
    bench_package(&out->package);
    unsigned regs = random_program(seed, r->allowed, out->object);
    add_lines(out->object);
    memset(out->package.reg_bits + regs, 0, sizeof out->package.reg_bits - regs);
    struct dp_setup setup = {.target = r->target,
                             .mpus = BENCH_MPUS,
                             .reg_bits = out->package.reg_bits,
                             .library = r->library,
                             .init = DP_INIT_RANDOM,
                             .seed = seed};
    out->dp = plane_strict_ops.open(&setup, d);
    if (!out->dp)
        fail_msg("%s", diag_first(d));
    out->dp->ops->observe(out->dp, observer, context);
    out->control = control_new(out->object, &out->package, r->target, out->dp, &config);
    if (control_run(out->control) != CONTROL_DONE)
        fail_msg("program %llu: %s", (unsigned long long)seed, control_message(out->control));
    diag_free(d);
}

void rig_run_free(struct rig_run *x) {
    control_free(x->control);
    x->dp->ops->close(x->dp);
    object_free(x->object);
}

void rig_report(const struct rig *r, const struct rig_run *x, struct figures *out) {
    static const char *const command[] = {"mpu-run", "--in=x=/data/x.npy"};
#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    static const struct report_input input = {"x", "random:1", DIGEST};
    const struct report_run run = {
        .program = x->object,
        .package = &x->package,
        .target = r->target,
        .control = x->control,
        .end = "done",
        .provenance = {.version = "1",
                       .command = command,
                       .command_count = 2,
                       .program = "random.s",
                       .program_sha256 = DIGEST,
                       .engine = "strict",
                       .batch = "target",
                       .init = "zero",
                       .inputs = &input,
                       .input_count = 1},
        .host = {.cost_known = r->target->host_bytes_per_s != 0,
                 .puts = 1,
                 .bytes_in = 8,
                 .time_ps = 1001,
                 .energy_fj = 17,
                 .transpose_ps = 2003,
                 .transpose_fj = 19},
    };
    report_fill(&run, out);
}
