// __fixunsdfdi: float64 d0 as a number without a sign in d0.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __fixunsdfdi
  .type __fixunsdfdi, @function
// It needs 40 bytes from r22 on.
__fixunsdfdi:
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
  jneq r8, 0, .L___fixunsdfdi_0
  add r10, r9, 32
.L___fixunsdfdi_0:
  add r10, r10, -11
  lsr r11, r0, 31
  move r0, 1
  jz r5, .L___fixunsdfdi_1
  sub r4, r0, r10
.L___fixunsdfdi_1:
  or r9, r3, 0
  or r8, r2, 1048576
  move r12, r4
  movd d0, d2
  move r2, r10
  call r23, __ashldi3
  jz r5, .L___fixunsdfdi_2
  movd d8, d0
.L___fixunsdfdi_2:
  add r12, r12, -1023
  add r5, r12, -52
  sub r2, zero, r5
  movd d0, d8
  call r23, __lshrdi3
  sd r22, 32, d0
  movd d0, d8
  move r2, r5
  call r23, __ashldi3
  ld d2, r22, 32
  jges r5, 0, .L___fixunsdfdi_3
  movd d0, d2
.L___fixunsdfdi_3:
  sub r12, r12, 64, ges
  move r2, -1
  move r3, -1
  sub zero, r3, r1
  subc r10, r2, r0, ltu
  or r12, r12, r10
  jz r12, .L___fixunsdfdi_4
  movd d0, d2
.L___fixunsdfdi_4:
  move r2, 2146435072
  move r3, 0
  sub zero, r3, r7
  subc r10, r2, r6, ltu
  or r11, r11, r10
  jz r11, .L___fixunsdfdi_5
  move r0, 0
  move r1, 0
.L___fixunsdfdi_5:
  sd r22, 16, d0
  lw r23, r22, 24
  ld d0, r22, 16
  jump r23
