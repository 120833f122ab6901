// __sqrtdf2: the root of d0 in d0, float64.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __sqrtdf2
  .type __sqrtdf2, @function
// It needs 56 bytes from r22 on.
__sqrtdf2:
  sd r22, 0, d0
  sw r22, 24, r23
  ld d6, r22, 0
  move r9, r7
  and r8, r6, 2147483647
  move r1, r7
  and r0, r6, 1048575
  move r2, r8
  lsr r2, r2, 20
  sub r5, r2, 0, eq
  move r3, r0
  move r4, r1
  clz r4, r4
  clz r10, r3
  jneq r3, 0, .L___sqrtdf2_0
  add r10, r4, 32
.L___sqrtdf2_0:
  add r10, r10, -11
  move r3, r6
  lsr r11, r3, 31
  move r12, 1
  jz r5, .L___sqrtdf2_1
  sub r2, r12, r10
.L___sqrtdf2_1:
  sd r22, 32, d6
  or r7, r1, 0
  or r6, r0, 1048576
  move r13, r2
  move r2, r10
  call r23, __ashldi3
  jz r5, .L___sqrtdf2_2
  movd d6, d0
.L___sqrtdf2_2:
  add r13, r13, -1023
  and r10, r13, 1
  jz r10, .L___sqrtdf2_3
  lsl r6, r6, 1
  lsr_add r6, r6, r7, 31
  lsl r7, r7, 1
.L___sqrtdf2_3:
  lsl r6, r6, 10
  lsr_add r6, r6, r7, 22
  lsl r7, r7, 10
  lsr r1, r6, 30
  move r0, 0
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  move r10, r1
  sub r10, r10, 1, geu
  jz r10, .L___sqrtdf2_4
  add r1, r1, -1
  addc r0, r0, -1
.L___sqrtdf2_4:
  move r3, r10
  move r2, 0
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r5, r6, 30
  move r4, 0
  or r1, r1, r5
  or r0, r0, r4
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_5
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_5:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r3, r6, 30
  move r2, 0
  or r1, r1, r3
  or r0, r0, r2
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_6
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_6:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r5, r6, 30
  move r4, 0
  or r1, r1, r5
  or r0, r0, r4
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_7
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_7:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r3, r6, 30
  move r2, 0
  or r1, r1, r3
  or r0, r0, r2
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_8
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_8:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r5, r6, 30
  move r4, 0
  or r1, r1, r5
  or r0, r0, r4
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_9
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_9:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r3, r6, 30
  move r2, 0
  or r1, r1, r3
  or r0, r0, r2
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_10
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_10:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r5, r6, 30
  move r4, 0
  or r1, r1, r5
  or r0, r0, r4
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_11
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_11:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r3, r6, 30
  move r2, 0
  or r1, r1, r3
  or r0, r0, r2
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_12
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_12:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r5, r6, 30
  move r4, 0
  or r1, r1, r5
  or r0, r0, r4
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_13
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_13:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r3, r6, 30
  move r2, 0
  or r1, r1, r3
  or r0, r0, r2
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_14
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_14:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r5, r6, 30
  move r4, 0
  or r1, r1, r5
  or r0, r0, r4
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_15
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_15:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r3, r6, 30
  move r2, 0
  or r1, r1, r3
  or r0, r0, r2
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_16
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_16:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r5, r6, 30
  move r4, 0
  or r1, r1, r5
  or r0, r0, r4
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_17
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_17:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r3, r6, 30
  move r2, 0
  or r1, r1, r3
  or r0, r0, r2
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_18
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_18:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r5, r6, 30
  move r4, 0
  or r1, r1, r5
  or r0, r0, r4
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_19
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_19:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r3, r6, 30
  move r2, 0
  or r1, r1, r3
  or r0, r0, r2
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_20
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_20:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r5, r6, 30
  move r4, 0
  or r1, r1, r5
  or r0, r0, r4
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_21
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_21:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r3, r6, 30
  move r2, 0
  or r1, r1, r3
  or r0, r0, r2
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_22
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_22:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r5, r6, 30
  move r4, 0
  or r1, r1, r5
  or r0, r0, r4
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_23
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_23:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r3, r6, 30
  move r2, 0
  or r1, r1, r3
  or r0, r0, r2
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_24
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_24:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r5, r6, 30
  move r4, 0
  or r1, r1, r5
  or r0, r0, r4
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_25
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_25:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r3, r6, 30
  move r2, 0
  or r1, r1, r3
  or r0, r0, r2
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_26
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_26:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r5, r6, 30
  move r4, 0
  or r1, r1, r5
  or r0, r0, r4
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_27
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_27:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r3, r6, 30
  move r2, 0
  or r1, r1, r3
  or r0, r0, r2
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_28
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_28:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r5, r6, 30
  move r4, 0
  or r1, r1, r5
  or r0, r0, r4
  lsl r6, r6, 2
  lsr_add r6, r6, r7, 30
  lsl r7, r7, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_29
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_29:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsr r7, r6, 30
  move r6, 0
  or r1, r1, r7
  or r0, r0, r6
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_30
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_30:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_31
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_31:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_32
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_32:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_33
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_33:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_34
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_34:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_35
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_35:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_36
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_36:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_37
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_37:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_38
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_38:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_39
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_39:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_40
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_40:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_41
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_41:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_42
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_42:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_43
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_43:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_44
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_44:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_45
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_45:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_46
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_46:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_47
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_47:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_48
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_48:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_49
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_49:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_50
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_50:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_51
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_51:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_52
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_52:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_53
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_53:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_54
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_54:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_55
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_55:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_56
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_56:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_57
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_57:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r2, r4, 2
  lsr_add r2, r2, r5, 30
  lsl r3, r5, 2
  or r3, r3, 1
  or r2, r2, 0
  sub zero, r1, r3
  subc r10, r0, r2, geu
  jz r10, .L___sqrtdf2_58
  sub r1, r1, r3
  subc r0, r0, r2
