// __udivdi3: d0 / d2 in d0, the rest in d2; by 0 all ones and d0.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __udivdi3
  .type __udivdi3, @function
__udivdi3:
  jnz r0, .L__div64_long
  jnz r2, .L__div64_long
  move r8, r23
  move r0, r1
  move r1, r3
  move r9, r3
  call r23, __udivsi3
  move r3, r1
  move r1, r0
  move r0, 0
  move r2, 0
  jnz r9, .L__div64_short_end
  move r0, -1
.L__div64_short_end:
  jump r8
.L__div64_long:
  or r4, r2, r3
  jz r4, .L__div64_zero
  clz r6, r0
  jnz r0, .L__div64_a
  clz r6, r1
  add r6, r6, 32
.L__div64_a:
  clz r8, r2
  jnz r2, .L__div64_b
  clz r8, r3
  add r8, r8, 32
.L__div64_b:
  move r4, 0
  move r5, 0
  sub r8, r8, r6, ltu, .L__div64_end
  jz r8, .L__div64_loop
  jltu r8, 32, .L__div64_less
  lsl r2, r3, r8
  move r3, 0
  jump .L__div64_loop
.L__div64_less:
  move r6, 32
  sub r6, r6, r8
  lsr r6, r3, r6
  lsl r2, r2, r8
  or r2, r2, r6
  lsl r3, r3, r8
.L__div64_loop:
  add r5, r5, r5
  addc r4, r4, r4
  sub r7, r1, r3
  subc r6, r0, r2, ltu, .L__div64_skip
  move r1, r7
  move r0, r6
  add r5, r5, 1
.L__div64_skip:
  lsr r3, r3, 1
  lsl_add r3, r3, r2, 31
  lsr r2, r2, 1
  add r8, r8, -1, pl, .L__div64_loop
.L__div64_end:
  movd d2, d0
  movd d0, d4
  jump r23
.L__div64_zero:
  movd d2, d0
  move r0, -1
  move r1, -1
  jump r23
