// __truncdfsf2: float64 d0 as float32 in r0.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __truncdfsf2
  .type __truncdfsf2, @function
// It needs 32 bytes from r22 on.
__truncdfsf2:
  sd r22, 0, d0
  sw r22, 24, r23
  ld d0, r22, 0
  move r7, r1
  and r6, r0, 2147483647
  move r3, r1
  and r2, r0, 1048575
  move r4, r6
  lsr r4, r4, 20
  sub r5, r4, 0, eq
  move r8, r2
  move r9, r3
  clz r9, r9
  clz r10, r8
  jneq r8, 0, .L___truncdfsf2_0
  add r10, r9, 32
.L___truncdfsf2_0:
  add r10, r10, -11
  lsr r11, r0, 31
  move r8, 1
  jz r5, .L___truncdfsf2_1
  sub r4, r8, r10
.L___truncdfsf2_1:
  or r13, r3, 0
  or r12, r2, 1048576
  move r9, r4
  movd d0, d2
  move r2, r10
  call r23, __ashldi3
  jz r5, .L___truncdfsf2_2
  movd d12, d0
.L___truncdfsf2_2:
  and r1, r13, 33554431
  sub r1, r1, 0, neq
  move r3, r1
  move r2, 0
  lsr r13, r13, 25
  lsl_add r13, r13, r12, 7
  lsr r12, r12, 25
  or r3, r3, r13
  or r2, r2, r12
  add r9, r9, -896
  sub r2, r9, 1, lts
  move r10, 0
  jz r2, .L___truncdfsf2_3
  sub r10, r8, r9
.L___truncdfsf2_3:
  lsr r0, r3, r10
  jltu r10, 32, .L___truncdfsf2_4
  move r0, 0
.L___truncdfsf2_4:
  lsl r1, r0, r10
  jltu r10, 32, .L___truncdfsf2_5
  move r1, 0
.L___truncdfsf2_5:
  sub r3, r3, r1, neq
  or r0, r0, r3
  jz r2, .L___truncdfsf2_6
  move r9, r8
.L___truncdfsf2_6:
  move r1, 255
  jges r1, r9, .L___truncdfsf2_7
  move r9, r1
.L___truncdfsf2_7:
  lsr r1, r0, 4
  and r1, r1, 1
  add r0, r0, 7
  add r1, r1, r0
  lsr r1, r1, 4
  add r9, r9, -1
  lsl r9, r9, 23
  add r1, r1, r9
  move r0, 2139095040
  jltu r1, r0, .L___truncdfsf2_8
  move r1, r0
.L___truncdfsf2_8:
  move r2, 0
  move r3, 0
  sub zero, r7, r3
  subc zero, r6, r2, xnz, .L___truncdfsf2_9
  move r1, 0
.L___truncdfsf2_9:
  move r2, 2146435072
  move r3, 0
  sub zero, r7, r3
  subc zero, r6, r2, xnz, .L___truncdfsf2_10
  move r1, r0
.L___truncdfsf2_10:
  lsl r11, r11, 31
  or r1, r1, r11
  sub zero, r3, r7
  subc zero, r2, r6, geu, .L___truncdfsf2_11
  move r1, 2143289344
.L___truncdfsf2_11:
  sw r22, 16, r1
  lw r23, r22, 24
  lw r0, r22, 16
  jump r23
