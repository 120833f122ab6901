/* SPDX-License-Identifier: MIT
 * Writes per cell against a count of every micro-op as it is executed. */
#include "tests/draws.h"
#include "machines/plane/run/plane.h"
#include "rig.h"

#include "support/bits.h"
#include "support/map.h"
#include "support/file.h"
#include "tests/control/random_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "recipe/set/uop.h"

#define PROGRAMS draws(DRAWS_REPORT_WEAR)

/* Writes of each row of each VRF, one by one. */
struct ledger {
    struct map rows; /* VRF, plane -> writes */
};
struct row {
    uint32_t vrf, plane;
};

static void note_write(struct ledger *l, uint32_t vrf, uint32_t plane) {
    struct row r = {vrf, PLANE_CLASS(plane) == PLANE_BUFFER ? plane & 0xffffff00 : plane};
    const uint64_t *known = map_get_n(&l->rows, (const char *)&r, sizeof r);
    map_put_n(&l->rows, (const char *)&r, sizeof r, known ? *known + 1 : 1);
}

static void note(void *context, const struct dp_event *e) {
    const struct uop *u = e->record;
    for (uint32_t v = 0; v < e->vrf_count; v++)
        for (unsigned k = 0; k < u->ndst; k++)
            if (PLANE_CLASS(u->dst[k]) != PLANE_NONE)
                note_write(context, e->vrf_first + v, u->dst[k]);
}

/* What the ledger says: the most written row is that of the lowest VRF, and in it the lowest. */
static struct control_wear sum_up(const struct ledger *l) {
    struct control_wear w = {.known = true, .cells_written = l->rows.len};
    for (size_t i = 0; i < l->rows.len; i++) {
        struct row r;
        uint64_t n = l->rows.entries[i].value;
        memcpy(&r, l->rows.entries[i].key, sizeof r);
        w.writes += n;
        bool lower = r.vrf < w.most_vrf || (r.vrf == w.most_vrf && r.plane < w.most_cell);
        if (n < w.most_writes || (n == w.most_writes && !lower))
            continue;
        w.most_writes = n;
        w.most_vrf = r.vrf;
        w.most_cell = r.plane;
    }
    return w;
}

static void compare(const char *target, uint64_t seed, const struct control_wear *have,
                    const struct control_wear *want) {
    const uint64_t a[] = {have->known,       have->writes,   have->cells_written,
                          have->most_writes, have->most_vrf, have->most_cell};
    const uint64_t b[] = {want->known,       want->writes,   want->cells_written,
                          want->most_writes, want->most_vrf, want->most_cell};
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        if (a[i] != b[i])
            fail_msg("%s, program %llu: figure %zu of wear is %llx, not %llx", target,
                     (unsigned long long)seed, i, (unsigned long long)a[i],
                     (unsigned long long)b[i]);
}

static char *report(const struct rig *r, const struct rig_run *x) {
    struct figures f = {0};
    struct str text = {0};
    rig_report(r, x, &f);
    report_figures_json(&f, &text);
    report_figures_free(&f);
    return text.text;
}

/* Takes a piece of a line up to its end or a comma. */
static const char *column(const char **at, char *room, size_t size) {
    size_t n = strcspn(*at, ",\n");
    assert_true(n < size);
    memcpy(room, *at, n);
    room[n] = '\0';
    *at += n + 1;
    return room;
}

static void line_key(uint32_t vrf, const char *row, uint64_t section, char key[80]) {
    snprintf(key, 80, "%u %s %llu", (unsigned)vrf, row, (unsigned long long)section);
}

/* A line stands for each VRF of its box, and no VRF has two for one row. */
static void expand(const struct target *t, const char **at, struct map *cells) {
    uint64_t x[9];
    char room[64], row[64] = "", key[80];
    for (size_t i = 0; i < 9; i++)
        if (i == 6)
            column(at, row, sizeof row);
        else
            x[i] = strtoull(column(at, room, sizeof room), NULL, 10);
    assert_true(x[1] && x[3] && x[5] && x[8]);
    for (uint64_t m = 0; m < x[1]; m++)
        for (uint64_t v = 0; v < x[5]; v++)
            for (uint64_t r = 0; r < x[3]; r++) {
                uint64_t vrf =
                    (x[0] + m) * target_vrfs_per_mpu(t) + (x[4] + v) * t->rfh_per_mpu + x[2] + r;
                line_key((uint32_t)vrf, row, x[7], key);
                assert_true(map_put_n(cells, key, strlen(key), x[8]));
            }
}

