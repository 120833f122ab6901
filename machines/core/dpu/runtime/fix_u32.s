// __fixunssfsi: float32 r0 as a number without a sign in r0.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __fixunssfsi
  .type __fixunssfsi, @function
// It needs 32 bytes from r22 on.
__fixunssfsi:
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
  jz r4, .L___fixunssfsi_0
  sub r3, r6, r5
.L___fixunssfsi_0:
  or r6, r2, 8388608
  lsl r7, r2, r5
  jltu r5, 32, .L___fixunssfsi_1
  move r7, 0
.L___fixunssfsi_1:
  jz r4, .L___fixunssfsi_2
  move r6, r7
.L___fixunssfsi_2:
  add r3, r3, -127
  add r2, r3, -23
  sub r7, zero, r2
  lsr r4, r6, r7
  jltu r7, 32, .L___fixunssfsi_3
  move r4, 0
.L___fixunssfsi_3:
  lsl r5, r6, r2
  jltu r2, 32, .L___fixunssfsi_4
  move r5, 0
.L___fixunssfsi_4:
  jges r2, 0, .L___fixunssfsi_5
  move r5, r4
.L___fixunssfsi_5:
  sub r3, r3, 32, ges
  move r2, -1
  sub r4, r2, r5, ltu
  or r3, r3, r4
  jz r3, .L___fixunssfsi_6
  move r5, r2
.L___fixunssfsi_6:
  move r4, 2139095040
  sub r4, r4, r1, ltu
  or r0, r0, r4
  jz r0, .L___fixunssfsi_7
  move r5, 0
.L___fixunssfsi_7:
  sw r22, 16, r5
  lw r0, r22, 16
  jump r23
