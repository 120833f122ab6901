// __ashldi3: d0 << r2 in d0.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __ashldi3
  .type __ashldi3, @function
__ashldi3:
  jgeu r2, 32, .L__shl64_far
  jz r2, .L__shl64_end
  move r3, 32
  sub r3, r3, r2
  lsr r4, r1, r3
  lsl r0, r0, r2
  or r0, r0, r4
  lsl r1, r1, r2
.L__shl64_end:
  jump r23
.L__shl64_far:
  lsl r0, r1, r2
  move r1, 0
  jltu r2, 64, .L__shl64_end
  move r0, 0
  jump r23
