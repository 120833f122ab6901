/* SPDX-License-Identifier: MIT
 * Vectors on a device as their user meets them: rows, slabs and what does not fit, failures, what
 * is paid and loaded, subroutines. */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const mpu_vtype i32 = {MPU_KIND_INT, 32}, u8 = {MPU_KIND_UINT, 8};

/* ---- rows and slabs ---- */

/* More vectors than a lane has rows. */
static void spills(void **state) {
    static const char *const small[] = {"machine.mpus=1", "machine.vrf_per_rfh=1", NULL};
    const mpu_config never = {.size = sizeof never, .spill = "never"};
    mpu_target *target;
    mpu_device *d = open_device("racer", small, NULL, &target);
    mpu_error *e = NULL;
    mpu_vector *v[100];
    int32_t x[10], sum = 0;
    (void)state;
    for (int32_t k = 0; k < 100; k++) {
        for (int i = 0; i < 10; i++)
            x[i] = 1000 * k + i;
        v[k] = mpu_vector_new(d, i32, 10, &e);
        fine(mpu_vector_put(v[k], 0, 10, x, &e), e);
        sum += x[3];
    }
    assert_true(figure(d, "host.spills") >= 36);
    for (int k = 1; k < 100; k++) {
        mpu_vector *z =
            mpu_apply(d, MPU_OP_ADD, i32, 10, (mpu_operand[]){{v[0], 0}, {v[k], 0}}, 2, &e);
        mpu_vector_release(v[0]);
        mpu_vector_release(v[k]);
        v[0] = z;
    }
    fine(mpu_vector_get(v[0], 3, 1, x, &e), e);
    assert_int_equal(x[0], sum);
    assert_true(figure(d, "host.restores") >= 36);
    mpu_vector_release(v[0]);
    close_device(d, target);

    d = open_device("racer", small, &never, &target);
    for (int k = 0; k < 100; k++) {
        v[k] = mpu_vector_new(d, i32, 10, &e);
        mpu_result r = mpu_vector_put(v[k], 0, 10, x, &e);
        if (r == MPU_OK)
            continue;
        assert_int_equal(r, MPU_CAPACITY);
        assert_non_null(strstr(mpu_error_text(e), "rows"));
        mpu_error_free(e);
        mpu_vector_release(v[k]);
        while (k-- > 0)
            mpu_vector_release(v[k]);
        break;
    }
    assert_int_equal(figure(d, "host.spills"), 0);
    close_device(d, target);
}

static void count_moves(void *context, const mpu_message *m) {
    const char *warning = mpu_message_warning(m);
    assert_non_null(warning);
    assert_string_equal(warning, "moves");
    assert_non_null(strstr(mpu_message_text(m), "vectors of 1000 elements"));
    ++*(unsigned *)context;
}

/* Two slabs of one length: what is in the other one is moved, and that is said once. */
static void slabs(void **state) {
    mpu_target *target;
    unsigned warnings = 0;
    mpu_messages *messages = mpu_messages_new(count_moves, &warnings);
    const mpu_config config = {.size = sizeof config, .messages = messages};
    mpu_device *d = open_device("racer", NULL, &config, &target);
    mpu_error *e = NULL;
    mpu_vector *v[100];
    int32_t x[1000], sum[1000] = {0};
    (void)state;
    for (int32_t k = 0; k < 100; k++) {
        for (int i = 0; i < 1000; i++)
            sum[i] += x[i] = 1000 * k + i * k;
        v[k] = mpu_vector_new(d, i32, 1000, &e);
        fine(mpu_vector_put(v[k], 0, 1000, x, &e), e);
    }
    assert_true(figure(d, "slabs.1.vectors") > 30);
    mpu_messages_flush(messages);
    assert_int_equal(warnings, 0);
    for (int k = 0; k < 50; k++) {
        mpu_vector *z =
            mpu_apply(d, MPU_OP_ADD, i32, 1000, (mpu_operand[]){{v[k], 0}, {v[99 - k], 0}}, 2, &e);
        mpu_vector_release(v[k]);
        v[k] = z;
    }
    for (int k = 1; k < 50; k++) {
        mpu_vector *z =
            mpu_apply(d, MPU_OP_ADD, i32, 1000, (mpu_operand[]){{v[0], 0}, {v[k], 0}}, 2, &e);
        mpu_vector_release(v[0]);
        v[0] = z;
    }
    fine(mpu_vector_get(v[0], 0, 1000, x, &e), e);
    assert_memory_equal(x, sum, sizeof x);
    assert_true(figure(d, "graph.slab_copies") > 10);
    assert_int_equal(figure(d, "host.spills"), 0);
    assert_int_equal(figure(d, "host.gets"), 1);
    mpu_messages_flush(messages);
    assert_int_equal(warnings, 1);
    for (int k = 0; k < 100; k++)
        mpu_vector_release(v[k]);
    close_device(d, target);
    mpu_messages_free(messages);
}

