/* SPDX-License-Identifier: MIT
 * More VRFs at once are never slower: all targets, instructions of all kinds and widths, 1 to 8
 * VRFs anywhere in an MPU, and every number of VRFs that may work at once. */
#include "machine.h"

#include "support/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* What an MPU is told of its VRFs is forgotten between runs. */
static void forget_selection(struct opened *m) {
    struct dp_selected nobody_knows = {{0}};
    if (m->dp->tables.selects)
        m->dp->ops->selected(m->dp, 0, true, &nobody_knows);
}

static struct control_stats run_at(struct opened *m, uint32_t active) {
    m->target->active_vrf_per_rfh = active;
    forget_selection(m);
    machine_run(m, NULL);
    assert_int_equal(m->end, CONTROL_DONE);
    return machine_stats(m);
}

/* Every number at once that can make a difference, and 0 (all) as the last. */
static void sweep(struct opened *m, const char *target, const char *text) {
    uint32_t most = m->target->vrf_per_rfh < 8 ? m->target->vrf_per_rfh : 8;
    uint64_t before = UINT64_MAX;
    for (uint32_t k = 1; k <= most + 1; k++) {
        uint64_t ps = run_at(m, k > most ? 0 : k).time_ps;
        if (ps > before)
            fail_msg("%s: %u at once take %u ps, %u take %u:\n%s", target, (unsigned)k,
                     (unsigned)ps, (unsigned)k - 1, (unsigned)before, text);
        before = ps;
    }
}

/* ---- all of it, drawn ---- */

static uint64_t draw(uint64_t *seed, uint64_t below) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % below;
}

/* An instruction of the machine's on registers alone, of a width that it has. */
static void add_insn(struct str *text, const struct machine_library *library, uint64_t *seed) {
    static const uint8_t widths[] = {8, 16, 32, 64};
    for (;;) {
        struct insn x = {.op = (enum isa_op)draw(seed, OP_COUNT), .rs = 0, .rt = 1, .rd = 2};
        const struct isa_info *info = isa_info(x.op);
        uint32_t word;
        x.width = widths[draw(seed, 4)];
        if (!info->golden || info->format != FORMAT_R || isa_constant_role(info) >= 0 ||
            !machine_has(library, x.op) || isa_encode(&x, &word) != ISA_OK)
            continue;
        str_printf(text, "%s%s.%u", ISA_QUALIFIER, info->name, (unsigned)x.width);
        for (unsigned i = 0; i < info->operand_count; i++)
            str_printf(text, " r%u", i);
        str_char(text, '\n');
        return;
    }
}

/* 1 to 8 VRFs, in few RFHs or in many. */
static void add_header(struct str *text, const struct target *t, uint64_t *seed) {
    uint32_t count = 1 + (uint32_t)draw(seed, 8), rfhs = 1 + (uint32_t)draw(seed, t->rfh_per_mpu),
             vrfs = 1 + (uint32_t)draw(seed, t->vrf_per_rfh < 8 ? t->vrf_per_rfh : 8);
    if (t->rfh_per_mpu > 8) /* more than a program has by itself */
        str_printf(text, ".geometry rfhs=%u\n", (unsigned)t->rfh_per_mpu);
    for (uint32_t i = 0; i < count; i++)
        str_printf(text, "COMPUTE RFH%u VRF%u\n", (unsigned)draw(seed, rfhs),
                   (unsigned)draw(seed, vrfs));
}

static void sweep_drawn(const char *target, uint64_t *seed) {
    struct opened m;
    struct str text = {0};
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open(target, NULL, 0, d);
    struct machine_library *library = machine_library_open(t, NULL, 0, d);
    assert_non_null(library);
    if (!machine_has(library, OP_ADD)) { /* a kind that has kernels alone */
        machine_library_close(library);
        target_free(t);
        diag_free(d);
        return;
    }
    add_header(&text, t, seed);
    for (uint64_t n = 1 + draw(seed, 3); n; n--)
        add_insn(&text, library, seed);
    machine_library_close(library);
    str_append(&text, "COMPUTE_DONE\n");
    machine_open_on(&m, target, text.text);
    sweep(&m, target, text.text);
    machine_close(&m);
    str_free(&text);
    target_free(t);
    diag_free(d);
}

/* How many programs of a target are drawn; those of pypim's queues matter most. */
#ifdef MPU_SANITIZED
enum { DRAWN = 1, DRAWN_ON_PYPIM = 4 };
#else
enum { DRAWN = 2, DRAWN_ON_PYPIM = 20 };
#endif

static void more_at_once_is_never_slower(void **state) {
    size_t count;
    const char *const *names = target_names(&count);
    uint64_t seed = 1;
    (void)state;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < (strcmp(names[i], "pypim") == 0 ? DRAWN_ON_PYPIM : DRAWN); k++)
            sweep_drawn(names[i], &seed);
}

/* ---- pypim ---- */

static struct control_stats on_pypim(const char *text, uint32_t active) {
    struct opened m;
    machine_open_on(&m, "pypim", text);
    struct control_stats s = run_at(&m, active);
    machine_close(&m);
    return s;
}

#define TWO_PAIRS "COMPUTE RFH0 VRF0\nCOMPUTE RFH1 VRF0\nCOMPUTE RFH0 VRF1\nCOMPUTE RFH1 VRF5\n"

/* VRFs 0, 1, 8 and 41: two ranges, one for each row of the queues.  All four together would be
 * three. */
static void queues_are_ranges(void **state) {
    static const char text[] = TWO_PAIRS "POPC.32 r0 r1\nCOMPUTE_DONE\n";
    (void)state;
    struct control_stats one = on_pypim(text, 1), two = on_pypim(text, 2), all = on_pypim(text, 0);
    assert_int_equal(one.batches, 2);
    assert_int_equal(one.cut_batches, 0);
    assert_int_equal(two.batches, 2);
    assert_int_equal(two.cut_batches, 1);
    assert_int_equal(two.time_ps, one.time_ps);
    assert_int_equal(all.time_ps, one.time_ps);
}

/* VRFs 0, 8, 64 and 72: two at once are two ranges, three would be three. */
static void fewer_at_once_are_fewer_ranges(void **state) {
    static const char text[] =
        "COMPUTE RFH0 VRF0\nCOMPUTE RFH0 VRF1\nCOMPUTE RFH0 VRF8\nCOMPUTE RFH0 VRF9\n"
        "POPC.32 r0 r1\nCOMPUTE_DONE\n";
    (void)state;
    struct control_stats two = on_pypim(text, 2), three = on_pypim(text, 3);
    assert_int_equal(two.batches, 2);
    assert_int_equal(three.batches, 2);
    assert_int_equal(three.time_ps, two.time_ps);
}

/* Ranges of a batch follow one another as batches: the VRFs are told of once each, and not before
 * every instruction. */
static void a_range_is_told_of_once(void **state) {
    static const char text[] = "COMPUTE RFH0 VRF0\nCOMPUTE RFH1 VRF0\nCOMPUTE RFH3 VRF0\n"
                               "ADD.32 r0 r1 r2\nADD.32 r2 r1 r3\nADD.32 r3 r1 r4\nCOMPUTE_DONE\n";
    (void)state;
    struct control_stats s = on_pypim(text, 0);
    assert_int_equal(s.batches, 2);
    assert_int_equal(s.cut_batches, 1);
    assert_int_equal(s.time_ps, on_pypim(text, 1).time_ps);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queues_are_ranges),
        cmocka_unit_test(fewer_at_once_are_fewer_ranges),
        cmocka_unit_test(a_range_is_told_of_once),
        cmocka_unit_test(more_at_once_is_never_slower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
