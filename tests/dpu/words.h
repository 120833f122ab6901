/* SPDX-License-Identifier: MIT
 * Words of programs that UPMEM's compiler made, and what its disassembler says of them. */
#ifndef TESTS_DPU_WORDS_H
#define TESTS_DPU_WORDS_H

#include <stdint.h>

static const struct {
    uint64_t word;
    const char *text;
} dpu_words[] = {
    {0x3c7383000006, "jnz id, 6"},
    {0x7ce346000000, "sd zero, 16, 0"},
    {0x6be300bc0000, "move r23, 203"},
    {0x3c5f828c0006, "jeq r23, 200, 6"},
    {0x7c5f80000005, "release r23, 0, nz, 5"},
    {0x2fdf01ff0003, "add r23, r23, -1, true, 3"},
    {0x3c7382e00008, "jeq id, 14, 8"},
    {0x7df320100000, "boot id, 1"},
    {0x7b7f46050000, "ld d22, id8, 80"},
    {0x8be300b00000, "call r23, 11"},
    {0x7ef32100000a, "stop true, 10"},
    {0x7eda468d0000, "sd r22, 88, d22"},
    {0x0b5b00060000, "add r22, r22, 96"},
    {0x7dd9478dffff, "sd r22, -72, d14"},
    {0x8073b2000017, "move r0, id, z, 23"},
    {0x706340c10000, "lbu r0, zero, 28"},
    {0x3c0383100077, "jneq r0, 1, 119"},
    {0x606300018000, "move r0, 272"},
    {0x8c6300544000, "jump 581"},
    {0x7063440d8000, "lw r0, zero, 464"},
    {0x708341e28000, "lbs r1, r0, 302"},
    {0x800340140000, "lsl r0, r0, 1"},
    {0x710343418000, "lhs r2, r0, 276"},
    {0x7c0340010000, "sb r0, 0, 1"},
    {0x0c041e040026, "mul_ul_ul r0, r1, r2, small, 38"},
    {0x0d8400a40000, "mul_sh_ul r3, r1, r2"},
    {0x800c40800000, "lsl_add r0, r0, r3, 8"},
    {0x0c8400740000, "mul_sh_sh r1, r1, r2"},
    {0x803bb0000000, "move r0, r14"},
    {0x803b50f80000, "asr r0, r14, 31"},
    {0x8101305c0000, "lsr_add r2, r14, r0, 21"},
    {0x500bff001fff, "and r0, r2, -2048"},
    {0x0c3880c00000, "sub r0, r14, r0"},
    {0x3c3896c6005c, "jlts r14, r3, 92"},
    {0x0e1000c20000, "add r4, r4, r1"},
    {0x700cff080000, "ldma r3, r4, 255"},
    {0x0d0b03ff0055, "add r2, r2, -1, nz, 85"},
    {0x800050820000, "lsl_add r0, r1, r0, 24"},
    {0x51eb00000000, "move.s d2, 0"},
    {0x800330700000, "extsh r0, r0"},
    {0x7ed84540ffff, "sw r22, -44, r0"},
    {0x7c0383000086, "acquire r0, 0, nz, 134"},
    {0x0c0486c00000, "sub r0, r1, r0, z"},
    {0x3c5097c40081, "jges r20, r2, 129"},
    {0x0c0487c00000, "sub r0, r1, r0, nz"},
    {0x8008420102de, "mul_step d0, r2, d0, 0, z, 734"},
    /* Three that another public program has as bytes. */
    {0x7d8320f7ffff, "boot r0, 127, false, 65535"},
    {0x7d5f21000000, "resume r23, 0, true, 0"},
    {0x7cf32f211234, "clr_run id, 18, smi, 4660"},
};
#define DPU_WORDS (sizeof dpu_words / sizeof *dpu_words)

#endif
