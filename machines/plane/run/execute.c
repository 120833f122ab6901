/* SPDX-License-Identifier: MIT
 * Steps of kernels over tiles: all steps on a tile before the next, so that its planes stay in the
 * cache. */
#include "machines/plane/run/native_patterns.h"
#include "machines/plane/run/insn_forms.h"
#include "machines/plane/run/words_out.h"

#include <assert.h>

static void fetch(const unsigned char *plane, size_t words) {
    for (size_t i = 0; i < words; i += 8)
        __builtin_prefetch(plane + 8 * i);
}

/* Steps of some instructions of a run, one behind the other. */
struct step_part {
    size_t first, end;
};

static void run_steps(const struct plane_kernels *kernels, const struct plane_step *steps,
                      struct step_part part, const struct plane_frame *frame) {
    for (size_t i = part.first; i < part.end; i++) {
        const struct plane_step *s = &steps[i];
        if (s->ahead)
            fetch(frame->base[0] + s->ahead, frame->words);
        kernels->run[s->kernel](s, frame);
    }
}

/* A call at work. */
struct work {
    struct plane_machine *m;
    const struct dp_code *code;
    const struct plane_step *steps;  /* of code, where registers are */
    const struct plane_fused *fused; /* whose they are; NULL: the code's own */
    const struct plane_part *parts;  /* NULL: all is steps */
    struct plane_scratch *scratch;
    unsigned char *spill; /* of parts */
    uint32_t spill_bytes;
    enum plane_code_kind kind;       /* of its code */
    struct step_part part;           /* of steps */
    const struct plane_fused *whole; /* code of the run, or NULL */
    struct step_part stretches;      /* the same, where it has code as a whole */
    struct step_part insns;          /* the same, where it goes by instructions */
    struct plane_piece piece;        /* words that come next */
    struct plane_anew anew;          /* for what there is no room for, */
    bool once;                       /* or that serves this call alone */
};

/* The words of a piece through an instruction's code; false where it has none. */
static bool run_insn(struct work *work, size_t insn, int64_t ahead) {
    const struct plane_part *part = work->parts ? &work->parts[insn] : NULL;
    struct plane_code_call call = {.spill = work->spill, .ahead = ahead};
    const struct plane_routine *routine =
        part && part->pattern ? plane_pattern_made(part->pattern, work->kind) : NULL;
    /* One that another thread has made since may spill more. */
    if (!routine || (part->pattern->streams && work->piece.words >= PLANE_PATTERN_STREAM) ||
        routine->spill_bytes > work->spill_bytes ||
        !plane_part_bases(work->m, part, work->piece.at, call.base))
        return false;
    plane_routine_run(routine, &call, work->piece.words);
    return true;
}

/* The words of a piece through code of the run. */
static void run_whole(struct work *work, int64_t ahead) {
    for (size_t i = work->stretches.first; i < work->stretches.end; i++) {
        struct plane_code_call call = {
            .base = {work->piece.at}, .spill = work->spill, .ahead = ahead};
        if (work->whole->routines[i])
            plane_routine_run(work->whole->routines[i], &call, work->piece.words);
    }
}

/* True if little is to be done where registers have moved since: steps that are kept would serve
 * once. */
static bool serves_once(struct plane_machine *machine, const struct dp_code *code, uint64_t words) {
    return machine->setup.bits && words <= PLANE_TILE_WORDS &&
           atomic_exchange_explicit(&code->placed->asked, machine->moved + 1,
                                    memory_order_relaxed) != machine->moved + 1;
}

/* Where registers are; NULL: there is no room for them. */
static const struct plane_step *own_steps(struct plane_machine *machine,
                                          const struct dp_code *code) {
    const struct plane_step *steps = plane_code_all_steps(machine, code);
    if (!machine->setup.bits || !steps)
        return steps;
    return plane_placed_steps(machine, steps, code->step_count, code->placed);
}

static const struct plane_step *steps_of_insn(struct work *work, size_t insn) {
    const struct plane_step *steps = NULL;
    if (work->once)
        return plane_anew_steps(work->m, &work->anew, work->code, insn);
    if (!work->m->setup.bits)
        steps = plane_code_steps(work->m, work->code, insn);
    else if (work->steps || (work->steps = own_steps(work->m, work->code)))
        steps = work->steps + work->code->insn_steps[insn];
    return steps ? steps : plane_anew_steps(work->m, &work->anew, work->code, insn);
}

