/* SPDX-License-Identifier: MIT
 * How many elements the host works on, so that all is over soonest.  Over the number of elements
 * that units have, the host's time falls and that of kernels and link rises; with as many rounds as
 * before both are lines, so that the best is at an end of the lines or where they meet. */
#include "pipeline/plan.h"
#include "support/bits.h"
#include "support/saturate.h"

/* On the line through both samples, at k; not below 0. */
static uint64_t on_line(uint64_t k, uint64_t k1, uint64_t ps1, uint64_t k2, uint64_t ps2) {
    if (k1 == k2 || ps2 <= ps1)
        return ps1;
    if (k >= k1)
        return sat_add(ps1, sat_scale(ps2 - ps1, k - k1, k2 - k1));
    const uint64_t less = sat_scale(ps2 - ps1, k1 - k, k2 - k1);
    return ps1 > less ? ps1 - less : 0;
}

static uint64_t link_ps(const struct pipeline_model *m, uint64_t k) {
    return on_line(k, m->less.per_unit, m->less.link_ps, m->more.per_unit, m->more.link_ps);
}
static uint64_t kernel_ps(const struct pipeline_model *m, uint64_t k) {
    return on_line(k, m->less.per_unit, m->less.kernel_ps, m->more.per_unit, m->more.kernel_ps);
}

uint64_t pipeline_model_ps(const struct pipeline_model *m, const struct pipeline_counts *c) {
    const uint64_t kernel = c->rounds ? sat_mul(c->rounds, kernel_ps(m, c->per_unit)) : 0;
    const uint64_t host = sat_mul(c->cpu_elements, m->element_ps);
    const uint64_t link = c->rounds ? sat_mul(c->rounds, link_ps(m, c->per_unit)) : 0;
    return sat_add(sat_add(link, kernel > host ? kernel : host), c->cpu_elements ? m->host_ps : 0);
}

struct search {
    const struct pipeline_model *model;
    uint64_t length, most, alignment, rounds; /* rounds: at most */
    uint32_t units;
    uint64_t best, best_ps;
};

static void try_asked(struct search *s, uint64_t asked) {
    struct pipeline_counts c;
    if (!pipeline_count(s->length, s->units, s->most, s->alignment, asked, &c))
        return;
    const uint64_t ps = pipeline_model_ps(s->model, &c);
    if (ps < s->best_ps || (ps == s->best_ps && asked < s->best))
        s->best = asked, s->best_ps = ps;
}

/* The host's elements if so many rounds have k elements in each unit. */
static uint64_t left(const struct search *s, uint64_t rounds, uint64_t k) {
    const uint64_t there = sat_mul(sat_mul(rounds, s->units), k);
    return there < s->length ? s->length - there : 0;
}

/* Whether the host is done by the time the kernels are. */
static bool is_crossed(const struct search *s, uint64_t rounds, uint64_t k) {
    return sat_mul(rounds, kernel_ps(s->model, k)) >=
           sat_mul(left(s, rounds, k), s->model->element_ps);
}

/* The least number from `from` to `to` for which it is crossed; `to` if for none. */
static uint64_t crossing(const struct search *s, bool of_rounds, uint64_t rounds, uint64_t from,
                         uint64_t to) {
    while (from < to) {
        const uint64_t middle = from + (to - from) / 2;
        if (of_rounds ? is_crossed(s, middle, s->most)
                      : is_crossed(s, rounds, middle * s->alignment))
            to = middle;
        else
            from = middle + 1;
    }
    return to;
}

static void try_rounds(struct search *s, uint64_t rounds) {
    if (!rounds || rounds > s->rounds)
        return;
    const uint64_t fits = s->length / s->units / rounds, blocks = s->most / s->alignment;
    const uint64_t top = fits / s->alignment < blocks ? fits / s->alignment : blocks;
    const uint64_t meet = crossing(s, false, rounds, 0, top);
    const uint64_t all[] = {meet, meet ? meet - 1 : 0, top};
    /* Of fewer elements than that the rounds would be fewer. */
    const uint64_t least = (rounds - 1) * s->most * s->units + 1;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const uint64_t here = rounds * s->units * all[i] * s->alignment;
        try_asked(s, s->length - (here > least ? here : least));
    }
}

uint64_t pipeline_cpu_share(const struct pipeline_model *model, uint64_t length, uint32_t units,
                            uint64_t most, uint64_t alignment) {
    const uint64_t of_all = sat_mul(most, units);
    struct search s = {model, length, most, alignment, 0, units, 0, UINT64_MAX};
    try_asked(&s, 0);
    try_asked(&s, length);
    if (most < alignment)
        return s.best;
    s.rounds = ceil_div(length, of_all);
    const uint64_t meet = crossing(&s, true, 0, 0, s.rounds);
    /* Equal slices of the last round may leave more than a round less does. */
    const uint64_t all[] = {1,        meet ? meet - 1 : 0,       meet,
                            meet + 1, s.rounds - (s.rounds > 0), s.rounds};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        try_rounds(&s, all[i]);
    return s.best;
}
