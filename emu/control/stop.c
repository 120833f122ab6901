/* SPDX-License-Identifier: MIT
 * Why and where a program ends: errors, limits, what the machine says.  The first call counts. */
#include "emu/control/state.h"
#include "support/saturate.h"

#include <stdarg.h>
#include <time.h>

const char *control_gmove_name(const struct control *c, const struct insn *x) {
    uint32_t move = (uint32_t)x->imm;
    return move < c->program->moves.len ? c->program->moves.data[move].name : NULL;
}

void control_rounds_describe(const struct control *c, const char *before, const char *behind,
                             struct str *out) {
    if (c->config.next_round)
        str_printf(out, "%sround %llu%s", before, (unsigned long long)c->stats.rounds, behind);
}

bool control_machine_is_sound(struct control *c, uint32_t index) {
    struct str what = {0};
    bool ok = true;
    if (c->dp->failure)
        ok = control_stop(c, CONTROL_STOPPED, STOP_AT(index), "%s", c->dp->failure);
    else if (c->config.check && check_differs(c->dp, &what))
        ok = control_stop(c, CONTROL_DIFFERS, STOP_AT(index), "%s", str_text(&what));
    str_free(&what);
    return ok;
}

void control_describe_insn(const struct control *c, const struct insn *insn, struct str *out) {
    struct isa_users users = {0};
    struct arena names = {0};
    object_users(c->program, &users, &names, NULL);
    isa_users_format(&users, insn, insn->op == OP_GMOVE ? control_gmove_name(c, insn) : NULL, out);
    arena_free(&names);
}

static void describe_place(const struct control *c, const struct stop_place *at, struct str *out) {
    const struct target *t = c->target;
    if (at->index < c->text.len) {
        str_printf(out, " (instruction %u", (unsigned)at->index);
        if (c->text.insns[at->index].op < OP_COUNT) {
            str_append(out, ": ");
            control_describe_insn(c, &c->text.insns[at->index], out);
        }
    } else {
        str_printf(out, " (instruction %u, behind the text", (unsigned)at->index);
    }
    control_rounds_describe(c, "; ", "", out);
    if (at->mpu != NO_INDEX)
        str_printf(out, "; MPU %u", (unsigned)at->mpu);
    if (at->batch != NO_INDEX)
        str_printf(out, ", batch %u", (unsigned)at->batch);
    if (at->vrf != NO_INDEX)
        str_printf(out, ", RFH%u.VRF%u",
                   (unsigned)(at->vrf % target_vrfs_per_mpu(t) % t->rfh_per_mpu),
                   (unsigned)(at->vrf % target_vrfs_per_mpu(t) / t->rfh_per_mpu));
    if (at->lane != NO_INDEX)
        str_printf(out, ", lane %u", (unsigned)at->lane);
    str_char(out, ')');
}

bool control_stop(struct control *c, enum control_end end, struct stop_place at, const char *format,
                  ...) {
    char text[512];
    va_list args;
    if (c->end != CONTROL_DONE)
        return false;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->end = end;
    c->index = at.index;
    str_append(&c->message, text);
    describe_place(c, &at, &c->message);
    return false;
}

static uint64_t host_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Along the busiest MPU. */
static uint64_t cycles_so_far(const struct control *c) {
    return sat_add(sat_add(c->cycles, c->most_mpu_cycles), c->busiest_cycles);
}

/* False when a limit is reached of a run that counts. */
static bool count_step(struct control *c) {
    const struct control_config *k = &c->config;
    const struct stream *first = c->stream_of[c->package->image_first];
    if ((k->max_steps && c->stats.steps >= k->max_steps) || (k->max_work && c->work >= k->max_work))
        return false;
    c->stats.steps += first && first == c->now;
    work_add(c, 1);
    return true;
}

void control_start_clock(struct control *c) {
    c->started_ns = host_ns();
}

bool control_may_go_on(struct control *c, uint32_t index) {
    const struct control_config *k = &c->config;
    if (k->interrupted && *k->interrupted)
        return control_stop(c, CONTROL_INTERRUPTED, STOP_AT(index), "interrupted");
    if (k->max_cycles && cycles_so_far(c) >= k->max_cycles)
        return control_stop(c, CONTROL_LIMIT, STOP_AT(index), "the limit of %llu cycles is reached",
                            (unsigned long long)k->max_cycles);
    if (k->count_laps && !count_step(c))
        return control_stop(c, CONTROL_LIMIT, STOP_AT(index), "counted as far as the limit");
    if (!k->max_seconds && !k->progress)
        return true;
    uint64_t ns = host_ns() - c->started_ns;
    if (k->max_seconds && ns / 1000000000u >= k->max_seconds)
        return control_stop(c, CONTROL_LIMIT, STOP_AT(index),
                            "the limit of %llu seconds is reached",
                            (unsigned long long)k->max_seconds);
    if (k->progress && ns / 1000000000u != c->progress_s) {
        c->progress_s = ns / 1000000000u;
        k->progress(k->progress_context, c->progress_s, c->stats.ensembles, cycles_so_far(c));
    }
    return true;
}

const char *control_message(const struct control *c) {
    return str_text(&c->message);
}
