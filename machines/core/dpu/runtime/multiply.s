// __mulsi3(r0, r1): the product's low 32 bits in r0, by steps that end with the smaller factor's highest
// bit: 5 instructions, a step for each bit, and a return by 2.
        .text
        .globl  __mulsi3
        .type   __mulsi3, @function
__mulsi3:
        jgtu    r1, r0, .L__mul_swapped
        move    r2, r0
        move    r0, r1
        jump    .L__mul_begin
.L__mul_swapped:
        move    r2, r1
.L__mul_begin:
        move    r1, 0
        .irp    step, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
        mul_step d0, r2, d0, \step, z, .L__mul_end
        .endr
        mul_step d0, r2, d0, 31
.L__mul_end:
        move    r0, r1
        jump    r23
