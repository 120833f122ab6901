/* SPDX-License-Identifier: MIT */
#include "machines/machine.h"
#include "recipe/recipe.h"
#include "support/file.h"
#include "target/load.h"

#include <stdlib.h>

const struct machine *machine_of(const struct target *t) {
    for (size_t i = 0; machine_list[i]; i++)
        if (machine_list[i]->kind == t->kind)
            return machine_list[i];
    return NULL; /* a target is of a kind that is in both lists */
}

const struct machine_format *machine_formats(const struct target *t) {
    return machine_of(t)->formats;
}

static enum target_fault why_not_open(const char *name) {
    size_t size;
    if (!target_is_path(name))
        return TARGET_UNKNOWN;
    char *text = file_read(name, &size);
    free(text);
    return text ? TARGET_REJECTED : TARGET_UNREADABLE;
}

enum target_fault machine_open_target(const char *name, const struct target_override *overrides,
                                      size_t count, struct diag *d, struct target **target,
                                      struct machine_library **library) {
    *library = NULL;
    *target = target_open(name, overrides, count, d);
    if (!*target)
        return why_not_open(name);
    *library = machine_library_open(*target, NULL, 0, d);
    if (*library)
        return TARGET_FINE;
    target_free(*target);
    *target = NULL;
    return TARGET_REJECTED;
}

struct machine_library *machine_library_open(const struct target *t, const struct user_file *files,
                                             size_t count, struct diag *d) {
    struct recipe_contracts *contracts = count ? recipe_contracts_open(t, files, count, d) : NULL;
    struct machine_library *l =
        contracts || !count ? machine_of(t)->open(t, files, count, d) : NULL;
    if (!l) {
        recipe_contracts_free(contracts);
        return NULL;
    }
    l->machine = machine_of(t);
    l->target = t;
    l->contracts = contracts;
    return l;
}

void machine_library_close(struct machine_library *l) {
    if (!l)
        return;
    recipe_contracts_free(l->contracts);
    l->machine->close(l);
}

void machine_code_free(struct machine_code *c) {
    if (c)
        c->machine->free(c);
}

void machine_golden(const struct machine_library *l, enum mpu_op op, struct golden_lane *x) {
    if (isa_info(op)->golden)
        isa_info(op)->golden(x);
    else
        recipe_contracts_run(l->contracts, op, x);
}

/* ---- what a kind may leave out ---- */

const char *machine_hash(const struct machine_library *l) {
    return l->machine->hash ? l->machine->hash(l) : NULL;
}

bool machine_has(const struct machine_library *l, enum mpu_op op) {
    if (l->machine->has)
        return l->machine->has(l, op);
    return !(isa_info(op)->flags & ISA_USER) || recipe_contracts_have(l->contracts, op);
}

void machine_why_not(const struct machine_library *l, enum mpu_op op, struct str *out) {
    if (l->machine->why_not)
        l->machine->why_not(l, op, out);
}

bool machine_fits(const struct machine_library *l, const struct insn *insn, struct str *problem) {
    return !l->machine->fits || l->machine->fits(l, insn, problem);
}

bool machine_has_room(const struct machine_library *l, const uint8_t reg_bits[64],
                      struct str *problem) {
    return !l->machine->has_room || l->machine->has_room(l->target, reg_bits, problem);
}

bool machine_rows(const struct machine_library *l, const struct machine_code *c,
                  const struct machine_program *p, struct machine_rows *out) {
    *out = (struct machine_rows){.there = 0};
    if (l->machine->rows)
        l->machine->rows(l->target, c, p, out);
    return l->machine->rows != NULL;
}

uint32_t machine_lanes(const struct machine *m, const struct target *t,
                       const uint8_t reg_bits[64]) {
    return m->lanes ? m->lanes(t, reg_bits) : t->lanes;
}

void machine_load(const struct machine_code *c, struct machine_load *out) {
    *out = (struct machine_load){.parts = NULL};
    if (c->machine->load)
        c->machine->load(c, out);
}

uint32_t machine_part_of(const struct machine_code *c, const struct text *text, uint32_t index,
                         bool masked) {
    return c->machine->part_of ? c->machine->part_of(c, text, index, masked) : MACHINE_NO_PART;
}
