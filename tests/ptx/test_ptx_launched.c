/* SPDX-License-Identifier: MIT
 * PTX kernels whose threads wait for each other, reach all spaces, or stop, in both orders of
 * threads. */
#include "ptx/form.h"
#include "tests/ptx/launched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD  ".version 7.0\n.target sm_75\n.address_size 64\n"
#define ENTRY HEAD ".visible .entry k(.param .u64 data)\n{\n"
#define TAKE                                                                                       \
    "\t.reg .pred %p<9>;\n\t.reg .b32 %r<20>;\n\t.reg .b64 %d<9>;\n\t.reg .f32 %f<9>;\n"           \
    "\tld.param.u64 %d0, [data];\n\tmov.u32 %r0, %tid.x;\n\tmul.wide.u32 %d1, %r0, 4;\n"           \
    "\tadd.s64 %d1, %d0, %d1;\n"

#define STORE "\tst.global.u32 [%d1], %r9;\n\tret;\n}\n"
/* Sums of 64 threads, by shared memory, with barriers in a loop. */
#define TREE                                                                                       \
    ENTRY TAKE                                                                                     \
        "\t.shared .align 4 .b8 sums[256];\n\tmov.u32 %r1, sums;\n"                                \
        "\tshl.b32 %r2, %r0, 2;\n\tadd.s32 %r1, %r1, %r2;\n"                                       \
        "\tadd.s32 %r3, %r0, 1;\n\tst.shared.u32 [%r1], %r3;\n\tmov.u32 %r4, 32;\n"                \
        "LOOP:\n\tbar.sync 0;\n\tsetp.ge.u32 %p1, %r0, %r4;\n\t@%p1 bra SKIP;\n"                   \
        "\tshl.b32 %r5, %r4, 2;\n\tadd.s32 %r6, %r1, %r5;\n\tld.shared.u32 %r7, [%r6];\n"          \
        "\tld.shared.u32 %r8, [%r1];\n\tadd.s32 %r8, %r7, %r8;\n\tst.shared.u32 [%r1], %r8;\n"     \
        "SKIP:\n\tshr.u32 %r4, %r4, 1;\n\tsetp.ne.u32 %p2, %r4, 0;\n\t@%p2 bra LOOP;\n"            \
        "\tbar.sync 0;\n\tld.shared.u32 %r9, [sums];\n" STORE

