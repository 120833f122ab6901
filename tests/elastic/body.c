/* SPDX-License-Identifier: MIT
 * I, E, F and J of docs/control-path.md are issued_ps, done_ps, fetched_ps and decided_ps. */
#include "tests/elastic/body.h"

#include "emu/control/baseline.h"
#include "machines/dtc/dtc.h"
#include "machines/plane/link/plane.h"
#include "support/bits.h"

struct batch {
    struct ref_program *p;
    struct ref_playback *playback;
    struct ref_recipes *recipes;
    struct ref_cycles *cycles;
    struct ref_schedule schedule;
    uint64_t issued_ps, done_ps, fetched_ps, decided_ps;
    bool fetched;
};

void ref_program_open(struct ref_program *p) {
    p->lists = xcalloc(2 * (size_t)p->text->len + 1, sizeof *p->lists);
    p->listed = xcalloc(2 * (size_t)p->text->len + 1, sizeof *p->listed);
}

void ref_program_close(struct ref_program *p) {
    for (size_t i = 0; i < 2 * (size_t)p->text->len; i++)
        vec_free(&p->lists[i]);
    free(p->lists);
    free(p->listed);
}

static uint64_t later(uint64_t left, uint64_t right) {
    return left > right ? left : right;
}

static uint64_t host_ps(const struct batch *b, const struct insn *insn) {
    return control_host_cost_ps(b->p->target, insn->op);
}

/* ---- fetch ---- */

/* Steps to the store of the text: the nearest 2 d (d + 1) others are at most d steps away. */
static uint64_t distance(const struct target *t, uint32_t index) {
    uint64_t store = index / (t->instruction_store_bytes / 4), d = 0;
    while (2 * d * (d + 1) < store)
        d++;
    return d;
}

static uint64_t fetch_ps(const struct batch *b, uint32_t index) {
    return b->p->target->front_end_ps * (1 + 2 * distance(b->p->target, index));
}

static struct ref_entry *entry_of(const struct batch *b, uint32_t index) {
    uint32_t n = b->p->target->playback_entries;
    return n ? &b->playback->entries[index % n] : NULL;
}

/* True if the instruction was not there. */
static bool fetch(struct batch *b, uint32_t index) {
    struct ref_entry *e = entry_of(b, index);
    if (b->p->target->control == CONTROL_STREAM || (e && e->used == (uint64_t)index + 1))
        return false;
    uint64_t released = e ? e->issued_ps : b->issued_ps;
    b->fetched_ps = later(later(b->fetched_ps, released), b->decided_ps) + fetch_ps(b, index);
    b->fetched = true;
    b->cycles->fetch++;
    if (e)
        e->used = (uint64_t)index + 1;
    return true;
}

static void release(struct batch *b, uint32_t index) {
    struct ref_entry *e = entry_of(b, index);
    if (e)
        e->issued_ps = b->issued_ps;
}

/* ---- slots ---- */

static void take_slot(struct batch *b, uint64_t begin_ps) {
    b->issued_ps = begin_ps;
    if (b->p->target->control == CONTROL_STREAM) /* micro-ops are sent, and nothing else */
        return;
    b->issued_ps = ref_schedule_slot(&b->schedule, begin_ps) + target_issue_ps(b->p->target);
    b->cycles->decode++;
}

static bool is_mask_jump(enum isa_op op) {
    return op == OP_JUMP_COND || op == OP_JUMP_NONE;
}

static bool waits_for_bits(enum isa_op op) {
    return is_mask_jump(op) || op == OP_INDEX || op == OP_COMPUTE_DONE;
}

static bool may_go_elsewhere(enum isa_op op) {
    return is_mask_jump(op) || op == OP_JUMP || op == OP_GOTO || op == OP_RETURN ||
           op == OP_REPEAT || op == OP_REPEAT_END;
}

static void evaluate(struct batch *b, const struct ref_insn *insn) {
    uint64_t each = ceil_div(b->p->lanes, b->p->target->efi_bits_per_cycle);
    uint64_t looks = each * insn->vrfs;
    b->issued_ps += looks * target_issue_ps(b->p->target);
    b->cycles->evaluate += looks;
}

static bool is_asked(const struct ref_insn *insn, enum isa_op op) {
    return is_mask_jump(op) && !insn->answered;
}

/* The front end's; where the host takes a jump on masks it takes them as they have been looked at,
 * and its time comes behind. */
static void play_control(struct batch *b, const struct ref_insn *insn, uint64_t begin_ps) {
    const struct insn *x = &b->p->text->insns[insn->index];
    take_slot(b, begin_ps);
    release(b, insn->index);
    if (is_asked(insn, x->op))
        evaluate(b, insn);
    b->issued_ps += host_ps(b, x);
    if (x->op == OP_INDEX)
        b->issued_ps += insn->copy_ps;
    b->done_ps = later(b->done_ps, b->issued_ps);
    if (may_go_elsewhere(x->op))
        b->decided_ps = b->issued_ps;
}

/* The host's time stands for the slot.  What it has unrolled is not there. */
static void play_host(struct batch *b, enum isa_op op, uint64_t begin_ps, uint64_t ps) {
    if (!ps)
        return;
    b->issued_ps = begin_ps + ps;
    b->done_ps = later(b->done_ps, b->issued_ps);
    if (may_go_elsewhere(op))
        b->decided_ps = b->issued_ps;
}

