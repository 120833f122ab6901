// __fixsfsi: float32 r0 as a number in r0.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __fixsfsi
  .type __fixsfsi, @function
// It needs 32 bytes from r22 on.
__fixsfsi:
  sw r22, 0, r0
  lw r0, r22, 0
  and r1, r0, 2147483647
  and r2, r0, 8388607
  lsr r3, r1, 23
  sub r4, r3, 0, eq
  clz r5, r2
  add r5, r5, -8
  lsr r0, r0, 31
  move r6, 1
  jz r4, .L___fixsfsi_0
  sub r3, r6, r5
.L___fixsfsi_0:
  or r6, r2, 8388608
  lsl r7, r2, r5
  jltu r5, 32, .L___fixsfsi_1
  move r7, 0
.L___fixsfsi_1:
  jz r4, .L___fixsfsi_2
  move r6, r7
.L___fixsfsi_2:
  add r3, r3, -127
  add r2, r3, -23
  sub r7, zero, r2
  lsr r4, r6, r7
  jltu r7, 32, .L___fixsfsi_3
  move r4, 0
.L___fixsfsi_3:
  lsl r5, r6, r2
  jltu r2, 32, .L___fixsfsi_4
  move r5, 0
.L___fixsfsi_4:
  jges r2, 0, .L___fixsfsi_5
  move r5, r4
.L___fixsfsi_5:
  move r2, 2147483647
  jz r0, .L___fixsfsi_6
  move r2, -2147483648
.L___fixsfsi_6:
  sub r3, r3, 32, ges
  sub r4, r2, r5, ltu
  or r3, r3, r4
  jz r3, .L___fixsfsi_7
  move r5, r2
.L___fixsfsi_7:
  jz r0, .L___fixsfsi_8
  sub r5, zero, r5
.L___fixsfsi_8:
  move r0, 2139095040
  jgeu r0, r1, .L___fixsfsi_9
  move r5, 0
.L___fixsfsi_9:
  sw r22, 16, r5
  lw r0, r22, 16
  jump r23
