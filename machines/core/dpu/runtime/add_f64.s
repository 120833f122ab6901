// __adddf3: d0 + d2 in d0, float64.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __adddf3
  .type __adddf3, @function
// It needs 64 bytes from r22 on.
__adddf3:
  sd r22, 0, d0
  sd r22, 8, d2
  sw r22, 24, r23
  ld d0, r22, 0
  ld d2, r22, 8
  move r5, r1
  and r4, r0, 2147483647
  move r7, r3
  and r6, r2, 2147483647
  sub zero, r5, r7
  subc r4, r4, r6, ltu
  movd d6, d0
  jz r4, .L___adddf3_0
  movd d6, d2
.L___adddf3_0:
  jz r4, .L___adddf3_1
  movd d2, d0
.L___adddf3_1:
  move r9, r7
  and r8, r6, 2147483647
  move r11, r3
  and r10, r2, 2147483647
  move r0, r6
  lsr r5, r0, 31
  move r4, r2
  lsr r4, r4, 31
  xor r12, r5, r4
  move r4, r8
  lsr r4, r4, 20
  sub r13, r4, 0, eq
  move r1, r7
  and r0, r6, 1048575
  sd r22, 32, d6
  or r7, r1, 0
  or r6, r0, 1048576
  jz r13, .L___adddf3_2
  move r4, 1
.L___adddf3_2:
  jz r13, .L___adddf3_3
  movd d6, d0
.L___adddf3_3:
  lsl r6, r6, 3
  lsr_add r6, r6, r7, 29
  lsl r7, r7, 3
  move r13, r10
  lsr r13, r13, 20
  sub r0, r13, 0, eq
  and r2, r2, 1048575
  sd r22, 40, d8
  or r9, r3, 0
  or r8, r2, 1048576
  jz r0, .L___adddf3_4
  move r13, 1
.L___adddf3_4:
  jz r0, .L___adddf3_5
  movd d8, d2
.L___adddf3_5:
  lsl r8, r8, 3
  lsr_add r8, r8, r9, 29
  lsl r9, r9, 3
  sub r13, r4, r13
  sw r22, 48, r4
  movd d0, d8
  move r2, r13
  call r23, __lshrdi3
  sd r22, 56, d0
  ld d0, r22, 56
  move r2, r13
  call r23, __ashldi3
  sub zero, r9, r1
  subc r4, r8, r0, xnz
  move r1, r4
  move r0, 0
  ld d2, r22, 56
  or r3, r3, r1
  or r2, r2, r0
  add r1, r7, r3
  addc r0, r6, r2
  jz r12, .L___adddf3_6
  sub r1, r7, r3
  subc r0, r6, r2
.L___adddf3_6:
  move r4, r0
  move r13, r1
  clz r13, r13
  clz r2, r4
  jneq r4, 0, .L___adddf3_7
  add r2, r13, 32
.L___adddf3_7:
  add r2, r2, -7
  move r6, 0
  move r7, 0
  sub zero, r1, r7
  subc r13, r0, r6, xz
  xor r3, r13, 1
  lw r6, r22, 48
  sub r4, r2, r6, ltu
  and r3, r3, r4
  jnz r3, .L___adddf3_8
  move r2, r6
.L___adddf3_8:
  move r7, r2
  move r2, r7
  call r23, __ashldi3
  add r6, r6, 1
  sub r6, r6, r7
  sub r7, r6, 1, lts
  move r8, 1
  move r9, 0
  jz r7, .L___adddf3_9
  sub r9, r8, r6
.L___adddf3_9:
  sd r22, 48, d0
  ld d0, r22, 48
  move r2, r9
  call r23, __lshrdi3
  sd r22, 56, d0
  ld d0, r22, 56
  move r2, r9
  call r23, __ashldi3
  ld d2, r22, 48
  sub zero, r3, r1
  subc r4, r2, r0, xnz
  move r1, r4
  move r0, 0
  ld d2, r22, 56
  or r3, r3, r1
  or r2, r2, r0
  jz r7, .L___adddf3_10
  move r6, r8
.L___adddf3_10:
  move r4, 2047
  jges r4, r6, .L___adddf3_11
  move r6, r4
.L___adddf3_11:
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
  add r6, r6, -1
  lsl r6, r6, 20
  move r4, 0
  move r3, r4
  move r2, r6
  add r1, r1, r3
  addc r0, r0, r2
  move r2, 2146435072
  move r3, 0
  sub zero, r1, r3
  subc zero, r0, r2, ltu, .L___adddf3_12
  movd d0, d2
.L___adddf3_12:
  xor r8, r12, 1
  jz r13, .L___adddf3_13
  and r5, r5, r8
.L___adddf3_13:
  sub zero, r11, r3
  subc r13, r10, r2, xz
  and r12, r12, r13
  ld d6, r22, 40
  sub zero, r3, r7
  subc r13, r2, r6, ltu
  or r12, r12, r13
  lsl r5, r5, 31
  move r9, r4
  move r8, r5
  or r1, r1, r9
  or r0, r0, r8
  ld d4, r22, 32
  jz r12, .L___adddf3_14
  move r4, 2146959360
  move r5, 0
.L___adddf3_14:
  sub zero, r7, r3
  subc zero, r6, r2, ltu, .L___adddf3_15
  movd d0, d4
.L___adddf3_15:
  sd r22, 16, d0
  lw r23, r22, 24
  ld d0, r22, 16
  jump r23
