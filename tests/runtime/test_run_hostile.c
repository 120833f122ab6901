/* SPDX-License-Identifier: MIT
 * Damaged programs and damaged inputs: whatever the bytes, a run ends with a result or a message,
 * within its cycle limit.  Programs go through the library in one process, fixed seeds. */

#include "tests/draws.h"
#include "asm/asm.h"
#include "linker/linker.h"
#include "linker/package.h"
#include "runtime/program.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_RUN_DAMAGED)
#define INPUTS   draws(DRAWS_RUN_DAMAGED_INPUTS)

static const char source[] = "        .size n = 100\n"
                             "        .group g[n]\n"
                             "        .group h[3, 5]\n"
                             "        .var in    x: u8 @ g = r0\n"
                             "        .var inout y: i32 @ h = r1\n"
                             "        .var in    c: u16 = r9\n"
                             "        .data y 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
                             "        .sub twice\n"
                             "        REPEAT 2\n"
                             "        ADD.8 r0 r0 r0\n"
                             "        REPEAT_END\n"
                             "        RETURN\n"
                             "        .endsub\n"
                             "        .global main\n"
                             "main:   MARK \"begin\"\n"
                             "        COMPUTEG @g\n"
                             "        COMPUTE RFH0 VRF60\n"
                             "        LI.8 3 r3\n"
                             "        INIT0.8 r4\n"
                             "        INIT1.8 r5\n"
                             "        JUMP twice\n"
                             "loop:   SUB.8 r3 r5 r3\n"
                             "        CMPGT.8 r3 r4\n"
                             "        SETMASK cond\n"
                             "        JUMP_COND loop\n"
                             "        UNMASK\n"
                             "        CMPEQ.8 r3 r4\n"
                             "        ASSERT \"counted down\"\n"
                             "        PRINT \"x =\" r0:u8\n"
                             "        COMPUTE_DONE\n"
                             "        REPEAT 3\n"
                             "        COMPUTEG @h\n"
                             "        CMPLT.32 r1 r4\n"
                             "        SETMASK cond\n"
                             "        JUMP_NONE skip\n"
                             "        INV.32 r1 r1\n"
                             "skip:   UNMASK\n"
                             "        COMPUTE_DONE\n"
                             "        REPEAT_END\n"
                             "        MOVE RFH0 RFH1\n"
                             "        MOVE RFH1 RFH2\n"
                             "        MEMCPY.32 VRF60 r0 VRF61 r1\n"
                             "        MOVE_DONE\n"
                             "        HALT\n";

static uint64_t first_seed = 1;

struct fixture {
    struct str mpu; /* the bytes of a linked program with packages for both targets */
    mpu_target *targets[2];
    uint64_t random;
};

static uint32_t below(struct fixture *f, uint32_t n) {
    return (uint32_t)(splitmix64(&f->random) >> 32) % n;
}

static void attach_package(struct object *o, const mpu_target *t, struct diag *d) {
    struct package *p = package_build(o, t->t, t->library, NULL, 0, d);
    struct str bytes = {0};
    assert_non_null(p);
    package_write(p, &bytes);
    void *copy = arena_alloc(&o->arena, bytes.len);
    memcpy(copy, bytes.text, bytes.len);
    struct package_blob blob = {arena_strdup(&o->arena, t->t->name), copy, bytes.len};
    vec_push(&o->packages, blob);
    str_free(&bytes);
    package_free(p);
}

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    struct diag *d = diag_new(NULL, NULL);
    const struct asm_options options = {.debug = true};
    const struct link_options link = {0};
    struct object *o = asm_assemble("seed.s", source, strlen(source), &options, d);
    const struct object *const inputs[] = {o};
    struct object *linked = o ? link_objects(inputs, 1, &link, d) : NULL;
    f->targets[0] = mpu_target_open("racer", NULL, NULL);
    f->targets[1] = mpu_target_open("golden", NULL, NULL);
    if (!linked || !f->targets[0] || !f->targets[1]) {
        fprintf(stderr, "%s\n", diag_first(d));
        return -1;
    }
    attach_package(linked, f->targets[0], d);
    attach_package(linked, f->targets[1], d);
    object_write(linked, &f->mpu);
    object_free(o);
    object_free(linked);
    diag_free(d);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    mpu_target_close(f->targets[0]);
    mpu_target_close(f->targets[1]);
    str_free(&f->mpu);
    free(f);
    return 0;
}

/* A few bytes changed, at times a piece cut off or repeated. */
static size_t damage(struct fixture *f, const struct str *seed, char *bytes) {
    size_t n = seed->len;
    memcpy(bytes, seed->text, n);
    for (uint32_t k = 1 + below(f, 4); k > 0; k--) {
        size_t at = below(f, (uint32_t)n);
        switch (below(f, 6)) {
        case 0:
            bytes[at] = (char)below(f, 256);
            break;
        case 1:
            bytes[at] = (char)(bytes[at] ^ 1 << below(f, 8));
            break;
        case 2:
            bytes[at] = (char)(below(f, 2) ? 0 : -1);
            break;
        case 3:
            if (n - at >= 4)
                memset(bytes + at, below(f, 2) ? 0 : -1, 4);
            break;
        case 4:
            if (n - at > 8)
                memcpy(bytes + at, bytes + below(f, (uint32_t)(n - 8)), 8);
            break;
        default:
            n = below(f, 10) ? n : at + 1;
        }
    }
    return n;
}

