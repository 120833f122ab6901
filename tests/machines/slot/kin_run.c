/* SPDX-License-Identifier: MIT */
#include "kin_run.h"

#include "asm/asm.h"
#include "linker/linker.h"
#include "support/bits.h"

#include <stdio.h>
#include <string.h>

/* ---- what programs come to ---- */

unsigned kin_slot(unsigned width) {
    unsigned slot = 1;
    while (slot < width)
        slot *= 2;
    return slot;
}

uint64_t kin_vrfs(const struct kin_case *x, uint32_t owner) {
    return owner == KIN_FIXED
               ? 2
               : ceil_div(x->k.elements[owner], x->b->row_bits / kin_slot(x->k.width[owner]));
}

void kin_compare_counts(const struct kin_case *x, const uint64_t *counted,
                        const struct kin_seen *plain, const char *const *names, unsigned kinds) {
    for (unsigned kind = 0; kind < kinds; kind++)
        if (counted[kind] != plain->uops[kind])
            fail_msg("program %llu: %llu of %s, not %llu\n%s", (unsigned long long)x->seed,
                     (unsigned long long)plain->uops[kind], names[kind],
                     (unsigned long long)counted[kind], str_text(&x->k.text));
}

/* ---- runs ---- */

struct round_state {
    const struct kin_case *x;
    struct arena arena;
    struct package view;
    uint64_t now;
};

static const struct package *next_round(void *context) {
    struct round_state *r = context;
    if (++r->now >= r->x->p->rounds)
        return NULL;
    arena_free(&r->arena);
    r->view = package_round(r->x->p, r->x->o, r->now, &r->arena);
    return &r->view;
}

static void take_event(void *context, const struct dp_event *e) {
    struct kin_seen *seen = context;
    seen->events += e->vrf_count;
}

enum { PLAIN, CHECKED, THREADS, WATCHED, WAYS };

static void keep(const struct control *c, const struct dp_tables *t, struct kin_seen *seen) {
    const struct control_stats *s = control_stats(c);
    assert_true(t->kind_count <= KIN_MOST_KINDS && t->part_count <= KIN_MOST_PARTS &&
                t->counter_count <= KIN_MOST_PARTS);
    seen->time_ps = s->time_ps;
    memcpy(seen->uops, s->uops, t->kind_count * sizeof *seen->uops);
    memcpy(seen->energy_fj, s->energy_fj, t->part_count * sizeof *seen->energy_fj);
    if (t->counter_count)
        memcpy(seen->counters, s->counters, t->counter_count * sizeof *seen->counters);
    seen->established = s->established;
}

static void run(const struct kin_case *x, int way, struct kin_seen *seen) {
    struct diag *d = diag_new(NULL, NULL);
    const struct datapath_ops *ops = way == CHECKED ? &check_ops : x->b->ops;
    const struct dp_setup setup = {.target = x->b->on.target,
                                   .library = x->b->on.library,
                                   .code = x->p->code,
                                   .mpus = x->p->mpus,
                                   .lanes = x->p->lanes,
                                   .reg_bits = x->p->reg_bits,
                                   .kins = x->p->kins,
                                   .kin_count = x->p->kin_count,
                                   .init = DP_INIT_RANDOM,
                                   .seed = x->seed};
    struct datapath *dp = ops->open(&setup, d);
    struct round_state rounds = {.x = x};
    const struct control_config config = {.batch = (enum batch_mode)(x->seed % 3),
                                          .check = way == CHECKED,
                                          .threads = way == THREADS ? 2 : 1,
                                          .part_ps = way == THREADS,
                                          .next_round = x->p->rounds > 1 ? next_round : NULL,
                                          .round_context = &rounds};
    *seen = (struct kin_seen){0};
    assert_non_null(dp);
    control_shape(x->p, x->b->on.target, dp);
    if (way == WATCHED)
        dp->ops->observe(dp, take_event, seen);
    struct control *c = control_new(x->o, x->p, x->b->on.target, dp, &config);
    if (control_run(c) != CONTROL_DONE)
        fail_msg("program %llu: %s", (unsigned long long)x->seed, control_message(c));
    keep(c, &dp->tables, seen);
    assert_true(dp->ops->snapshot(dp, false, &seen->state));
    control_free(c);
    dp->ops->close(dp);
    arena_free(&rounds.arena);
    diag_free(d);
}

static void compare(const struct kin_case *x, int way, const struct kin_seen *plain,
                    const struct kin_seen *other) {
    if (other->time_ps != plain->time_ps ||
        memcmp(other->uops, plain->uops, sizeof plain->uops) != 0 ||
        memcmp(other->counters, plain->counters, sizeof plain->counters) != 0 ||
        memcmp(&other->established, &plain->established, sizeof plain->established) != 0 ||
        memcmp(other->energy_fj, plain->energy_fj, sizeof plain->energy_fj) != 0)
        fail_msg("program %llu, way %d: other figures\n%s", (unsigned long long)x->seed, way,
                 str_text(&x->k.text));
    if (way != CHECKED && (other->state.len != plain->state.len ||
                           memcmp(other->state.text, plain->state.text, plain->state.len) != 0))
        fail_msg("program %llu, way %d: another state", (unsigned long long)x->seed, way);
}

/* ---- programs ---- */

static bool build(struct kin_case *x, struct diag *d) {
    static const struct asm_options assembling = {0};
    static const struct link_options linking = {0};
    const struct str *text = &x->k.text;
    struct object *o = asm_assemble("kin.s", text->text, text->len, &assembling, d);
    const struct object *const inputs[] = {o};
    x->o = o ? link_objects(inputs, 1, &linking, d) : NULL;
    object_free(o);
    if (!x->o)
        fail_msg("program %llu: %s\n%s", (unsigned long long)x->seed, diag_first(d), text->text);
    const struct package_place spread = {.asked = PLACE_SPREAD, .chosen = PLACE_SPREAD};
    x->p = x->seed % 2 ? package_build(x->o, x->b->on.target, x->b->on.library, NULL, 0, d)
                       : package_build_at(x->o, x->b->on.target, x->b->on.library, NULL, 0, &spread,
                                          NULL, d);
    return x->p;
}

static void note(const struct kin_case *x) {
    struct kin_bench *b = x->b;
    b->built++;
    b->with_rounds += x->p->rounds > 1;
    b->with_fixed += x->k.fixed;
    b->several_mpus += x->p->mpus > 1;
    b->shared += x->p->kin_count > 1;
}

void kin_run(struct kin_bench *b, uint64_t seed, bool seven) {
    struct kin_case x = {
        .b = b, .seed = seed, .seven = seven, .k = {.has = b->has, .luts = b->luts}};
    struct diag *d = diag_new(NULL, NULL);
    struct kin_seen plain = {0}, other;
    kin_program_make(&x.k, seed, seven);
    bool built = build(&x, d);
    if (!built && !strstr(diag_first(d), "lanes")) /* no room beside fixed VRFs */
        fail_msg("program %llu: %s\n%s", (unsigned long long)seed, diag_first(d),
                 str_text(&x.k.text));
    for (int way = PLAIN; built && way < WAYS; way++) {
        run(&x, way, way == PLAIN ? &plain : &other);
        if (way == PLAIN)
            continue;
        compare(&x, way, &plain, &other);
        str_free(&other.state);
    }
    if (built) {
        note(&x);
        b->check(&x, &plain);
    }
    str_free(&plain.state);
    package_free(x.p);
    object_free(x.o);
    kin_program_free(&x.k);
    diag_free(d);
}
