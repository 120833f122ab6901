/* SPDX-License-Identifier: MIT
 * Damaged code of near-bank SIMT kernels: what a package has of a kernel is refused, or carried out
 * to its end, a fault, or as far as the watchdog lets; never more. */
#include "tests/draws.h"

#include "machines/core/simt/compile.h"
#include "support/bits.h"
#include "support/file.h"
#include "tests/simt/simt_launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROOM 65536u

static const char *const files[] = {"O1/approx",   "O1/axpy",    "O1/bfs",     "O1/bitonic",
                                    "O1/hist",     "O1/lists",   "O1/nw",      "O1/shuffles",
                                    "O1/scan",     "O2/gemm",    "nvcc/nw",    "nvcc/pr",
                                    "nvcc/reduce", "nvcc/nbody", "nvcc/kmeans"};
#define FILES (sizeof files / sizeof *files)

/* All entries of all files. */
static size_t compile_all(struct str *codes, size_t most) {
    const struct simt_options options = {.registers = 40, .near_shared = true};
    size_t count = 0;
    for (size_t i = 0; i < FILES; i++) {
        struct str path = {0};
        struct portable_fault fault = {.line = 0};
        size_t size;
        str_printf(&path, MPU_SOURCE_DIR "/tests/ptx/%s.ptx", files[i]);
        char *text = file_read_text(str_text(&path), FILE_MAX_TARGET, &size);
        struct ptx_module *m = text ? ptx_read(text, size, &fault) : NULL;
        for (uint32_t f = 0; m && f < m->functions.len && count < most; f++) {
            struct simt_kernel *k =
                m->functions.data[f].is_entry ? simt_compile(m, f, &options, &fault) : NULL;
            if (k)
                simt_kernel_write(k, &codes[count++]);
            simt_kernel_free(k);
        }
        ptx_free(m);
        free(text);
        str_free(&fault.what);
        str_free(&path);
    }
    return count;
}

static void damage(struct str *code, uint64_t *seed) {
    for (unsigned n = 1 + (unsigned)(splitmix64(seed) % 3); n-- > 0;) {
        const uint64_t draw = splitmix64(seed);
        size_t at = (size_t)(draw >> 8) % code->len;
        switch (draw % 4) {
        case 0:
            code->text[at] = (char)(draw >> 40);
            break;
        case 1: /* a word from elsewhere */
            if (code->len > 8)
                memcpy(code->text + at / 4 * 4 % (code->len - 4),
                       code->text + (draw >> 32) % (code->len / 4 - 1) * 4, 4);
            break;
        case 2:
            code->len = draw >> 60 ? code->len : at + 1; /* sometimes an end that is missing */
            break;
        default:
            code->text[at] = (char)(code->text[at] ^ 1 << (draw >> 50) % 8);
        }
    }
}

/* Addresses, and numbers that are small. */
static void make_parameters(unsigned char *parameters, size_t size) {
    memset(parameters, 0, size);
    for (size_t i = 0; i < size / 8; i++) {
        const uint64_t value = i < 3 ? 0x10000 + 8192 * i : 33 + (UINT64_C(7) << 32);
        memcpy(parameters + 8 * i, &value, 8);
    }
}

static void carry_out(const struct str *code, unsigned *ends) {
    static unsigned char bytes[ROOM + 8];
    unsigned char parameters[512];
    const struct simt_region region = {0x10000, ROOM, bytes};
    const struct simt_how how = {.watchdog = 4096};
    const struct portable_launch launch = {.parameters = parameters,
                                           .parameter_bytes = sizeof parameters,
                                           .shared = 0x10000,
                                           .grid = {2, 1, 1},
                                           .block = {48, 1, 1},
                                           .bytes = 256};
    struct portable_fault fault = {.line = 0};
    make_parameters(parameters, sizeof parameters);
    bool fine = simt_launch_code(code->text, code->len, &launch, &region, 1, &how, &fault);
    if (!fine && !fault.what.len)
        fail_msg("it stops without a message");
    ends[fine ? 0 : strstr(str_text(&fault.what), "thread (") ? 1 : 2]++;
    str_free(&fault.what);
}

static void test_damaged(void **state) {
    static struct str codes[100];
    const size_t count = compile_all(codes, 100);
    unsigned ends[3] = {0, 0, 0};
    uint64_t seed = 46;
    (void)state;
    assert_true(count > FILES);
    for (unsigned i = 0; i < draws(DRAWS_SIMT_DAMAGED); i++) {
        struct str code = {0};
        const struct str *whole = &codes[splitmix64(&seed) % count];
        str_append_n(&code, whole->text, whole->len);
        damage(&code, &seed);
        carry_out(&code, ends);
        str_free(&code);
    }
    print_message("%u come to an end, %u to a fault, %u are refused\n", ends[0], ends[1], ends[2]);
    assert_true(ends[0] && ends[1] && ends[2]); /* all of these are there to be met */
    for (size_t i = 0; i < count; i++)
        str_free(&codes[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
