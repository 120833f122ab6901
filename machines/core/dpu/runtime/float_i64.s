// __floatdidf: the number d0 as float64 in d0.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __floatdidf
  .type __floatdidf, @function
// It needs 48 bytes from r22 on.
__floatdidf:
  sd r22, 0, d0
  sw r22, 24, r23
  ld d0, r22, 0
  move r6, 0
  move r7, 0
  sub zero, r1, r7
  subc r5, r0, r6, lts
  jz r5, .L___floatdidf_0
  sub r1, zero, r1
  subc r0, zero, r0
.L___floatdidf_0:
  move r4, r0
  move r2, r1
  clz r2, r2
  clz r3, r4
  jneq r4, 0, .L___floatdidf_1
  add r3, r2, 32
.L___floatdidf_1:
  movd d8, d0
  move r10, r3
  movd d0, d8
  move r2, r10
  call r23, __ashldi3
  and r3, r1, 127
  sub r3, r3, 0, neq
  move r13, r3
  move r12, 0
  lsr r1, r1, 7
  lsl_add r1, r1, r0, 25
  lsr r0, r0, 7
  or r13, r13, r1
  or r12, r12, r0
  move r4, 1086
  sub r10, r4, r10
  sub r11, r10, 1, lts
  move r4, 1
  move r0, 0
  jz r11, .L___floatdidf_2
  sub r0, r4, r10
.L___floatdidf_2:
  sw r22, 32, r0
  movd d0, d12
  lw r2, r22, 32
  call r23, __lshrdi3
  lw r4, r22, 32
  sd r22, 40, d0
  ld d0, r22, 40
  move r2, r4
  call r23, __ashldi3
  sub zero, r13, r1
  subc r4, r12, r0, xnz
  move r1, r4
  move r0, 0
  ld d2, r22, 40
  or r3, r3, r1
  or r2, r2, r0
  jz r11, .L___floatdidf_3
  move r10, 1
.L___floatdidf_3:
  move r4, 2047
  jges r4, r10, .L___floatdidf_4
  move r10, r4
.L___floatdidf_4:
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
  add r10, r10, -1
  lsl r10, r10, 20
  move r4, 0
  move r3, r4
  move r2, r10
  add r1, r1, r3
  addc r0, r0, r2
  move r2, 2146435072
  move r3, 0
  sub zero, r1, r3
  subc zero, r0, r2, geu, .L___floatdidf_5
  movd d2, d0
.L___floatdidf_5:
  lsl r5, r5, 31
  move r1, r4
  move r0, r5
  or r3, r3, r1
  or r2, r2, r0
  sub zero, r9, r7
  subc zero, r8, r6, xnz, .L___floatdidf_6
  movd d2, d6
.L___floatdidf_6:
  sd r22, 16, d2
  lw r23, r22, 24
  ld d0, r22, 16
  jump r23