static const struct {
    const char *text;
    uint32_t first[4]; /* elements 0 to 3 afterwards */
    const char *what;  /* or how it stops, */
    uint32_t line;     /* where */
} launched[] = {
    {TREE, {2080, 2080, 2080, 2080}, NULL, 0},
    /* shuffles: the lane above, and whether there is one */
    {ENTRY TAKE "\tshfl.sync.down.b32 %r9|%p1, %r0, 1, 31, -1;\n\t@!%p1 mov.u32 %r9, 77;\n" STORE,
     {1, 2, 3, 4},
     NULL,
     0},
    {ENTRY TAKE "\tshfl.sync.bfly.b32 %r9, %r0, 3, 31, -1;\n" STORE, {3, 2, 1, 0}, NULL, 0},
    {ENTRY TAKE "\tshfl.sync.up.b32 %r9|%p1, %r0, 2, 0, -1;\n\tselp.b32 %r9, %r9, 99, %p1;\n" STORE,
     {99, 99, 0, 1},
     NULL,
     0},
    {ENTRY TAKE "\tshfl.sync.idx.b32 %r9, %r0, 2, 31, -1;\n" STORE, {2, 2, 2, 2}, NULL, 0},
    {ENTRY TAKE "\tsetp.lt.u32 %p1, %r0, 2;\n\tvote.sync.ballot.b32 %r9, %p1, -1;\n" STORE,
     {3, 3, 3, 3},
     NULL,
     0},
    {ENTRY TAKE "\tsetp.lt.u32 %p1, %r0, 2;\n\tvote.sync.any.pred %p2, %p1, -1;\n"
                "\tvote.sync.all.pred %p3, %p1, -1;\n\tselp.b32 %r8, 1, 0, %p2;\n"
                "\tselp.b32 %r9, 2, 0, %p3;\n\tor.b32 %r9, %r8, %r9;\n" STORE,
     {1, 1, 1, 1},
     NULL,
     0},
    {ENTRY TAKE "\tand.b32 %r8, %r0, 1;\n\tmatch.any.sync.b32 %r9, %r8, -1;\n" STORE,
     {0x55555555, 0xaaaaaaaa, 0x55555555, 0xaaaaaaaa},
     NULL,
     0},
    {ENTRY TAKE "\tredux.sync.max.u32 %r9, %r0, -1;\n" STORE, {31, 31, 31, 31}, NULL, 0},
    {ENTRY TAKE "\tsetp.lt.u32 %p1, %r0, 5;\n\tbar.red.popc.u32 %r9, 0, %p1;\n" STORE,
     {5, 5, 5, 5},
     NULL,
     0},
    /* generic addresses: of the thread's own, of the block's; a pointer in the module's data */
    {ENTRY TAKE "\t.local .align 4 .b8 own[8];\n\tmov.u64 %d2, own;\n\tcvta.local.u64 %d2, %d2;\n"
                "\tst.u32 [%d2+4], %r0;\n\tld.local.u32 %r9, [own+4];\n" STORE,
     {0, 1, 2, 3},
     NULL,
     0},
    {HEAD ".global .u32 five = 5;\n.global .u64 where = generic(five);\n"
          ".visible .entry k(.param .u64 data)\n{\n" TAKE
          "\tld.global.u64 %d2, [where];\n\tld.u32 %r9, [%d2];\n" STORE,
     {5, 5, 5, 5},
     NULL,
     0},
    /* a call in braces, with names of its own */
    {HEAD
     ".func (.param .b32 r) twice(.param .b32 a)\n{\n\t.reg .b32 %r1;\n"
     "\tld.param.b32 %r1, [a];\n\tadd.s32 %r1, %r1, %r1;\n\tst.param.b32 [r+0], %r1;\n\tret;\n}\n"
     ".visible .entry k(.param .u64 data)\n{\n" TAKE
     "\t{\n\t.reg .b32 %r9;\n\tmov.u32 %r9, 1000;\n\t.param .b32 a;\n\tst.param.b32 [a], %r0;\n"
     "\t.param .b32 r;\n\tcall.uni (r),\n\ttwice,\n\t(\n\ta\n\t);\n\tld.param.b32 %r10, [r];\n"
     "\tadd.s32 %r10, %r10, %r9;\n\t}\n\tmov.u32 %r9, %r10;\n" STORE,
     {1000, 1002, 1004, 1006},
     NULL,
     0},
    /* addresses of 32 bits wrap */
    {ENTRY TAKE "\t.shared .b32 x[4];\n\tmov.u32 %r1, 7;\n\tst.shared.u32 [x+4], %r1;\n"
                "\tmov.u32 %r2, x;\n\tsub.s32 %r2, %r2, 4;\n\tld.shared.u32 %r9, [%r2+8];\n" STORE,
     {7, 7, 7, 7},
     NULL,
     0},
    /* a number's bits are those of a NaN, too */
    {ENTRY TAKE "\tst.global.f32 [%d1], 0f7F812345;\n\tret;\n}\n",
     {0x7f812345, 0x7f812345, 0x7f812345, 0x7f812345},
     NULL,
     0},
    /* lanes that end early do not keep the others from a barrier: at once, on the side that does
     * not jump, or after some work there */
    {ENTRY TAKE "\tsetp.ne.u32 %p1, %r0, 1;\n\t@%p1 bra GO;\n\tbra OUT;\nGO:\n"
                "\tbar.sync 0;\n\tst.global.u32 [%d1], 5;\nOUT:\n\tret;\n}\n",
     {5, 0, 5, 5},
     NULL,
     0},
    {ENTRY TAKE "\tsetp.ne.u32 %p1, %r0, 2;\n\t@%p1 bra GO;\n\tst.global.u32 [%d1], 7;\n"
                "\tret;\nGO:\n\tbar.sync 0;\n\tst.global.u32 [%d1], 5;\n\tret;\n}\n",
     {5, 5, 7, 5},
     NULL,
     0},
    /* within a branch, whose sides come together */
    {ENTRY TAKE "\tsetp.lt.u32 %p1, %r0, 3;\n\t@%p1 bra A;\n\tadd.s32 %r2, %r0, 10;\n"
                "\tbra JOIN;\nA:\n\tsetp.eq.u32 %p2, %r0, 1;\n\t@%p2 bra OUT;\n"
                "\tmov.u32 %r2, 9;\nJOIN:\n\tvote.sync.ballot.b32 %r3, %p1, -1;\n"
                "\tadd.s32 %r9, %r2, %r3;\n\tst.global.u32 [%d1], %r9;\nOUT:\n\tret;\n}\n",
     {14, 0, 14, 18},
     NULL,
     0},
    /* out of a loop, which others leave for what lies behind it, at different times */
    {ENTRY TAKE "\tmov.u32 %r2, 0;\nL:\n\tadd.s32 %r2, %r2, 1;\n\tsetp.eq.u32 %p1, %r2, 5;\n"
                "\t@%p1 bra EARLY;\n\tand.b32 %r3, %r0, 7;\n\tsetp.gt.u32 %p2, %r2, %r3;\n"
                "\t@!%p2 bra L;\n\tbra BEHIND;\nEARLY:\n\tst.global.u32 [%d1], 99;\n\tret;\n"
                "BEHIND:\n\tbar.sync 0;\n\tmov.u32 %r9, %r2;\n" STORE,
     {1, 2, 3, 4},
     NULL,
     0},
    /* what stops */
    {ENTRY TAKE "\tld.global.u32 %r9, [%d1+65536];\n" STORE,
     {0},
     "thread (0,0,0): 4 bytes at 0x20000 lie in no buffer",
     14},
    {ENTRY TAKE "\tld.global.v2.u32 {%r8, %r9}, [%d1];\n" STORE,
     {0},
     "thread (1,0,0): 0x10004 is no multiple of 8 bytes",
     14},
    {ENTRY TAKE "\t.shared .b32 x;\n\tld.shared.u32 %r9, [x+4];\n" STORE,
     {0},
     "beyond the block's shared memory",
     15},
    {ENTRY TAKE
     "\tsetp.eq.u32 %p1, %r0, 3;\n\t@%p1 bra A;\n\tbar.sync 0;\n\tret;\nA:\n\tbar.sync 0;\n" STORE,
     {0},
     "divergent barrier",
     16},
    {ENTRY TAKE
     "\tsetp.eq.u32 %p1, %r0, 3;\n\t@%p1 bra A;\n\tbar.sync 0;\n\tret;\nA:\n\tbar.sync 1;\n" STORE,
     {0},
     "divergent barrier",
     16},
    {ENTRY TAKE
     "L:\n\tld.global.u32 %r9, [%d0+252];\n\tsetp.eq.u32 %p1, %r9, 0;\n\t@%p1 bra L;\n" STORE,
     {0},
     "goes round for ever",
     15},
    {ENTRY TAKE
     "L:\n\tatom.global.cas.b32 %r9, [%d0+252], 0, 1;\n\tsetp.ne.u32 %p1, %r9, 0;\n\t@%p1 bra L;\n"
     "\tbar.sync 0;\n\tatom.global.exch.b32 %r9, [%d0+252], 0;\n" STORE,
     {0},
     "goes round for ever",
     15},
    {ENTRY TAKE
     "\tsetp.eq.u32 %p1, %r0, 3;\n\t@%p1 bra A;\n\tshfl.sync.idx.b32 %r9, %r0, 2, 31, -1;\nA:\n\tbar.sync 0;\n" STORE,
     {0},
     "do not come to shfl",
     16},
    {ENTRY TAKE "\tshfl.sync.idx.b32 %r9, %r0, 2, 31, 2;\n" STORE,
     {0},
     "its lane, 0, is not in the mask",
     14},
    {ENTRY TAKE "\ttrap;\n" STORE, {0}, "trap", 14},
    {ENTRY TAKE "\tst.param.u32 [data], %r0;\n" STORE, {0}, "parameters are only read", 14},
    {ENTRY TAKE "\t.shared .b32 x;\n\tbar.sync 16;\n" STORE, {0}, "barrier 16", 15},
    {ENTRY TAKE "\tbar.sync 1, 33;\n" STORE, {0}, "a barrier of 33 threads", 14},
    {ENTRY TAKE "\tbar.arrive 1, %r0;\n" STORE, {0}, "a barrier of 0 threads", 14},
};

