/* SPDX-License-Identifier: MIT
 * Reductions in place and by the host: both against plain C, on every kind of machine, in rounds,
 * over several MPUs. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/include/mpu/mpu.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "support/str.h"

/* How a kind is folded in place: the instruction, and what an element beyond the last one counts
 * as.  Those without an instruction are the host's alone here. */
static const struct kind {
    const char *name, *instruction;
    int64_t nothing;
} kinds[] = {
    {"sum", "ADD", 0},  {"min", "MINS", 2047}, {"max", "MAXS", -2048}, {"and", "AND", -1},
    {"or", "OR", 0},    {"xor", "XOR", 0},     {"any", NULL, 0},       {"all", NULL, 0},
    {"count", NULL, 0}, {"argmin", NULL, 0},   {"argmax", NULL, 0},
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* n elements of 12 bits, halved until one is left, which goes to r11.  r0 keeps them. */
static void in_place(const struct kind *k, uint64_t n, struct str *out) {
    unsigned level = 0;
    str_append(out, "        COMPUTEG @g\n        MOV.12 r0 r2\n        COMPUTE_DONE\n");
    for (uint64_t left = n; left > 1; left = (left + 1) / 2, level++)
        str_printf(out,
                   "        GMOVE m%u\n        COMPUTEG @h%u\n        %s.12 r2 r3 r2\n"
                   "        COMPUTE_DONE\n",
                   level, level, k->instruction);
    str_append(out, "        GMOVE result\n");
}

static void moves(const struct kind *k, uint64_t n, struct str *out) {
    unsigned level = 0;
    char from[16] = "g";
    for (uint64_t left = n; left > 1; left = (left + 1) / 2, level++) {
        str_printf(out, "        .group h%u[%" PRIu64 "] like g\n", level, (left + 1) / 2);
        str_printf(out,
                   "        .move m%u u12 @h%u r3[i] = @%s r2[i + %" PRIu64 "] else %" PRId64 "\n",
                   level, level, from, (left + 1) / 2, k->nothing);
        snprintf(from, sizeof from, "h%u", level);
    }
    str_append(out, "        .move result u12 r11 = @g r2[0]\n");
}

/* x of 12 bits with a sign; s as wide, e wider than that. */
static char *source(const struct kind *k, uint64_t n) {
    struct str s = {0};
    str_printf(&s, "        .group g[%" PRIu64 "]\n        .var in x: i16 @g = r0 as i12\n", n);
    str_append(&s, "        .var out s: i32[2] = r10 as i12\n");
    if (k->instruction)
        moves(k, n, &s);
    str_printf(&s, "main:   NOP\n        .finish s[1] = %s i12 @g r0\n", k->name);
    if (k->instruction)
        in_place(k, n, &s);
    else
        str_append(&s, "        NOP\n");
    str_append(&s, "        .endfinish\n        NOP\n");
    char *text = xstrdup(str_text(&s));
    str_free(&s);
    return text;
}

static int64_t fold(const char *kind, const int16_t *x, uint64_t n) {
    int64_t sum = 0, least = 0, most = 0, bits_and = -1, bits_or = 0, bits_xor = 0, count = 0;
    for (uint64_t i = 0; i < n; i++) {
        sum += x[i];
        least = x[i] < x[least] ? (int64_t)i : least;
        most = x[i] > x[most] ? (int64_t)i : most;
        bits_and &= x[i];
        bits_or |= x[i];
        bits_xor ^= x[i];
        count += x[i] != 0;
    }
    const struct {
        const char *name;
        int64_t value;
    } all[] = {
        {"sum", sum},     {"min", x[least]}, {"max", x[most]},   {"and", bits_and},
        {"or", bits_or},  {"xor", bits_xor}, {"any", count > 0}, {"all", count == (int64_t)n},
        {"count", count}, {"argmin", least}, {"argmax", most}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, kind) == 0)
            return sign_extend((uint64_t)all[i].value & low_bits(12), 12);
    fail_msg("no kind %s", kind);
    return 0;
}

static void expect_ok(mpu_result r, mpu_error *e) {
    if (r != MPU_OK)
        fail_msg("%s", mpu_error_text(e));
}

struct machine {
    mpu_target *t;
    mpu_program *p;
    mpu_session *s;
};