/* Instruction by instruction, by code or by steps. */
static void run_insns(struct work *work, const struct plane_frame *frame, int64_t ahead) {
    const struct dp_code *code = work->code;
    for (size_t i = work->insns.first; i < work->insns.end; i++)
        if (!run_insn(work, i, ahead)) {
            const size_t count = code->forms[i]->step_count;
            const struct plane_step *steps = steps_of_insn(work, i);
            struct plane_turn t = plane_choice_turn(&work->m->choice, count, frame->words);
            run_steps(t.kernels, steps, (struct step_part){0, count}, frame);
            if (t.trial)
                plane_choice_record(work->m, &t);
        }
}

static void run_parts(struct work *work, const unsigned char *next) {
    const struct plane_piece piece = work->piece;
    size_t most = work->kind == CODE_TILES ? piece.words : PLANE_LONG_WORDS;
    for (size_t done = 0; done < piece.words; done += work->piece.words) {
        size_t left = piece.words - done;
        work->piece.at = piece.at + 8 * done;
        work->piece.words = left < most ? left : most;
        const unsigned char *after = left > most ? work->piece.at + 8 * most : next;
        struct plane_frame f = {{work->piece.at, work->scratch->planes - 1}, work->piece.words};
        run_insns(work, &f, after ? after - work->piece.at : 0);
    }
}

/* Tile loop outside, recipe inside: the planes of one tile and the scratch stay in the caches
 * while all micro-ops of the run pass over them. */
static void run_piece(struct work *work, const unsigned char *next) {
    struct plane_frame f = {{work->piece.at, work->scratch->planes - 1}, work->piece.words};
    if (!work->piece.at)
        return;
    if (work->whole) {
        run_whole(work, next ? next - work->piece.at : 0);
        work->piece.at = NULL;
        return;
    }
    if (work->parts || !work->steps) {
        run_parts(work, next);
        work->piece.at = NULL;
        return;
    }
    struct plane_turn t =
        plane_choice_turn(&work->m->choice, work->part.end - work->part.first, f.words);
    run_steps(t.kernels, work->steps, work->part, &f);
    if (t.trial)
        plane_choice_record(work->m, &t);
    work->piece.at = NULL;
}

/* VRFs that lie side by side in a tile are one piece, also when there are others between them in
 * the machine that were never used. */
static void add_piece(struct work *work, struct plane_piece piece) {
    if (work->piece.at && work->piece.at + 8 * work->piece.words == piece.at) {
        work->piece.words += piece.words;
        return;
    }
    run_piece(work, piece.at);
    work->piece = piece;
}

static void add_range(struct plane_machine *machine, struct vrf_range range, struct work *work) {
    uint64_t word = (uint64_t)range.first * machine->words_per_vrf;
    uint64_t end = word + (uint64_t)range.count * machine->words_per_vrf;
    assert(range.first <= machine->vrfs && range.count <= machine->vrfs - range.first);
    while (word < end) {
        struct plane_piece p = plane_piece(machine, word, end - word);
        add_piece(work, p);
        word += p.words;
    }
}

/* When each micro-op begins, from the start of the run, which finds the machine as the clock says;
 * the caller frees it. */
static uint64_t *start_times(struct plane_machine *machine, const struct dp_code *code,
                             uint64_t clock) {
    size_t uops = 0, first = 0;
    for (size_t i = 0; i < code->insn_count; i++)
        uops += code->forms[i]->uop_count;
    uint64_t *starts = xcalloc(uops + 1, sizeof *starts), at = 0;
    uint32_t state = (uint32_t)clock;
    for (size_t i = 0; i < code->insn_count; i++) {
        size_t end = first + code->forms[i]->uop_count;
        struct timing_advance x =
            recipe_timeline_starts(machine->timeline, code->lists[i], state,
                                   plane_slot_ps(machine, code->lists[i]), starts + first);
        for (; first < end; first++)
            starts[first] = sat_add(starts[first], at);
        at = sat_add(at, x.issued_ps);
        state = x.state;
    }
    return starts;
}