static void temporaries(void **state) {
    mpu_target *target;
    mpu_device *d = open_device("mimdram", NULL, NULL, &target);
    mpu_error *e = NULL;
    mpu_vector *one = mpu_vector_new(d, i32, 64, &e), *sum = mpu_vector_new(d, i32, 64, &e);
    int32_t x[64];
    (void)state;
    for (int i = 0; i < 64; i++)
        x[i] = i;
    fine(mpu_vector_put(one, 0, 64, x, &e), e);
    fine(mpu_vector_put(sum, 0, 64, x, &e), e);
    uint64_t rows = figure(d, "slabs.0.rows");
    for (unsigned k = 0; k < 1000000; k++) {
        mpu_vector *z = mpu_apply(d, k % 50 ? MPU_OP_XOR : MPU_OP_ADD, i32, 64,
                                  (mpu_operand[]){{sum, 0}, {one, 0}}, 2, &e);
        if (!z)
            fail_msg("%s", mpu_error_text(e));
        if (k % 50 == 0)
            fine(mpu_vector_set(sum, z, &e), e);
        mpu_vector_release(z);
    }
    fine(mpu_vector_get(sum, 0, 64, x, &e), e);
    for (int i = 0; i < 64; i++)
        assert_int_equal(x[i], 20001 * i);
    assert_int_equal(figure(d, "slabs.0.rows"), rows);
    assert_int_equal(figure(d, "slabs.0.vectors"), 2);
    assert_int_equal(figure(d, "graph.dropped") + figure(d, "graph.operations"), 1000000);
    assert_true(figure(d, "graph.operations") <= 20010);
    mpu_vector_release(one);
    mpu_vector_release(sum);
    close_device(d, target);
}

/* ---- failures ---- */

static void stops(void **state) {
    volatile int interrupted = 0;
    const mpu_config config = {.size = sizeof config, .interrupted = &interrupted};
    mpu_target *target;
    mpu_device *d = open_device("racer", NULL, &config, &target);
    mpu_error *e = NULL;
    uint8_t x[4] = {1, 2, 3, 4}, y[4];
    mpu_vector *a = mpu_vector_new(d, u8, 4, &e);
    (void)state;
    fine(mpu_vector_put(a, 0, 4, x, &e), e);
    mpu_vector *b = mpu_apply(d, MPU_OP_ADD, u8, 4, (mpu_operand[]){{a, 0}, {NULL, 5}}, 2, &e);
    fine(mpu_vector_get(b, 0, 4, y, &e), e);
    mpu_vector *c = mpu_apply(d, MPU_OP_MUL, u8, 4, (mpu_operand[]){{b, 0}, {a, 0}}, 2, &e);
    mpu_vector *f = mpu_fold(c, MPU_OP_ADD, u8, 0, 4, 4, &e);
    interrupted = 1;
    assert_int_equal(mpu_vector_get(f, 0, 1, y, &e), MPU_STOPPED);
    char *why = strdup(mpu_error_text(e));
    mpu_error_free(e);
    interrupted = 0;
    /* Both failed for good and say the same again; what was there before is as it was. */
    assert_int_equal(mpu_vector_get(c, 0, 4, y, &e), MPU_STOPPED);
    assert_string_equal(mpu_error_text(e), why);
    mpu_error_free(e);
    assert_null(mpu_apply(d, MPU_OP_NOT, u8, 4, (mpu_operand[]){{c, 0}}, 1, &e));
    assert_int_equal(mpu_error_code(e), MPU_STOPPED);
    mpu_error_free(e);
    e = NULL;
    fine(mpu_vector_get(b, 0, 4, y, &e), e);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(y[i], x[i] + 5);
    fine(mpu_vector_set(c, b, &e), e);
    fine(mpu_vector_get(c, 0, 4, y, &e), e);
    assert_int_equal(y[3], 9);
    free(why);
    mpu_vector_release(a);
    mpu_vector_release(b);
    mpu_vector_release(c);
    mpu_vector_release(f);
    close_device(d, target);
}

