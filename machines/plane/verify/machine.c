/* SPDX-License-Identifier: MIT
 * Instructions on a plane machine, for machines/verify/: the rig on its datapath, and its lists
 * checked. */
#include "machines/plane/run/insn_forms.h"
#include "machines/plane/verify/verify.h"
#include "machines/verify/matrix.h"
#include "recipe/set/set.h"

static bool has(const void *recipes, enum isa_op op) {
    return isa_has_table(op) ? recipe_looks_up(recipes) : recipe_exists(recipes, op);
}

static void golden(const void *recipes, enum isa_op op, struct golden_lane *lane) {
    recipe_result(recipes, op, lane);
}

/* The list that was prepared, and which an order was found for. */
static bool check(const void *recipes, const struct insn *insn, bool masked,
                  const struct dp_code *code, struct diag *diag) {
    const struct recipe_set *s = recipes;
    const struct plane_form *form = code->forms[0];
    struct uop_list list = {0};
    for (size_t i = 0; i < form->uop_count; i++)
        vec_push(&list, plane_uop_in_place(&code->registers[0], &form->uops[i]));
    bool fine = verify_list(s->target, insn, masked, &list, false, diag);
    vec_free(&list);
    return fine;
}

const struct verify_machine *plane_verify(struct verify_plane *plane, const struct target *target,
                                          const struct recipe_set *set) {
    plane->library = (struct plane_library){.base = {.machine = &plane_machine, .target = target},
                                            .recipes = (struct recipe_set *)(uintptr_t)set};
    plane->machine =
        (struct verify_machine){.open = plane_strict_ops.open,
                                .setup = {.target = target, .library = &plane->library.base},
                                .context = set,
                                .has = has,
                                .golden = golden,
                                .check = check};
    return &plane->machine;
}

struct datapath *plane_verify_open_fused(const struct dp_setup *setup, struct diag *diag) {
    struct datapath *dp = plane_fused_ops.open(setup, diag);
    if (dp)
        plane_of(dp)->compose_at = 0;
    return dp;
}

/* A machine that knows micro-ops only. */
static struct datapath *open_without_recipes(const struct dp_setup *setup, struct diag *diag) {
    return plane_open_with(setup, NULL, false, diag);
}

bool plane_verify_run(const struct target *target, const struct insn *insn, bool masked,
                      const struct uop_list *list, uint64_t seed, struct diag *diag) {
    const struct verify_machine machine = {.open = open_without_recipes,
                                           .setup = {.target = target}};
    struct rig rig = {0};
    struct insn_form f;
    if (!verify_rig_open(&rig, &machine, diag))
        return false;
    verify_form_fill(&f, insn, masked);
    unsigned log_lanes;
    struct value_plan plan = verify_plan_fill(&f, seed, &log_lanes);
    plan.all = log_lanes <= 16;
    struct dp_code *code = plane_prepare_uops(rig.dp, list->data, list->len, diag);
    verify_rig_reset(&rig, seed);
    struct rig_trial trial = {&f, code};
    bool good =
        code &&
        verify_rig_try(&rig, &trial, 1, &plan, plan.all ? (uint64_t)1 << log_lanes : 4096, diag) &&
        verify_rig_compare_all(&rig, insn->op, diag);
    verify_rig_close(&rig);
    return good;
}