static void report_range(struct work *work, struct vrf_range range, uint64_t start_ps,
                         const uint64_t *starts) {
    struct plane_machine *machine = work->m;
    const struct dp_code *code = work->code;
    for (uint32_t insn = 0; insn < code->insn_count; insn++) {
        const struct plane_form *form = plane_anew_form(machine, &work->anew, code, insn);
        for (size_t i = 0; i < form->uop_count; i++) {
            const struct uop uop = plane_uop_in_place(&code->registers[insn], &form->uops[i]);
            struct dp_event event = {.vrf_first = range.first,
                                     .vrf_count = range.count,
                                     .insn = insn,
                                     .start_ps = sat_add(start_ps, *starts++),
                                     .kind = uop.kind,
                                     .unit = uop.section,
                                     .record = &uop};
            machine->observer(machine->observer_context, &event);
        }
    }
}

uint64_t plane_slot_ps(const struct plane_machine *machine, const struct timing_list *list) {
    return sat_add(target_decode_ps(machine->target),
                   recipe_timeline_lead_ps(machine->timeline, list));
}

/* All VRFs of a batch do the same at the same time. */
void plane_follow(struct datapath *dp, const struct dp_code *code,
                  const struct dp_description *about, const struct dp_issue *issue,
                  struct dp_times *out) {
    struct recipe_timeline *t = plane_of(dp)->timeline;
    const struct timing_list *list = code->lists[issue->insn];
    uint64_t after = sat_add(issue->after_ps, recipe_timeline_lead_ps(t, list));
    const struct timing_port port = {issue->take, issue->context};
    struct timing_advance shared;
    const struct timing_advance *x = &shared;
    (void)about;
    if (issue->take)
        shared = recipe_timeline_advance_shared(t, list, (uint32_t)issue->clock, after, &port);
    else
        x = recipe_timeline_advance(t, list, (uint32_t)issue->clock, after);
    *out = (struct dp_times){.issued_ps = x->issued_ps,
                             .done_ps = x->done_ps,
                             .clock = x->state,
                             .stalled_ps = x->stalled_ps,
                             .waiting = x->waiting,
                             .slots = x->slots,
                             .slot_count = x->slot_count};
}

uint64_t plane_pass(struct datapath *dp, uint64_t clock, uint64_t ps) {
    return recipe_timeline_pass(plane_of(dp)->timeline, (uint32_t)clock, ps);
}

size_t plane_clock_memory(struct datapath *dp, bool forget) {
    if (forget)
        recipe_timeline_forget(plane_of(dp)->timeline);
    return recipe_timeline_bytes(plane_of(dp)->timeline);
}

static void run_set(struct work *work, struct vrf_set set) {
    for (size_t i = 0; i < set.count; i++)
        add_range(work->m, set.ranges[i], work);
    run_piece(work, NULL);
}

/* What is made for the call alone serves all tiles before the next instruction. */
static void run_part(struct work *work, struct vrf_set set) {
    const struct step_part insns = work->insns;
    bool alone = work->code->origins || (!work->steps && !work->parts && !work->whole);
    if (!alone)
        run_set(work, set);
    for (size_t i = insns.first; alone && i < insns.end; i++) {
        work->insns = (struct step_part){i, i + 1};
        run_set(work, set);
    }
}

/* Stretch after stretch, each with the lanes that are enabled before it. */
static void run_counted(struct work *work, struct vrf_set set, uint64_t *lanes) {
    const struct dp_code *code = work->code;
    for (size_t insn = 0; insn < code->insn_count;) {
        uint32_t stretch = code->insn_stretch[insn];
        work->part.first =
            work->fused ? work->fused->stretch_steps[stretch] : code->insn_steps[insn];
        work->insns.first = insn;
        work->stretches = (struct step_part){stretch, stretch + 1};
        while (insn < code->insn_count && code->insn_stretch[insn] == stretch)
            insn++;
        work->insns.end = insn;
        work->part.end = work->fused               ? work->fused->stretch_steps[stretch + 1]
                         : insn < code->insn_count ? code->insn_steps[insn]
                                                   : code->step_count;
        lanes[stretch] = sat_add(lanes[stretch], plane_lanes(&work->m->base, set));
        run_part(work, set);
    }
}

static void report_set(struct work *work, struct vrf_set set, struct dp_moment begin) {
    uint64_t *starts = start_times(work->m, work->code, begin.clock);
    for (size_t i = 0; i < set.count; i++)
        report_range(work, set.ranges[i], begin.ps, starts);
    free(starts);
}

