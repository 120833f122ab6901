/* SPDX-License-Identifier: MIT
 * The toy core's halves by themselves: every instruction against its golden function, object code
 * in packages and damaged, what the linker refuses, memory and kernels. */
#include "linker/linker.h"
#include "machines/verify/verify.h"
#include "tests/control/machine.h"
#include "tests/machines/core/core.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CORE MPU_SOURCE_DIR "/tests/machines/core/core.yaml"

/* ---- instructions ---- */

static void matrix(void **state) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t;
    struct machine_library *l;
    struct verify_machine m;
    struct verify_count n;
    const struct verify_options light = {.effort = VERIFY_LIGHT, .op = OP_COUNT, .seed = 1};
    unsigned ops = 0;
    (void)state;
    assert_int_equal(machine_open_target(CORE, NULL, 0, d, &t, &l), TARGET_FINE);
    for (unsigned op = 0; op < OP_COUNT; op++) {
        const struct isa_info *info = isa_info((enum isa_op)op);
        bool wanted = info->flags & ISA_VECTOR && !(info->flags & (ISA_RESERVED | ISA_USER)) &&
                      info->set != SET_F && info->set != SET_Q && info->set != SET_P;
        assert_int_equal(machine_has(l, (enum isa_op)op), wanted);
        ops += wanted;
    }
    assert_true(verify_library(&m, l, 0));
    if (!verify_matrix(&m, &light, &n, d))
        fail_msg("%s", diag_first(d));
    assert_true(ops > 60 && n.forms > 20 * ops);
    machine_library_close(l);
    target_free(t);
    diag_free(d);
}

/* ---- the code of a package ---- */

static const char text[] = " .geometry lanes=5, vrfs=64, rfhs=8\n"
                           " COMPUTE RFH0 VRF0\n MUL.16 r1 r2 r3\n CMPGT.16 r1 r2\n"
                           " NOP\n SETMASK cond\n ADD.16 r1 r2 r3\n COMPUTE_DONE\n HALT\n";

struct part {
    struct opened m;
    struct text text;
    struct machine_program program;
    struct str bytes;
};

static void part_open(struct part *p) {
    machine_open_on(&p->m, CORE, text);
    object_text_load(&p->text, p->m.package->text, p->m.package->text_count, p->m.package->luts,
                     &p->m.target->arena);
    p->program = (struct machine_program){.text = &p->text, .reg_bits = p->m.package->reg_bits};
    p->bytes = (struct str){0};
    core_machine.write(p->m.package->code, &p->bytes);
}

static void part_close(struct part *p) {
    str_free(&p->bytes);
    machine_close(&p->m);
}

static bool serves(struct part *p, const char *bytes, size_t size) {
    const char *problem = NULL;
    struct str out = {0};
    struct machine_code *c = core_machine.read(bytes, size, &problem);
    bool fine = c && core_machine.ready(c, p->m.library, &p->program);
    if (c)
        core_machine.print(c, p->m.library, &p->program, &out);
    assert_true(c || problem);
    machine_code_free(c);
    str_free(&out);
    return fine;
}

/* Any byte that is another one, any end, and anything behind it: refused. */
static void damaged(void **state) {
    struct part p;
    (void)state;
    part_open(&p);
    assert_true(p.bytes.len > 100);
    assert_true(serves(&p, p.bytes.text, p.bytes.len));
    for (size_t i = 0; i < p.bytes.len; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            p.bytes.text[i] = (char)(p.bytes.text[i] ^ 1 << bit);
            assert_false(serves(&p, p.bytes.text, p.bytes.len));
            p.bytes.text[i] = (char)(p.bytes.text[i] ^ 1 << bit);
        }
    for (size_t n = 0; n < p.bytes.len; n++) {
        char *cut = malloc(n + 1); /* of its own, for the sanitizer */
        memcpy(cut, p.bytes.text, n);
        assert_false(serves(&p, cut, n));
        free(cut);
    }
    str_append_n(&p.bytes, "\1\0\0\0", 4);
    assert_false(serves(&p, p.bytes.text, p.bytes.len));
    part_close(&p);
}

/* Two runs, since NOP is none, each with predication and without; the masked forms begin by asking
 * for M, but for what acts on every lane. */
