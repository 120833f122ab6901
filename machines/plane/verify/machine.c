/* SPDX-License-Identifier: MIT */
#include "machines/plane/run/plane.h"
#include "machines/plane/verify/verify.h"
#include "machines/verify/matrix.h"
#include "recipe/set.h"

static bool has(const void *recipes, enum mpu_op op) {
    return recipe_exists(recipes, op);
}

static void golden(const void *recipes, enum mpu_op op, struct golden_lane *x) {
    recipe_golden(recipes, op, x);
}

/* The list that was prepared, and which an order was found for. */
static bool check(const void *recipes, const struct insn *insn, bool masked,
                  const struct dp_code *code, struct diag *d) {
    const struct recipe_set *s = recipes;
    return verify_list(s->target, insn, masked, &code->uops, false, d);
}

const struct verify_machine *plane_verify(struct verify_plane *p, const struct target *t,
                                          const struct recipe_set *s) {
    p->library = (struct plane_library){.base = {.machine = &plane_machine, .target = t},
                                        .recipes = (struct recipe_set *)(uintptr_t)s};
    p->machine = (struct verify_machine){.open = plane_strict_ops.open,
                                         .setup = {.target = t, .library = &p->library.base},
                                         .context = s,
                                         .has = has,
                                         .golden = golden,
                                         .check = check};
    return &p->machine;
}

/* A machine that knows micro-ops only. */
static struct datapath *open_without_recipes(const struct dp_setup *setup, struct diag *d) {
    return plane_open_with(setup, NULL, false, d);
}

bool plane_verify_run(const struct target *t, const struct insn *insn, bool masked,
                      const struct uop_list *list, uint64_t seed, struct diag *d) {
    const struct verify_machine machine = {.open = open_without_recipes, .setup = {.target = t}};
    struct rig rig = {0};
    struct insn_form f;
    if (!verify_rig_open(&rig, &machine, d))
        return false;
    verify_form_fill(&f, insn, masked);
    unsigned log_lanes = f.w * f.read_count;
    struct value_plan plan = {log_lanes <= 16, f.w, f.read_count, seed};
    struct dp_code *code = plane_prepare_uops(rig.dp, list->data, list->len, d);
    verify_rig_reset(&rig, seed);
    struct rig_trial trial = {&f, code};
    bool good =
        code &&
        verify_rig_try(&rig, &trial, 1, &plan, plan.all ? (uint64_t)1 << log_lanes : 4096, d) &&
        verify_rig_compare_all(&rig, insn->op, d);
    verify_rig_close(&rig);
    return good;
}
