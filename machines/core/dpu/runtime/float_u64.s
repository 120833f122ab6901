// __floatundidf: the number d0, without a sign, as float64 in d0.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __floatundidf
  .type __floatundidf, @function
// It needs 40 bytes from r22 on.
__floatundidf:
  sd r22, 0, d0
  sw r22, 24, r23
  ld d6, r22, 0
  move r0, r6
  lw r1, r22, 0
  clz r1, r1
  clz r2, r0
  jneq r0, 0, .L___floatundidf_0
  add r2, r1, 32
.L___floatundidf_0:
  move r5, r2
  movd d0, d6
  move r2, r5
  call r23, __ashldi3
  and r3, r1, 127
  sub r3, r3, 0, neq
  move r9, r3
  move r8, 0
  lsr r1, r1, 7
  lsl_add r1, r1, r0, 25
  lsr r0, r0, 7
  or r9, r9, r1
  or r8, r8, r0
  move r4, 1086
  sub r5, r4, r5
  sub r10, r5, 1, lts
  move r11, 1
  move r12, 0
  jz r10, .L___floatundidf_1
  sub r12, r11, r5
.L___floatundidf_1:
  movd d0, d8
  move r2, r12
  call r23, __lshrdi3
  sd r22, 32, d0
  ld d0, r22, 32
  move r2, r12
  call r23, __ashldi3
  sub zero, r9, r1
  subc r4, r8, r0, xnz
  move r1, r4
  move r0, 0
  ld d2, r22, 32
  or r3, r3, r1
  or r2, r2, r0
  jz r10, .L___floatundidf_2
  move r5, r11
.L___floatundidf_2:
  move r4, 2047
  jges r4, r5, .L___floatundidf_3
  move r5, r4
.L___floatundidf_3:
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
  add r5, r5, -1
  lsl r5, r5, 20
  move r4, 0
  move r3, r4
  move r2, r5
  add r1, r1, r3
  addc r0, r0, r2
  move r2, 2146435072
  move r3, 0
  sub zero, r1, r3
  subc zero, r0, r2, geu, .L___floatundidf_4
  movd d2, d0
.L___floatundidf_4:
  move r0, 0
  move r1, 0
  sub zero, r7, r1
  subc zero, r6, r0, xnz, .L___floatundidf_5
  movd d2, d0
.L___floatundidf_5:
  sd r22, 16, d2
  lw r23, r22, 24
  ld d0, r22, 16
  jump r23