static void refuse(mpu_vector *v, mpu_error **e, const char *text) {
    assert_null(v);
    assert_int_equal(mpu_error_code(*e), MPU_USAGE);
    if (!strstr(mpu_error_text(*e), text))
        fail_msg("'%s' does not say '%s'", mpu_error_text(*e), text);
    mpu_error_free(*e);
    *e = NULL;
}

static void refusals(void **state) {
    mpu_target *target, *other_target;
    mpu_device *d = open_device("golden", NULL, NULL, &target);
    mpu_device *other = open_device("golden", NULL, NULL, &other_target);
    mpu_error *e = NULL;
    mpu_vector *x = mpu_vector_new(d, u8, 4, &e), *y = mpu_vector_new(other, u8, 4, &e);
    mpu_vector *z = mpu_vector_new(d, i32, 4, &e);
    const mpu_dim none = {0, 1}, far = {UINT64_C(1) << 30, INT64_MAX / 4};
    const mpu_array table = {.type = MPU_U8, .ndim = 2, .shape = {2, 2}, .data = &e};
    (void)state;
    refuse(mpu_vector_new(d, (mpu_vtype){MPU_KIND_INT, 1}, 4, &e), &e, "no type");
    refuse(mpu_vector_new(d, (mpu_vtype){77, 8}, 4, &e), &e, "no type");
    refuse(mpu_vector_new(d, (mpu_vtype){MPU_KIND_FLOAT, 24}, 4, &e), &e, "no type");
    refuse(mpu_vector_new(d, u8, 0, &e), &e, "1 to 2^40");
    refuse(mpu_vector_new(d, u8, UINT64_MAX, &e), &e, "1 to 2^40");
    refuse(mpu_apply(d, (mpu_op)99, u8, 4, NULL, 0, &e), &e, "no operation");
    refuse(mpu_apply(d, MPU_OP_ADD, u8, 4, (mpu_operand[]){{x, 0}}, 1, &e), &e, "2 operands");
    refuse(mpu_apply(d, MPU_OP_SQRT, u8, 4, (mpu_operand[]){{x, 0}}, 1, &e), &e, "of u8");
    refuse(mpu_apply(d, MPU_OP_ARGMIN, u8, 4, (mpu_operand[]){{x, 0}}, 1, &e), &e,
           "of mpu_fold only");
    refuse(mpu_scan(x, MPU_OP_MINIMUM, u8, &e), &e, "the operation of a scan is add");
    refuse(mpu_fold(x, MPU_OP_ARGMAX, (mpu_vtype){MPU_KIND_FLOAT, 32}, 0, 4, 4, &e), &e,
           "the operation of a fold is add");
    refuse(mpu_fold(x, MPU_OP_ARGMAX, (mpu_vtype){MPU_KIND_INT, 2}, 0, 4, 4, &e), &e,
           "more than 1 bits");
    refuse(mpu_scan_segments(x, MPU_OP_ADD, u8, 3, &e), &e, "cannot be cut into segments of 3");
    refuse(mpu_sort(x, 0, &e), &e, "cannot be cut into segments of 0");
    refuse(mpu_fold_axis(x, MPU_OP_ADD, u8, 3, 1, &e), &e, "is not made of blocks of 3 x 1");
    refuse(mpu_scan_axis(x, MPU_OP_ADD, u8, 4, 2, &e), &e, "is not made of blocks of 4 x 2");
    refuse(mpu_sort_axis(x, 2, 0, &e), &e, "is not made of blocks of 2 x 0");
    refuse(mpu_sort_axis(x, UINT64_MAX, 2, &e), &e, "is not made of blocks");
    refuse(mpu_fold_axis(x, MPU_OP_ARGMAX, (mpu_vtype){MPU_KIND_INT, 2}, 4, 1, &e), &e,
           "more than 1 bits");
    refuse(mpu_matmul(x, x, 2, 2, 3, &e), &e, "no matrices of 2 x 2 and 2 x 3");
    refuse(mpu_matmul(x, x, 0, 2, 2, &e), &e, "no matrices of 0 x 2");
    refuse(mpu_matmul(x, x, UINT64_MAX, 2, 2, &e), &e, "2^40");
    refuse(mpu_matmul(x, z, 2, 2, 2, &e), &e, "one type");
    refuse(mpu_matmul(x, y, 2, 2, 2, &e), &e, "different devices");
    refuse(mpu_apply(d, MPU_OP_ADD, u8, 4, (mpu_operand[]){{x, 0}, {y, 0}}, 2, &e), &e, "another");
    refuse(mpu_apply(d, MPU_OP_ADD, u8, 4, (mpu_operand[]){{x, 0}, {z, 0}}, 2, &e), &e, "is i32");
    refuse(mpu_apply(d, MPU_OP_NOT, u8, 5, (mpu_operand[]){{x, 0}}, 1, &e), &e, "not 5");
    refuse(mpu_apply(d, MPU_OP_BIT, u8, 4, (mpu_operand[]){{x, 0}, {NULL, 8}}, 2, &e), &e, "bit 8");
    refuse(mpu_apply(d, MPU_OP_BITCAST, i32, 4, (mpu_operand[]){{x, 0}}, 1, &e), &e, "u8");
    refuse(mpu_move(x, &none, 1, 0, 0, 0, &e), &e, "axes");
    refuse(mpu_move(x, &far, 1, 0, 0, 0, &e), &e, "63 bits");
    refuse(mpu_fold(x, MPU_OP_SUB, u8, 0, 4, 4, &e), &e, "the operation of a fold is add");
    refuse(mpu_fold(x, MPU_OP_ADD, u8, 1, 4, 4, &e), &e, "not in a vector of 4");
    refuse(mpu_fold(x, MPU_OP_ADD, u8, 0, 4, 3, &e), &e, "segments of 3");
    refuse(mpu_take(x, &table, &e), &e, "one dimension");
    assert_int_equal(mpu_vector_set(x, z, NULL), MPU_USAGE);
    assert_int_equal(mpu_vector_set(x, y, NULL), MPU_USAGE);
    assert_int_equal(mpu_vector_put(x, 3, 2, "ab", NULL), MPU_USAGE);
    assert_int_equal(mpu_vector_get(x, UINT64_MAX, 2, NULL, NULL), MPU_USAGE);
    assert_null(mpu_device_stats(d, "xml", NULL));
    mpu_vector_release(y);
    close_device(other, other_target);
    mpu_device_close(d); /* before its vectors */
    assert_int_equal(mpu_vector_put(x, 0, 2, "ab", NULL), MPU_USAGE);
    refuse(mpu_scan(x, MPU_OP_ADD, u8, &e), &e, "closed");
    mpu_vector_release(x);
    mpu_vector_release(z);
    mpu_target_close(target);
}

