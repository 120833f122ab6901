// __divdf3: d0 / d2 in d0, float64.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __divdf3
  .type __divdf3, @function
// It needs 72 bytes from r22 on.
__divdf3:
  sd r22, 0, d0
  sd r22, 8, d2
  sw r22, 24, r23
  ld d0, r22, 0
  ld d6, r22, 8
  move r9, r1
  and r8, r0, 2147483647
  move r3, r1
  and r2, r0, 1048575
  move r4, r8
  lsr r4, r4, 20
  sub r5, r4, 0, eq
  move r10, r2
  move r11, r3
  clz r11, r11
  clz r12, r10
  jneq r10, 0, .L___divdf3_0
  add r12, r11, 32
.L___divdf3_0:
  add r12, r12, -11
  lsr r13, r0, 31
  move r10, 1
  jz r5, .L___divdf3_1
  sub r4, r10, r12
.L___divdf3_1:
  or r1, r3, 0
  or r0, r2, 1048576
  sd r22, 32, d0
  move r11, r4
  movd d0, d2
  move r2, r12
  call r23, __ashldi3
  ld d2, r22, 32
  jz r5, .L___divdf3_2
  movd d2, d0
.L___divdf3_2:
  move r1, r7
  and r0, r6, 2147483647
  move r5, r7
  and r4, r6, 1048575
  move r12, r0
  lsr r12, r12, 20
  sw r22, 32, r13
  sub r13, r12, 0, eq
  sd r22, 40, d0
  move r0, r4
  move r1, r5
  clz r1, r1
  sd r22, 48, d8
  clz r8, r0
  jneq r0, 0, .L___divdf3_3
  add r8, r1, 32
.L___divdf3_3:
  add r8, r8, -11
  lsr r6, r6, 31
  jz r13, .L___divdf3_4
  sub r12, r10, r8
.L___divdf3_4:
  or r1, r5, 0
  or r0, r4, 1048576
  sd r22, 56, d0
  sd r22, 64, d2
  movd d0, d4
  move r2, r8
  call r23, __ashldi3
  ld d2, r22, 56
  jz r13, .L___divdf3_5
  movd d2, d0
.L___divdf3_5:
  sub r11, r11, r12
  add r11, r11, 1023
  ld d0, r22, 64
  sub zero, r1, r3
  subc r7, r0, r2, geu
  jz r7, .L___divdf3_6
  sub r1, r1, r3
  subc r0, r0, r2
.L___divdf3_6:
  move r13, r7
  move r12, 0
  lsl r0, r0, 11
  lsr_add r0, r0, r1, 21
  lsl r1, r1, 11
  sd r22, 64, d2
  sw r22, 56, r6
  ld d2, r22, 64
  call r23, __udivdi3
  lsl r12, r12, 11
  lsr_add r12, r12, r13, 21
  lsl r13, r13, 11
  or r13, r1, r13
  or r12, r0, r12
  lsl r2, r2, 11
  lsr_add r2, r2, r3, 21
  lsl r3, r3, 11
  ld d0, r22, 64
  movd d0, d2
  ld d2, r22, 64
  call r23, __udivdi3
  lsl r12, r12, 11
  lsr_add r12, r12, r13, 21
  lsl r13, r13, 11
  or r13, r1, r13
  or r12, r0, r12
  lsl r2, r2, 11
  lsr_add r2, r2, r3, 21
  lsl r3, r3, 11
  ld d0, r22, 64
  movd d0, d2
  ld d2, r22, 64
  call r23, __udivdi3
  lsl r12, r12, 11
  lsr_add r12, r12, r13, 21
  lsl r13, r13, 11
  or r13, r1, r13
  or r12, r0, r12
  lsl r2, r2, 11
  lsr_add r2, r2, r3, 21
  lsl r3, r3, 11
  ld d0, r22, 64
  movd d0, d2
  ld d2, r22, 64
  call r23, __udivdi3
  lsl r12, r12, 11
  lsr_add r12, r12, r13, 21
  lsl r13, r13, 11
  or r13, r1, r13
  or r12, r0, r12
  lsl r2, r2, 11
  lsr_add r2, r2, r3, 21
  lsl r3, r3, 11
  ld d0, r22, 64
  movd d4, d0
  movd d0, d2
  movd d2, d4
  call r23, __udivdi3
  lsl r12, r12, 11
  lsr_add r12, r12, r13, 21
  lsl r13, r13, 11
  or r1, r1, r13
  or r0, r0, r12
  move r6, 0
  move r7, 0
  sub zero, r3, r7
  subc r2, r2, r6, xnz
  move r5, r2
  move r4, 0
  or r1, r1, r5
  or r0, r0, r4
  lsr r3, r0, 23
  move r2, 0
  lsl r4, r0, 1
  lsr_add r4, r4, r1, 31
  lsl r5, r1, 1
  jz r3, .L___divdf3_7
  movd d4, d0