static void test_launched(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof launched / sizeof *launched; i++)
        for (unsigned down = 0; down < 3; down++) {
            uint32_t array[66] = {0};
            struct portable_fault fault = {.line = 0};
            const struct ptx_launched x = {.text = launched[i].text,
                                           .grid = 1,
                                           .block = i == 0 ? 64 : 32,
                                           .array = array,
                                           .elements = 64,
                                           .simt = down == 2,
                                           .descending = down == 1};
            bool fine = ptx_launched_run(&x, &fault);
            if (fine != !launched[i].what || (down != 1 && !fine &&
                                              (!strstr(str_text(&fault.what), launched[i].what) ||
                                               fault.line != launched[i].line)))
                fail_msg("launch %zu, way %u: line %u: %s", i, down, (unsigned)fault.line,
                         str_text(&fault.what));
            for (unsigned e = 0; fine && e < 4; e++)
                if (array[e] != launched[i].first[e])
                    fail_msg("launch %zu, way %u: element %u is %u", i, down, e,
                             (unsigned)array[e]);
            str_free(&fault.what);
        }
}

static void test_geometry(void **state) {
    static const struct {
        uint32_t grid, block;
        uint64_t shared;
        const char *what;
    } wrong[] = {{0, 32, 0, "says its grid and its block"},
                 {1, 0, 0, "says its grid and its block"},
                 {1, 1025, 0, "there are at most 1024"},
                 {1, 32, UINT64_C(1) << 40, "bytes of shared memory"},
                 {1, 65, 0, ".maxntid says at most 64"}};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof wrong / sizeof *wrong; i++) {
        struct portable_fault fault = {.line = 0};
        const struct ptx_launched x = {
            .text = HEAD ".entry k(.param .u64 data) .maxntid 8, 8, 1\n{\n\tret;\n}\n",
            .grid = wrong[i / 2].grid,
            .block = wrong[i / 2].block,
            .simt = i % 2,
            .shared = wrong[i / 2].shared};
        assert_false(ptx_launched_run(&x, &fault));
        if (!strstr(str_text(&fault.what), wrong[i / 2].what))
            fail_msg("geometry %zu: %s", i, str_text(&fault.what));
        str_free(&fault.what);
    }
}