/* ---- cost ---- */

static const char *write_target(const char *name, const char *text) {
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    return name;
}

/* What programs, transfers and loads take adds up, whatever is asked in between; a warm program
 * loads nothing, one with another scalar a few words. */
static void adds_up_on(const char *name, uint64_t launch_ps) {
    static const char *const paths[] = {
        "total.time_ps",   "total.energy_fj", "host.time_ps",   "total.end_to_end_time_ps",
        "total.micro_ops", "load.time_ps",    "launch.time_ps", "host.transpose_time_ps"};
    enum { PATHS = sizeof paths / sizeof *paths };
    uint64_t sum[PATHS] = {0}, all[PATHS];
    mpu_error *e = NULL;
    for (unsigned turn = 0; turn < 2; turn++) {
        mpu_target *target;
        mpu_device *d = open_device(name, NULL, NULL, &target);
        int32_t x[600] = {0};
        mpu_vector *a = mpu_vector_new(d, i32, 600, &e);
        fine(mpu_vector_put(a, 0, 600, x, &e), e);
        for (unsigned k = 0; k < 6; k++) {
            uint64_t scalar = k < 3 ? 77 : 77 + k;
            mpu_vector *z =
                mpu_apply(d, MPU_OP_ADD, i32, 600, (mpu_operand[]){{a, 0}, {NULL, scalar}}, 2, &e);
            fine(mpu_vector_get(z, 0, 600, x, &e), e);
            assert_int_equal(x[599], scalar);
            mpu_vector_release(z);
            if (turn && k) {
                assert_int_equal(figure(d, "load.text_bytes"), 0);
                assert_int_equal(figure(d, "graph.hits"), 1);
                assert_true(figure(d, "load.patched_bytes") <= (k < 3 ? 0 : 12));
            }
            fine(mpu_device_flush(d, &e), e); /* nothing waits: it takes nothing */
            if (turn)
                assert_int_equal(figure(d, "launch.count"), 1);
            for (unsigned i = 0; turn && i < PATHS; i++)
                sum[i] += figure(d, paths[i]);
            if (turn)
                mpu_device_reset_stats(d);
        }
        for (unsigned i = 0; !turn && i < PATHS; i++)
            all[i] = figure(d, paths[i]);
        mpu_vector_release(a);
        close_device(d, target);
    }
    for (unsigned i = 0; i < PATHS; i++)
        assert_int_equal(sum[i], all[i]);
    assert_int_equal(all[6], 6 * launch_ps);
    assert_int_equal(all[3], all[0] + all[2] + all[5] + all[6] + all[7]);
}

