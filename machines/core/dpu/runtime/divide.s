// Division of 32 and 64 bits, quotients and rests, to C's rules: toward zero, rests with the dividend's
// sign.  By 0 unsigned quotients are all ones, rests the dividend.
        .text
        .globl  __umodsi3
        .type   __umodsi3, @function
__umodsi3:
        move    r8, r23
        call    r23, __udivsi3
        move    r0, r1
        jump    r8
        .globl  __divsi3
        .type   __divsi3, @function
__divsi3:
        move    r8, r23
        xor     r9, r0, r1
        jges    r0, 0, .L__div_a
        neg     r0, r0
.L__div_a:
        jges    r1, 0, .L__div_b
        neg     r1, r1
.L__div_b:
        call    r23, __udivsi3
        jges    r9, 0, .L__div_end
        neg     r0, r0
.L__div_end:
        jump    r8
        .globl  __modsi3
        .type   __modsi3, @function
__modsi3:
        move    r8, r23
        move    r9, r0
        jges    r0, 0, .L__mod_a
        neg     r0, r0
.L__mod_a:
        jges    r1, 0, .L__mod_b
        neg     r1, r1
.L__mod_b:
        call    r23, __udivsi3
        move    r0, r1
        jges    r9, 0, .L__mod_end
        neg     r0, r0
.L__mod_end:
        jump    r8
