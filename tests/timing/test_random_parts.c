/* SPDX-License-Identifier: MIT
 * The parts of the timing model against naive ones: paths, the issue port, recipe tables. */
#include "tests/timing/rig.h"

#include "emu/timing/path.h"
#include "emu/timing/port.h"
#include "emu/timing/recipes.h"
#include "emu/timing/recipe_tables.h"
#include "emu/timing/turns.h"
#include "support/bits.h"

static uint32_t below(uint64_t *seed, uint32_t n) {
    return (uint32_t)(splitmix64(seed) % n);
}

/* ---- paths ---- */

struct steps {
    struct step *data;
    size_t len, cap;
};

/* A record and all that it was told. */
struct told {
    struct path_record record;
    struct steps all;
    uint64_t *seed;
};

static void tell(struct told *t, enum step_kind kind, uint32_t at, uint64_t count) {
    struct step s = {kind, at, count};
    timing_path_add(&t->record, kind, at, count);
    vec_push(&t->all, s);
}

static void expand(const struct path_record *r, uint32_t from, uint32_t end, struct steps *out) {
    for (uint32_t i = from; i < end; i++) {
        const struct step *s = &r->steps.data[i];
        if (s->kind != STEP_AGAIN)
            vec_push(out, *s);
        assert_true(s->kind != STEP_AGAIN || (s->at && s->at <= i && s->count));
        for (uint64_t k = 0; s->kind == STEP_AGAIN && k < s->count; k++)
            expand(r, i - s->at, i, out);
    }
}

static void check_told(struct told *t) {
    struct steps found = {0};
    expand(&t->record, 0, (uint32_t)t->record.steps.len, &found);
    assert_int_equal(found.len, t->all.len);
    if (found.len)
        assert_memory_equal(found.data, t->all.data, found.len * sizeof *found.data);
    vec_free(&found);
    vec_free(&t->all);
    timing_path_record_free(&t->record);
}

/* Random jumps back, of which few make sense. */
static void any_way_is_told_as_it_was(void **state) {
    uint64_t seed = 1;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct told t = {.seed = &seed};
        uint32_t steps = below(&seed, 60), kinds = 1 + below(&seed, 3), heads = 1 + below(&seed, 4);
        for (uint32_t k = 0; k < steps; k++)
            if (below(&seed, 2))
                tell(&t, STEP_SLOT, below(&seed, kinds), 0);
            else
                timing_path_back(&t.record, below(&seed, heads));
        check_told(&t);
    }
}

/* A body: runs and loops, in text order from `pc` on; returns where it ends.  The laps of a loop
 * are mostly alike, and now and then leave out a part. */
static uint32_t go_through(struct told *t, uint32_t pc, uint32_t depth) {
    uint32_t parts = 1 + below(t->seed, 3);
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t head = pc, laps = 1 + below(t->seed, 5), end = pc;
        if (depth == 0 || below(t->seed, 3) == 0) {
            tell(t, STEP_RUN, pc++, 0);
            continue;
        }
        uint64_t here = *t->seed;
        for (uint32_t lap = 0; lap < laps; lap++) {
            if (below(t->seed, 4))
                *t->seed = here;
            end = go_through(t, head, depth - 1);
            if (end - head < 8)
                tell(t, STEP_EVALUATE, end, below(t->seed, 2));
            if (lap + 1 < laps)
                timing_path_back(&t->record, head);
        }
        *t->seed = here + laps + i + 1;
        pc = end + 1;
    }
    return pc;
}

static void nests_of_loops_are_told_as_they_were(void **state) {
    uint64_t seed = 7;
    (void)state;
    for (int i = 0; i < 3000; i++) {
        struct told t = {.seed = &seed};
        go_through(&t, 0, 4);
        check_told(&t);
        seed += (uint64_t)i * 77;
    }
}

/* Laps that are alike, three deep: 20 x (a, 20 x (b, 20 x c)). */
static void nests_of_equal_laps_are_short(void **state) {
    struct told t = {0};
    (void)state;
    for (int i = 0; i < 20; i++) {
        tell(&t, STEP_RUN, 0, 0);
        for (int j = 0; j < 20; j++) {
            tell(&t, STEP_RUN, 1, 0);
            for (int k = 0; k < 20; k++) {
                tell(&t, STEP_RUN, 2, 0);
                if (k < 19)
                    timing_path_back(&t.record, 2);
            }
            if (j < 19)
                timing_path_back(&t.record, 1);
        }
        if (i < 19)
            timing_path_back(&t.record, 0);
    }
    assert_true(t.record.steps.len < 60);
    check_told(&t);
}

