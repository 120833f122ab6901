// As compare_f32.s, of d0 and d2: __eqdf2, __nedf2, __ltdf2, __ledf2, __gtdf2, __gedf2, __unorddf2.
        .text
        .globl  __gtdf2, __gedf2
__gtdf2:
__gedf2:
        move    r6, -1
        jump    .L__compare_f64
        .globl  __unorddf2
__unorddf2:
        move    r8, r23
        call    r23, __ledf2
        move    r9, r0
        jeq     r0, 1, .L__compare_f64_or_none
        move    r0, 0
        jump    r8
// 1: greater or none; with d0 and d2 as they were, since only r0 changed, and its place is r7.
.L__compare_f64_or_none:
        move    r0, r7
        call    r23, __gedf2
        lsr     r0, r0, 31
        jump    r8
        .globl  __eqdf2, __nedf2, __ltdf2, __ledf2
__eqdf2:
__nedf2:
__ltdf2:
__ledf2:
        move    r6, 1
.L__compare_f64:
        move    r7, r0
        lsl     r4, r0, 1
        lsl     r5, r2, 1
        move    r9, 0xffe00000
        jltu    r4, r9, .L__compare_f64_a
        jgtu    r4, r9, .L__compare_f64_none
        jnz     r1, .L__compare_f64_none
.L__compare_f64_a:
        jltu    r5, r9, .L__compare_f64_b
        jgtu    r5, r9, .L__compare_f64_none
        jnz     r3, .L__compare_f64_none
.L__compare_f64_b:
        or      r4, r4, r5
        or      r4, r4, r1
        or      r4, r4, r3
        jz      r4, .L__compare_f64_equal
        jneq    r0, r2, .L__compare_f64_differ
        jeq     r1, r3, .L__compare_f64_equal
.L__compare_f64_differ:
        jlts    r0, 0, .L__compare_f64_negative
        sub     r4, r1, r3
        subc    r4, r0, r2, lts, .L__compare_f64_less
.L__compare_f64_greater:
        move    r0, 1
        jump    r23
.L__compare_f64_negative:
        jges    r2, 0, .L__compare_f64_less
        sub     r4, r3, r1
        subc    r4, r2, r0, geu, .L__compare_f64_greater
.L__compare_f64_less:
        move    r0, -1
        jump    r23
.L__compare_f64_equal:
        move    r0, 0
        jump    r23
.L__compare_f64_none:
        move    r0, r6
        jump    r23
