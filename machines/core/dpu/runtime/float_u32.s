// __floatunsisf: the number r0, without a sign, as float32 in r0.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __floatunsisf
  .type __floatunsisf, @function
// It needs 32 bytes from r22 on.
__floatunsisf:
  sw r22, 0, r0
  lw r0, r22, 0
  clz r1, r0
  lsl r2, r0, r1
  jltu r1, 32, .L___floatunsisf_0
  move r2, 0
.L___floatunsisf_0:
  and r3, r2, 15
  sub r3, r3, 0, neq
  lsr r2, r2, 4
  or r3, r3, r2
  move r2, 158
  sub r2, r2, r1
  sub r1, r2, 1, lts
  move r4, 1
  move r5, 0
  jz r1, .L___floatunsisf_1
  sub r5, r4, r2
.L___floatunsisf_1:
  lsr r6, r3, r5
  jltu r5, 32, .L___floatunsisf_2
  move r6, 0
.L___floatunsisf_2:
  lsl r7, r6, r5
  jltu r5, 32, .L___floatunsisf_3
  move r7, 0
.L___floatunsisf_3:
  sub r3, r3, r7, neq
  or r6, r6, r3
  jz r1, .L___floatunsisf_4
  move r2, r4
.L___floatunsisf_4:
  move r1, 255
  jges r1, r2, .L___floatunsisf_5
  move r2, r1
.L___floatunsisf_5:
  lsr r1, r6, 4
  and r1, r1, 1
  add r6, r6, 7
  add r1, r1, r6
  lsr r1, r1, 4
  add r2, r2, -1
  lsl r2, r2, 23
  add r1, r1, r2
  move r2, 2139095040
  jgeu r1, r2, .L___floatunsisf_6
  move r2, r1
.L___floatunsisf_6:
  jneq r0, 0, .L___floatunsisf_7
  move r2, 0
.L___floatunsisf_7:
  sw r22, 16, r2
  lw r0, r22, 16
  jump r23