/* 30,000 loops one behind the other, three laps each: what a lap takes does not depend on how many
 * loops have been. */
static void many_loops_in_a_row(void **state) {
    struct told t = {0};
    (void)state;
    for (uint32_t i = 0; i < 30000; i++)
        for (int lap = 0; lap < 3; lap++) {
            tell(&t, STEP_RUN, i, 0);
            if (lap < 2)
                timing_path_back(&t.record, i);
        }
    check_told(&t);
}

/* ---- the issue port ---- */

#define CYCLES 4000

static bool is_free(const uint8_t *taken, uint64_t from, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        if (from + i < CYCLES && taken[from + i])
            return false;
    return true;
}

static void the_port_takes_the_earliest_room(void **state) {
    uint64_t seed = 2;
    (void)state;
    for (int i = 0; i < 200; i++) {
        static uint8_t taken[CYCLES];
        struct issue_port p = {0};
        uint64_t forgotten = 0;
        uint32_t longest = 1 + below(&seed, 30), span = 1 + below(&seed, 900);
        memset(taken, 0, sizeof taken);
        for (int k = 0; k < 120; k++) {
            uint64_t ready = forgotten + below(&seed, span), length = below(&seed, longest);
            uint64_t at = timing_port_find(&p, ready, length), expected = ready;
            while (!is_free(taken, expected, length))
                expected++;
            assert_true(at >= ready);
            assert_true(length == 0 || at == expected);
            if (at + length > CYCLES)
                break;
            timing_port_take(&p, at, length);
            memset(taken + at, 1, length);
            if (below(&seed, 20) == 0)
                timing_port_forget(&p, forgotten += below(&seed, 50));
            for (size_t b = 1; b < p.busy.len; b++)
                assert_true(p.busy.data[b - 1].end_ps < p.busy.data[b].start_ps);
        }
        vec_free(&p.busy);
    }
}

/* ---- recipe tables ---- */

#define FORMS     8
#define TEMPLATES 60
#define POINTERS  3

/* A table as timing_cache_use sees it; its code is not looked at. */
struct made_up {
    struct machine_part forms[FORMS], pointers[POINTERS];
    uint8_t marks[TEMPLATES];
    struct recipe_cache cache;
};

static void made_up_open(struct made_up *u, uint32_t templates, uint32_t pointers) {
    u->cache = (struct recipe_cache){.load = {.parts = u->forms,
                                              .part_count = FORMS,
                                              .shared = u->pointers,
                                              .shared_count = POINTERS,
                                              .words = TEMPLATES},
                                     .templates = templates,
                                     .pointers = pointers,
                                     .marks = u->marks};
    map_number(&u->cache.contents, "", 0);
}

static void made_up_close(struct made_up *u) {
    map_free(&u->cache.contents);
    map_free(&u->cache.uses);
    vec_free(&u->cache.others);
}

static void random_forms(struct made_up *u, uint64_t *seed) {
    for (uint32_t f = 0; f < FORMS; f++) {
        u->forms[f].key = splitmix64(seed);
        u->forms[f].count = 1 + below(seed, 15);
        u->forms[f].first = below(seed, TEMPLATES - u->forms[f].count);
        u->forms[f].needs = below(seed, 1u << POINTERS) & below(seed, 1u << POINTERS);
    }
    for (uint32_t p = 0; p < POINTERS; p++)
        u->pointers[p] =
            (struct machine_part){.first = below(seed, TEMPLATES - 8), .count = 1 + below(seed, 8)};
}

static uint32_t use(struct made_up *u, uint32_t *contents, uint32_t form) {
    struct recipe_load l = timing_cache_use(&u->cache, *contents, form);
    *contents = l.contents;
    return l.loads;
}