static void object_code(void **state) {
    struct part p;
    struct str out = {0};
    (void)state;
    part_open(&p);
    package_print_code(p.m.package, p.m.library, &out);
    static const char *const wanted[] = {"run of 2, unmasked\n", "run of 2, masked\n",
                                         "MUL.16 r1 r2 r3\n",    "  ld x15 M\n",
                                         "  ld x1 r1:16\n",      "  SETMASK cond\n"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(str_text(&out), wanted[i]))
            fail_msg("no '%s' in\n%s", wanted[i], str_text(&out));
    unsigned runs = 0;
    for (const char *at = str_text(&out); (at = strstr(at, "run of")); at++)
        runs++;
    assert_int_equal(runs, 4);
    str_free(&out);
    part_close(&p);
}

/* What runs is what the package holds: its first routine, of MUL, here one that stores rs. */
static void package_runs(void **state) {
    struct part p;
    struct diag *d = diag_new(NULL, NULL);
    uint64_t value;
    (void)state;
    part_open(&p);
    struct stored_code *code = (struct stored_code *)(void *)p.m.package->code;
    stored_words words = {0};
    struct str wrong = {0};
    const struct insn mul = {.op = OP_MUL, .width = 16, .rs = 1, .rt = 2, .rd = 3};
    assert_true(stored_assemble(&core_stored.isa, "ld x1 rs; st x1 rd; end", &mul, &words, &wrong));
    memcpy(&code->data.data[3 + 2 * 2], words.data, words.len * sizeof *words.data);
    const struct dp_setup setup = {.target = p.m.target,
                                   .library = p.m.library,
                                   .code = p.m.package->code,
                                   .mpus = 1,
                                   .reg_bits = p.m.package->reg_bits};
    p.m.dp->ops->close(p.m.dp);
    p.m.dp = core_engine.open(&setup, d);
    machine_put(&p.m, 0, 0, 1, 4, 7);
    machine_put(&p.m, 0, 0, 2, 4, 9);
    const struct dp_run run = {p.text.insns + 1, 2, false, 0};
    struct dp_code *ready = core_engine.prepare(p.m.dp, &run, d);
    const struct dp_binding binding = {0, 5, 0, 0};
    const struct vrf_range range = {0, 1};
    core_engine.bind(p.m.dp, &binding, 1);
    core_engine.execute(p.m.dp, ready, (struct vrf_set){&range, 1}, (struct dp_moment){0}, NULL);
    core_engine.get(p.m.dp, 0, DP_REGISTER, 3, 4, 1, &value);
    assert_int_equal(value, 7);
    vec_free(&words);
    diag_free(d);
    part_close(&p);
}

/* A routine that comes to no end ends the program, which says which, where in it, on which unit, in
 * which lane, and for which instruction of the text. */
static void watchdog(void **state) {
    static const char late[] = " .geometry lanes=5, vrfs=64, rfhs=8\n"
                               " COMPUTE RFH0 VRF0\n COMPUTE RFH1 VRF0\n ADD.16 r1 r2 r3\n"
                               " NOP\n MOV.16 r1 r4\n MUL.16 r4 r2 r3\n ADD.16 r1 r2 r5\n"
                               " COMPUTE_DONE\n HALT\n";
    static const enum machine_kind kinds[] = {ON_RACER, ON_BOTH};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct opened m;
        machine_open_at(&m, kinds[i], CORE, late);
        ((struct core_keys *)m.target->own)->stored.watchdog = 40;
        machine_put(&m, 1, 0, 2, 3, 65535); /* 16 laps for MUL; the others have none */
        machine_run(&m, &(struct control_config){.check = kinds[i] == ON_BOTH});
        assert_int_equal(m.end, CONTROL_STOPPED);
        assert_string_equal(control_message(m.control),
                            "routine of MUL, pc 5: unit 1, lane 3 comes to no end (core.watchdog) "
                            "(instruction 5: MUL.16 r4 r2 r3)");
        machine_close(&m);
    }
}

/* Lanes of a core are what its memory holds of the registers in use. */
static void lanes_fit(void **state) {
    struct part p;
    const uint8_t three[64] = {16, 16, 16}, none[64] = {0};
    (void)state;
    part_open(&p);
    struct core_keys *keys = p.m.target->own;
    assert_int_equal(machine_lanes(&core_machine, p.m.target, three), 64);
    keys->stored.memory_bytes = 100;
    assert_int_equal(machine_lanes(&core_machine, p.m.target, three), 4);
    assert_int_equal(machine_lanes(&core_machine, p.m.target, none), 64);
    keys->stored.memory_bytes = 20;
    struct str why = {0};
    assert_false(machine_has_room(p.m.library, three, &why));
    assert_non_null(strstr(str_text(&why), "memory of a core"));
    str_free(&why);
    part_close(&p);
}

/* ---- power ---- */

