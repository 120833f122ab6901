// __extendsfdf2: float32 r0 as float64 in d0.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __extendsfdf2
  .type __extendsfdf2, @function
// It needs 40 bytes from r22 on.
__extendsfdf2:
  sw r22, 0, r0
  sw r22, 24, r23
  lw r0, r22, 0
  and r5, r0, 2147483647
  and r1, r0, 8388607
  lsr r4, r5, 23
  sub r2, r4, 0, eq
  clz r3, r1
  add r3, r3, -8
  lsr r6, r0, 31
  move r7, 1
  jz r2, .L___extendsfdf2_0
  sub r4, r7, r3
.L___extendsfdf2_0:
  or r0, r1, 8388608
  lsl r8, r1, r3
  jltu r3, 32, .L___extendsfdf2_1
  move r8, 0
.L___extendsfdf2_1:
  jz r2, .L___extendsfdf2_2
  move r0, r8
.L___extendsfdf2_2:
  move r3, r0
  move r2, 0
  lsl r0, r3, 1
  move r1, 0
  add r8, r4, 896
  sub r9, r8, 1, lts
  move r10, 0
  jz r9, .L___extendsfdf2_3
  sub r10, r7, r8
.L___extendsfdf2_3:
  movd d12, d0
  movd d0, d12
  move r2, r10
  call r23, __lshrdi3
  sd r22, 32, d0
  ld d0, r22, 32
  move r2, r10
  call r23, __ashldi3
  sub zero, r13, r1
  subc r4, r12, r0, xnz
  move r1, r4
  move r0, 0
  ld d2, r22, 32
  or r3, r3, r1
  or r2, r2, r0
  jz r9, .L___extendsfdf2_4
  move r8, r7
.L___extendsfdf2_4:
  move r4, 2047
  jges r4, r8, .L___extendsfdf2_5
  move r8, r4
.L___extendsfdf2_5:
  lsr r1, r3, 4
  lsl_add r1, r1, r2, 28
  lsr r0, r2, 4
  and r1, r1, 1
  move r0, 0
  add r3, r3, 7
  addc r2, r2, 0
  add r1, r1, r3
  addc r0, r0, r2
  lsr r1, r1, 4
  lsl_add r1, r1, r0, 28
  lsr r0, r0, 4
  add r8, r8, -1
  lsl r8, r8, 20
  move r4, 0
  move r3, r4
  move r2, r8
  add r1, r1, r3
  addc r0, r0, r2
  move r2, 2146435072
  move r3, 0
  sub zero, r1, r3
  subc zero, r0, r2, ltu, .L___extendsfdf2_6
  movd d0, d2
.L___extendsfdf2_6:
  jneq r5, 0, .L___extendsfdf2_7
  move r0, 0
  move r1, 0
.L___extendsfdf2_7:
  move r7, 2139095040
  jneq r5, r7, .L___extendsfdf2_8
  movd d0, d2
.L___extendsfdf2_8:
  lsl r6, r6, 31
  move r3, r4
  move r2, r6
  or r1, r1, r3
  or r0, r0, r2
  jgeu r7, r5, .L___extendsfdf2_9
  move r0, 2146959360
  move r1, 0
.L___extendsfdf2_9:
  sd r22, 16, d0
  lw r23, r22, 24
  ld d0, r22, 16
  jump r23
