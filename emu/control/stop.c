/* SPDX-License-Identifier: MIT
 * Why and where a program ends: errors, limits, failures of the machine.  Only the first call
 * counts. */
#include "emu/control/state.h"
#include "support/saturate.h"

#include <stdarg.h>
#include <time.h>

/* The name of the move that a GMOVE names. */
static const char *control_gmove_name(const struct control *control, const struct insn *insn) {
    uint32_t move = (uint32_t)insn->imm;
    return move < control->program->moves.len ? control->program->moves.data[move].name : NULL;
}

/* Appends "round 2" (counted from 0) between `before` and `behind` if the program runs in rounds;
 * else nothing. */
static void control_rounds_describe(const struct control *control, const char *before,
                                    const char *behind, struct str *out) {
    if (control->config.next_round)
        str_printf(out, "%sround %llu%s", before, (unsigned long long)control->account.stats.rounds,
                   behind);
}

bool control_machine_is_sound(struct control *control, uint32_t index) {
    struct str what = {0};
    bool ok = true;
    if (control->dp->failure)
        ok = control_stop(control, CONTROL_STOPPED, STOP_AT(index), "%s", control->dp->failure);
    else if (control->config.check && check_differs(control->dp, &what))
        ok = control_stop(control, CONTROL_DIFFERS, STOP_AT(index), "%s", str_text(&what));
    str_free(&what);
    return ok;
}

void control_describe_insn(const struct control *control, const struct insn *insn,
                           struct str *out) {
    const struct recipe_call *call = object_call(control->program, insn);
    struct isa_users users = {0};
    struct arena names = {0};
    if (call && object_call_kernel(control->program, call)) {
        str_append(out, "RECIPE ");
        object_kernel_call_text(control->program, call, out);
        return;
    }
    object_users(control->program, &users, &names, NULL);
    isa_users_format(&users, insn, insn->op == OP_GMOVE ? control_gmove_name(control, insn) : NULL,
                     out);
    arena_free(&names);
}

/* Where its kernel is declared, unless the message has it. */
static void describe_launch(const struct control *control, struct str *out) {
    const struct kernel_decl *k = &control->program->kernels.data[0];
    if (control->ended.names_kernel)
        return;
    str_printf(out, " (kernel '%s'", k->name);
    if (k->place.file < control->program->files.len)
        str_printf(out, ", %s:%u", control->program->files.data[k->place.file],
                   (unsigned)k->place.line);
    str_char(out, ')');
}

static void describe_place(const struct control *control, const struct stop_place *at,
                           struct str *out) {
    const struct target *t = control->target;
    if (control->config.one_launch) {
        describe_launch(control, out);
        return;
    }
    if (at->index < control->text.len) {
        str_printf(out, " (instruction %u", (unsigned)at->index);
        if (control->text.insns[at->index].op < OP_COUNT) {
            str_append(out, ": ");
            control_describe_insn(control, &control->text.insns[at->index], out);
        }
    } else {
        str_printf(out, " (instruction %u, behind the text", (unsigned)at->index);
    }
    control_rounds_describe(control, "; ", "", out);
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

bool control_stop(struct control *control, enum control_end end, struct stop_place at,
                  const char *format, ...) {
    va_list args;
    if (control->ended.how != CONTROL_DONE)
        return false;
    va_start(args, format);
    str_vprintf(&control->ended.message, format, args);
    va_end(args);
    control->ended.how = end;
    control->ended.index = at.index;
    describe_place(control, &at, &control->ended.message);
    return false;
}

void control_note(struct control *control, uint32_t index, const char *text) {
    struct control_note n = {index, arena_strdup(&control->arena, text)};
    vec_push(&control->notes, n);
}

static uint64_t host_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Along the busiest MPU. */
static uint64_t cycles_so_far(const struct control *control) {
    return sat_add(sat_add(control->limits.cycles, control->limits.most_mpu_cycles),
                   control->limits.busiest_cycles);
}

/* False when a limit is reached of a run that counts. */
static bool count_step(struct control *control) {
    const struct control_config *k = &control->config;
    const struct stream *first = control->streams.of[control->package->image_first];
    if ((k->max_steps && control->account.stats.steps >= k->max_steps) ||
        (k->max_work && control->limits.work >= k->max_work))
        return false;
    control->account.stats.steps += first && first == control->now;
    work_add(control, 1);
    return true;
}

void control_start_clock(struct control *control) {
    control->limits.started_ns = host_ns();
}

bool control_may_go_on(struct control *control, uint32_t index) {
    const struct control_config *k = &control->config;
    if (k->interrupted && *k->interrupted)
        return control_stop(control, CONTROL_INTERRUPTED, STOP_AT(index), "interrupted");
    if (k->max_cycles && cycles_so_far(control) >= k->max_cycles)
        return control_stop(control, CONTROL_LIMIT, STOP_AT(index),
                            "the limit of %llu cycles is reached",
                            (unsigned long long)k->max_cycles);
    if (k->count_laps && !count_step(control))
        return control_stop(control, CONTROL_LIMIT, STOP_AT(index), "counted as far as the limit");
    if (!k->max_seconds && !k->progress)
        return true;
    uint64_t ns = host_ns() - control->limits.started_ns;
    if (k->max_seconds && ns / 1000000000u >= k->max_seconds)
        return control_stop(control, CONTROL_LIMIT, STOP_AT(index),
                            "the limit of %llu seconds is reached",
                            (unsigned long long)k->max_seconds);
    if (k->progress && ns / 1000000000u != control->limits.progress_s) {
        control->limits.progress_s = ns / 1000000000u;
        k->progress(k->progress_context, control->limits.progress_s,
                    control->account.stats.ensembles, cycles_so_far(control));
    }
    return true;
}

const char *control_message(const struct control *control) {
    return str_text(&control->ended.message);
}