static int add_text(void *text, const void *bytes, size_t size) {
    str_append_n(text, bytes, size);
    return 0;
}

static void read_list(const struct rig *r, const struct rig_run *x, bool one, struct map *cells) {
    struct str text = {0};
    struct file_stream *out = file_stream_call(add_text, &text);
    const struct report_run run = {.target = r->target, .control = x->control};
    report_wear_csv(&run, one, out);
    assert_true(file_stream_close(out));
    for (const char *at = strchr(str_text(&text), '\n') + 1; *at;)
        expand(r->target, &at, cells);
    str_free(&text);
}

/* The list has every row of the ledger, and no other; that of one VRF what the list has of it. */
static void compare_list(const struct rig *r, const struct rig_run *x, const struct ledger *l) {
    struct str name = {0};
    struct map cells = {0}, most = {0};
    const struct control_wear *wear = &control_stats(x->control)->wear;
    size_t of_most = 0;
    read_list(r, x, false, &cells);
    read_list(r, x, true, &most);
    assert_int_equal(cells.len, l->rows.len);
    for (size_t i = 0; i < l->rows.len; i++) {
        struct row row;
        uint32_t section = 0;
        char key[80];
        memcpy(&row, l->rows.entries[i].key, sizeof row);
        str_clear(&name);
        control_cell_text(x->control, row.plane, &name, &section);
        line_key(row.vrf, str_text(&name), section, key);
        const uint64_t *writes = map_get_n(&cells, key, strlen(key));
        assert_true(writes && *writes == l->rows.entries[i].value);
        if (row.vrf != wear->most_vrf)
            continue;
        of_most++;
        writes = map_get_n(&most, key, strlen(key));
        assert_true(writes && *writes == l->rows.entries[i].value);
    }
    assert_int_equal(most.len, of_most);
    map_free(&cells);
    map_free(&most);
    str_free(&name);
}

/* All figures of the run that was observed are those of the other. */
static void same_report(const struct rig *r, const struct rig_run *watched,
                        const struct rig_run *alone) {
    char *one = report(r, watched), *other = report(r, alone);
    assert_string_equal(one, other);
    free(one);
    free(other);
}

/* Counted with an observer and without: the same. */
static void one_program(const struct rig *r, const char *target, uint64_t seed) {
    struct ledger l = {0};
    struct rig_run watched, alone;
    enum batch_mode batch = (enum batch_mode)(seed % 3);
    rig_run(r, seed, batch, note, &l, &watched);
    rig_run(r, seed, batch, NULL, NULL, &alone);
    struct control_wear want = sum_up(&l);
    compare(target, seed, &control_stats(watched.control)->wear, &want);
    compare(target, seed, &control_stats(alone.control)->wear, &want);
    compare_list(r, &alone, &l);
    same_report(r, &watched, &alone);
    rig_run_free(&watched);
    rig_run_free(&alone);
    map_free(&l.rows);
}

/* Where a host streams words, gates of copies and answers are events like those of runs, whose
 * writes alone are counted. */
static void some_programs(const struct rig *r, const char *target, size_t number) {
    if (plane_target(r->target)->partitioned)
        return;
    for (uint64_t i = 0; i < PROGRAMS; i++)
        one_program(r, target, 1000 * number + i);
}

static void counts_are_those_of_an_observer(void **state) {
    (void)state;
    rig_each(some_programs);
}

/* Runs on sets of VRFs that overlap in every way, with rows in common. */
enum { VRFS = 40, RUNS = 7, ROWS = 5 };
struct histories {
    uint64_t random;
    uint64_t writes[VRFS][ROWS]; /* one by one */
    struct run_wear wear[RUNS];
    struct dp_cell_writes rows[RUNS][ROWS];
    struct dp_description about[RUNS];
};

static uint32_t below(struct histories *h, uint32_t n) {
    return (uint32_t)(splitmix64(&h->random) % n);
}