.L___divdf3_7:
  add r11, r11, r3
  add r11, r11, -1
  sub r8, r11, 1, lts
  move r9, 0
  jz r8, .L___divdf3_8
  sub r9, r10, r11
.L___divdf3_8:
  movd d12, d4
  movd d0, d12
  move r2, r9
  call r23, __lshrdi3
  sd r22, 64, d0
  ld d0, r22, 64
  move r2, r9
  call r23, __ashldi3
  sub zero, r13, r1
  subc r9, r12, r0, xnz
  move r1, r9
  move r0, 0
  ld d2, r22, 64
  or r3, r3, r1
  or r2, r2, r0
  jz r8, .L___divdf3_9
  move r11, r10
.L___divdf3_9:
  move r10, 2047
  jges r10, r11, .L___divdf3_10
  move r11, r10
.L___divdf3_10:
  lsr r1, r3, 3
  lsl_add r1, r1, r2, 29
  lsr r0, r2, 3
  and r1, r1, 1
  move r0, 0
  add r3, r3, 3
  addc r2, r2, 0
  add r1, r1, r3
  addc r0, r0, r2
  lsr r1, r1, 3
  lsl_add r1, r1, r0, 29
  lsr r0, r0, 3
  add r11, r11, -1
  lsl r11, r11, 20
  move r10, 0
  move r3, r10
  move r2, r11
  add r1, r1, r3
  addc r0, r0, r2
  move r2, 2146435072
  move r3, 0
  sub zero, r1, r3
  subc zero, r0, r2, ltu, .L___divdf3_11
  movd d0, d2
.L___divdf3_11:
  ld d4, r22, 48
  sub zero, r5, r3
  subc r11, r4, r2, xz
  ld d8, r22, 40
  sub zero, r9, r3
  subc r12, r8, r2, xz
  sub zero, r5, r7
  subc r13, r4, r6, xz
  sub zero, r9, r7
  subc r10, r8, r6, xz
  sub zero, r3, r9
  subc r8, r2, r8, ltu
  sub zero, r3, r5
  subc r9, r2, r4, ltu
  or r8, r8, r9
  and r9, r13, r10
  and r4, r11, r12
  or r9, r9, r4
  or r8, r8, r9
  lw r9, r22, 32
  lw r4, r22, 56
  xor r9, r9, r4
  or r12, r12, r13
  or r11, r11, r10
  jz r12, .L___divdf3_12
  movd d0, d6
.L___divdf3_12:
  jz r11, .L___divdf3_13
  movd d0, d2
.L___divdf3_13:
  lsl r9, r9, 31
  move r2, 0
  move r5, r2
  move r4, r9
  or r1, r1, r5
  or r0, r0, r4
  jz r8, .L___divdf3_14
  move r0, 2146959360
  move r1, 0
.L___divdf3_14:
  sd r22, 16, d0
  lw r23, r22, 24
  ld d0, r22, 16
  jump r23
