// __ashrdi3: d0 >> r2 in d0, with the sign.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __ashrdi3
  .type __ashrdi3, @function
__ashrdi3:
  jgeu r2, 32, .L__sar64_far
  jz r2, .L__sar64_end
  move r3, 32
  sub r3, r3, r2
  lsl r4, r0, r3
  lsr r1, r1, r2
  or r1, r1, r4
  asr r0, r0, r2
.L__sar64_end:
  jump r23
.L__sar64_far:
  asr r1, r0, r2
  asr r0, r0, 31
  jltu r2, 64, .L__sar64_end
  move r1, r0
  jump r23