.L___sqrtdf2_58:
  move r3, r10
  move r2, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r3, r3, r5
  or r2, r2, r4
  lsl r0, r0, 2
  lsr_add r0, r0, r1, 30
  lsl r1, r1, 2
  lsl r4, r2, 2
  lsr_add r4, r4, r3, 30
  lsl r5, r3, 2
  or r5, r5, 1
  or r4, r4, 0
  sub zero, r1, r5
  subc r10, r0, r4, geu
  jz r10, .L___sqrtdf2_59
  sub r1, r1, r5
  subc r0, r0, r4
.L___sqrtdf2_59:
  move r5, r10
  move r4, 0
  lsl r2, r2, 1
  lsr_add r2, r2, r3, 31
  lsl r3, r3, 1
  or r5, r5, r3
  or r4, r4, r2
  move r6, 0
  move r7, 0
  sub zero, r1, r7
  subc r10, r0, r6, xnz
  move r1, r10
  move r0, 0
  lsl r4, r4, 1
  lsr_add r4, r4, r5, 31
  lsl r5, r5, 1
  or r1, r1, r5
  or r0, r0, r4
  asr r13, r13, 1
  add r13, r13, 1023
  sub r5, r13, 1, lts
  move r10, 0
  jz r5, .L___sqrtdf2_60
  sub r10, r12, r13
.L___sqrtdf2_60:
  sd r22, 40, d0
  ld d0, r22, 40
  move r2, r10
  call r23, __lshrdi3
  sd r22, 48, d0
  ld d0, r22, 48
  move r2, r10
  call r23, __ashldi3
  ld d2, r22, 40
  sub zero, r3, r1
  subc r4, r2, r0, xnz
  move r1, r4
  move r0, 0
  ld d2, r22, 48
  or r3, r3, r1
  or r2, r2, r0
  jz r5, .L___sqrtdf2_61
  move r13, r12
.L___sqrtdf2_61:
  move r10, 2047
  jges r10, r13, .L___sqrtdf2_62
  move r13, r10
.L___sqrtdf2_62:
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
  add r13, r13, -1
  lsl r13, r13, 20
  move r10, 0
  move r3, r10
  move r2, r13
  add r1, r1, r3
  addc r0, r0, r2
  move r2, 2146435072
  move r3, 0
  sub zero, r1, r3
  subc zero, r0, r2, ltu, .L___sqrtdf2_63
  movd d0, d2
.L___sqrtdf2_63:
  sub zero, r9, r7
  subc r10, r8, r6, xz
  sub zero, r9, r3
  subc r13, r8, r2, xz
  or r13, r10, r13
  ld d4, r22, 32
  jz r13, .L___sqrtdf2_64
  movd d0, d4
.L___sqrtdf2_64:
  xor r10, r10, 1
  and r11, r11, r10
  sub zero, r3, r9
  subc r10, r2, r8, ltu
  or r11, r11, r10
  jz r11, .L___sqrtdf2_65
  move r0, 2146959360
  move r1, 0
.L___sqrtdf2_65:
  sd r22, 16, d0
  lw r23, r22, 24
  ld d0, r22, 16
  jump r23
