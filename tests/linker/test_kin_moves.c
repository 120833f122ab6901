/* SPDX-License-Identifier: MIT
 * Moves between groups whose VRFs hold different numbers of elements: the copies of random moves,
 * carried out on a machine of numbers, against the elements that the moves name. */
#include "sources.h"

#include "support/bits.h"

#define REGS 12

/* Registers of all VRFs, [VRF][register][lane]. */
struct memory {
    uint32_t vrfs, lanes;
    uint64_t *at;
};

static struct memory new_memory(const struct package *p) {
    struct memory m = {p->mpus * p->vrf_per_rfh * p->rfh_per_mpu, p->lanes, NULL};
    size_t n = (size_t)m.vrfs * REGS * m.lanes;
    m.at = xcalloc(n, sizeof *m.at);
    for (size_t i = 0; i < n; i++)
        m.at[i] = 1000 + i;
    return m;
}

static uint64_t *cell(const struct memory *m, uint32_t vrf, unsigned reg, uint64_t lane) {
    assert_true(vrf < m->vrfs && reg < REGS && lane < m->lanes);
    return &m->at[((size_t)vrf * REGS + reg) * m->lanes + lane];
}

/* Where the package says that an element lies. */
static uint64_t *element(const struct package *p, const struct memory *m, uint32_t group,
                         unsigned reg, uint64_t e) {
    for (size_t i = 0; i < p->placement_count; i++) {
        const struct placement *x = &p->placements[i];
        if (x->group != group || e < x->first || e - x->first >= x->count)
            continue;
        assert_int_equal(e - x->first, e % p->group_lanes[group]);
        return cell(m, x->mpu * p->vrf_per_rfh * p->rfh_per_mpu + x->vrf * p->rfh_per_mpu + x->rfh,
                    reg, e - x->first);
    }
    fail_msg("no place for an element");
    return NULL;
}

static void carry_out(const struct package *p, const struct object *o, const struct target *t,
                      const struct memory *before, const struct memory *after) {
    struct arena arena = {0};
    struct move_work w;
    const char *problem;
    if (!package_move_work(p, o, 0, NULL, t, &arena, &w, &problem))
        fail_msg("%s", problem);
    for (size_t i = 0; i < w.copy_count; i++) {
        const struct move_copy *c = &w.copies[i];
        for (uint32_t k = 0; k < c->count; k++)
            *cell(after, c->dst_vrf, c->dst_reg,
                  (uint64_t)((int64_t)c->dst_lane + (int64_t)k * c->dst_step)) =
                c->fill ? 9
                        : *cell(before, c->src_vrf, c->src_reg,
                                (uint64_t)((int64_t)c->src_lane + (int64_t)k * c->src_step));
    }
    arena_free(&arena);
}

enum form { AFFINE, REGISTERS, BROADCAST, OWN_LANE, FORMS };

/* Elements of two groups and a move from h to g, and how to say it. */
struct trial {
    uint64_t g, h;
    enum form form;
    enum move_outside outside;
    int64_t factor, offset;
    char text[400];
};

static struct trial random_trial(uint64_t *seed) {
    static const char *const outside[] = {"", " else 9", " wrap"};
    struct trial x = {.g = 1 + splitmix64(seed) % 150, .h = 1 + splitmix64(seed) % 150};
    x.form = (enum form)(splitmix64(seed) % FORMS);
    x.outside = (enum move_outside)(splitmix64(seed) % 3);
    x.factor = (int64_t)(splitmix64(seed) % 7) - 3;
    x.offset = (int64_t)(splitmix64(seed) % 200) - 60;
    if (x.form == BROADCAST)
        x.offset = (int64_t)(splitmix64(seed) % x.h);
    int n = snprintf(x.text, sizeof x.text,
                     ".group g[%u]\n.group h[%u]\n.var a: u%u @g = r0\n.var b: u%u @h = r2\n",
                     (unsigned)x.g, (unsigned)x.h, 1 + (unsigned)(splitmix64(seed) % 64),
                     1 + (unsigned)(splitmix64(seed) % 64));
    char *move = x.text + n;
    size_t room = sizeof x.text - (size_t)n;
    int factor = (int)x.factor, offset = (int)x.offset;
    if (x.form == AFFINE)
        snprintf(move, room, ".move m u8 @g r1[i] = @h r1[%d * i + %d]%s\nGMOVE m\n", factor,
                 offset, outside[x.outside]);
    else if (x.form == REGISTERS)
        snprintf(move, room,
                 ".move m u8 @g r4 .. r7[i, j] = @h r2[%d * i + %d * j + %d]%s\nGMOVE m\n", factor,
                 factor + 1, offset, outside[x.outside]);
    else if (x.form == BROADCAST)
        snprintf(move, room, ".move m u8 r1 = @h r2[%d]\nGMOVE m\n", offset);
    else
        snprintf(move, room, ".move m u8 @g r1[i] = r3\nGMOVE m\n");
    return x;
}