/* Words of the text replaced by others: such a program loads, and then does odd things. */
static void damage_text(struct fixture *f, struct object *o) {
    for (uint32_t k = 1 + below(f, 5); k > 0 && o->text.len; k--) {
        struct insn x;
        uint32_t word, at = below(f, (uint32_t)o->text.len);
        if (isa_decode(o->text.data[at], &x) != ISA_OK)
            continue;
        if (below(f, 3) == 0)
            x.op = (enum isa_op)below(f, OP_COUNT);
        else if (below(f, 2))
            x.imm = (int32_t)below(f, (uint32_t)o->text.len + 2);
        else
            x.rd = (uint8_t)below(f, 64);
        if (isa_encode(&x, &word) == ISA_OK)
            o->text.data[at] = word;
    }
}

struct tally {
    uint32_t refused, done, stopped;
};

/* Into inputs that are not too large for a test: damaged sizes may be anything. */
static void put_zeros(const mpu_program *p, mpu_session *s) {
    for (size_t i = 0; i < mpu_program_variable_count(p); i++) {
        const char *name = mpu_program_variable_name(p, i);
        mpu_array a;
        uint64_t count = 1;
        if (!(mpu_program_variable_use(p, i) & MPU_IN) ||
            mpu_session_shape(s, name, &a, NULL) != MPU_OK)
            continue;
        for (uint32_t k = 0; k < a.ndim && count < 100000; k++)
            count = a.shape[k] < 100000 ? count * a.shape[k] : 100000;
        if (count < 100000)
            mpu_session_put_data(s, name, "zeros", NULL, NULL);
    }
}

static void run(struct fixture *f, const mpu_program *p, struct tally *t) {
    static const char *const batches[] = {"target", "one", "all"};
    const mpu_config config = {
        .size = sizeof config, .max_cycles = 20000, .batch = batches[below(f, 3)], .check = 0};
    mpu_error *e = NULL;
    mpu_array a;
    mpu_session *s = mpu_session_new(p, f->targets[below(f, 4) == 0], &config, &e);
    assert_non_null(s);
    put_zeros(p, s);
    mpu_result r = mpu_session_run(s, &e);
    if (mpu_session_get(s, "y", &a, NULL) == MPU_OK)
        mpu_array_free(&a);
    mpu_string_free(mpu_session_stats(s, below(f, 2) ? "json" : "text", NULL));
    if (r != MPU_OK && !mpu_error_text(e)[0])
        fail_msg("no message for result %d", (int)r);
    t->done += r == MPU_OK;
    t->stopped += r == MPU_STOPPED;
    t->refused += r != MPU_OK && r != MPU_STOPPED;
    mpu_error_free(e);
    mpu_session_free(s);
}

/* Half of them are damaged as files, half in their text. */
static void damaged_programs(void **state) {
    struct fixture *f = *state;
    struct tally t = {0};
    char *bytes = malloc(f->mpu.len);
    f->random = first_seed;
    for (unsigned i = 0; i < PROGRAMS; i++) {
        size_t n = i % 2 ? damage(f, &f->mpu, bytes) : f->mpu.len;
        mpu_error *e = NULL;
        mpu_program *p = mpu_program_load(i % 2 ? bytes : f->mpu.text, n, &e);
        if (p && i % 2 == 0)
            damage_text(f, p->object);
        if (p)
            run(f, p, &t);
        else
            t.refused++;
        mpu_error_free(e);
        mpu_program_free(p);
    }
    free(bytes);
    assert_int_equal(t.refused + t.done + t.stopped, PROGRAMS);
    assert_true(t.refused > 100 && t.done > 100 && t.stopped > 100);
}

/* Arrays of any type, shape and size for variables of any kind. */
static void odd_arrays(void **state) {
    static const char *const names[] = {"x",
                                        "y",
                                        "c",
                                        "z",
                                        "n",
                                        "RFH0.VRF60.r0",
                                        "RFH9.VRF0.r0",
                                        "RFH0.VRF60.r0:u3",
                                        "",
                                        "MPU1.RFH0.VRF0.r0",
                                        "RFH0.VRF60.r63"};
    struct fixture *f = *state;
    mpu_program *p = mpu_program_load(f->mpu.text, f->mpu.len, NULL);
    uint64_t *data = calloc(4096, sizeof *data);
    f->random = first_seed + 1;
    assert_non_null(p);
    for (unsigned i = 0; i < 4096; i++)
        data[i] = splitmix64(&f->random) >> below(f, 64);
    for (unsigned i = 0; i < INPUTS; i++) {
        const mpu_config config = {.size = sizeof config, .max_cycles = 2000};
        mpu_session *s = mpu_session_new(p, f->targets[i % 2], &config, NULL);
        for (unsigned k = 0; k < 3; k++) {
            mpu_array a = {(mpu_type)below(f, 10), below(f, 4), {0}, data};
            for (uint32_t d = 0; d < a.ndim; d++)
                a.shape[d] = below(f, 20) ? 1 + below(f, 8) : splitmix64(&f->random) % 1000;
            uint64_t n = 1;
            for (uint32_t d = 0; d < a.ndim; d++)
                n *= a.shape[d];
            if (n <= 4096)
                (void)mpu_session_put(s, names[below(f, sizeof names / sizeof *names)], &a, NULL);
        }
        if (i % 8 == 0)
            (void)mpu_session_run(s, NULL);
        mpu_session_free(s);
    }
    free(data);
    mpu_program_free(p);
}

/* test_run_hostile [SEED]: ./dev fuzz runs it with others. */
int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_programs),
        cmocka_unit_test(odd_arrays),
    };
    first_seed = argc > 1 ? strtoull(argv[1], NULL, 10) : first_seed;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
