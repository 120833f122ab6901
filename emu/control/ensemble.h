/* SPDX-License-Identifier: MIT
 * What a header names: VRFs with their valid lanes, divided into the batches of each MPU. */
#ifndef EMU_CONTROL_ENSEMBLE_H
#define EMU_CONTROL_ENSEMBLE_H

#include "emu/control/control.h"
#include "object/text.h"
#include "emu/timing/timing.h"

/* What an MPU has of an ensemble. */
struct ensemble_part {
    uint32_t mpu;
    uint64_t header_slots; /* VRFs that the header names in this MPU; at least one an instruction */
    uint32_t first_batch, batch_count;
    uint32_t most_vrfs;   /* of one batch */
    uint32_t cut_batches; /* of these, ranges that were cut off (control_batches_make) */
};
struct ensemble {
    const struct dp_binding *bindings; /* [count], ascending by VRF, each VRF once */
    uint32_t count;
    const uint32_t *vrfs;   /* [count], ascending: all of them */
    const uint32_t *groups; /* [count]: whose elements they hold, by the first name that the header
                               has for them; NO_INDEX: a fixed VRF */
    struct vrf_set all;
    const struct batch *batches; /* by MPU, then index */
    uint32_t batch_count;
    const struct ensemble_part *parts; /* one for each MPU in use, ascending */
    uint32_t part_count;
    uint32_t most_batches; /* of any MPU */
    uint32_t at_once;      /* VRFs at work when each MPU has its largest batch at work */
    uint64_t lanes;        /* valid lanes, all VRFs together */
    bool mixed;            /* VRFs of several kin, each of which has batches of its own */
};

/* What an ensemble is built from. */
struct ensemble_maker {
    const struct object *program;
    const struct package *package;
    const struct target *target;
    const uint32_t *mpus; /* [mpu_count]: those in use, ascending */
    uint32_t mpu_count;
    enum batch_mode mode;
    bool by_range;   /* dp_tables.selects */
    uint32_t active; /* VRFs of an RFH that may work at once; 0: all */
    struct arena *arena;
};

/* The ensemble of header[0..count): COMPUTE and COMPUTEG.  NULL when the package has no place for
 * something that it names: *error is then set, to a constant or a text in the arena. */
const struct ensemble *control_ensemble_make(const struct ensemble_maker *maker,
                                             const struct insn *header, uint32_t count,
                                             const char **error);
/* The part of an ensemble that lies in some of its MPUs (ascending); lives in `arena` and refers to
 * `all`. */
const struct ensemble *control_ensemble_part(const struct ensemble *all, const uint32_t *mpus,
                                             uint32_t count, struct arena *arena);
/* As the datapath numbers them. */
uint32_t control_vrf_number(const struct target *target, uint32_t mpu, uint32_t rfh, uint32_t vrf);
/* The VRF number of a fixed VRF in MPU `mpu` of the image; NO_INDEX if the package has none. */
uint32_t control_fixed_vrf_number(const struct ensemble_maker *maker, uint32_t mpu, uint32_t rfh,
                                  uint32_t vrf);
const struct dp_binding *control_ensemble_binding(const struct ensemble *ensemble, uint32_t vrf);
/* Ranges of vrfs[0..count), ascending; skip[i] != 0 leaves vrfs[i] out (skip may be NULL).
 * `ranges` has room for count; returns how many there are. */
size_t control_vrf_ranges(const uint32_t *vrfs, uint32_t count, const uint8_t *skip,
                          struct vrf_range *ranges);

#endif
