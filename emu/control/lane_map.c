/* SPDX-License-Identifier: MIT
 * The maps of LANE as copies between arithmetic progressions of lanes. */
#include "emu/control/state.h"

/* `count` lanes from dst_first by dst_step take theirs from src_first by src_step. */
static uint32_t one(struct dp_copy *out, const struct dp_copy *whole, uint32_t count,
                    uint32_t dst_first, int32_t dst_step, uint32_t src_first, int32_t src_step) {
    *out = *whole;
    out->count = count;
    out->dst_first = dst_first;
    out->dst_step = dst_step;
    out->src_first = src_first;
    out->src_step = src_step;
    return count ? 1 : 0;
}

static uint32_t shift(struct dp_copy *out, const struct dp_copy *whole, uint32_t lanes,
                      int32_t index) {
    uint32_t by = (uint32_t)(index < 0 ? -index : index), left = by < lanes ? lanes - by : 0;
    return one(out, whole, left, index > 0 ? by : 0, 1, index < 0 ? by : 0, 1);
}

static uint32_t rotate(struct dp_copy out[2], const struct dp_copy *whole, uint32_t lanes,
                       int32_t index) {
    uint32_t by = (uint32_t)(((int64_t)index % lanes + lanes) % lanes);
    uint32_t n = one(&out[0], whole, lanes - by, by, 1, 0, 1);
    return n + one(&out[n], whole, by, 0, 1, lanes - by, 1);
}

uint32_t control_lane_map_copies(const struct insn *lane, uint32_t lanes,
                                 const struct dp_copy *whole, struct dp_copy out[2]) {
    int32_t k = lane->imm;
    uint32_t strided = k > 0 ? (lanes - 1) / (uint32_t)k + 1 : 0;
    switch (lane->mode) {
    case LANE_SHIFT:
        return shift(out, whole, lanes, k);
    case LANE_ROTATE:
        return rotate(out, whole, lanes, k);
    case LANE_GATHER:
        return one(out, whole, strided, 0, 1, 0, k);
    case LANE_SCATTER:
        return one(out, whole, strided, 0, k, 0, 1);
    case LANE_REVERSE:
        return one(out, whole, lanes, 0, 1, lanes - 1, -1);
    case LANE_BROADCAST:
        return one(out, whole, (uint32_t)k < lanes ? lanes : 0, 0, 1, (uint32_t)k, 0);
    default:
        *out = *whole;
        return 1;
    }
}