/* The source element, or one beyond the last if there is none. */
static uint64_t source(const struct trial *x, int64_t s) {
    int64_t n = (int64_t)x->h;
    if (x->outside == MOVE_WRAP)
        return (uint64_t)((s % n + n) % n);
    return s >= 0 && s < n ? (uint64_t)s : x->h;
}

static void expect_element(const struct trial *x, const struct package *p,
                           const struct memory *before, const struct memory *want, uint64_t e,
                           unsigned dst_reg, unsigned src_reg, int64_t s) {
    uint64_t from = source(x, s);
    if (from < x->h)
        *element(p, want, 0, dst_reg, e) = *element(p, before, 1, src_reg, from);
    else if (x->outside == MOVE_FILL)
        *element(p, want, 0, dst_reg, e) = 9;
}

static void expect(const struct trial *x, const struct package *p, const struct memory *before,
                   const struct memory *want) {
    for (uint64_t e = 0; e < x->g; e++) {
        int64_t s = x->factor * (int64_t)e + x->offset;
        if (x->form == AFFINE)
            expect_element(x, p, before, want, e, 1, 1, s);
        for (unsigned j = 0; x->form == REGISTERS && j < 4; j++)
            expect_element(x, p, before, want, e, 4 + j, 2, s + (x->factor + 1) * j);
        if (x->form == OWN_LANE)
            *element(p, want, 0, 1, e) = *element(p, before, 0, 3, e);
        if (x->form == BROADCAST)
            *element(p, want, 0, 1, e) = *element(p, before, 1, 2, (uint64_t)x->offset);
    }
    for (uint64_t e = 0; x->form == BROADCAST && e < x->h; e++)
        *element(p, want, 1, 1, e) = *element(p, before, 1, 2, (uint64_t)x->offset);
}

/* A row of bits, cut into slots for the widest register: as many lanes as the target has, of 8
 * bits. */
static uint32_t slots(const struct target *t, const uint8_t reg_bits[64]) {
    uint32_t slot = 1;
    for (unsigned r = 0; r < 64; r++)
        while (slot < reg_bits[r])
            slot *= 2;
    return t->lanes * 8 / slot ? t->lanes * 8 / slot : 1;
}

/* Wide and narrow VRFs, full ones and such as the elements are spread over; true if those of the
 * two groups were not the same. */
static bool try_one(uint64_t *seed) {
    struct trial x = random_trial(seed);
    struct target t =
        make_target(1 + (uint32_t)(splitmix64(seed) % 40), 4 + (uint32_t)(splitmix64(seed) % 4),
                    1 + (uint32_t)(splitmix64(seed) % 4), 64);
    t.spread = splitmix64(seed) % 4 ? SPREAD_EVEN : SPREAD_FILL;
    t.lanes_unit = 1 + (uint32_t)(splitmix64(seed) % 8);
    t.mpus = t.spread == SPREAD_EVEN ? 1 + (uint32_t)(splitmix64(seed) % 4) : 64;
    const char *text = x.text;
    struct object *o = link_ok(&text, 1, NULL);
    struct diag *d = diag_new(NULL, NULL);
    toy_lanes = splitmix64(seed) % 4 ? slots : NULL;
    struct package *p = pack(o, &t, d);
    bool differ = p && p->group_lanes[0] != p->group_lanes[1];
    if (p) {
        struct memory before = new_memory(p), want = new_memory(p), got = new_memory(p);
        expect(&x, p, &before, &want);
        carry_out(p, o, &t, &before, &got);
        for (size_t i = 0; i < (size_t)got.vrfs * REGS * got.lanes; i++)
            if (got.at[i] != want.at[i])
                fail_msg("cell %zu: %llu, not %llu:\n%s", i, (unsigned long long)got.at[i],
                         (unsigned long long)want.at[i], x.text);
        free(before.at);
        free(want.at);
        free(got.at);
    } else {
        assert_error(d, "needs"); /* no room, and moves forbid rounds */
    }
    package_free(p);
    diag_free(d);
    object_free(o);
    return differ;
}

static void elements_go_where_moves_say(void **state) {
    (void)state;
    uint64_t seed = 41;
    unsigned differ = 0;
    for (unsigned n = 0; n < 1500; n++)
        differ += try_one(&seed);
    assert_true(differ > 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(elements_go_where_moves_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
