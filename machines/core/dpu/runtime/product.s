// __mul32: the product of r0 and r1 in r0, of any numbers in as many steps.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __mul32
  .type __mul32, @function
__mul32:
  lsr r2, r0, 16
  lsr r3, r1, 16
  mul_uh_ul r5, r2, r1
  mul_ul_uh r6, r2, r1
  add r5, r5, r6
  mul_uh_ul r6, r0, r3
  add r5, r5, r6
  mul_ul_uh r6, r0, r3
  add r5, r5, r6
  mul_ul_ul r4, r2, r1
  mul_ul_ul r6, r0, r3
  add r4, r4, r6
  mul_uh_uh r6, r0, r1
  add r4, r4, r6
  lsl_add r4, r4, r5, 8
  mul_uh_ul r5, r0, r1
  mul_ul_uh r6, r0, r1
  add r5, r5, r6
  lsl_add r4, r5, r4, 8
  mul_ul_ul r5, r0, r1
  lsl_add r0, r5, r4, 8
  jump r23
