// __mul32_long: all 64 bits of the product of r1 and r3 in d0.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __mul32_long
  .type __mul32_long, @function
__mul32_long:
  lsr r4, r1, 16
  lsr r5, r3, 16
  mul_uh_ul r6, r4, r5
  mul_ul_uh r0, r4, r5
  add r6, r6, r0
  mul_uh_uh r0, r4, r5
  lsl_add r0, r6, r0, 8
  mul_ul_ul r6, r4, r5
  lsl_add r0, r6, r0, 8
  mul_uh_ul r6, r1, r3
  mul_ul_uh r7, r1, r3
  add r6, r6, r7
  mul_uh_uh r7, r1, r3
  lsl_add r7, r6, r7, 8
  mul_ul_ul r6, r1, r3
  lsl_add r7, r6, r7, 8
  mul_uh_ul r6, r4, r3
  mul_ul_uh r2, r4, r3
  add r6, r6, r2
  mul_uh_uh r2, r4, r3
  lsl_add r2, r6, r2, 8
  mul_ul_ul r6, r4, r3
  lsl_add r2, r6, r2, 8
  lsr_add r2, r2, r7, 16
  lsr_add r0, r0, r2, 16
  extuh r2, r2
  mul_uh_ul r6, r1, r5
  mul_ul_uh r8, r1, r5
  add r6, r6, r8
  mul_uh_uh r8, r1, r5
  lsl_add r8, r6, r8, 8
  mul_ul_ul r6, r1, r5
  lsl_add r8, r6, r8, 8
  add r2, r2, r8
  lsr_add r0, r0, r2, 16
  extuh r1, r7
  lsl_add r1, r1, r2, 16
  jump r23
