/* SPDX-License-Identifier: MIT
 * The program whose packages are damaged. */
#ifndef TESTS_FUZZ_PACKAGED_H
#define TESTS_FUZZ_PACKAGED_H

#include "asm/asm.h"
#include "linker/linker.h"
#include "tests/fuzz/harness.h"

/* Sizes, groups, a value, moves of all kinds, a kernel. */
static inline struct object *packaged_program(void) {
    static const char text[] =
        " .size n = 700\n .group g[n]\n .group h[9] like g\n .value k: u12[3] = 1, 2, 3\n"
        " .var in x: u8[2] @g = r1\n .var out y: u16 @h = r9\n"
        " .move m u8 @h r1[i] = x[2 * i - n, 0] wrap\n .move b u8 r2 = x[3, 1]\n"
        " .move e u8 @h r3[i: 1 .. 9] = x[@h r5: i9[i], 1] clip\n"
        " .buffer out b: u32[2]\n .kernel k pypim(b: u32[]) else s line 3 = \"ROWS 5\\n\", "
        "\"CROSSBARS 1\\n\", \"READ r1\\nREAD r2\"\n"
        "main: RECIPE k(b)\n COMPUTEG @g\n ADD.8 r1 r2 r3\n LI.12 size(n)-1 r4\n LI.12 value(k[1]) r6\n"
        " COMPUTE_DONE\n REPEAT size(n)\n COMPUTE RFH1 VRF2\n INC.8 r1 r1\n COMPUTE_DONE\n REPEAT_END\n"
        " GMOVE m\n GMOVE b\n GMOVE e\n HALT\n .sub s\n RETURN\n .endsub\n";
    struct diag *d = diag_new(NULL, NULL);
    const struct asm_options options = {.debug = true};
    struct object *o = asm_assemble("package.s", text, sizeof text - 1, &options, d);
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