/* ---- vector instructions ---- */

/* Gates of one word take the time of the first. */
static void keep_first_gates(const struct target *t, struct uop_list *list) {
    size_t kept = 0;
    for (size_t i = 0; i < list->len; i++)
        if (!plane_target(t)->partitioned || !list->data[i].forwarded)
            list->data[kept++] = list->data[i];
    list->len = kept;
}

static const struct uop_list *uops_of(struct ref_program *p, const struct ref_insn *insn) {
    size_t i = 2 * (size_t)insn->index + insn->masked;
    const struct insn *x = &p->text->insns[insn->index];
    if (!p->listed[i] &&
        !(p->code ? recipe_table_expand(plane_table(p->code), x, insn->masked, &p->lists[i], NULL)
                  : recipe_expand(p->recipes, x, insn->masked, &p->lists[i], NULL)))
        abort();
    keep_first_gates(p->target, &p->lists[i]);
    p->listed[i] = true;
    return &p->lists[i];
}

static void load_recipe(struct batch *b, const struct ref_insn *insn) {
    if (!b->p->code || b->p->target->control == CONTROL_STREAM)
        return;
    uint32_t part = machine_part_of(b->p->code, b->p->text, insn->index, 0, insn->masked);
    uint32_t loads = ref_recipes_use(b->recipes, part);
    b->issued_ps += loads * target_issue_ps(b->p->target);
    b->cycles->recipe += loads;
}

static bool play_vector(struct batch *b, const struct ref_insn *insn, uint64_t begin_ps) {
    const struct target *t = b->p->target;
    const struct uop_list *uops = uops_of(b->p, insn);
    take_slot(b, begin_ps);
    load_recipe(b, insn);
    uint64_t before = b->schedule.slots;
    if (uops->len)
        b->issued_ps += plane_target(t)->issue_cycles * t->datapath_ps;
    bool fine = ref_schedule_issue(&b->schedule, uops->data, uops->len, &b->issued_ps, &b->done_ps);
    b->cycles->compute += b->schedule.slots - before;
    b->done_ps = later(b->done_ps, b->issued_ps);
    release(b, insn->index);
    return fine;
}

/* Whether the host takes the instruction, and the front end has nothing to do with it. */
static bool is_hosts(const struct batch *b, const struct ref_insn *insn) {
    enum isa_op op = b->p->text->insns[insn->index].op;
    return control_host_takes(b->p->target, op) &&
           !(is_asked(insn, op) && control_host_decides(b->p->target, op));
}

/* Micro-ops that say which VRFs work. */
static void select_vrfs(struct batch *b, uint64_t ps) {
    uint64_t each = dtc_move_ps(b->p->target);
    for (uint64_t done = 0; done < ps; done += each) {
        b->issued_ps = ref_schedule_slot(&b->schedule, b->issued_ps) + each;
        b->cycles->compute++;
    }
    b->done_ps = later(b->done_ps, b->issued_ps);
}

static bool play_ranges(struct batch *b, const struct ref_insn *insn) {
    bool fine = true;
    for (uint32_t k = 0; fine && k < (insn->ranges ? insn->ranges : 1); k++) {
        if (insn->ranges)
            select_vrfs(b, insn->select_ps[k]);
        bool missed = fetch(b, insn->index);
        fine = play_vector(b, insn, missed ? later(b->issued_ps, b->fetched_ps) : b->issued_ps);
    }
    return fine;
}

/* A machine that answers by itself is asked before its jump is looked at. */
static bool play_insn(struct batch *b, const struct ref_insn *insn) {
    const struct insn *x = &b->p->text->insns[insn->index];
    if (is_mask_jump(x->op) && insn->answered)
        b->issued_ps = b->done_ps += insn->answer_ps;
    if (insn_flags(x) & ISA_VECTOR)
        return play_ranges(b, insn);
    bool host = is_hosts(b, insn), missed = !host && fetch(b, insn->index);
    uint64_t begin = missed ? later(b->issued_ps, b->fetched_ps) : b->issued_ps;
    if (waits_for_bits(x->op))
        begin = later(begin, b->done_ps);
    if (host)
        play_host(b, x->op, begin, host_ps(b, x));
    else
        play_control(b, insn, begin);
    return true;
}

bool ref_body_play(struct ref_program *p, const struct ref_body *body,
                   struct ref_playback *playback, struct ref_recipes *recipes,
                   struct ref_port *port, uint64_t begin_ps, struct ref_cycles *cycles,
                   struct ref_batch_time *out) {
    struct batch b = {.p = p, .playback = playback, .recipes = recipes, .cycles = cycles};
    bool fine = true;
    for (uint32_t i = 0; i < p->target->playback_entries; i++)
        playback->entries[i].issued_ps = 0;
    ref_schedule_open(&b.schedule, p->target, p->issue_queue, port, begin_ps);
    for (size_t i = 0; fine && i < body->insns.len; i++)
        fine = play_insn(&b, &body->insns.data[i]);
    *out = (struct ref_batch_time){b.done_ps, b.fetched, b.fetched_ps};
    ref_schedule_close(&b.schedule);
    return fine;
}