static struct machine open_machine(const char *target, const char *const *set, const char *text,
                                   const char *finish) {
    mpu_error *e = NULL;
    struct machine m = {.t = mpu_target_open(target, set, &e)};
    FILE *f = fopen("test_finish_program.s", "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    m.p = mpu_program_load_file("test_finish_program.s", &e);
    remove("test_finish_program.s");
    const mpu_config config = {.size = sizeof config, .finish = finish};
    m.s = m.t && m.p ? mpu_session_new(m.p, m.t, &config, &e) : NULL;
    if (!m.s)
        fail_msg("%s", mpu_error_text(e));
    return m;
}

static void close_machine(struct machine *m) {
    mpu_session_free(m->s);
    mpu_program_free(m->p);
    mpu_target_close(m->t);
}

static void put(struct machine *m, uint64_t n, int16_t *x) {
    mpu_error *e = NULL;
    mpu_array a = {MPU_I16, 1, {n}, x};
    expect_ok(mpu_session_put(m->s, "x", &a, &e), e);
}

static void run(struct machine *m) {
    mpu_error *e = NULL;
    expect_ok(mpu_session_run(m->s, &e), e);
}

static int32_t get(struct machine *m) {
    mpu_error *e = NULL;
    mpu_array s;
    expect_ok(mpu_session_get(m->s, "s", &s, &e), e);
    assert_true(s.type == MPU_I32 && s.ndim == 1 && s.shape[0] == 2);
    int32_t value = ((int32_t *)s.data)[1];
    mpu_array_free(&s);
    return value;
}

static uint64_t figure(struct machine *m, const char *path) {
    uint64_t value = 0;
    mpu_session_figure(m->s, path, &value); /* golden has none */
    return value;
}

static int16_t *make_x(uint64_t n, uint64_t seed) {
    int16_t *x = malloc((size_t)n * sizeof *x);
    for (uint64_t i = 0; i < n; i++)
        x[i] = (int16_t)(seed % 3 ? sign_extend(splitmix64(&seed) & low_bits(12), 12)
                                  : (int64_t)(splitmix64(&seed) % 3));
    return x;
}

static void fold_on(const char *target, const struct kind *k, uint64_t n, const char *finish) {
    char *text = source(k, n);
    int16_t *x = make_x(n, n + (uint64_t)k->name[0]);
    struct machine m = open_machine(target, NULL, text, finish);
    put(&m, n, x);
    run(&m);
    if (get(&m) != fold(k->name, x, n))
        fail_msg("%s of %" PRIu64 " on %s by %s is %d", k->name, n, target, finish, (int)get(&m));
    close_machine(&m);
    free(x);
    free(text);
}

static void both_give_the_same(void **state) {
    static const char *const targets[] = {"golden", "racer", "mimdram", "duality-cache", "simdram"};
    static const uint64_t lengths[] = {1, 63, 64, 65, 511, 513, 10007};
    (void)state;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        for (size_t k = i > 1 ? i - 2 : 0; k<KINDS; k += i> 1 ? 3 : 1) { /* slow to open */
            uint64_t n = lengths[(k + i) % 7], other = lengths[(k + 3 * i + 2) % 6];
            fold_on(targets[i], &kinds[k], n, "host");
            fold_on(targets[i], &kinds[k], other, "host");
            if (kinds[k].instruction)
                fold_on(targets[i], &kinds[k], k ? other : n, "device");
            if (kinds[k].instruction)
                fold_on(targets[i], &kinds[k], other, "auto");
        }
}

/* What the host finished is that of the run, whatever is put behind it; and the next run's. */
static void a_result_belongs_to_its_run(void **state) {
    enum { N = 100 };
    int16_t *x = make_x(N, 1), *y = make_x(N, 2);
    char *text = source(&kinds[0], N);
    (void)state;
    for (unsigned way = 0; way < 2; way++) {
        struct machine m = open_machine("racer", NULL, text, way ? "host" : "device");
        put(&m, N, x);
        assert_int_equal(get(&m), 0); /* nothing ran: what the machine has */
        run(&m);
        put(&m, N, y);
        assert_int_equal(get(&m), fold("sum", x, N));
        run(&m);
        assert_int_equal(get(&m), fold("sum", y, N));
        close_machine(&m);
    }
    free(text);
    free(x);
    free(y);
}

/* Elements that have no room at once are folded round after round; in place they are refused. */
static void more_elements_than_lanes(void **state) {
    static const char *const small[] = {"machine.mpus=2", "machine.vrf_per_rfh=2",
                                        "machine.rfh_per_mpu=2", NULL};
    enum { N = 2000 };
    int16_t *x = make_x(N, 4);
    mpu_error *e = NULL;
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        char *text = source(&kinds[k], N);
        struct machine m =
            open_machine("racer", small, text, kinds[k].instruction ? "auto" : "host");
        put(&m, N, x);
        run(&m);
        assert_int_equal(get(&m), fold(kinds[k].name, x, N));
        assert_true(figure(&m, "total.rounds") > 1);
        assert_true(figure(&m, "host.bytes_out") >= 2 * N);
        close_machine(&m);
        if (kinds[k].instruction) {
            m = open_machine("racer", small, text, "device");
            put(&m, N, x);
            assert_int_equal(mpu_session_run(m.s, &e), MPU_REJECTED);
            assert_non_null(strstr(mpu_error_text(e), "GMOVE m0"));
            mpu_error_free(e);
            e = NULL;
            close_machine(&m);
        }
        free(text);
    }
    free(x);
}

/* Auto takes less time than the better of the two, and says which it was by what it moves. */
static void auto_takes_less_time(void **state) {
    static const struct {
        const char *target, *set;
        bool by_host;
    } cases[] = {{"mimdram", NULL, true},
                 {"racer", NULL, true},
                 {"racer", "host.bytes_per_s=1000000", false},
                 {"mimdram", "host.bytes_per_s=1000000", false}};
    enum { N = 10007 };
    int16_t *x = make_x(N, 5);
    char *text = source(&kinds[0], N);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *set[] = {cases[i].set, NULL};
        uint64_t ps[3], bytes[3];
        for (unsigned way = 0; way < 3; way++) {
            struct machine m = open_machine(cases[i].target, set, text,
                                            (const char *[]){"device", "host", "auto"}[way]);
            put(&m, N, x);
            run(&m);
            ps[way] = figure(&m, "total.end_to_end_time_ps");
            bytes[way] = figure(&m, "host.bytes_out");
            close_machine(&m);
        }
        assert_true(bytes[0] == 0 && bytes[1] == 2 * N);
        assert_int_equal(bytes[2], cases[i].by_host ? 2 * N : 0);
        assert_int_equal(ps[1] < ps[0], cases[i].by_host);
        assert_int_equal(ps[2], ps[cases[i].by_host]);
    }
    free(text);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_give_the_same),
        cmocka_unit_test(a_result_belongs_to_its_run),
        cmocka_unit_test(more_elements_than_lanes),
        cmocka_unit_test(auto_takes_less_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