static void adds_up(void **state) {
    static const char launched[] = "name: started\nextends: racer\ncontrol: {launch_ps: 7000}\n";
    (void)state;
    adds_up_on("racer", 0);
    adds_up_on(write_target("started.yaml", launched), 7000);
    remove("started.yaml");
}

/* Recipes go over the link once, whatever programs they are of. */
static void recipes(void **state) {
    mpu_target *target;
    mpu_device *d = open_device("racer", NULL, NULL, &target);
    mpu_error *e = NULL;
    uint64_t bytes[3];
    (void)state;
    for (unsigned k = 0; k < 3; k++) {
        uint64_t n = k ? 70 : 64;
        mpu_vector *a = mpu_vector_new(d, i32, n, &e);
        int32_t x[70] = {0};
        fine(mpu_vector_put(a, 0, n, x, &e), e);
        mpu_vector *z = mpu_apply(d, k < 2 ? MPU_OP_ADD : MPU_OP_MUL, i32, n,
                                  (mpu_operand[]){{a, 0}, {a, 0}}, 2, &e);
        fine(mpu_device_flush(d, &e), e);
        bytes[k] = figure(d, "load.recipe_table_bytes");
        mpu_vector_release(a);
        mpu_vector_release(z);
    }
    assert_true(bytes[0] > 0);
    assert_int_equal(bytes[1], bytes[0]);
    assert_true(bytes[2] > bytes[1]);
    assert_int_equal(figure(d, "load.programs"), 3);
    close_device(d, target);
}

/* ---- subroutines ---- */