/* Registers that live at once leave room for so many warps of a core. */
static void test_room(void **state) {
    struct str text = {0};
    (void)state;
    str_append(&text, ENTRY ".reg .b32 %x<30>;\n" TAKE);
    for (unsigned i = 0; i < 30; i++)
        str_printf(&text, "ld.global.u32 %%x%u, [%%d0+%u];\n", i, 4 * i);
    for (unsigned i = 0; i < 30; i++)
        str_printf(&text, "add.u32 %%r9, %%r9, %%x%u;\n", 29 - i);
    str_append(&text, "bar.sync 0;\n" STORE); /* all have read what is written then */
    for (unsigned block = 512; block <= 1024; block += 512) {
        uint32_t array[1024 + 2] = {1, 2, 3};
        struct portable_fault fault = {.line = 0};
        const struct ptx_launched x = {.text = str_text(&text),
                                       .grid = 1,
                                       .block = block,
                                       .array = array,
                                       .elements = 1024,
                                       .simt = true};
        bool fine = ptx_launched_run(&x, &fault);
        assert_int_equal(fine, block == 512);
        if (!fine && !strstr(str_text(&fault.what), "a core has room for"))
            fail_msg("block of %u: %s", block, str_text(&fault.what));
        if (fine)
            assert_int_equal(array[511], 6);
        str_free(&fault.what);
    }
    str_free(&text);
}

/* A flag that another thread of the block sets is waited for in any order of threads. */
static void test_spinning(void **state) {
    (void)state;
    for (unsigned down = 0; down < 3; down++) {
        uint32_t array[66] = {0};
        struct portable_fault fault = {.line = 0};
        const struct ptx_launched x = {
            .text = ENTRY TAKE "\tsetp.eq.u32 %p1, %r0, 17;\n\t@%p1 st.global.u32 [%d0+252], 9;\n"
                               "L:\n\tld.volatile.global.u32 %r9, [%d0+252];\n"
                               "\tsetp.eq.u32 %p2, %r9, 0;\n\t@%p2 bra L;\n" STORE,
            .grid = 1,
            .block = 32,
            .array = array,
            .elements = 64,
            .simt = down == 2,
            .descending = down == 1};
        assert_true(ptx_launched_run(&x, &fault));
        for (unsigned i = 0; i < 32; i++)
            assert_int_equal(array[i], 9);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launched),
        cmocka_unit_test(test_geometry),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_spinning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
