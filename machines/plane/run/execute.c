/* SPDX-License-Identifier: MIT */
#include "machines/plane/run/translate.h"

#include <assert.h>

static void fetch(const unsigned char *plane, size_t words) {
    for (size_t i = 0; i < words; i += 8)
        __builtin_prefetch(plane + 8 * i);
}

static void run_steps(const struct plane_kernels *kernels, const struct dp_code *code,
                      const struct plane_frame *f) {
    const struct plane_step *end = code->steps + code->step_count;
    for (const struct plane_step *s = code->steps; s < end; s++) {
        if (s->ahead)
            fetch(f->base[0] + s->ahead, f->words);
        kernels->run[s->kernel](s, f);
    }
}

/* A call at work. */
struct work {
    struct plane_machine *m;
    const struct dp_code *code;
    struct plane_scratch *scratch;
    struct plane_piece piece; /* words that come next */
};

/* Tile loop outside, recipe inside: the planes of one tile and the scratch stay in the caches
 * while all micro-ops of the run pass over them. */
static void run_piece(struct work *w) {
    struct plane_frame f = {{w->piece.at, w->scratch->planes - 1}, w->piece.words};
    if (!w->piece.at)
        return;
    struct plane_turn t = plane_choice_turn(&w->m->choice, w->code->step_count, f.words);
    run_steps(t.kernels, w->code, &f);
    if (t.trial)
        plane_choice_record(w->m, &t);
    w->piece.at = NULL;
}

/* VRFs that lie side by side in a tile are one piece, also when there are others between them in
 * the machine that were never used. */
static void add_piece(struct work *w, struct plane_piece p) {
    if (w->piece.at && w->piece.at + 8 * w->piece.words == p.at) {
        w->piece.words += p.words;
        return;
    }
    run_piece(w);
    w->piece = p;
}

static void add_range(struct plane_machine *m, struct vrf_range range, struct work *w) {
    uint64_t word = (uint64_t)range.first * m->words_per_vrf;
    uint64_t end = word + (uint64_t)range.count * m->words_per_vrf;
    assert(range.first <= m->vrfs && range.count <= m->vrfs - range.first);
    while (word < end) {
        struct plane_piece p = plane_piece(m, word, end - word);
        add_piece(w, p);
        word += p.words;
    }
}

/* When each micro-op begins, from the start of the run; the caller frees it. */
static uint64_t *start_times(const struct plane_machine *m, const struct dp_code *code) {
    uint64_t *starts = xcalloc(code->uops.len + 1, sizeof *starts);
    recipe_timing_starts(m->target, code->uops.data, code->uops.len, code->insn_uops,
                         code->insn_count, starts);
    return starts;
}

/* One micro-op of the list, as often as it repeats; e has what is the same for all. */
static void report_uop(const struct plane_machine *m, const struct uop *u, struct dp_event e) {
    const struct uop single = plane_uop_at(u, 0);
    uint64_t each_ps = recipe_timing_duration(m->target, &single);
    for (uint32_t k = 0; k < u->count; k++) {
        struct uop one = plane_uop_at(u, k);
        e.record = &one;
        m->observer(m->observer_context, &e);
        e.start_ps = sat_add(e.start_ps, each_ps);
    }
}

static void report_range(const struct plane_machine *m, const struct dp_code *code,
                         struct vrf_range range, uint64_t start_ps, const uint64_t *starts) {
    uint32_t insn = 0;
    for (size_t i = 0; i < code->uops.len; i++) {
        while (insn + 1 < code->insn_count && code->insn_uops[insn + 1] <= i)
            insn++;
        report_uop(m, &code->uops.data[i],
                   (struct dp_event){.vrf_first = range.first,
                                     .vrf_count = range.count,
                                     .insn = insn,
                                     .start_ps = sat_add(start_ps, starts[i]),
                                     .kind = code->uops.data[i].kind,
                                     .unit = code->uops.data[i].section});
    }
}

void plane_follow(const struct datapath *dp, const struct dp_code *code,
                  const struct dp_description *about, uint64_t vrfs, uint64_t start_ps,
                  uint64_t *clock, struct dp_times *out) {
    const struct timing_profile *p = &code->profile;
    bool issues = p->first_ps[TIMING_ISSUE] != TIMING_UNUSED;
    (void)dp, (void)about, (void)vrfs; /* all VRFs of a batch do the same at the same time */
    out->begin_ps = recipe_timing_follow(p, start_ps, clock);
    out->next_ps = issues ? clock[TIMING_ISSUE] : out->begin_ps;
    out->done_ps = sat_add(out->begin_ps, p->done_ps);
}

void plane_execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                   uint64_t begin_ps, struct dp_outcome *out) {
    struct plane_machine *m = plane_of(dp);
    if (m->setup.costs_only)
        return;
    struct work w = {m, code, plane_scratch_take(m, code->scratch_slots), {NULL, 0}};
    uint64_t *starts = m->observer ? start_times(m, code) : NULL;
    (void)out; /* its cost is fixed */
    for (size_t i = 0; i < set.count; i++) {
        add_range(m, set.ranges[i], &w);
        if (!m->observer)
            continue;
        run_piece(&w);
        report_range(m, code, set.ranges[i], begin_ps, starts);
    }
    run_piece(&w);
    free(starts);
    plane_scratch_give(m, w.scratch);
}

void plane_observe(struct datapath *dp, dp_observer *observer, void *context) {
    struct plane_machine *m = plane_of(dp);
    m->observer = observer;
    m->base.observed = observer != NULL;
    m->observer_context = context;
}
