// __subsf3: r0 - r1 in r0, float32.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __subsf3
  .type __subsf3, @function
// It needs 32 bytes from r22 on.
__subsf3:
  sw r22, 0, r0
  sw r22, 8, r1
  lw r0, r22, 0
  lw r1, r22, 8
  xor r1, r1, -2147483648
  and r2, r0, 2147483647
  and r3, r1, 2147483647
  sub r2, r2, r3, ltu
  move r3, r0
  jz r2, .L___subsf3_0
  move r3, r1
.L___subsf3_0:
  jz r2, .L___subsf3_1
  move r1, r0
.L___subsf3_1:
  and r0, r3, 2147483647
  and r2, r1, 2147483647
  lsr r4, r3, 31
  lsr r5, r1, 31
  xor r5, r4, r5
  lsr r6, r0, 23
  sub r7, r6, 0, eq
  and r8, r3, 8388607
  or r9, r8, 8388608
  jz r7, .L___subsf3_2
  move r6, 1
.L___subsf3_2:
  jz r7, .L___subsf3_3
  move r9, r8
.L___subsf3_3:
  lsl r9, r9, 3
  lsr r7, r2, 23
  sub r8, r7, 0, eq
  and r1, r1, 8388607
  or r10, r1, 8388608
  jz r8, .L___subsf3_4
  move r7, 1
.L___subsf3_4:
  jz r8, .L___subsf3_5
  move r10, r1
.L___subsf3_5:
  lsl r10, r10, 3
  sub r7, r6, r7
  lsr r1, r10, r7
  jltu r7, 32, .L___subsf3_6
  move r1, 0
.L___subsf3_6:
  lsl r8, r1, r7
  jltu r7, 32, .L___subsf3_7
  move r8, 0
.L___subsf3_7:
  sub r10, r10, r8, neq
  or r1, r1, r10
  add r7, r9, r1
  jz r5, .L___subsf3_8
  sub r7, r9, r1
.L___subsf3_8:
  clz r1, r7
  add r1, r1, -4
  sub r8, r7, 0, eq
  xor r9, r8, 1
  sub r10, r1, r6, ltu
  and r9, r9, r10
  jnz r9, .L___subsf3_9
  move r1, r6
.L___subsf3_9:
  lsl r9, r7, r1
  jltu r1, 32, .L___subsf3_10
  move r9, 0
.L___subsf3_10:
  add r6, r6, 1
  sub r6, r6, r1
  sub r1, r6, 1, lts
  move r7, 1
  move r10, 0
  jz r1, .L___subsf3_11
  sub r10, r7, r6
.L___subsf3_11:
  lsr r11, r9, r10
  jltu r10, 32, .L___subsf3_12
  move r11, 0
.L___subsf3_12:
  lsl r12, r11, r10
  jltu r10, 32, .L___subsf3_13
  move r12, 0
.L___subsf3_13:
  sub r9, r9, r12, neq
  or r11, r11, r9
  jz r1, .L___subsf3_14
  move r6, r7
.L___subsf3_14:
  move r1, 255
  jges r1, r6, .L___subsf3_15
  move r6, r1
.L___subsf3_15:
  lsr r1, r11, 4
  and r1, r1, 1
  add r11, r11, 7
  add r1, r1, r11
  lsr r1, r1, 4
  add r6, r6, -1
  lsl r6, r6, 23
  add r1, r1, r6
  move r6, 2139095040
  jltu r1, r6, .L___subsf3_16
  move r1, r6
.L___subsf3_16:
  xor r7, r5, 1
  jz r8, .L___subsf3_17
  and r4, r4, r7
.L___subsf3_17:
  sub r2, r2, r6, eq
  and r5, r5, r2
  sub r2, r6, r0, ltu
  or r5, r5, r2
  lsl r4, r4, 31
  or r1, r1, r4
  jz r5, .L___subsf3_18
  move r3, 2143289344
.L___subsf3_18:
  jltu r0, r6, .L___subsf3_19
  move r1, r3
.L___subsf3_19:
  sw r22, 16, r1
  lw r0, r22, 16
  jump r23
