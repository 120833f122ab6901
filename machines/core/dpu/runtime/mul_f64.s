// __muldf3: d0 * d2 in d0, float64.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __muldf3
  .type __muldf3, @function
// It needs 88 bytes from r22 on.
__muldf3:
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
  jneq r10, 0, .L___muldf3_0
  add r12, r11, 32
.L___muldf3_0:
  add r12, r12, -11
  lsr r13, r0, 31
  move r10, 1
  jz r5, .L___muldf3_1
  sub r4, r10, r12
.L___muldf3_1:
  or r1, r3, 0
  or r0, r2, 1048576
  sd r22, 32, d0
  move r11, r4
  movd d0, d2
  move r2, r12
  call r23, __ashldi3
  ld d2, r22, 32
  jz r5, .L___muldf3_2
  movd d2, d0
.L___muldf3_2:
  move r1, r7
  and r0, r6, 2147483647
  move r5, r7
  and r4, r6, 1048575
  move r12, r0
  lsr r12, r12, 20
  sw r22, 32, r13
  sub r13, r12, 0, eq
  sd r22, 40, d8
  move r8, r4
  move r9, r5
  clz r9, r9
  sd r22, 48, d0
  clz r0, r8
  jneq r8, 0, .L___muldf3_3
  add r0, r9, 32
.L___muldf3_3:
  add r0, r0, -11
  lsr r6, r6, 31
  jz r13, .L___muldf3_4
  sub r12, r10, r0
.L___muldf3_4:
  or r9, r5, 0
  or r8, r4, 1048576
  sd r22, 56, d2
  move r2, r0
  movd d0, d4
  call r23, __ashldi3
  jz r13, .L___muldf3_5
  movd d8, d0
.L___muldf3_5:
  add r11, r11, r12
  add r11, r11, -1022
  ld d0, r22, 56
  move r7, r1
  move r13, r7
  move r12, 0
  move r3, r0
  move r2, 0
  move r7, r9
  move r1, r7
  move r0, 0
  move r5, r8
  move r4, 0
  sd r22, 56, d0
  sd r22, 64, d2
  sd r22, 72, d4
  move r9, r6
  movd d0, d12
  ld d2, r22, 56
  call r23, __mul32_long
  ld d2, r22, 72
  sd r22, 80, d0
  movd d0, d12
  ld d2, r22, 72
  call r23, __mul32_long
  ld d2, r22, 64
  ld d4, r22, 56
  movd d12, d0
  ld d0, r22, 64
  movd d2, d4
  call r23, __mul32_long
  add r13, r13, r1
  addc r12, r12, r0
  ld d0, r22, 80
  move r3, r0
  move r2, 0
  add r13, r13, r3
  addc r12, r12, r2
  move r3, r12
  move r2, 0
  ld d4, r22, 64
  ld d6, r22, 72
  sd r22, 56, d2
  movd d0, d4
  movd d2, d6
  call r23, __mul32_long
  ld d2, r22, 56
  add r3, r3, r1
  addc r2, r2, r0
  ld d0, r22, 80
  move r5, r1
  move r4, r13
  move r1, r5
  and r0, r4, 131071
  move r6, 0
  move r7, 0
  sub zero, r1, r7
  subc r8, r0, r6, xnz
  move r1, r8
  move r0, 0
  lsr r5, r4, 17
  move r4, 0
  or r1, r1, r5
  or r0, r0, r4
  lsl r2, r2, 15
  lsr_add r2, r2, r3, 17
  lsl r3, r3, 15
  or r1, r1, r3
  or r0, r0, r2
  lsr r3, r0, 24
  move r2, 0
  lsl r4, r0, 1
  lsr_add r4, r4, r1, 31
  lsl r5, r1, 1
  jz r3, .L___muldf3_6
  movd d4, d0
.L___muldf3_6:
  add r11, r11, r3
  add r11, r11, -1
  sub r8, r11, 1, lts
  move r12, 0
  jz r8, .L___muldf3_7
  sub r12, r10, r11
.L___muldf3_7:
  sd r22, 80, d4
  ld d0, r22, 80
  move r2, r12
  call r23, __lshrdi3
  sd r22, 56, d0
  ld d0, r22, 56
  move r2, r12
  call r23, __ashldi3
  ld d2, r22, 80
  sub zero, r3, r1
  subc r0, r2, r0, xnz
  move r3, r0
  move r2, 0
  ld d0, r22, 56
  or r1, r1, r3
  or r0, r0, r2
  jz r8, .L___muldf3_8
  move r11, r10
.L___muldf3_8:
  move r8, 2047
  jges r8, r11, .L___muldf3_9
  move r11, r8
.L___muldf3_9:
  lsr r3, r1, 4
  lsl_add r3, r3, r0, 28
  lsr r2, r0, 4
  and r3, r3, 1
  move r2, 0
  add r1, r1, 7
  addc r0, r0, 0
  add r3, r3, r1
  addc r2, r2, r0
  lsr r3, r3, 4
  lsl_add r3, r3, r2, 28
  lsr r2, r2, 4
  add r11, r11, -1
  lsl r11, r11, 20
  move r8, 0
  move r1, r8
  move r0, r11
  add r3, r3, r1
  addc r2, r2, r0
  move r0, 2146435072
  move r1, 0
  sub zero, r3, r1
  subc zero, r2, r0, ltu, .L___muldf3_10
  movd d2, d0
.L___muldf3_10:
  ld d4, r22, 48
  sub zero, r5, r1
  subc r10, r4, r0, xz
  ld d12, r22, 40
  sub zero, r13, r1
  subc r11, r12, r0, xz
  or r10, r10, r11
  sub zero, r5, r7
  subc r11, r4, r6, xz
  sub zero, r13, r7
  subc r8, r12, r6, xz
  or r11, r11, r8
  and r8, r10, r11
  sub zero, r1, r5
  subc r4, r0, r4, ltu
  sub zero, r1, r13
  subc r5, r0, r12, ltu
  or r4, r4, r5
  or r8, r8, r4
  lw r4, r22, 32
  xor r4, r4, r9
  jz r11, .L___muldf3_11
  movd d2, d6
.L___muldf3_11:
  jz r10, .L___muldf3_12
  movd d2, d0
.L___muldf3_12:
  lsl r4, r4, 31
  move r5, 0
  move r1, r5
  move r0, r4
  or r3, r3, r1
  or r2, r2, r0
  jz r8, .L___muldf3_13
  move r2, 2146959360
  move r3, 0
.L___muldf3_13:
  sd r22, 16, d2
  lw r23, r22, 24
  ld d0, r22, 16
  jump r23
