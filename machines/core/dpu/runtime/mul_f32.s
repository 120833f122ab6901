// __mulsf3: r0 * r1 in r0, float32.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __mulsf3
  .type __mulsf3, @function
// It needs 40 bytes from r22 on.
__mulsf3:
  sw r22, 0, r0
  sw r22, 8, r1
  sw r22, 24, r23
  lw r0, r22, 0
  lw r1, r22, 8
  and r9, r0, 2147483647
  and r8, r0, 8388607
  lsr r2, r9, 23
  sub r3, r2, 0, eq
  clz r4, r8
  add r4, r4, -8
  lsr r10, r0, 31
  move r11, 1
  jz r3, .L___mulsf3_0
  sub r2, r11, r4
.L___mulsf3_0:
  or r0, r8, 8388608
  lsl r5, r8, r4
  jltu r4, 32, .L___mulsf3_1
  move r5, 0
.L___mulsf3_1:
  jz r3, .L___mulsf3_2
  move r0, r5
.L___mulsf3_2:
  and r12, r1, 2147483647
  and r3, r1, 8388607
  lsr r8, r12, 23
  sub r13, r8, 0, eq
  clz r4, r3
  add r4, r4, -8
  lsr r1, r1, 31
  jz r13, .L___mulsf3_3
  sub r8, r11, r4
.L___mulsf3_3:
  or r5, r3, 8388608
  lsl r6, r3, r4
  jltu r4, 32, .L___mulsf3_4
  move r6, 0
.L___mulsf3_4:
  jz r13, .L___mulsf3_5
  move r5, r6
.L___mulsf3_5:
  add r2, r2, r8
  add r13, r2, -126
  move r3, r5
  move r2, 0
  move r5, r0
  move r4, 0
  sw r22, 32, r1
  movd d0, d2
  movd d2, d4
  call r23, __mul32_long
  and r3, r1, 1048575
  sub r3, r3, 0, neq
  move r5, r3
  move r4, 0
  lsr r1, r1, 20
  lsl_add r1, r1, r0, 12
  lsr r0, r0, 20
  or r5, r5, r1
  or r4, r4, r0
  lsr r4, r5, 27
  lsl r8, r5, 1
  jz r4, .L___mulsf3_6
  move r8, r5
.L___mulsf3_6:
  add r13, r13, r4
  add r13, r13, -1
  sub r0, r13, 1, lts
  move r1, 0
  jz r0, .L___mulsf3_7
  sub r1, r11, r13
.L___mulsf3_7:
  lsr r2, r8, r1
  jltu r1, 32, .L___mulsf3_8
  move r2, 0
.L___mulsf3_8:
  lsl r3, r2, r1
  jltu r1, 32, .L___mulsf3_9
  move r3, 0
.L___mulsf3_9:
  sub r8, r8, r3, neq
  or r2, r2, r8
  jz r0, .L___mulsf3_10
  move r13, r11
.L___mulsf3_10:
  move r3, 255
  jges r3, r13, .L___mulsf3_11
  move r13, r3
.L___mulsf3_11:
  lsr r3, r2, 4
  and r3, r3, 1
  add r2, r2, 7
  add r3, r3, r2
  lsr r3, r3, 4
  add r13, r13, -1
  lsl r13, r13, 23
  add r3, r3, r13
  move r2, 2139095040
  jltu r3, r2, .L___mulsf3_12
  move r3, r2
.L___mulsf3_12:
  sub r8, r12, r2, eq
  sub r11, r9, r2, eq
  or r8, r8, r11
  sub r11, r12, 0, eq
  sub r13, r9, 0, eq
  or r11, r11, r13
  and r13, r8, r11
  sub r12, r2, r12, ltu
  sub r9, r2, r9, ltu
  or r12, r12, r9
  or r13, r13, r12
  lw r9, r22, 32
  xor r10, r10, r9
  jz r11, .L___mulsf3_13
  move r3, 0
.L___mulsf3_13:
  jz r8, .L___mulsf3_14
  move r3, r2
.L___mulsf3_14:
  lsl r10, r10, 31
  or r3, r3, r10
  jz r13, .L___mulsf3_15
  move r3, 2143289344
.L___mulsf3_15:
  sw r22, 16, r3
  lw r23, r22, 24
  lw r0, r22, 16
  jump r23
