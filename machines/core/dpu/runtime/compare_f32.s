// __eqsf2, __nesf2, __ltsf2, __lesf2 (r0, r1): -1, 0 or 1 for less, equal, greater, and 1 if there is no
// order; __gtsf2, __gesf2 then give -1; __unordsf2 is 1 then, and else 0.
        .text
        .globl  __gtsf2, __gesf2
__gtsf2:
__gesf2:
        move    r6, -1
        jump    .L__compare_f32
        .globl  __unordsf2
__unordsf2:
        lsl     r2, r0, 1
        lsl     r3, r1, 1
        move    r4, 0xff000000
        move    r0, 1
        jgtu    r2, r4, .L__compare_f32_end
        jgtu    r3, r4, .L__compare_f32_end
        move    r0, 0
        jump    r23
        .globl  __eqsf2, __nesf2, __ltsf2, __lesf2
__eqsf2:
__nesf2:
__ltsf2:
__lesf2:
        move    r6, 1
.L__compare_f32:
        lsl     r2, r0, 1
        lsl     r3, r1, 1
        move    r4, 0xff000000
        jgtu    r2, r4, .L__compare_f32_none
        jgtu    r3, r4, .L__compare_f32_none
        or      r2, r2, r3
        jz      r2, .L__compare_f32_equal
        jeq     r0, r1, .L__compare_f32_equal
        jlts    r0, 0, .L__compare_f32_negative
        jlts    r0, r1, .L__compare_f32_less
.L__compare_f32_greater:
        move    r0, 1
        jump    r23
.L__compare_f32_negative:
        jges    r1, 0, .L__compare_f32_less
        jleu    r0, r1, .L__compare_f32_greater
.L__compare_f32_less:
        move    r0, -1
        jump    r23
.L__compare_f32_equal:
        move    r0, 0
        jump    r23
.L__compare_f32_none:
        move    r0, r6
.L__compare_f32_end:
        jump    r23