static struct plane_part *parts_of(struct plane_machine *machine, struct dp_code *code) {
    struct plane_part *parts = atomic_load_explicit(&code->parts, memory_order_acquire);
    if (parts)
        return parts;
    struct alloc_lock lock;
    alloc_lock(&lock, &machine->lock);
    parts = atomic_load_explicit(&code->parts, memory_order_relaxed);
    if (!parts) {
        parts = plane_parts_new(machine, code);
        atomic_store_explicit(&code->parts, parts, memory_order_release);
    }
    alloc_unlock(&lock);
    return parts;
}

/* Makes the code of instructions that have worked enough; bytes that it spills to are counted.
 * False where steps do as well. */
static bool make_parts(struct work *work, const struct plane_part *parts, uint64_t words) {
    bool pays = false;
    for (size_t i = 0; i < work->code->insn_count; i++) {
        struct plane_pattern *p = parts[i].pattern;
        const struct plane_routine *routine =
            p ? plane_pattern_routine(work->m, p, words, work->kind) : NULL;
        if (routine && routine->spill_bytes > work->spill_bytes)
            work->spill_bytes = routine->spill_bytes;
        pays |= routine && (!p->streams || words < PLANE_PATTERN_STREAM);
    }
    return pays;
}

/* Instructions by their code, as far as there is some. */
static void choose_parts(struct work *work, struct dp_code *code, uint64_t words) {
    struct plane_machine *m = work->m;
    const struct plane_part *parts = parts_of(m, code);
    if (make_parts(work, parts, words))
        work->parts = parts;
    work->whole = plane_fused_code_of(m, code, parts, words);
    if (work->whole && work->whole->spill_bytes > work->spill_bytes)
        work->spill_bytes = work->whole->spill_bytes;
    work->stretches = (struct step_part){0, work->whole ? work->whole->routine_count : 0};
    work->part = (struct step_part){0, code->step_count};
    work->scratch = plane_scratch_take(
        m, code->scratch_slots + (work->spill_bytes + PLANE_STRIDE - 1) / PLANE_STRIDE);
    work->spill = work->scratch->planes + (size_t)code->scratch_slots * PLANE_STRIDE;
    if (work->parts || work->whole)
        plane_spill_begin(work->spill);
    work->once = !work->whole && serves_once(m, code, words);
    if (!work->parts && !work->whole && !work->once) /* else where they are asked for */
        work->steps = own_steps(m, code);
}

/* The code's own steps, or those that are made of them. */
static void choose_steps(struct work *work, struct vrf_set set) {
    struct plane_machine *m = work->m;
    /* What others see of the code does not change with it. */
    struct dp_code *code = (struct dp_code *)(uintptr_t)work->code;
    const uint64_t words = sat_mul(vrf_set_size(set), m->words_per_vrf);
    work->insns = (struct step_part){0, code->insn_count};
    work->kind = plane_code_kind_of(code);
    if (m->vectors != PLANE_VECTORS_NONE) {
        choose_parts(work, code, words);
        return;
    }
    struct plane_fused *f = m->compose_at < UINT64_MAX ? plane_fused_of(m, code, words) : NULL;
    work->fused = f;
    work->part = (struct step_part){0, f ? f->count : code->step_count};
    work->scratch = plane_scratch_take(m, f ? f->scratch_slots : code->scratch_slots);
    work->once = !f && serves_once(m, code, words);
    if (!f && !work->once)
        work->steps = own_steps(m, code);
    else if (f)
        work->steps =
            m->setup.bits ? plane_placed_steps(m, f->steps, f->count, &f->placed) : f->steps;
}

void plane_execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                   struct dp_moment begin, struct dp_outcome *out) {
    struct plane_machine *m = plane_of(dp);
    if (m->setup.costs_only)
        return;
    struct work w = {.m = m, .code = code};
    choose_steps(&w, set);
    w.anew.steps = (struct step_list){w.scratch->steps, 0, w.scratch->step_room};
    if (out)
        run_counted(&w, set, out->lanes);
    else
        run_part(&w, set);
    w.scratch->steps = w.anew.steps.data;
    w.scratch->step_room = w.anew.steps.cap;
    w.anew.steps = (struct step_list){0};
    if (m->observer)
        report_set(&w, set, begin);
    plane_write_code(m, code, set);
    plane_scratch_give(m, w.scratch);
    plane_anew_free(&w.anew);
}

void plane_observe(struct datapath *dp, dp_observer *observer, void *context) {
    struct plane_machine *m = plane_of(dp);
    m->observer = observer;
    m->base.observed = plane_is_told(m);
    m->observer_context = context;
}
