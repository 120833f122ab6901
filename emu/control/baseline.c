/* SPDX-License-Identifier: MIT
 * The host's instructions of the baseline: which they are, and what its link takes for each. */
#include "emu/control/baseline.h"
#include "support/saturate.h"
#include "target/host.h"

/* What an instruction is to a host that stands in for the front end. */
enum role {
    ROLE_NONE,    /* the front end's, or the datapath's own */
    ROLE_KNOWN,   /* follows from the text: the host unrolls it */
    ROLE_ORDERS,  /* brackets that follow from the text, too, and what they enclose is dispatched */
    ROLE_WAITS,   /* a fence */
    ROLE_DECIDES, /* asks about masks */
    ROLE_SENDS,   /* a message */
};

static enum role role_of(enum isa_op op) {
    switch (op) {
    case OP_JUMP:
    case OP_RETURN:
    case OP_GOTO:
    case OP_REPEAT:
    case OP_REPEAT_END:
        return ROLE_KNOWN;
    case OP_COMPUTE:
    case OP_COMPUTEG:
    case OP_COMPUTE_DONE:
    case OP_MOVE:
    case OP_MOVE_DONE:
    case OP_SEND_DONE:
    case OP_RECV:
        return ROLE_ORDERS;
    case OP_MPU_SYNC:
        return ROLE_WAITS;
    case OP_JUMP_COND:
    case OP_JUMP_NONE:
    case OP_JUMP_ANY:
        return ROLE_DECIDES;
    case OP_SEND:
        return ROLE_SENDS;
    default:
        return ROLE_NONE;
    }
}

bool control_host_takes(const struct target *target, enum isa_op op) {
    enum role role = role_of(op);
    if (target->control == CONTROL_STREAM)
        return op < OP_COUNT && op != OP_INDEX && isa_info(op)->format != FORMAT_M &&
               !(isa_info(op)->flags & ISA_VECTOR);
    if (target->control == CONTROL_HOST)
        return role == ROLE_KNOWN || role == ROLE_SENDS || op == OP_JUMP_ANY;
    return target->control != CONTROL_MPU && role != ROLE_NONE;
}

static bool has_link_for_masks(const struct target *target) {
    return target->control == CONTROL_HOST || target->control == CONTROL_HOST_ALL;
}

bool control_host_decides(const struct target *target, enum isa_op op) {
    return has_link_for_masks(target) && (op == OP_JUMP_COND || op == OP_JUMP_NONE);
}

uint64_t control_host_cost_ps(const struct target *target, enum isa_op op) {
    enum role role = role_of(op);
    if (!control_host_takes(target, op) || (target->control == CONTROL_HOST && role == ROLE_KNOWN))
        return 0;
    /* A host that sends a stream has to know the answer before it goes on. */
    bool asks = role == ROLE_DECIDES || role == ROLE_WAITS;
    return target->control != CONTROL_STREAM || asks ? target->host_round_trip_ps : 0;
}

uint64_t control_host_masks_ps(const struct target *target, uint64_t lanes) {
    uint64_t bytes = lanes / 8 + (lanes % 8 != 0);
    if (!has_link_for_masks(target))
        return 0;
    return target->host_mask_bytes_per_s
               ? sat_scale_up(bytes, UINT64_C(1000000000000), target->host_mask_bytes_per_s)
               : target_host_serial_ps(target, HOST_OUT, bytes);
}

uint64_t control_host_decision_ps(const struct target *target, uint64_t lanes) {
    uint64_t trip = target->control == CONTROL_HOST ? target->host_round_trip_ps : 0;
    return sat_add(trip, control_host_masks_ps(target, lanes));
}

uint64_t control_host_crossing_ps(const struct target *target) {
    return target->control == CONTROL_HOST ? target->host_round_trip_ps : 0;
}

/* nW x ps is 10^-6 fJ. */
uint64_t control_host_energy_fj(const struct target *target, uint64_t time_ps, uint64_t host_ps) {
    if (target->control == CONTROL_MPU)
        return 0;
    uint64_t idle_ps = time_ps > host_ps ? time_ps - host_ps : 0;
    return sat_add(sat_scale(target->host_active_nw, host_ps, 1000000),
                   sat_scale(target->host_idle_nw, idle_ps, 1000000));
}
