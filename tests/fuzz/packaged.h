/* SPDX-License-Identifier: MIT
 * The programs whose packages are damaged: one with all that lies in VRFs, and one that launches
 * kernels on the toy core. */
#ifndef TESTS_FUZZ_PACKAGED_H
#define TESTS_FUZZ_PACKAGED_H

#include "asm/asm.h"
#include "linker/linker.h"
#include "tests/fuzz/harness.h"

#include <string.h>

/* Sizes, groups, a value, moves of all kinds, a kernel. */
enum packaged { PACKAGED_PLAIN, PACKAGED_LAUNCHES, PACKAGED };
#define PACKAGED_SIZES                                                                             \
    { .name = "n", .value = 700 }

static inline struct object *packaged_program(enum packaged which) {
    static const char *const texts[] = {
        " .size n = 700\n .group g[n]\n .group h[9] like g\n .value k: u12[3] = 1, 2, 3\n"
        " .var in x: u8[2] @g = r1\n .var out y: u16 @h = r9\n"
        " .move m u8 @h r1[i] = x[2 * i - n, 0] wrap\n .move b u8 r2 = x[3, 1]\n"
        " .move e u8 @h r3[i: 1 .. 9] = x[@h r5: i9[i], 1] clip\n"
        " .buffer out b: u32[2]\n .kernel k pypim(b: u32[]) else s line 3 = \"ROWS 5\\n\", "
        "\"CROSSBARS 1\\n\", \"READ r1\\nREAD r2\"\n"
        "main: RECIPE k(b)\n COMPUTEG @g\n ADD.8 r1 r2 r3\n LI.12 size(n)-1 r4\n LI.12 value(k[1]) r6\n"
        " COMPUTE_DONE\n REPEAT size(n)\n COMPUTE RFH1 VRF2\n INC.8 r1 r1\n COMPUTE_DONE\n REPEAT_END\n"
        " GMOVE m\n GMOVE b\n GMOVE e\n HALT\n .sub s\n RETURN\n .endsub\n",
        " .size n\n .group g[n]\n .var out z: u8 @g = r1\n .buffer in x: i64[n]\n"
        " .buffer out y: i64[n, 2]\n .buffer inout t: i64[3]\n .buffer inout e: i64[5, 2]\n"
        " .module pair core\n .data 0, -10\n .buffer k: i64[2]\n"
        " .entry count(x: i64[], a: u64)\n .split x 16 8\n ld x5 (x13)\n end\n"
        " .entry sum(y: i64[], p: bytes[24, 8])\n end\n .endmodule\n .buffer inout k: i64[2]\n"
        " .kernel count core(x: i64[], a: u64, k: i64[]) else s in pair\n"
        " .kernel both core(y: i64[], p: bytes[24, 8], k: i64[]) else s in pair entry sum\n"
        " .kernel own core(t: i64[], e: i64[]) else s\n .same t\n .each e\n end\n .endkernel\n"
        "main: RECIPE count<<<(n + 3) / 4, [n, 2]>>>(x, 0 - n, k)\n"
        " RECIPE both<<<n>>>(y + 8 * n, bytes(u32 7, i64 -2), k + 8) units n / 100 from 8\n"
        " COMPUTEG @g\n MOV r1 r2\n COMPUTE_DONE\n"
        " .launch own<<<[2, 3, n], n>>>(t + 16, e + 8) units 2 from n - 690\n HALT\n"
        " .sub s\n RETURN\n .endsub\n"};
    struct diag *d = diag_new(NULL, NULL);
    const struct asm_options options = {.debug = true};
    struct object *o = asm_assemble("package.s", texts[which], strlen(texts[which]), &options, d);
    const struct object *inputs[] = {o};
    struct object *p = o ? link_objects(inputs, 1, NULL, d) : NULL;
    if (!p)
        fprintf(stderr, "%s\n", diag_first(d));
    REQUIRE(p);
    object_free(o);
    diag_free(d);
    return p;
}

#endif