static void draw_runs(struct histories *h) {
    for (uint32_t k = 0; k < RUNS; k++) {
        h->about[k].writes = h->rows[k];
        for (uint32_t i = 0; i < ROWS; i++)
            if (below(h, 2))
                h->rows[k][h->about[k].write_count++] = (struct dp_cell_writes){i, below(h, 3) + 1};
    }
}

/* One or two ranges that do not touch. */
static struct vrf_set draw_set(struct histories *h, struct vrf_range r[2]) {
    r[0] = (struct vrf_range){below(h, VRFS / 2), below(h, 8) + 1};
    r[1].first = r[0].first + r[0].count + 1 + below(h, 6);
    r[1].count = VRFS - r[1].first < 5 ? VRFS - r[1].first : 5;
    return (struct vrf_set){r, 1 + below(h, 2)};
}

static void execute_once(struct histories *h, uint32_t run, struct vrf_set on) {
    control_wear_count(&h->wear[run], on);
    for (size_t n = 0; n < on.count; n++)
        for (uint32_t v = 0; v < on.ranges[n].count; v++)
            for (size_t w = 0; w < h->about[run].write_count; w++)
                h->writes[on.ranges[n].first + v][h->rows[run][w].cell] += h->rows[run][w].writes;
}

static struct control_wear fold(struct histories *h) {
    struct run_wear *runs[RUNS];
    const struct dp_description *about[RUNS];
    struct control_wear have = {.known = true};
    for (uint32_t k = 0; k < RUNS; k++) {
        runs[k] = &h->wear[k];
        about[k] = &h->about[k];
    }
    control_wear_finish(runs, about, RUNS, &have);
    return have;
}

/* What a visit told of each VRF. */
struct told {
    uint64_t writes[VRFS][ROWS];
    uint32_t class_of[VRFS]; /* + 1 */
};

static void tell_range(void *context, uint32_t class_number, uint32_t first, uint64_t vrfs) {
    struct told *t = context;
    for (uint64_t v = first; v < first + vrfs; v++) {
        assert_true(v < VRFS && !t->class_of[v]);
        t->class_of[v] = class_number + 1;
    }
}

static void tell_cell(void *context, uint32_t class_number, uint32_t cell, uint64_t writes) {
    struct told *t = context;
    for (uint32_t v = 0; v < VRFS; v++)
        if (t->class_of[v] == class_number + 1)
            t->writes[v][cell] += writes;
}

static void check_visit(struct histories *h, uint64_t seed) {
    struct run_wear *runs[RUNS];
    const struct dp_description *about[RUNS];
    struct told told = {.class_of = {0}};
    const struct wear_visit visit = {&told, tell_range, tell_cell};
    for (uint32_t k = 0; k < RUNS; k++) {
        runs[k] = &h->wear[k];
        about[k] = &h->about[k];
    }
    control_wear_visit(runs, about, RUNS, &visit);
    if (memcmp(told.writes, h->writes, sizeof told.writes) != 0)
        fail_msg("sets %llu: a visit tells other writes", (unsigned long long)seed);
}

static struct control_wear count_up(const struct histories *h) {
    struct control_wear sum = {.known = true};
    for (uint32_t v = 0; v < VRFS; v++)
        for (uint32_t i = 0; i < ROWS; i++) {
            sum.writes += h->writes[v][i];
            sum.cells_written += h->writes[v][i] != 0;
            if (h->writes[v][i] <= sum.most_writes)
                continue;
            sum.most_writes = h->writes[v][i];
            sum.most_vrf = v;
            sum.most_cell = i;
        }
    return sum;
}

/* Some of them with more sets than a run keeps at a time. */
static void folding_of_histories(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct histories h = {.random = seed};
        struct vrf_range ranges[2];
        draw_runs(&h);
        for (uint32_t i = 0; i < (seed % 50 ? 100 : 20000); i++) {
            struct vrf_set on = draw_set(&h, ranges);
            uint32_t run = below(&h, RUNS);
            for (uint32_t times = below(&h, 3); times > 0; times--)
                execute_once(&h, run, on);
        }
        struct control_wear have = fold(&h), want = count_up(&h);
        compare("sets", seed, &have, &want);
        check_visit(&h, seed);
        for (uint32_t k = 0; k < RUNS; k++)
            control_wear_free(&h.wear[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folding_of_histories),
        cmocka_unit_test(counts_are_those_of_an_observer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
