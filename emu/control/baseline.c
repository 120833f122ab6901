/* SPDX-License-Identifier: MIT */
#include "emu/control/baseline.h"
#include "support/saturate.h"

/* A host that sends a stream has to know the answer before it goes on. */
static bool asks(enum mpu_op op) {
    return op == OP_JUMP_COND || op == OP_JUMP_NONE || op == OP_JUMP_ANY || op == OP_MPU_SYNC;
}

bool control_host_takes(const struct target *t, enum mpu_op op) {
    if (t->control == CONTROL_MPU)
        return false;
    switch (op) {
    case OP_MPU_SYNC:
    case OP_COMPUTE:
    case OP_COMPUTEG:
    case OP_COMPUTE_DONE:
    case OP_MOVE:
    case OP_MOVE_DONE:
    case OP_JUMP:
    case OP_RETURN:
    case OP_GOTO:
    case OP_JUMP_COND:
    case OP_JUMP_NONE:
    case OP_JUMP_ANY:
    case OP_REPEAT:
    case OP_REPEAT_END:
    case OP_SEND:
    case OP_SEND_DONE:
    case OP_RECV:
        return true;
    default:
        return false;
    }
}

uint64_t control_host_cost_ps(const struct target *t, enum mpu_op op) {
    if (!control_host_takes(t, op))
        return 0;
    return t->control == CONTROL_HOST || asks(op) ? t->host_round_trip_ps : target_issue_ps(t);
}

/* nW x ps is 10^-6 fJ. */
uint64_t control_host_energy_fj(const struct target *t, uint64_t time_ps, uint64_t host_ps) {
    if (t->control == CONTROL_MPU)
        return 0;
    uint64_t idle_ps = time_ps > host_ps ? time_ps - host_ps : 0;
    return sat_add(sat_scale(t->host_active_nw, host_ps, 1000000),
                   sat_scale(t->host_idle_nw, idle_ps, 1000000));
}
