// __muldi3: the product of d0 and d2 in d0.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __muldi3
  .type __muldi3, @function
__muldi3:
  move r8, r23
  move r9, r1
  move r10, r3
  move r11, r2
  move r1, r3
  call r23, __mul32
  move r7, r0
  move r0, r9
  move r1, r11
  call r23, __mul32
  add r7, r7, r0
  lsr r2, r9, 16
  lsr r3, r10, 16
  mul_uh_ul r6, r2, r3
  mul_ul_uh r0, r2, r3
  add r6, r6, r0
  mul_uh_uh r0, r2, r3
  lsl_add r0, r6, r0, 8
  mul_ul_ul r6, r2, r3
  lsl_add r0, r6, r0, 8
  add r7, r7, r0
  mul_uh_ul r6, r9, r10
  mul_ul_uh r4, r9, r10
  add r6, r6, r4
  mul_uh_uh r4, r9, r10
  lsl_add r4, r6, r4, 8
  mul_ul_ul r6, r9, r10
  lsl_add r4, r6, r4, 8
  mul_uh_ul r6, r2, r10
  mul_ul_uh r5, r2, r10
  add r6, r6, r5
  mul_uh_uh r5, r2, r10
  lsl_add r5, r6, r5, 8
  mul_ul_ul r6, r2, r10
  lsl_add r5, r6, r5, 8
  lsr_add r5, r5, r4, 16
  lsr_add r7, r7, r5, 16
  extuh r5, r5
  mul_uh_ul r6, r9, r3
  mul_ul_uh r0, r9, r3
  add r6, r6, r0
  mul_uh_uh r0, r9, r3
  lsl_add r0, r6, r0, 8
  mul_ul_ul r6, r9, r3
  lsl_add r0, r6, r0, 8
  add r5, r5, r0
  lsr_add r0, r7, r5, 16
  extuh r1, r4
  lsl_add r1, r1, r5, 16
  jump r8
