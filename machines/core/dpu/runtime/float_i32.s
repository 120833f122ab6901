// __floatsisf: the number r0 as float32 in r0.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __floatsisf
  .type __floatsisf, @function
// It needs 32 bytes from r22 on.
__floatsisf:
  sw r22, 0, r0
  lw r0, r22, 0
  sub r1, r0, 0, lts
  jz r1, .L___floatsisf_0
  sub r0, zero, r0
.L___floatsisf_0:
  clz r2, r0
  lsl r3, r0, r2
  jltu r2, 32, .L___floatsisf_1
  move r3, 0
.L___floatsisf_1:
  and r4, r3, 15
  sub r4, r4, 0, neq
  lsr r3, r3, 4
  or r4, r4, r3
  move r3, 158
  sub r3, r3, r2
  sub r2, r3, 1, lts
  move r5, 1
  move r6, 0
  jz r2, .L___floatsisf_2
  sub r6, r5, r3
.L___floatsisf_2:
  lsr r7, r4, r6
  jltu r6, 32, .L___floatsisf_3
  move r7, 0
.L___floatsisf_3:
  lsl r8, r7, r6
  jltu r6, 32, .L___floatsisf_4
  move r8, 0
.L___floatsisf_4:
  sub r4, r4, r8, neq
  or r7, r7, r4
  jz r2, .L___floatsisf_5
  move r3, r5
.L___floatsisf_5:
  move r2, 255
  jges r2, r3, .L___floatsisf_6
  move r3, r2
.L___floatsisf_6:
  lsr r2, r7, 4
  and r2, r2, 1
  add r7, r7, 7
  add r2, r2, r7
  lsr r2, r2, 4
  add r3, r3, -1
  lsl r3, r3, 23
  add r2, r2, r3
  move r3, 2139095040
  jgeu r2, r3, .L___floatsisf_7
  move r3, r2
.L___floatsisf_7:
  lsl r1, r1, 31
  or r3, r3, r1
  jneq r0, 0, .L___floatsisf_8
  move r3, 0
.L___floatsisf_8:
  sw r22, 16, r3
  lw r0, r22, 16
  jump r23
