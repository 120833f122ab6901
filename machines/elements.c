/* SPDX-License-Identifier: MIT
 * Elements of arrays into lanes and back, on machines that know one VRF at a time. */
#include "machines/datapath.h"
#include "support/bits.h"

#include <string.h>

static void load(const struct dp_elements *elements, uint64_t first, uint32_t count,
                 uint64_t *values) {
    const unsigned char *at = elements->data + first * elements->step * elements->bytes;
    memset(values, 0, count * sizeof *values);
    for (uint32_t i = 0; i < count; i++, at += elements->step * elements->bytes)
        memcpy(&values[i], at, elements->bytes);
}

static void store(const struct dp_elements *elements, uint64_t first, uint32_t count,
                  const uint64_t *values) {
    unsigned char *at = elements->data + first * elements->step * elements->bytes;
    for (uint32_t i = 0; i < count; i++, at += elements->step * elements->bytes) {
        uint64_t value = values[i] & low_bits(elements->bits);
        if (elements->sign)
            value = (uint64_t)sign_extend(value, elements->bits);
        memcpy(at, &value, elements->bytes);
    }
}

/* Lanes of one VRF that are asked for at once. */
struct piece {
    uint32_t vrf, first, count;
};

static struct piece piece_at(const struct dp_elements *elements, uint64_t index) {
    uint32_t lane = (uint32_t)(index % elements->lanes);
    uint64_t left = elements->count - index;
    uint32_t in_vrf = left < elements->lanes - lane ? (uint32_t)left : elements->lanes - lane;
    return (struct piece){elements->vrf + (uint32_t)(index / elements->lanes), lane,
                          dp_piece(0, in_vrf)};
}

void datapath_put_elements(struct datapath *dp, const struct dp_elements *elements) {
    uint64_t values[DP_PIECE_LANES];
    struct piece p;
    if (dp->ops->put_elements) {
        dp->ops->put_elements(dp, elements);
        return;
    }
    for (uint64_t i = 0; i < elements->count; i += p.count) {
        p = piece_at(elements, i);
        load(elements, i, p.count, values);
        dp->ops->put(dp, p.vrf, DP_REGISTER, elements->reg, elements->bits, p.first, p.count,
                     values);
    }
}

void datapath_get_elements(struct datapath *dp, const struct dp_elements *elements) {
    uint64_t values[DP_PIECE_LANES];
    struct piece p;
    if (dp->ops->get_elements) {
        dp->ops->get_elements(dp, elements);
        return;
    }
    for (uint64_t i = 0; i < elements->count; i += p.count) {
        p = piece_at(elements, i);
        dp->ops->get(dp, p.vrf, DP_REGISTER, elements->reg, p.first, p.count, values);
        store(elements, i, p.count, values);
    }
}