static const char subroutines[] =
    "sub mix(x: u8, y: u8): u8 { return x * y + 3; }\n"
    "sub steps(n: u16): u16 { let k: u16 = 0; while (n > 1) {"
    " if ((n & 1) == 0) { n = n / 2; } else { n = n * 3 + 1; } k = k + 1; } return k; }\n";

static mpu_program *build_parts(void) {
    mpu_error *e = NULL;
    mpu_source *source = mpu_source_new(NULL);
    mpu_source_set_parts(source);
    mpu_source_add_text(source, "parts.ez", subroutines, sizeof subroutines - 1);
    mpu_program *p = mpu_source_build(source, &e);
    if (!p)
        fail_msg("%s", mpu_error_text(e));
    mpu_source_free(source);
    return p;
}

static uint64_t steps_of(uint64_t n) {
    uint64_t k = 0;
    for (; n > 1; k++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return k;
}

/* Subroutines with and without loops, among other operations. */
static void calls(void **state) {
    static const char *const targets[] = {"golden", "racer", "mimdram"};
    static const mpu_vtype u16 = {MPU_KIND_UINT, 16};
    mpu_program *p = build_parts();
    (void)state;
    for (unsigned t = 0; t < 3; t++) {
        mpu_target *target;
        mpu_device *d = open_device(targets[t], NULL, NULL, &target);
        mpu_error *e = NULL;
        uint8_t x[70], z[70];
        uint16_t k[70];
        mpu_vector *v = mpu_vector_new(d, u8, 70, &e);
        for (unsigned i = 0; i < 70; i++)
            x[i] = (uint8_t)(1 + i);
        fine(mpu_vector_put(v, 0, 70, x, &e), e);
        mpu_vector *a = mpu_call(d, p, "mix", 70, (mpu_operand[]){{v, 0}, {NULL, 7}}, 2, &e);
        mpu_vector *b = mpu_apply(d, MPU_OP_XOR, u8, 70, (mpu_operand[]){{a, 0}, {v, 0}}, 2, &e);
        mpu_vector *c = mpu_call(d, p, "mix", 70, (mpu_operand[]){{b, 0}, {a, 0}}, 2, &e);
        mpu_vector *w = mpu_apply(d, MPU_OP_CAST, u16, 70, (mpu_operand[]){{v, 0}}, 1, &e);
        mpu_vector *n = mpu_call(d, p, "steps", 70, (mpu_operand[]){{w, 0}}, 1, &e);
        if (!n || !c)
            fail_msg("%s", mpu_error_text(e));
        fine(mpu_vector_get(c, 0, 70, z, &e), e);
        fine(mpu_vector_get(n, 0, 70, k, &e), e);
        for (unsigned i = 0; i < 70; i++) {
            uint8_t first = (uint8_t)(x[i] * 7 + 3);
            assert_int_equal(z[i], (uint8_t)((first ^ x[i]) * first + 3));
            assert_int_equal(k[i], steps_of(x[i]));
        }
        refuse(mpu_call(d, p, "max", 70, NULL, 0, &e), &e, "no subroutine 'max'");
        refuse(mpu_call(d, p, "mix", 70, (mpu_operand[]){{v, 0}}, 1, &e), &e, "1 operands");
        refuse(mpu_call(d, p, "steps", 70, (mpu_operand[]){{v, 0}}, 1, &e), &e, "is u8, not u16");
        refuse(mpu_call(d, p, "steps", 71, (mpu_operand[]){{w, 0}}, 1, &e), &e, "not 71");
        assert_null(mpu_session_new(p, target, NULL, &e));
        assert_non_null(strstr(mpu_error_text(e), "subroutines alone"));
        mpu_error_free(e);
        mpu_vector *all[] = {v, a, b, c, w, n};
        for (unsigned i = 0; i < 6; i++)
            mpu_vector_release(all[i]);
        close_device(d, target);
    }
    mpu_program_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spills),  cmocka_unit_test(slabs),    cmocka_unit_test(temporaries),
        cmocka_unit_test(stops),   cmocka_unit_test(refusals), cmocka_unit_test(adds_up),
        cmocka_unit_test(recipes), cmocka_unit_test(calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
