/* SPDX-License-Identifier: MIT
 * Registers that are used in the VRFs of each kin of groups. */
#ifndef LINKER_PACKAGE_KIN_USE_H
#define LINKER_PACKAGE_KIN_USE_H

#include "linker/package/pack.h"
#include "object/text.h"

struct kin_use {
    const struct object *o;
    const uint32_t *leader; /* [groups]: the first that shares VRFs with it */
    uint8_t (*bits)[64];    /* [groups]: of leaders, those of registers */
};
/* Under headers of words[0..object.text.len), in variables, moves and what the host finishes; lives
 * in `arena`. */
void package_find_kin_use(const struct object *object, const uint32_t *words, struct arena *arena,
                          struct kin_use *out);
/* Elements of a VRF of the group: lanes have room for the registers, and are as wide as those of
 * vectors that lie there. */
uint32_t package_lanes_of(const struct kin_use *use, const struct package *package,
                          const struct target *target, const struct machine *machine,
                          uint32_t group);

#endif
