/* SPDX-License-Identifier: MIT
 * Programs and targets made by hand for the linker's tests. */
#ifndef TESTS_LINKER_FIXTURE_H
#define TESTS_LINKER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "linker/linker.h"
#include "linker/package.h"
#include "machines/golden/link/golden.h"
#include "machines/plane/link/plane.h"
#include "recipe/technology/plane_target.h"

#include <stdio.h>
#include <string.h>

#define NOWHERE ((struct place){NO_INDEX, 0, 0})

/* What the last target made says of itself as a plane machine; nothing at first. */
static struct plane_target toy_planes;
static struct row_class toy_class;

static inline struct target make_target(uint32_t lanes, uint32_t vrf_per_rfh, uint32_t rfh_per_mpu,
                                        uint32_t mpus) {
    toy_class = (struct row_class){.last = UINT16_MAX, .step = 1};
    toy_planes = (struct plane_target){.row_classes = &toy_class, .row_class_count = 1};
    struct target t = {.name = "toy",
                       .kind = &technology_target_kind,
                       .own = &toy_planes,
                       .lanes = lanes,
                       .vrf_per_rfh = vrf_per_rfh,
                       .rfh_per_mpu = rfh_per_mpu,
                       .mpus = mpus,
                       .buffer_registers = TARGET_BUFFER_REGISTERS};
    memset(t.hash, 'a', 64);
    return t;
}

static inline struct object *make_program(void) {
    struct object *o = object_new();
    o->linked = true;
    return o;
}

static inline uint32_t add_group(struct object *o, const char *name, uint64_t elements) {
    struct group g = {.name = name,
                      .ndim = 1,
                      .extent = {{NO_INDEX, elements}},
                      .like = NO_INDEX,
                      .at_rfh = NO_INDEX,
                      .at_vrf = NO_INDEX,
                      .place = NOWHERE};
    vec_push(&o->groups, g);
    return (uint32_t)o->groups.len - 1;
}

static inline void add_insn(struct object *o, struct insn i) {
    uint32_t word = 0;
    assert_int_equal(isa_encode(&i, &word), ISA_OK);
    o->sets |= UINT32_C(1) << isa_info(i.op)->set;
    vec_push(&o->text, word);
}

static inline void add_op(struct object *o, enum isa_op op) {
    add_insn(o, (struct insn){.op = op});
}

static inline void add_compute(struct object *o, unsigned rfh, unsigned vrf) {
    add_insn(o, (struct insn){.op = OP_COMPUTE, .rfh = (uint16_t)rfh, .vrf = (uint16_t)vrf});
}

/* What the machine says of lanes; NULL: those of the target. */
static uint32_t (*toy_lanes)(const struct target *t, const uint8_t reg_bits[64]);

/* It has no recipes, so its code needs no scratch. */
static inline void toy_rows(const struct target *t, const struct machine_code *c,
                            const struct machine_program *p, uint32_t kin,
                            struct machine_rows *out) {
    (void)c;
    if (plane_target(t)->sections)
        plane_machine.rows(t, NULL, p, kin, out);
    else /* a target that is not read from a file */
        *out = (struct machine_rows){.unit = "row", .bits = 1};
}

/* A machine that carries out everything and has room for registers where its planes have. */
static struct machine toy_machine;
static struct machine_library toy_library_of_tests;
static inline const struct machine_library *toy_library(const struct target *t) {
    toy_machine = golden_machine;
    toy_machine.rows = toy_rows;
    if (toy_lanes)
        toy_machine.lanes = toy_lanes;
    toy_library_of_tests = (struct machine_library){.machine = &toy_machine, .target = t};
    return &toy_library_of_tests;
}

/* The package without recipes, or NULL; *why is the first error or NULL (owned by d). */
static inline struct package *pack(const struct object *o, const struct target *t, struct diag *d) {
    return package_build(o, t, toy_library(t), NULL, 0, d);
}

/* The first error contains the text. */
static inline void assert_error(const struct diag *d, const char *text) {
    const char *first = diag_first(d);
    assert_non_null(first);
    if (!strstr(first, text))
        fail_msg("expected '%s' in '%s'", text, first);
}

#endif
