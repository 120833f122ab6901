/* SPDX-License-Identifier: MIT
 * What the control path of an MPU takes, by the sizes of its parts (docs/control-path.md#size).
 *
 * A file states totals and shares of them: so many thousandths at a size.  A part takes in
 * proportion to its size, and what no share names takes the same whatever the sizes.  At the sizes
 * of the shares the totals are the stated ones to the last digit: of several parts in one share
 * each gets what all up to it take less what those before it take.
 *
 * Where the host sends a stream there is no front end, and it takes nothing. */
#include "target/load.h"

__extension__ typedef unsigned __int128 front_end128;

/* --- sizes --- */

static uint64_t tables(const struct target *target, uint64_t bits) {
    uint64_t more = target->controllers ? target->controllers - 1 : 0;
    return target->recipe_table == RECIPE_TABLE_PRIVATE
               ? bits * target->controllers
               : bits + bits * more * target->front_end_port / 1000;
}

static uint64_t activation_bits(const struct target *target) {
    uint32_t vrfs = target_vrfs_per_mpu(target);
    return vrfs > target->activation_bits ? vrfs : target->activation_bits;
}

/* Ports of a router, its MPU's own among them; on a ring or a torus each twice, for a second
 * virtual channel: without it messages that wait round a ring would wait for one another. */
#define MESH_PORTS 5
static uint64_t router_ports(enum chip_kind chip) {
    switch (chip) {
    case CHIP_MESH_1D:
        return 3;
    case CHIP_RING:
        return 2 * 3;
    case CHIP_TORUS:
        return UINT64_C(2) * MESH_PORTS;
    default:
        return MESH_PORTS;
    }
}

/* Links that take no time have the width of the share, which is of a mesh. */
static uint64_t link_bytes(const struct target *target) {
    return target->flit_ps ? target->flit_bytes
                           : target->front_end_shares[SHARE_ROUTER].of / MESH_PORTS;
}

static uint64_t part_size(const struct target *target, enum target_front_end_part part) {
    uint64_t controllers = target->controllers;
    switch (part) {
    case PART_PLAYBACK:
        return controllers * target->playback_entries * target->playback_entry_bits;
    case PART_RECIPES:
        return tables(target, (uint64_t)target->recipe_templates * TARGET_TEMPLATE_BITS);
    case PART_POINTERS:
        return tables(target, (uint64_t)target->recipe_pointers * TARGET_POINTER_BITS);
    case PART_ACTIVATION:
        return controllers * activation_bits(target);
    case PART_EVALUATION:
        return controllers * target->efi_bits_per_cycle;
    case PART_TRANSFER: /* as many as there would be of the share's lanes */
        return target->transfer_lanes
                   ? (uint64_t)target->buffer_registers * target->lanes / target->transfer_lanes
                   : target->buffer_registers;
    case PART_ROUTER:
        return router_ports(target->chip) * link_bytes(target);
    default:
        return controllers;
    }
}

/* --- what they take --- */

static const struct {
    const char *name, *unit;
    enum target_share share;
} about[FRONT_END_PARTS] = {
    [PART_PLAYBACK] = {"playback_buffer", "bits", SHARE_STORAGE},
    [PART_RECIPES] = {"recipe_table", "bits", SHARE_STORAGE},
    [PART_POINTERS] = {"pointer_table", "bits", SHARE_STORAGE},
    [PART_ACTIVATION] = {"activation_board", "bits", SHARE_STORAGE},
    [PART_EVALUATION] = {"evaluation", "bits a cycle", SHARE_EVALUATION},
    [PART_TRANSFER] = {"transfer_buffer", "registers", SHARE_TRANSFER},
    [PART_ROUTER] = {"router", "bytes", SHARE_ROUTER},
    [PART_CONTROLLERS] = {"controllers", "controllers", SHARE_CONTROLLERS},
    [PART_REST] = {"rest", "", TARGET_SHARES},
};

/* total x permille / 1000 x size / of, to the nearest, at most UINT64_MAX.  A total is at most 2^40
 * and a size below 2^60, so the product fits 128 bits. */
static uint64_t scaled(uint64_t total, uint32_t permille, uint64_t size, uint32_t of) {
    front_end128 whole = (front_end128)total * permille * size, by = (front_end128)1000 * of;
    front_end128 value = (whole + by / 2) / by;
    return value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

static struct target_front_end at_size(const struct target *target, enum target_share share,
                                       uint64_t size) {
    const struct target_front_end *stated = &target->front_end_stated;
    const struct target_front_end_share *s = &target->front_end_shares[share];
    return (struct target_front_end){scaled(stated->um2, s->area, size, s->of),
                                     scaled(stated->static_nw, s->power, size, s->of),
                                     scaled(stated->fj, s->energy, size, s->of)};
}

static struct target_front_end less(struct target_front_end left, struct target_front_end right) {
    return (struct target_front_end){left.um2 - right.um2, left.static_nw - right.static_nw,
                                     left.fj - right.fj};
}

/* What no share names. */
static struct target_front_end rest(const struct target *target) {
    struct target_front_end left = target->front_end_stated;
    for (unsigned k = 0; k < TARGET_SHARES; k++)
        if (target->front_end_shares[k].of)
            left = less(left, at_size(target, k, target->front_end_shares[k].of));
    return left;
}

void target_front_end_parts(const struct target *target,
                            struct target_front_end_entry parts[FRONT_END_PARTS]) {
    uint64_t sizes[TARGET_SHARES] = {0};
    for (unsigned k = 0; k < FRONT_END_PARTS; k++) {
        enum target_share share = about[k].share;
        struct target_front_end_entry x = {.name = about[k].name, .unit = about[k].unit};
        if (k == PART_REST) {
            x.takes = rest(target);
        } else if (target->front_end_shares[share].of) {
            x.size = part_size(target, k);
            x.takes = less(at_size(target, share, sizes[share] + x.size),
                           at_size(target, share, sizes[share]));
            sizes[share] += x.size;
        }
        parts[k] = x;
    }
}

/* --- for the reader --- */

static bool check_shares(struct target_text *text, const struct target *target) {
    uint32_t area = 0, power = 0, energy = 0;
    for (unsigned k = 0; k < TARGET_SHARES; k++) {
        area += target->front_end_shares[k].area;
        power += target->front_end_shares[k].power;
        energy += target->front_end_shares[k].energy;
    }
    if (area <= 1000 && power <= 1000 && energy <= 1000)
        return true;
    struct yaml_node *n = target_find(text->root, "front_end.shares");
    diag_error(text->diag, n ? n->key_at : NO_SPAN,
               "front_end.shares: %s of all shares are more than 1000 thousandths",
               area > 1000    ? "area_permille"
               : power > 1000 ? "static_permille"
                              : "energy_permille");
    return false;
}

bool target_front_end_fill(struct target_text *text, struct target *target) {
    struct target_front_end_entry parts[FRONT_END_PARTS];
    target->transfer_lanes = text->lanes;
    if (!check_shares(text, target))
        return false;
    target_front_end_parts(target, parts);
    for (unsigned k = 0; k < FRONT_END_PARTS && target->control != CONTROL_STREAM; k++) {
        target->front_end_um2 = sat_add(target->front_end_um2, parts[k].takes.um2);
        target->front_end_static_nw =
            sat_add(target->front_end_static_nw, parts[k].takes.static_nw);
        target->front_end_fj = sat_add(target->front_end_fj, parts[k].takes.fj);
    }
    return true;
}
