/* SPDX-License-Identifier: MIT
 * What patterns of a DPU call: operands in r0 and r1, or d0 and d2 (r2, of a word beside a pair);
 * results in r0 and r1, or d0 and d2; r23 is where to go on.  High words are in even registers. */
#include "machines/core/dpu/runs/runs.h"

#include <string.h>

/* d = the product of the low halves of x and y; t is changed. */
#define HALVES(d, x, y, t)                                                                         \
    "  mul_uh_ul " t ", " x ", " y "\n  mul_ul_uh " d ", " x ", " y "\n  add " t ", " t ", " d     \
    "\n  mul_uh_uh " d ", " x ", " y "\n  lsl_add " d ", " t ", " d ", 8\n  mul_ul_ul " t ", " x   \
    ", " y "\n  lsl_add " d ", " t ", " d ", 8\n"

static const struct {
    const char *name, *needs, *text;
} routines[] = {
    /* Bytes of weights 24, 16, 8, 0. */
    {"mul32", NULL,
     "mul32:\n"
     "  lsr r2, r0, 16\n"
     "  lsr r3, r1, 16\n"
     "  mul_uh_ul r5, r2, r1\n"
     "  mul_ul_uh r6, r2, r1\n"
     "  add r5, r5, r6\n"
     "  mul_uh_ul r6, r0, r3\n"
     "  add r5, r5, r6\n"
     "  mul_ul_uh r6, r0, r3\n"
     "  add r5, r5, r6\n"
     "  mul_ul_ul r4, r2, r1\n"
     "  mul_ul_ul r6, r0, r3\n"
     "  add r4, r4, r6\n"
     "  mul_uh_uh r6, r0, r1\n"
     "  add r4, r4, r6\n"
     "  lsl_add r4, r4, r5, 8\n"
     "  mul_uh_ul r5, r0, r1\n"
     "  mul_ul_uh r6, r0, r1\n"
     "  add r5, r5, r6\n"
     "  lsl_add r4, r5, r4, 8\n"
     "  mul_ul_ul r5, r0, r1\n"
     "  lsl_add r0, r5, r4, 8\n"
     "  jump r23\n"},
    /* Of bytes, which many factors are. */
    {"mul32_any", "mul32",
     "mul32_any:\n"
     "  or r2, r0, r1\n"
     "  jgeu r2, 256, mul32\n"
     "  mul_ul_ul r0, r0, r1\n"
     "  jump r23\n"},
    /* The high words' products with the other low words count from bit 32 on. */
    {"mul64", "mul32",
     "mul64:\n"
     "  move r8, r23\n"
     "  move r9, r1\n"  /* a low */
     "  move r10, r3\n" /* b low */
     "  move r11, r2\n" /* b high */
     "  move r1, r3\n"
     "  call r23, mul32\n" /* a high * b low */
     "  move r7, r0\n"
     "  move r0, r9\n"
     "  move r1, r11\n"
     "  call r23, mul32\n" /* a low * b high */
     "  add r7, r7, r0\n"
     "  lsr r2, r9, 16\n"
     "  lsr r3, r10, 16\n" HALVES("r0", "r2", "r3", "r6") "  add r7, r7, r0\n" /* 32 */
     HALVES("r4", "r9", "r10", "r6")                                           /* 0 */
     HALVES("r5", "r2", "r10", "r6")                                           /* 16 */
     "  lsr_add r5, r5, r4, 16\n"
     "  lsr_add r7, r7, r5, 16\n"
     "  extuh r5, r5\n" HALVES("r0", "r9", "r3", "r6") /* 16 */
     "  add r5, r5, r0\n"
     "  lsr_add r0, r7, r5, 16\n"
     "  extuh r1, r4\n"
     "  lsl_add r1, r1, r5, 16\n"
     "  jump r8\n"},
    /* Of low words, all bits. */
    {"mul32_long", NULL,
     "mul32_long:\n"
     "  lsr r4, r1, 16\n"
     "  lsr r5, r3, 16\n" HALVES("r0", "r4", "r5", "r6") /* 32 */
     HALVES("r7", "r1", "r3", "r6")                      /* 0 */
     HALVES("r2", "r4", "r3", "r6")                      /* 16 */
     "  lsr_add r2, r2, r7, 16\n"
     "  lsr_add r0, r0, r2, 16\n"
     "  extuh r2, r2\n" HALVES("r8", "r1", "r5", "r6") /* 16 */
     "  add r2, r2, r8\n"
     "  lsr_add r0, r0, r2, 16\n"
     "  extuh r1, r7\n"
     "  lsl_add r1, r1, r2, 16\n"
     "  jump r23\n"},
    /* div_step begins where the divisor's highest one is below that of the dividend. */
    {"div32", NULL,
     "div32:\n"
     "  move r3, r0\n"
     "  jz r1, div32_zero\n"
     "  clz r4, r1\n"
     "  clz r5, r0\n"
     "  move r2, 0\n"
     "  sub r4, r4, r5, ltu, div32_end\n"
     "  move r5, 31\n"
     "  sub r4, r5, r4\n"
     "  jump r4, div32_steps\n"
     "div32_steps:\n"
#define STEP(s) "  div_step d2, r1, d2, " #s "\n"
     STEP(31) STEP(30) STEP(29) STEP(28) STEP(27) STEP(26) STEP(25) STEP(24) STEP(23) STEP(22)
         STEP(21) STEP(20) STEP(19) STEP(18) STEP(17) STEP(16) STEP(15) STEP(14) STEP(13) STEP(12)
             STEP(11) STEP(10) STEP(9) STEP(8) STEP(7) STEP(6) STEP(5) STEP(4) STEP(3) STEP(2)
                 STEP(1) STEP(0)
#undef STEP
                     "div32_end:\n"
                     "  move r0, r2\n"
                     "  move r1, r3\n"
                     "  jump r23\n"
                     "div32_zero:\n"
                     "  move r0, -1\n"
                     "  move r1, r3\n"
                     "  jump r23\n"},
    {"div64", "div32",
     "div64:\n"
     "  jnz r0, div64_long\n"
     "  jnz r2, div64_long\n"
     "  move r8, r23\n"
     "  move r0, r1\n"
     "  move r1, r3\n"
     "  move r9, r3\n"
     "  call r23, div32\n"
     "  move r3, r1\n"
     "  move r1, r0\n"
     "  move r0, 0\n"
     "  move r2, 0\n"
     "  jnz r9, div64_short_end\n"
     "  move r0, -1\n"
     "div64_short_end:\n"
     "  jump r8\n"
     "div64_long:\n"
     "  or r4, r2, r3\n"
     "  jz r4, div64_zero\n"
     "  clz r6, r0\n"
     "  jnz r0, div64_a\n"
     "  clz r6, r1\n"
     "  add r6, r6, 32\n"
     "div64_a:\n"
     "  clz r8, r2\n"
     "  jnz r2, div64_b\n"
     "  clz r8, r3\n"
     "  add r8, r8, 32\n"
     "div64_b:\n"
     "  move r4, 0\n"
     "  move r5, 0\n"
     "  sub r8, r8, r6, ltu, div64_end\n"
     /* d2 = b << r8 */
     "  jz r8, div64_loop\n"
     "  jltu r8, 32, div64_less\n"
     "  lsl r2, r3, r8\n"
     "  move r3, 0\n"
     "  jump div64_loop\n"
     "div64_less:\n"
     "  move r6, 32\n"
     "  sub r6, r6, r8\n"
     "  lsr r6, r3, r6\n"
     "  lsl r2, r2, r8\n"
     "  or r2, r2, r6\n"
     "  lsl r3, r3, r8\n"
     "div64_loop:\n"
     "  add r5, r5, r5\n"
     "  addc r4, r4, r4\n"
     "  sub r7, r1, r3\n"
     "  subc r6, r0, r2, ltu, div64_skip\n"
     "  move r1, r7\n"
     "  move r0, r6\n"
     "  add r5, r5, 1\n"
     "div64_skip:\n"
     "  lsr r3, r3, 1\n"
     "  lsl_add r3, r3, r2, 31\n"
     "  lsr r2, r2, 1\n"
     "  add r8, r8, -1, pl, div64_loop\n"
     "div64_end:\n"
     "  movd d2, d0\n"
     "  movd d0, d4\n"
     "  jump r23\n"
     "div64_zero:\n"
     "  movd d2, d0\n"
     "  move r0, -1\n"
     "  move r1, -1\n"
     "  jump r23\n"},
    {"shl64", NULL,
     "shl64:\n"
     "  jgeu r2, 32, shl64_far\n"
     "  jz r2, shl64_end\n"
     "  move r3, 32\n"
     "  sub r3, r3, r2\n"
     "  lsr r4, r1, r3\n"
     "  lsl r0, r0, r2\n"
     "  or r0, r0, r4\n"
     "  lsl r1, r1, r2\n"
     "shl64_end:\n"
     "  jump r23\n"
     "shl64_far:\n"
     "  lsl r0, r1, r2\n"
     "  move r1, 0\n"
     "  jltu r2, 64, shl64_end\n"
     "  move r0, 0\n"
     "  jump r23\n"},
#define RIGHT(name, shift, sign)                                                                   \
    {                                                                                              \
        name, NULL,                                                                                \
            name ":\n"                                                                             \
                 "  jgeu r2, 32, " name "_far\n"                                                   \
                 "  jz r2, " name "_end\n"                                                         \
                 "  move r3, 32\n"                                                                 \
                 "  sub r3, r3, r2\n"                                                              \
                 "  lsl r4, r0, r3\n"                                                              \
                 "  lsr r1, r1, r2\n"                                                              \
                 "  or r1, r1, r4\n"                                                               \
                 "  " shift " r0, r0, r2\n" name "_end:\n"                                         \
                 "  jump r23\n" name "_far:\n"                                                     \
                 "  " shift " r1, r0, r2\n"                                                        \
                 "  " sign "\n"                                                                    \
                 "  jltu r2, 64, " name "_end\n"                                                   \
                 "  move r1, r0\n"                                                                 \
                 "  jump r23\n"                                                                    \
    }
    RIGHT("shr64", "lsr", "move r0, 0"),
    RIGHT("sar64", "asr", "asr r0, r0, 31"),
};

const char *dpu_routine(const char *name, const char **needs) {
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
        if (strcmp(routines[i].name, name) == 0) {
            *needs = routines[i].needs;
            return routines[i].text;
        }
    return NULL;
}
