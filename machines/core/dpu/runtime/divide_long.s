// As divide.s, of 64 bits in d0 and d2; the result is in d0.
        .text
        .globl  __umoddi3
        .type   __umoddi3, @function
__umoddi3:
        move    r12, r23
        call    r23, __udivdi3
        movd    d0, d2
        jump    r12
        .macro  .L__negate_pair high, low
        sub     \low, zero, \low
        subc    \high, zero, \high
        .endm
        .globl  __divdi3
        .type   __divdi3, @function
__divdi3:
        move    r12, r23
        xor     r13, r0, r2
        jges    r0, 0, .L___divdi3_a
        .L__negate_pair r0, r1
.L___divdi3_a:
        jges    r2, 0, .L___divdi3_b
        .L__negate_pair r2, r3
.L___divdi3_b:
        call    r23, __udivdi3
        jges    r13, 0, .L___divdi3_end
        .L__negate_pair r0, r1
.L___divdi3_end:
        jump    r12
        .globl  __moddi3
        .type   __moddi3, @function
__moddi3:
        move    r12, r23
        move    r13, r0
        jges    r0, 0, .L___moddi3_a
        .L__negate_pair r0, r1
.L___moddi3_a:
        jges    r2, 0, .L___moddi3_b
        .L__negate_pair r2, r3
.L___moddi3_b:
        call    r23, __udivdi3
        movd    d0, d2
        jges    r13, 0, .L___moddi3_end
        .L__negate_pair r0, r1
.L___moddi3_end:
        jump    r12
