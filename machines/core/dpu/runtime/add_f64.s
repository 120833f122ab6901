// __adddf3: d0 + d2 in d0, __subdf3: d0 - d2, float64; r0 to r13.
        .text
        .globl  __subdf3
        .type   __subdf3, @function
__subdf3:
        xor     r2, mneg, r2
        .globl  __adddf3
        .type   __adddf3, @function
__adddf3:
        and     r4, r0, 0x7fffffff              // magnitudes: r4, r1 and r6, r3
        and     r6, r2, 0x7fffffff
        sub     r10, r1, r3
        subc    r10, r4, r6, geu, .L__adddf3_ordered
        movd    d10, d0                         // d0 is the larger one from here on
        movd    d0, d2
        movd    d2, d10
        move    r10, r4
        move    r4, r6
        move    r6, r10
.L__adddf3_ordered:
        move    r13, 2047
        lsr     r8, r4, 20                      // exponents
        lsr     r9, r6, 20
        jeq     r8, r13, .L__adddf3_odd
        and     r4, r4, 0xfffff                 // fractions
        and     r6, r6, 0xfffff
        jz      r8, .L__adddf3_small
        jz      r9, .L__adddf3_smaller
        or      r6, r6, 0x100000
.L__adddf3_whole:
        or      r4, r4, 0x100000
.L__adddf3_align:
        lsr     r10, r1, 29                     // d4 and d6: three bits more, of which the last says
        lsl_add r4, r10, r4, 3                  // whether any below it was set
        lsl     r5, r1, 3
        lsr     r10, r3, 29
        lsl_add r6, r10, r6, 3
        lsl     r7, r3, 3
        sub     r9, r8, r9, z, .L__adddf3_aligned
        jgtu    r9, 31, .L__adddf3_far
        lsrx    r10, r7, r9
        lsr     r7, r7, r9
        lsrx    r11, r6, r9
        or      r7, r7, r11
        lsr     r6, r6, r9
.L__adddf3_sticky:
        jz      r10, .L__adddf3_aligned
        or      r7, r7, 1
.L__adddf3_aligned:
        xor     r10, r0, r2
        and     r0, mneg, r0                    // the sign
        jlts    r10, 0, .L__adddf3_differ
        add     r5, r5, r7
        addc    r4, r4, r6
        lsr     r10, r4, 24                     // it may have become one bit longer
        jz      r10, .L__adddf3_round
        and     r10, r5, 1
        lsr     r5, r5, 1
        lsl     r11, r4, 31
        or      r5, r5, r11
        or      r5, r5, r10
        lsr     r4, r4, 1
        add     r8, r8, 1
        jltu    r8, r13, .L__adddf3_round
        or      r0, r0, 0x7ff00000
        move    r1, 0
        jump    r23
.L__adddf3_differ:
        sub     r5, r5, r7
        subc    r4, r4, r6
        clz     r9, r4                          // bit 23 of r4 is the first that is set, or r8 1
        add     r9, r9, -8
        jnz     r4, .L__adddf3_some
        jz      r5, .L__adddf3_zero
        clz     r9, r5
        add     r9, r9, 24
.L__adddf3_some:
        jgtu    r8, r9, .L__adddf3_left
        add     r9, r8, -1
.L__adddf3_left:
        sub     r8, r8, r9
        jz      r9, .L__adddf3_round
        jgtu    r9, 31, .L__adddf3_word
        lslx    r10, r5, r9
        lsl     r4, r4, r9
        or      r4, r4, r10
        lsl     r5, r5, r9
        jump    .L__adddf3_round
.L__adddf3_word:
        add     r9, r9, -32
        lsl     r4, r5, r9
        move    r5, 0
.L__adddf3_round:
        and     r10, r5, 7
        lsr     r1, r5, 3
        lsl     r11, r4, 29
        or      r1, r1, r11
        lsr     r4, r4, 3
        add     r8, r8, -1
        lsl_add r4, r4, r8, 20
        or      r0, r0, r4
        jltu    r10, 4, .L__adddf3_end          // to the nearest, and in the middle to what is even
        jneq    r10, 4, .L__adddf3_up
        and     r10, r1, 1
        add     r1, r1, r10
        addc    r0, r0, 0
        jump    r23
.L__adddf3_up:
        add     r1, r1, 1
        addc    r0, r0, 0
.L__adddf3_end:
        jump    r23
.L__adddf3_zero:
        move    r0, 0
        move    r1, 0
        jump    r23
.L__adddf3_far:
        jgtu    r9, 63, .L__adddf3_beyond
        move    r10, r7
        move    r7, r6
        move    r6, 0
        add     r9, r9, -32, z, .L__adddf3_sticky
        lsrx    r11, r7, r9
        or      r10, r10, r11
        lsr     r7, r7, r9
        jump    .L__adddf3_sticky
.L__adddf3_beyond:
        or      r7, r7, r6                      // 0 or not is what is left of it
        move    r10, r7
        move    r6, 0
        move    r7, 0
        jump    .L__adddf3_sticky
// Subnormal numbers, and 0, have exponent 1 and no whole part.
.L__adddf3_small:
        move    r8, 1
        move    r9, 1
        jump    .L__adddf3_align
.L__adddf3_smaller:
        move    r9, 1
        jump    .L__adddf3_whole
// Infinities, and what is no number.
.L__adddf3_odd:
        lsl     r10, r4, 12
        or      r10, r10, r1
        jnz     r10, .L__adddf3_none
        jneq    r9, r13, .L__adddf3_end
        jeq     r0, r2, .L__adddf3_end
.L__adddf3_none:
        move    r0, 0x7ff80000
        move    r1, 0
        jump    r23
