/* SPDX-License-Identifier: MIT
 * Machines that carry out one program after another on what stays in their rows.  Code is prepared
 * for a program's registers by their names, and where these are is filled in when it is executed.
 */
#include "support/alloc.h"
#include "machines/plane/run/translate.h"

#include <string.h>

void plane_remap(struct datapath *dp, const struct dp_map *map) {
    struct plane_machine *m = plane_of(dp);
    bool same = true;
    m->setup.code = map->code;
    for (unsigned r = 0; r < 64; r++) {
        uint32_t slot = m->first_slot + map->first[r];
        same &= m->reg_bits[r] == map->bits[r] && (!map->bits[r] || m->reg_slot[r] == slot);
        m->reg_bits[r] = map->bits[r];
        m->reg_slot[r] = slot;
    }
    m->moved += !same;
    if (m->selected) /* each program begins alike */
        plane_select_all(m);
}

/* Of an operand: scratch, C, M and valid stay. */
static uint32_t place_operand(const struct plane_machine *machine, uint32_t operand) {
    uint32_t slot = operand / PLANE_STRIDE;
    if (operand & 1 || slot < machine->first_slot)
        return operand;
    uint32_t name = slot - machine->first_slot;
    return tile_operand(machine->reg_slot[name / 64] + name % 64);
}

static void place_steps(const struct plane_machine *machine, const struct plane_step *steps,
                        size_t count, struct plane_step *to) {
    for (size_t i = 0; i < count; i++) {
        const struct plane_step *s = &steps[i];
        to[i] = (struct plane_step){.dst = place_operand(machine, s->dst),
                                    .mask = place_operand(machine, s->mask),
                                    .ahead = place_operand(machine, s->ahead),
                                    .kernel = s->kernel};
        for (unsigned k = 0; k < 3; k++)
            to[i].src[k] = place_operand(machine, s->src[k]);
    }
}

const struct plane_step *plane_placed_steps(struct plane_machine *machine,
                                            const struct plane_step *steps, size_t count,
                                            struct dp_placed *placed) {
    struct alloc_lock lock;
    alloc_lock(&lock, &machine->lock);
    if (placed->at != machine->moved || !placed->steps) {
        if (!placed->steps)
            placed->steps = xreallocarray(NULL, count + 1, sizeof *placed->steps);
        place_steps(machine, steps, count, placed->steps);
        placed->at = machine->moved;
    }
    alloc_unlock(&lock);
    return placed->steps;
}