/* Room for 10 templates.  A has 0 .. 5, B 6 .. 9, C 4 .. 8, D 20 .. 30. */
static void tables_by_hand(void **state) {
    struct made_up u = {.forms = {{.first = 0, .count = 6},
                                  {.first = 6, .count = 4},
                                  {.first = 4, .count = 5},
                                  {.first = 20, .count = 11}}};
    uint32_t at = 0;
    (void)state;
    made_up_open(&u, 10, 20);
    assert_int_equal(use(&u, &at, 0), 6);
    assert_int_equal(use(&u, &at, 1), 4); /* both fit */
    assert_int_equal(use(&u, &at, 0), 0);
    assert_int_equal(use(&u, &at, 2), 0);  /* A and B have brought all of C, and all three fit */
    assert_int_equal(use(&u, &at, 3), 11); /* too large: passes through ... */
    assert_int_equal(at, 0);               /* ... and nothing is left */
    assert_int_equal(use(&u, &at, 3), 11);
    assert_int_equal(use(&u, &at, 2), 5);
    assert_int_equal(use(&u, &at, 1), 1); /* 9: the others are C's, too */
    assert_int_equal(use(&u, &at, 0), 4); /* 0 .. 3; 0 .. 9 fit */
    made_up_close(&u);
    /* Room for 9: the oldest goes, but for what others share with it. */
    at = 0;
    made_up_open(&u, 9, 20);
    assert_int_equal(use(&u, &at, 0), 6);
    assert_int_equal(use(&u, &at, 2), 3); /* 6 .. 8; 0 .. 8 fit */
    assert_int_equal(use(&u, &at, 1), 1); /* 9; A goes, 4 .. 9 stay */
    assert_int_equal(use(&u, &at, 2), 0);
    assert_int_equal(use(&u, &at, 0), 4); /* 0 .. 3; B goes */
    assert_int_equal(use(&u, &at, 1), 1);
    made_up_close(&u);
    /* Room for one pointer: one recipe at a time, what is shared is loaded over again only if the
     * other does not bring it: 4 and 5 are there when C comes. */
    at = 0;
    made_up_open(&u, 100, 1);
    assert_int_equal(use(&u, &at, 0), 6);
    assert_int_equal(use(&u, &at, 2), 3);
    assert_int_equal(use(&u, &at, 0), 4);
    made_up_close(&u);
}

/* The table told naively: a list of recipes, the oldest first. */
struct naive {
    uint32_t list[FORMS], count;
};

static void mark_form(const struct made_up *u, uint32_t form, uint8_t *marks, uint32_t *leads_to) {
    memset(marks + u->forms[form].first, 1, u->forms[form].count);
    for (uint32_t p = 0; p < POINTERS; p++)
        if (u->forms[form].needs >> p & 1)
            memset(marks + u->pointers[p].first, 1, u->pointers[p].count);
    *leads_to |= u->forms[form].needs;
}

static bool naive_fits(const struct made_up *u, const struct naive *n, uint8_t *marks) {
    uint32_t leads_to = 0, templates = 0;
    memset(marks, 0, TEMPLATES);
    for (uint32_t i = 0; i < n->count; i++)
        mark_form(u, n->list[i], marks, &leads_to);
    for (uint32_t i = 0; i < TEMPLATES; i++)
        templates += marks[i];
    return templates <= u->cache.templates &&
           n->count + (uint32_t)__builtin_popcount(leads_to) <= u->cache.pointers;
}

static uint32_t naive_use(const struct made_up *u, struct naive *n, uint32_t form) {
    uint8_t before[TEMPLATES], marks[TEMPLATES], own[TEMPLATES] = {0};
    uint32_t kept = 0, leads_to = 0, loads = 0;
    naive_fits(u, n, before);
    mark_form(u, form, own, &leads_to);
    for (uint32_t i = 0; i < n->count; i++)
        if (n->list[i] != form)
            n->list[kept++] = n->list[i];
    bool there = kept < n->count;
    n->list[kept] = form;
    n->count = kept + 1;
    const struct naive alone = {.list = {form}, .count = 1};
    bool passes = !naive_fits(u, &alone, marks);
    while (!naive_fits(u, n, marks)) {
        n->count--;
        memmove(n->list, n->list + 1, n->count * sizeof *n->list);
    }
    for (uint32_t i = 0; i < TEMPLATES; i++)
        loads += own[i] && (passes || !before[i]);
    return there ? 0 : loads;
}