static const char hot[] = "schema: 1\nname: hot\nextends: " CORE "\n"
                          "control: { cap: %s }\n"
                          "thermal: { limit_mw_per_cm2: 1, window_ps: 1 }\n"
                          "area: { arrays_um2: 1000 }\n";

static void hot_target(const char *cap, const char *path) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, hot, cap);
    fclose(f);
}

static void power(void **state) {
    const char *path = MPU_BINARY_DIR "/tests/hot-core.yaml";
    struct part p;
    struct target *t;
    struct machine_library *l;
    struct diag *d = diag_new(NULL, NULL);
    (void)state;
    part_open(&p);
    hot_target("power", path);
    assert_int_equal(machine_open_target(path, NULL, 0, d, &t, &l), TARGET_FINE);
    assert_null(package_build(p.m.object, t, l, NULL, 0, d));
    assert_non_null(strstr(diag_first(d), "control.cap=power"));
    machine_library_close(l);
    target_free(t);
    diag_free(d);
    part_close(&p);
    /* Density is judged all the same. */
    hot_target("active", path);
    machine_open_on(&p.m, path, text);
    machine_run(&p.m, NULL);
    assert_int_equal(p.m.end, CONTROL_DONE);
    assert_true(control_stats(p.m.control)->heat.windows > 0);
    machine_close(&p.m);
}

/* ---- memory and kernels ---- */

/* z = x + y over x4 elements, x5 of them apart. */
static const char adding[] =
    "li x9 3; or x6 x15 x0; lap: ltu x7 x6 x4; beqz x7 out; shl x7 x6 x9;"
    "add x8 x1 x7; ld x10 (x8); add x8 x2 x7; ld x11 (x8); add x10 x10 x11;"
    "add x8 x3 x7; st x10 (x8); add x6 x6 x5; beqz x0 lap; out: end";
enum { ELEMENTS = 20, WORKERS = 8 };

static void assemble(const char *kernel, struct str *code) {
    struct str wrong = {0};
    stored_words words = {0};
    if (!stored_assemble(&core_stored.isa, kernel, &(struct insn){.width = 64}, &words, &wrong))
        fail_msg("'%s'", str_text(&wrong));
    for (size_t i = 0; i < words.len; i++)
        stored_put_word(&core_stored.isa, words.data[i], code);
    vec_free(&words);
}

static bool launch(struct opened *m, const char *kernel, const uint64_t *arguments, size_t count,
                   struct dp_cost *cost, struct str *why) {
    struct diag *d = diag_new(NULL, NULL);
    struct str code = {0};
    assemble(kernel, &code);
    struct dp_argument places[16];
    for (size_t i = 0; i < count; i++)
        places[i] = (struct dp_argument){(uint32_t)(8 * i), 8, false, 0, 0, 0};
    const struct dp_launch x = {.kernel = str_text(&code),
                                .size = code.len,
                                .parameters = (const unsigned char *)arguments,
                                .parameter_bytes = 8 * count,
                                .arguments = places,
                                .argument_count = count,
                                .grid = {WORKERS}};
    bool fine = m->dp->ops->launch(m->dp, &x, cost, d);
    if (!fine)
        str_append(why, diag_first(d));
    str_free(&code);
    diag_free(d);
    return fine;
}

