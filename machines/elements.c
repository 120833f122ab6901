/* SPDX-License-Identifier: MIT
 * Elements of arrays into lanes and back, on machines that know one VRF at a time. */
#include "machines/datapath.h"
#include "support/bits.h"

#include <string.h>

static void load(const struct dp_elements *x, uint64_t first, uint32_t count, uint64_t *values) {
    const unsigned char *at = x->data + first * x->step * x->bytes;
    memset(values, 0, count * sizeof *values);
    for (uint32_t i = 0; i < count; i++, at += x->step * x->bytes)
        memcpy(&values[i], at, x->bytes);
}

static void store(const struct dp_elements *x, uint64_t first, uint32_t count,
                  const uint64_t *values) {
    unsigned char *at = x->data + first * x->step * x->bytes;
    for (uint32_t i = 0; i < count; i++, at += x->step * x->bytes) {
        uint64_t value = values[i] & low_bits(x->bits);
        if (x->sign)
            value = (uint64_t)sign_extend(value, x->bits);
        memcpy(at, &value, x->bytes);
    }
}

/* Lanes of one VRF that are asked for at once. */
struct piece {
    uint32_t vrf, first, count;
};

static struct piece piece_at(const struct dp_elements *x, uint64_t i) {
    uint32_t lane = (uint32_t)(i % x->lanes);
    uint64_t left = x->count - i;
    uint32_t in_vrf = left < x->lanes - lane ? (uint32_t)left : x->lanes - lane;
    return (struct piece){x->vrf + (uint32_t)(i / x->lanes), lane, dp_piece(0, in_vrf)};
}

void datapath_put_elements(struct datapath *dp, const struct dp_elements *x) {
    uint64_t values[DP_PIECE_LANES];
    struct piece p;
    if (dp->ops->put_elements) {
        dp->ops->put_elements(dp, x);
        return;
    }
    for (uint64_t i = 0; i < x->count; i += p.count) {
        p = piece_at(x, i);
        load(x, i, p.count, values);
        dp->ops->put(dp, p.vrf, DP_REGISTER, x->reg, x->bits, p.first, p.count, values);
    }
}

void datapath_get_elements(struct datapath *dp, const struct dp_elements *x) {
    uint64_t values[DP_PIECE_LANES];
    struct piece p;
    if (dp->ops->get_elements) {
        dp->ops->get_elements(dp, x);
        return;
    }
    for (uint64_t i = 0; i < x->count; i += p.count) {
        p = piece_at(x, i);
        dp->ops->get(dp, p.vrf, DP_REGISTER, x->reg, p.first, p.count, values);
        store(x, i, p.count, values);
    }
}