static void tables_at_random(void **state) {
    uint64_t seed = 3;
    (void)state;
    for (int i = 0; i < 300; i++) {
        struct made_up u = {0};
        struct naive n = {0};
        uint32_t at = 0;
        random_forms(&u, &seed);
        made_up_open(&u, 1 + below(&seed, TEMPLATES), 1 + below(&seed, FORMS + POINTERS));
        for (int k = 0; k < 200; k++) {
            uint32_t form = below(&seed, FORMS);
            uint32_t expected = naive_use(&u, &n, form);
            assert_int_equal(use(&u, &at, form), expected);
            const struct map_entry *e = &u.cache.contents.entries[at];
            assert_int_equal(e->key_len, n.count * sizeof(uint32_t));
            for (uint32_t j = 0; j < n.count; j++)
                assert_int_equal(((const uint32_t *)(const void *)e->key)[j],
                                 n.list[n.count - 1 - j]);
        }
        made_up_close(&u);
    }
}

/* ---- turns ---- */

static void the_first_is_found_among_many(void **state) {
    uint64_t seed = 4;
    (void)state;
    for (uint32_t count = 1; count < 70; count++) {
        struct turn_tree t;
        uint64_t ps[70];
        timing_turns_open(&t, count);
        for (uint32_t i = 0; i < count; i++)
            ps[i] = TURN_NEVER;
        for (int k = 0; k < 2000; k++) {
            uint32_t i = below(&seed, count), first = 0;
            ps[i] = below(&seed, 3) ? below(&seed, 50) : TURN_NEVER;
            timing_turns_set(&t, i, ps[i]);
            for (uint32_t j = 1; j < count; j++)
                first = ps[j] < ps[first] ? j : first;
            assert_int_equal(turns_first(&t), first);
            assert_true(t.ps[first] == ps[first]);
        }
        timing_turns_close(&t);
    }
}

/* A program that uses some recipes, on a table that others left: it loads never more than on an
 * empty one, and as much as `like`, which goes on without a stop (NULL: there is none). */
static void one_program(struct made_up *code, uint64_t *seed, struct timing_tables *tables,
                        struct made_up *like, uint32_t *like_at) {
    struct made_up warm = *code, cold = *code;
    uint32_t at, cold_at = 0;
    warm.cache = cold.cache = (struct recipe_cache){0};
    made_up_open(&warm, code->cache.templates, code->cache.pointers);
    made_up_open(&cold, code->cache.templates, code->cache.pointers);
    timing_tables_begin(tables);
    at = timing_tables_get(tables, 1, &warm.cache);
    for (uint32_t k = below(seed, 12); k > 0; k--) {
        uint32_t form = below(seed, FORMS), loads = use(&warm, &at, form);
        assert_true(loads <= use(&cold, &cold_at, form));
        if (like)
            assert_int_equal(loads, use(like, like_at, form));
    }
    timing_tables_put(tables, 1, &warm.cache, at);
    timing_tables_end(tables);
    made_up_close(&warm);
    made_up_close(&cold);
}

/* One program after another is as one long program; others in between never make it slower than an
 * empty table does. */
static void tables_between_programs(void **state) {
    uint64_t seed = 4;
    (void)state;
    for (int i = 0; i < 300; i++) {
        struct made_up a = {0}, b = {0};
        struct timing_tables *tables = timing_tables_new(3);
        uint32_t at = 0, templates = 1 + below(&seed, 2 * TEMPLATES);
        uint32_t pointers = 1 + below(&seed, 2 * FORMS + POINTERS);
        random_forms(&a, &seed);
        random_forms(&b, &seed);
        b.forms[3] = a.forms[5]; /* both have it */
        made_up_open(&a, templates, pointers);
        made_up_open(&b, templates, pointers);
        for (int k = 0; k < 20; k++)
            one_program(&a, &seed, tables, &a, &at);
        for (int k = 0; k < 20; k++)
            one_program(k % 2 ? &a : &b, &seed, tables, NULL, NULL);
        made_up_close(&a);
        made_up_close(&b);
        timing_tables_free(tables);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_way_is_told_as_it_was),
        cmocka_unit_test(nests_of_loops_are_told_as_they_were),
        cmocka_unit_test(nests_of_equal_laps_are_short),
        cmocka_unit_test(many_loops_in_a_row),
        cmocka_unit_test(the_port_takes_the_earliest_room),
        cmocka_unit_test(tables_by_hand),
        cmocka_unit_test(tables_at_random),
        cmocka_unit_test(tables_between_programs),
        cmocka_unit_test(the_first_is_found_among_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
