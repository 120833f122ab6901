/* SPDX-License-Identifier: MIT
 * What lanes of a warp compute together. */
#include "ptx/alu.h"

static bool is_there(const struct ptx_meeting *x, unsigned lane) {
    return x->lanes >> lane & 1;
}

/* The lane whose value a lane gets; its own where that is none. */
static unsigned partner(const struct ptx_meeting *x, unsigned lane, bool *within) {
    int by = (int)(x->in[1][lane] & 31), limit = (int)x->in[2][lane];
    int segment = limit >> 8 & 31, least = (int)lane & segment;
    int most = least | (limit & 31 & ~segment), from = (int)lane;
    switch (x->m->mode) {
    case PTX_UP:
        from -= by;
        *within = from >= most;
        break;
    case PTX_DOWN:
        from += by;
        *within = from <= most;
        break;
    case PTX_BFLY:
        from ^= by;
        *within = from <= most;
        break;
    default:
        from = least | (by & ~segment);
        *within = from <= most;
    }
    return *within ? (unsigned)from : lane;
}

static void shuffle(struct ptx_meeting *x) {
    for (unsigned lane = 0; lane < PTX_WARP; lane++) {
        bool within;
        if (!is_there(x, lane))
            continue;
        unsigned from = partner(x, lane, &within);
        x->second |= (uint32_t)within << lane;
        x->out[lane] = x->in[0][is_there(x, from) ? from : lane];
    }
}

static void vote(struct ptx_meeting *x) {
    uint32_t bits = 0;
    for (unsigned lane = 0; lane < PTX_WARP; lane++)
        bits |= (uint32_t)(is_there(x, lane) && (x->in[0][lane] & 1)) << lane;
    uint64_t all = x->m->mode == PTX_ALL   ? bits == x->lanes
                   : x->m->mode == PTX_ANY ? bits != 0
                   : x->m->mode == PTX_UNI ? bits == 0 || bits == x->lanes
                                           : bits;
    for (unsigned lane = 0; lane < PTX_WARP; lane++)
        x->out[lane] = all;
}

static void match(struct ptx_meeting *x) {
    for (unsigned lane = 0; lane < PTX_WARP; lane++)
        for (unsigned other = 0; other < PTX_WARP; other++)
            if (is_there(x, other) && x->in[0][other] == x->in[0][lane])
                x->out[lane] |= (uint64_t)1 << other;
}

static void reduce(struct ptx_meeting *x) {
    uint64_t all = 0;
    bool first = true;
    for (unsigned lane = 0; lane < PTX_WARP; lane++) {
        if (!is_there(x, lane))
            continue;
        all = first ? x->in[0][lane]
                    : ptx_atomic((enum ptx_operation)x->m->operation, (enum ptx_type)x->m->type[0],
                                 all, x->in[0][lane], 0);
        first = false;
    }
    for (unsigned lane = 0; lane < PTX_WARP; lane++)
        x->out[lane] = all;
}

void ptx_alu_meet(struct ptx_meeting *meeting) {
    if (meeting->op == PTX_OP_SHFL)
        shuffle(meeting);
    else if (meeting->op == PTX_OP_VOTE)
        vote(meeting);
    else if (meeting->op == PTX_OP_MATCH)
        match(meeting);
    else if (meeting->op == PTX_OP_REDUX)
        reduce(meeting);
}
