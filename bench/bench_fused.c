/* SPDX-License-Identifier: MIT
 * The engine fused beside strict, instruction by instruction on the same vectors, and what
 * composing takes: one JSON object on one line.  README.md says what the numbers mean. */
#include "bench/sample.h"
#include "machines/plane/run/plane.h"
#include "recipe/set/set.h"
#include "support/json.h"
#include "support/str.h"

#include <stdio.h>

#define RUNS 9

struct side {
    struct datapath *dp;
    struct dp_code *code;
    struct vrf_range range;
    unsigned repeats;
};

static void run_side(void *context) {
    const struct side *s = context;
    for (unsigned i = 0; i < s->repeats; i++)
        s->dp->ops->execute(s->dp, s->code, (struct vrf_set){&s->range, 1}, (struct dp_moment){0},
                            NULL);
}

static double least(const struct side *side) {
    double seconds[RUNS], best = 1e9;
    sample_measure(run_side, (void *)(uintptr_t)side, RUNS, seconds);
    for (size_t i = 0; i < RUNS; i++)
        best = seconds[i] < best ? seconds[i] : best;
    return best / side->repeats;
}

static struct side open_side(const struct datapath_ops *ops, const struct dp_setup *setup,
                             const struct dp_run *run, uint32_t lanes, struct diag *d) {
    struct side s = {.dp = ops->open(setup, d), .repeats = 1 + (1u << 20) / lanes};
    s.code = s.dp ? s.dp->ops->prepare(s.dp, run, d) : NULL;
    s.range.count = lanes / setup->target->lanes;
    s.range.count += s.range.count == 0;
    return s;
}

static void report(struct json *json, const struct target *target,
                   const struct machine_library *library, enum isa_op op, unsigned width,
                   uint32_t lanes, struct diag *d) {
    uint8_t bits[64] = {64, 64, 64, 64};
    struct insn insn = recipe_usual_insn(op, width);
    const struct dp_run run = {.insns = &insn, .count = 1};
    const struct dp_setup setup = {
        .target = target, .library = library, .mpus = target->mpus, .reg_bits = bits};
    struct side strict = open_side(&plane_strict_ops, &setup, &run, lanes, d),
                fused = open_side(&plane_fused_ops, &setup, &run, lanes, d);
    if (strict.code && fused.code) {
        double composing = sample_cpu_seconds();
        plane_fused_of(plane_of(fused.dp), fused.code, PLANE_COMPOSE_AT);
        composing = sample_cpu_seconds() - composing;
        const struct plane_fused *made = atomic_load(&fused.code->fused);
        json_object_begin(json, NULL);
        json_string(json, "target", target->name);
        json_string(json, "instruction", isa_info(op)->name);
        json_u64(json, "width", width);
        json_u64(json, "lanes", lanes);
        json_u64(json, "steps", strict.code->step_count);
        json_u64(json, "composed_steps", made->steps ? made->count : strict.code->step_count);
        sample_report_number(json, "composing_us_per_step",
                             1e6 * composing / (double)strict.code->step_count);
        sample_report_number(json, "fused_over_strict", least(&strict) / least(&fused));
        json_object_end(json);
    }
    if (strict.dp)
        strict.dp->ops->close(strict.dp);
    if (fused.dp)
        fused.dp->ops->close(fused.dp);
}

int main(void) {
    static const char *const targets[] = {"racer", "mimdram", "pypim", "duality-cache"};
    static const struct {
        enum isa_op op;
        unsigned width;
    } forms[] = {{OP_ADD, 64}, {OP_MUL, 32}, {OP_FADD, 32}, {OP_FMUL, 32}};
    struct str out = {0};
    struct json *json = json_new_line();
    struct diag *d = diag_new(NULL, NULL);
    json_object_begin(json, NULL);
    json_string(json, "benchmark", "fused");
    json_array_begin(json, "forms");
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct target *t;
        struct machine_library *l;
        if (machine_open_target(targets[i], NULL, 0, d, &t, &l) != TARGET_FINE)
            continue;
        for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
            for (uint32_t lanes = 1u << 16; lanes <= 1u << 20; lanes <<= 4)
                if (machine_has(l, forms[k].op))
                    report(json, t, l, forms[k].op, forms[k].width, lanes, d);
        machine_library_close(l);
        target_free(t);
    }
    json_array_end(json);
    json_object_end(json);
    json_finish(json, &out);
    printf("%s\n", str_text(&out));
    diag_free(d);
    str_free(&out);
    return 0;
}
