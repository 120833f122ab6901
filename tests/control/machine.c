/* SPDX-License-Identifier: MIT */
#include "machines/plane/run/plane.h"
#include "machine.h"

#include "asm/asm.h"
#include "linker/linker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void print(void *context, const char *line) {
    struct opened *m = context;
    str_printf(&m->printed, "%s\n", line);
}

static struct object *build(const char *text, struct diag *d) {
    const struct asm_options options = {.debug = true};
    const struct link_options link = {0};
    struct object *o = asm_assemble("test.s", text, strlen(text), &options, d);
    const struct object *const inputs[] = {o};
    struct object *linked = o ? link_objects(inputs, 1, &link, d) : NULL;
    object_free(o);
    return linked;
}

static struct machine_library *open_library(const struct target *t, const char *other,
                                            struct diag *d) {
    const struct user_file file = {"other.recipe", other, other ? strlen(other) : 0};
    return machine_library_open(t, &file, other != NULL, d);
}

struct changes {
    const char *target; /* NULL: that of the kind */
    const char *recipes;
    const struct target_override *set;
    size_t count;
};

/* With m->object set: everything else. */
static void open_machine(struct opened *m, enum machine_kind kind, const struct changes *x,
                         struct diag *d) {
    const char *usual = kind == ON_GOLDEN ? "golden" : "racer";
    m->target = target_open(x->target ? x->target : usual, x->set, x->count, d);
    if (!m->target || !m->object)
        fail_msg("%s", diag_first(d));
    m->library = open_library(m->target, x->recipes, d);
    m->sound =
        x->recipes ? open_library(m->target, NULL, d) : NULL; /* packages refuse the others */
    if (!m->library || (x->recipes && !m->sound))
        fail_msg("%s", diag_first(d));
    m->package = package_build(m->object, m->target, m->sound ? m->sound : m->library, NULL, 0, d);
    if (!m->package)
        fail_msg("%s", diag_first(d));
    struct dp_setup setup = {.target = m->target,
                             .library = m->library,
                             .mpus = m->package->mpus,
                             .reg_bits = m->package->reg_bits};
    const struct datapath_ops *ops = kind == ON_GOLDEN ? &golden_ops
                                     : kind == ON_BOTH ? &check_ops
                                                       : datapath_find(m->target->kind->name, NULL);
    m->dp = ops->open(&setup, d);
    if (!m->dp)
        fail_msg("%s", diag_first(d));
}

void machine_open(struct opened *m, enum machine_kind kind, const char *text,
                  const char *other_recipes) {
    struct diag *d = diag_new(NULL, NULL);
    *m = (struct opened){.object = build(text, d)};
    open_machine(m, kind, &(struct changes){.recipes = other_recipes}, d);
    diag_free(d);
}

void machine_open_with(struct opened *m, enum machine_kind kind, const char *text,
                       const struct target_override *set, size_t count) {
    struct diag *d = diag_new(NULL, NULL);
    *m = (struct opened){.object = build(text, d)};
    open_machine(m, kind, &(struct changes){.set = set, .count = count}, d);
    diag_free(d);
}

void machine_open_on(struct opened *m, const char *target, const char *text) {
    machine_open_at(m, ON_RACER, target, text);
}

void machine_open_at(struct opened *m, enum machine_kind kind, const char *target,
                     const char *text) {
    struct diag *d = diag_new(NULL, NULL);
    *m = (struct opened){.object = build(text, d)};
    open_machine(m, kind, &(struct changes){.target = target}, d);
    diag_free(d);
}

void machine_open_insns(struct opened *m, const struct insn *insns, size_t count) {
    struct diag *d = diag_new(NULL, NULL);
    *m = (struct opened){.object = object_new()};
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        assert_int_equal(isa_encode(&insns[i], &word), ISA_OK);
        vec_push(&m->object->text, word);
    }
    m->object->linked = true;
    open_machine(m, ON_GOLDEN, &(struct changes){0}, d);
    diag_free(d);
}

void machine_run(struct opened *m, const struct control_config *config) {
    struct control_config c = config ? *config : (struct control_config){0};
    c.print = print;
    c.print_context = m;
    c.cost_unknown = !m->target->kind->costs;
    control_free(m->control);
    m->control = control_new(m->object, m->package, m->target, m->dp, &c);
    m->end = control_run(m->control);
}

struct control_stats machine_stats(const struct opened *m) {
    static uint64_t kept[64][256];
    static unsigned next;
    const struct dp_tables *t = control_tables(m->control);
    struct control_stats s = *control_stats(m->control);
    uint64_t *words = kept[next++ % 64];
    assert_true(t->kind_count + t->part_count <= 256);
    memcpy(words, s.uops, t->kind_count * sizeof *words);
    memcpy(words + t->kind_count, s.energy_fj, t->part_count * sizeof *words);
    s.uops = words;
    s.energy_fj = words + t->kind_count;
    return s;
}

void machine_close(struct opened *m) {
    control_free(m->control);
    if (m->dp)
        m->dp->ops->close(m->dp);
    package_free(m->package);
    object_free(m->object);
    machine_library_close(m->library);
    machine_library_close(m->sound);
    target_free(m->target);
    str_free(&m->printed);
}

static uint32_t number(const struct opened *m, uint32_t mpu, uint32_t rfh, uint32_t vrf) {
    return mpu * target_vrfs_per_mpu(m->target) + vrf * m->target->rfh_per_mpu + rfh;
}

uint64_t machine_lane_of(struct opened *m, uint32_t mpu, uint32_t rfh, uint32_t vrf, unsigned reg,
                         uint32_t lane) {
    uint64_t value;
    m->dp->ops->get(m->dp, number(m, mpu, rfh, vrf), DP_REGISTER, reg, lane, 1, &value);
    return value;
}

void machine_put_of(struct opened *m, uint32_t mpu, uint32_t rfh, uint32_t vrf, unsigned reg,
                    uint32_t lane, uint64_t value) {
    m->dp->ops->put(m->dp, number(m, mpu, rfh, vrf), DP_REGISTER, reg, m->package->reg_bits[reg],
                    lane, 1, &value);
}

uint64_t machine_lane(struct opened *m, uint32_t rfh, uint32_t vrf, unsigned reg, uint32_t lane) {
    return machine_lane_of(m, 0, rfh, vrf, reg, lane);
}

void machine_put(struct opened *m, uint32_t rfh, uint32_t vrf, unsigned reg, uint32_t lane,
                 uint64_t value) {
    machine_put_of(m, 0, rfh, vrf, reg, lane, value);
}
