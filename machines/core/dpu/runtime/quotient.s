// __udivsi3: r0 / r1 in r0, the rest in r1; by 0 all ones and r0.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __udivsi3
  .type __udivsi3, @function
__udivsi3:
  move r3, r0
  jz r1, .L__div32_zero
  clz r4, r1
  clz r5, r0
  move r2, 0
  sub r4, r4, r5, ltu, .L__div32_end
  move r5, 31
  sub r4, r5, r4
  jump r4, .L__div32_steps
.L__div32_steps:
  div_step d2, r1, d2, 31
  div_step d2, r1, d2, 30
  div_step d2, r1, d2, 29
  div_step d2, r1, d2, 28
  div_step d2, r1, d2, 27
  div_step d2, r1, d2, 26
  div_step d2, r1, d2, 25
  div_step d2, r1, d2, 24
  div_step d2, r1, d2, 23
  div_step d2, r1, d2, 22
  div_step d2, r1, d2, 21
  div_step d2, r1, d2, 20
  div_step d2, r1, d2, 19
  div_step d2, r1, d2, 18
  div_step d2, r1, d2, 17
  div_step d2, r1, d2, 16
  div_step d2, r1, d2, 15
  div_step d2, r1, d2, 14
  div_step d2, r1, d2, 13
  div_step d2, r1, d2, 12
  div_step d2, r1, d2, 11
  div_step d2, r1, d2, 10
  div_step d2, r1, d2, 9
  div_step d2, r1, d2, 8
  div_step d2, r1, d2, 7
  div_step d2, r1, d2, 6
  div_step d2, r1, d2, 5
  div_step d2, r1, d2, 4
  div_step d2, r1, d2, 3
  div_step d2, r1, d2, 2
  div_step d2, r1, d2, 1
  div_step d2, r1, d2, 0
.L__div32_end:
  move r0, r2
  move r1, r3
  jump r23
.L__div32_zero:
  move r0, -1
  move r1, r3
  jump r23