static void kernel(void **state) {
    struct opened m;
    struct str why = {0};
    struct diag *d = diag_new(NULL, NULL);
    uint64_t x[ELEMENTS], y[ELEMENTS], z[ELEMENTS], at[5] = {0, 0, 0, ELEMENTS, WORKERS};
    uint64_t uops[CORE_OPS] = {0}, fj[2] = {0};
    struct dp_cost cost = {.uops = uops, .energy_fj = fj};
    (void)state;
    machine_open_on(&m, CORE, text);
    const struct datapath_ops *ops = m.dp->ops;
    for (uint64_t i = 0; i < ELEMENTS; i++) {
        x[i] = i * i;
        y[i] = UINT64_MAX - i;
    }
    for (unsigned i = 0; i < 3; i++)
        assert_true(ops->mem_alloc(m.dp, sizeof x, &at[i], d));
    assert_true(ops->mem_put(m.dp, at[0], x, sizeof x, d));
    assert_true(ops->mem_put(m.dp, at[1], y, sizeof y, d));
    assert_true(launch(&m, adding, at, 5, &cost, &why));
    assert_true(ops->mem_get(m.dp, at[2], z, sizeof z, d));
    for (uint64_t i = 0; i < ELEMENTS; i++)
        assert_int_equal(z[i], i * i - i - 1);
    /* Workers 0 to 3 have three laps of 17 cycles, and 7 around them; the others have two. */
    assert_true(cost.known);
    assert_int_equal(cost.ps, (3 * 17 + 7) * m.target->datapath_ps);
    assert_int_equal(uops[CORE_LD], 2 * ELEMENTS);
    assert_int_equal(uops[CORE_ST], ELEMENTS);
    assert_int_equal(uops[CORE_END], WORKERS);
    const struct core_keys *keys = m.target->own;
    assert_int_equal(fj[1], 3 * ELEMENTS * keys->access_fj);
    assert_int_equal(fj[0], (9 * ELEMENTS + 5 * WORKERS) * keys->alu_fj);
    /* What is not there. */
    assert_true(ops->mem_get(m.dp, at[2] + 8, z, sizeof z - 8, d));
    assert_false(ops->mem_get(m.dp, at[2] + 8, z, sizeof z, d));
    assert_false(ops->mem_put(m.dp, at[0] - 1, z, 1, d));
    struct str saved = {0};
    assert_true(ops->snapshot(m.dp, false, &saved));
    size_t length = saved.len;
    assert_true(ops->mem_put(m.dp, at[2], x, sizeof x, d));
    assert_true(ops->snapshot(m.dp, true, &saved)); /* buffers are as they were */
    assert_int_equal(saved.len, 0);
    assert_true(ops->mem_get(m.dp, at[2], y, sizeof y, d));
    for (uint64_t i = 0; i < ELEMENTS; i++)
        assert_int_equal(y[i], i * i - i - 1);
    for (size_t cut = 1; cut < length; cut += 97) { /* half a snapshot, and one of other buffers */
        assert_true(ops->snapshot(m.dp, false, &saved));
        saved.len -= cut;
        assert_false(ops->snapshot(m.dp, true, &saved));
        str_clear(&saved);
    }
    assert_true(ops->snapshot(m.dp, false, &saved));
    assert_true(ops->mem_alloc(m.dp, 8, &at[3], d));
    assert_false(ops->snapshot(m.dp, true, &saved));
    str_free(&saved);
    assert_false(ops->mem_free(m.dp, at[0] + 8, d));
    assert_true(ops->mem_free(m.dp, at[0], d));
    assert_false(ops->mem_free(m.dp, at[0], d));
    assert_false(launch(&m, adding, at, 5, &cost, &why)); /* reads what is free */
    assert_non_null(strstr(str_text(&why), "worker 0 finds no 8 bytes at 0x10000"));
    machine_close(&m);
    str_free(&why);
    diag_free(d);
}

static void faults(void **state) {
    static const char *const kernels[] = {
        "lap: beqz x0 lap; end",       /* for ever */
        "ld x1 (x0); end",             /* nothing lies at 0 */
        "li x1 4097; ld x1 (x1); end", /* not on 8 bytes */
        "ld x1 rs; end",               /* a worker has no lane */
        "add x1 x1 x1",                /* no end */
        "",
    };
    struct opened m;
    struct dp_cost cost = {0};
    uint64_t address;
    struct diag *d = diag_new(NULL, NULL);
    (void)state;
    machine_open_on(&m, CORE, text);
    assert_true(m.dp->ops->mem_alloc(m.dp, 64, &address, d));
    assert_int_equal(address, 65536);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        struct str why = {0};
        assert_false(launch(&m, kernels[i], NULL, 0, &cost, &why));
        assert_true(why.len > 0);
        str_free(&why);
    }
    machine_close(&m);
    diag_free(d);
}

/* The assembler says which word it does not know. */
static void assembler(void **state) {
    static const char *const wrong[][2] = {
        {"add x1 x2", ""},       {"add x1 x2 x16; end", "x16"},
        {"mul x1 x2 x3", "mul"}, {"beqz x1 nowhere; end", "nowhere"},
        {"ld x1 rx; end", "rx"}, {"li x1 99999; end", "99999"}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct str why = {0};
        stored_words words = {0};
        assert_false(stored_assemble(&core_stored.isa, wrong[i][0], &(struct insn){.width = 8},
                                     &words, &why));
        assert_string_equal(str_text(&why), wrong[i][1]);
        vec_free(&words);
        str_free(&why);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix),       cmocka_unit_test(damaged),  cmocka_unit_test(object_code),
        cmocka_unit_test(package_runs), cmocka_unit_test(watchdog), cmocka_unit_test(lanes_fit),
        cmocka_unit_test(power),        cmocka_unit_test(kernel),   cmocka_unit_test(faults),
        cmocka_unit_test(assembler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
