// __lshrdi3: d0 >> r2 in d0, with zeros.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __lshrdi3
  .type __lshrdi3, @function
__lshrdi3:
  jgeu r2, 32, .L__shr64_far
  jz r2, .L__shr64_end
  move r3, 32
  sub r3, r3, r2
  lsl r4, r0, r3
  lsr r1, r1, r2
  or r1, r1, r4
  lsr r0, r0, r2
.L__shr64_end:
  jump r23
.L__shr64_far:
  lsr r1, r0, r2
  move r0, 0
  jltu r2, 64, .L__shr64_end
  move r1, r0
  jump r23
