// __divsf3: r0 / r1 in r0, float32.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __divsf3
  .type __divsf3, @function
// It needs 48 bytes from r22 on.
__divsf3:
  sw r22, 0, r0
  sw r22, 8, r1
  sw r22, 24, r23
  lw r0, r22, 0
  lw r1, r22, 8
  and r10, r0, 2147483647
  and r11, r0, 8388607
  lsr r2, r10, 23
  sub r3, r2, 0, eq
  clz r4, r11
  add r4, r4, -8
  lsr r12, r0, 31
  move r13, 1
  jz r3, .L___divsf3_0
  sub r2, r13, r4
.L___divsf3_0:
  or r0, r11, 8388608
  lsl r5, r11, r4
  jltu r4, 32, .L___divsf3_1
  move r5, 0
.L___divsf3_1:
  jz r3, .L___divsf3_2
  move r0, r5
.L___divsf3_2:
  and r11, r1, 2147483647
  and r3, r1, 8388607
  lsr r4, r11, 23
  sub r5, r4, 0, eq
  clz r6, r3
  add r6, r6, -8
  lsr r1, r1, 31
  jz r5, .L___divsf3_3
  sub r4, r13, r6
.L___divsf3_3:
  or r7, r3, 8388608
  lsl r8, r3, r6
  jltu r6, 32, .L___divsf3_4
  move r8, 0
.L___divsf3_4:
  jz r5, .L___divsf3_5
  move r7, r8
.L___divsf3_5:
  sub r2, r2, r4
  add r6, r2, 127
  move r3, r0
  move r2, 0
  lsl r2, r2, 28
  lsr_add r2, r2, r3, 4
  lsl r3, r3, 28
  move r5, r7
  move r4, 0
  sw r22, 32, r1
  sw r22, 40, r6
  movd d0, d2
  movd d2, d4
  call r23, __udivdi3
  sub r3, r3, 0, neq
  or r1, r1, r3
  lsr r0, r1, 28
  lsl r2, r1, 1
  jz r0, .L___divsf3_6
  move r2, r1
.L___divsf3_6:
  lw r1, r22, 40
  add r1, r1, r0
  add r1, r1, -1
  sub r0, r1, 1, lts
  move r3, 0
  jz r0, .L___divsf3_7
  sub r3, r13, r1
.L___divsf3_7:
  lsr r4, r2, r3
  jltu r3, 32, .L___divsf3_8
  move r4, 0
.L___divsf3_8:
  lsl r5, r4, r3
  jltu r3, 32, .L___divsf3_9
  move r5, 0
.L___divsf3_9:
  sub r2, r2, r5, neq
  or r4, r4, r2
  jz r0, .L___divsf3_10
  move r1, r13
.L___divsf3_10:
  move r0, 255
  jges r0, r1, .L___divsf3_11
  move r1, r0
.L___divsf3_11:
  lsr r0, r4, 5
  and r0, r0, 1
  add r4, r4, 15
  add r0, r0, r4
  lsr r0, r0, 5
  add r1, r1, -1
  lsl r1, r1, 23
  add r0, r0, r1
  move r1, 2139095040
  jltu r0, r1, .L___divsf3_12
  move r0, r1
.L___divsf3_12:
  sub r13, r10, r1, eq
  sub r2, r11, r1, eq
  sub r3, r10, 0, eq
  sub r4, r11, 0, eq
  sub r11, r1, r11, ltu
  sub r10, r1, r10, ltu
  or r11, r11, r10
  and r5, r3, r4
  and r10, r13, r2
  or r5, r5, r10
  or r11, r11, r5
  lw r5, r22, 32
  xor r12, r12, r5
  or r2, r2, r3
  or r13, r13, r4
  jz r2, .L___divsf3_13
  move r0, 0
.L___divsf3_13:
  jz r13, .L___divsf3_14
  move r0, r1
.L___divsf3_14:
  lsl r12, r12, 31
  or r0, r0, r12
  jz r11, .L___divsf3_15
  move r0, 2143289344
.L___divsf3_15:
  sw r22, 16, r0
  lw r23, r22, 24
  lw r0, r22, 16
  jump r23
