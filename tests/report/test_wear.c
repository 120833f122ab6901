/* SPDX-License-Identifier: MIT
 * Writes per row against a count of every micro-op as it is executed. */
#include "rig.h"

#include "support/bits.h"
#include "support/map.h"
#include "tests/control/random_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef MPU_SANITIZED
enum { PROGRAMS = 3 };
#else
enum { PROGRAMS = 12 };
#endif

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
    for (uint32_t v = 0; v < e->vrf_count; v++)
        for (unsigned k = 0; k < e->uop->ndst; k++)
            if (PLANE_CLASS(e->uop->dst[k]) != PLANE_NONE)
                note_write(context, e->vrf_first + v, e->uop->dst[k]);
}

/* What the ledger says: the most written row is that of the lowest VRF, and in it the lowest. */
static struct control_wear sum_up(const struct ledger *l) {
    struct control_wear w = {.known = true, .rows_written = l->rows.len};
    for (size_t i = 0; i < l->rows.len; i++) {
        struct row r;
        uint64_t n = l->rows.entries[i].value;
        memcpy(&r, l->rows.entries[i].key, sizeof r);
        w.writes += n;
        bool lower = r.vrf < w.most_vrf || (r.vrf == w.most_vrf && r.plane < w.most_plane);
        if (n < w.most_writes || (n == w.most_writes && !lower))
            continue;
        w.most_writes = n;
        w.most_vrf = r.vrf;
        w.most_plane = r.plane;
    }
    return w;
}

static void compare(const char *target, uint64_t seed, const struct control_wear *have,
                    const struct control_wear *want) {
    const uint64_t a[] = {have->known,       have->writes,   have->rows_written,
                          have->most_writes, have->most_vrf, have->most_plane};
    const uint64_t b[] = {want->known,       want->writes,   want->rows_written,
                          want->most_writes, want->most_vrf, want->most_plane};
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        if (a[i] != b[i])
            fail_msg("%s, program %llu: figure %zu of wear is %llx, not %llx", target,
                     (unsigned long long)seed, i, (unsigned long long)a[i],
                     (unsigned long long)b[i]);
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
    rig_run_free(&watched);
    rig_run_free(&alone);
    map_free(&l.rows);
}

static void some_programs(const struct rig *r, const char *target, size_t number) {
    for (uint64_t i = 0; i < PROGRAMS; i++)
        one_program(r, target, 1000 * number + i);
}

static void counts_are_those_of_an_observer(void **state) {
    (void)state;
    rig_each(some_programs);
}

/* Runs on sets of VRFs that overlap in every way, with rows in common. */
static void folding_of_histories(void **state) {
    enum { VRFS = 40, RUNS = 7, ROWS = 5 };
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t random = seed, want[VRFS][ROWS] = {{0}};
        struct run_wear wear[RUNS] = {0}, *runs[RUNS];
        struct dp_row_writes writes[RUNS][ROWS];
        struct dp_description about[RUNS] = {0};
        const struct dp_description *abouts[RUNS];
        for (uint32_t k = 0; k < RUNS; k++) {
            for (uint32_t i = 0; i < ROWS; i++)
                if (splitmix64(&random) % 2)
                    writes[k][about[k].write_count++] =
                        (struct dp_row_writes){i, splitmix64(&random) % 3 + 1};
            about[k].writes = writes[k];
            runs[k] = &wear[k];
            abouts[k] = &about[k];
        }
        for (uint32_t i = 0; i < (seed % 50 ? 100 : 20000); i++) {
            uint32_t k = (uint32_t)(splitmix64(&random) % RUNS);
            uint32_t first = (uint32_t)(splitmix64(&random) % (VRFS / 2));
            struct vrf_range r[2] = {{first, (uint32_t)(splitmix64(&random) % 8 + 1)}};
            r[1].first = r[0].first + r[0].count + 1 + (uint32_t)(splitmix64(&random) % 6);
            r[1].count = VRFS - r[1].first < 5 ? VRFS - r[1].first : 5;
            struct vrf_set on = {r, 1 + splitmix64(&random) % 2};
            for (uint64_t times = splitmix64(&random) % 3; times-- > 0;) {
                wear_count(&wear[k], on);
                for (size_t n = 0; n < on.count; n++)
                    for (uint32_t v = r[n].first; v < r[n].first + r[n].count; v++)
                        for (size_t w = 0; w < about[k].write_count; w++)
                            want[v][writes[k][w].plane] += writes[k][w].writes;
            }
        }
        struct control_wear have = {.known = true}, sum = {.known = true};
        wear_finish(runs, abouts, RUNS, &have);
        for (uint32_t v = 0; v < VRFS; v++)
            for (uint32_t i = 0; i < ROWS; i++) {
                sum.writes += want[v][i];
                sum.rows_written += want[v][i] != 0;
                if (want[v][i] > sum.most_writes) {
                    sum.most_writes = want[v][i];
                    sum.most_vrf = v;
                    sum.most_plane = i;
                }
            }
        compare("sets", seed, &have, &sum);
        for (uint32_t k = 0; k < RUNS; k++)
            wear_free(&wear[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folding_of_histories),
        cmocka_unit_test(counts_are_those_of_an_observer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
