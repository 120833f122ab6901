// __sqrtsf2: the root of r0 in r0, float32.
// Made by tests/core/test_dpu_library.c from what runs of MPU instructions take.
  .text
  .globl __sqrtsf2
  .type __sqrtsf2, @function
// It needs 32 bytes from r22 on.
__sqrtsf2:
  sw r22, 0, r0
  lw r0, r22, 0
  and r1, r0, 2147483647
  and r2, r0, 8388607
  lsr r3, r1, 23
  sub r4, r3, 0, eq
  clz r5, r2
  add r5, r5, -8
  lsr r6, r0, 31
  move r7, 1
  jz r4, .L___sqrtsf2_0
  sub r3, r7, r5
.L___sqrtsf2_0:
  or r8, r2, 8388608
  lsl r9, r2, r5
  jltu r5, 32, .L___sqrtsf2_1
  move r9, 0
.L___sqrtsf2_1:
  jz r4, .L___sqrtsf2_2
  move r8, r9
.L___sqrtsf2_2:
  add r3, r3, -127
  and r2, r3, 1
  jz r2, .L___sqrtsf2_3
  lsl r8, r8, 1
.L___sqrtsf2_3:
  lsl r8, r8, 7
  lsr r2, r8, 30
  lsl r8, r8, 2
  sub r9, r2, 1, geu
  jz r9, .L___sqrtsf2_4
  add r2, r2, -1
.L___sqrtsf2_4:
  lsl r2, r2, 2
  lsr r4, r8, 30
  or r2, r2, r4
  lsl r8, r8, 2
  lsl r4, r9, 2
  or r4, r4, 1
  sub r5, r2, r4, geu
  jz r5, .L___sqrtsf2_5
  sub r2, r2, r4
.L___sqrtsf2_5:
  lsl r9, r9, 1
  or r5, r5, r9
  lsl r2, r2, 2
  lsr r4, r8, 30
  or r2, r2, r4
  lsl r8, r8, 2
  lsl r4, r5, 2
  or r4, r4, 1
  sub r9, r2, r4, geu
  jz r9, .L___sqrtsf2_6
  sub r2, r2, r4
.L___sqrtsf2_6:
  lsl r5, r5, 1
  or r9, r9, r5
  lsl r2, r2, 2
  lsr r4, r8, 30
  or r2, r2, r4
  lsl r8, r8, 2
  lsl r4, r9, 2
  or r4, r4, 1
  sub r5, r2, r4, geu
  jz r5, .L___sqrtsf2_7
  sub r2, r2, r4
.L___sqrtsf2_7:
  lsl r9, r9, 1
  or r5, r5, r9
  lsl r2, r2, 2
  lsr r4, r8, 30
  or r2, r2, r4
  lsl r8, r8, 2
  lsl r4, r5, 2
  or r4, r4, 1
  sub r9, r2, r4, geu
  jz r9, .L___sqrtsf2_8
  sub r2, r2, r4
.L___sqrtsf2_8:
  lsl r5, r5, 1
  or r9, r9, r5
  lsl r2, r2, 2
  lsr r4, r8, 30
  or r2, r2, r4
  lsl r8, r8, 2
  lsl r4, r9, 2
  or r4, r4, 1
  sub r5, r2, r4, geu
  jz r5, .L___sqrtsf2_9
  sub r2, r2, r4
.L___sqrtsf2_9:
  lsl r9, r9, 1
  or r5, r5, r9
  lsl r2, r2, 2
  lsr r4, r8, 30
  or r2, r2, r4
  lsl r8, r8, 2
  lsl r4, r5, 2
  or r4, r4, 1
  sub r9, r2, r4, geu
  jz r9, .L___sqrtsf2_10
  sub r2, r2, r4
.L___sqrtsf2_10:
  lsl r5, r5, 1
  or r9, r9, r5
  lsl r2, r2, 2
  lsr r4, r8, 30
  or r2, r2, r4
  lsl r8, r8, 2
  lsl r4, r9, 2
  or r4, r4, 1
  sub r5, r2, r4, geu
  jz r5, .L___sqrtsf2_11
  sub r2, r2, r4
.L___sqrtsf2_11:
  lsl r9, r9, 1
  or r5, r5, r9
  lsl r2, r2, 2
  lsr r4, r8, 30
  or r2, r2, r4
  lsl r8, r8, 2
  lsl r4, r5, 2
  or r4, r4, 1
  sub r9, r2, r4, geu
  jz r9, .L___sqrtsf2_12
  sub r2, r2, r4
.L___sqrtsf2_12:
  lsl r5, r5, 1
  or r9, r9, r5
  lsl r2, r2, 2
  lsr r4, r8, 30
  or r2, r2, r4
  lsl r8, r8, 2
  lsl r4, r9, 2
  or r4, r4, 1
  sub r5, r2, r4, geu
  jz r5, .L___sqrtsf2_13
  sub r2, r2, r4
.L___sqrtsf2_13:
  lsl r9, r9, 1
  or r5, r5, r9
  lsl r2, r2, 2
  lsr r4, r8, 30
  or r2, r2, r4
  lsl r8, r8, 2
  lsl r4, r5, 2
  or r4, r4, 1
  sub r9, r2, r4, geu
  jz r9, .L___sqrtsf2_14
  sub r2, r2, r4
.L___sqrtsf2_14:
  lsl r5, r5, 1
  or r9, r9, r5
  lsl r2, r2, 2
  lsr r4, r8, 30
  or r2, r2, r4
  lsl r8, r8, 2
  lsl r4, r9, 2
  or r4, r4, 1
  sub r5, r2, r4, geu
  jz r5, .L___sqrtsf2_15
  sub r2, r2, r4
.L___sqrtsf2_15:
  lsl r9, r9, 1
  or r5, r5, r9
  lsl r2, r2, 2
  lsr r8, r8, 30
  or r2, r2, r8
  lsl r4, r5, 2
  or r4, r4, 1
  sub r8, r2, r4, geu
  jz r8, .L___sqrtsf2_16
  sub r2, r2, r4
.L___sqrtsf2_16:
  lsl r5, r5, 1
  or r8, r8, r5
  lsl r2, r2, 2
  lsl r9, r8, 2
  or r9, r9, 1
  sub r4, r2, r9, geu
  jz r4, .L___sqrtsf2_17
  sub r2, r2, r9
.L___sqrtsf2_17:
  lsl r8, r8, 1
  or r4, r4, r8
  lsl r2, r2, 2
  lsl r5, r4, 2
  or r5, r5, 1
  sub r8, r2, r5, geu
  jz r8, .L___sqrtsf2_18
  sub r2, r2, r5
.L___sqrtsf2_18:
  lsl r4, r4, 1
  or r8, r8, r4
  lsl r2, r2, 2
  lsl r9, r8, 2
  or r9, r9, 1
  sub r4, r2, r9, geu
  jz r4, .L___sqrtsf2_19
  sub r2, r2, r9
.L___sqrtsf2_19:
  lsl r8, r8, 1
  or r4, r4, r8
  lsl r2, r2, 2
  lsl r5, r4, 2
  or r5, r5, 1
  sub r8, r2, r5, geu
  jz r8, .L___sqrtsf2_20
  sub r2, r2, r5
.L___sqrtsf2_20:
  lsl r4, r4, 1
  or r8, r8, r4
  lsl r2, r2, 2
  lsl r9, r8, 2
  or r9, r9, 1
  sub r4, r2, r9, geu
  jz r4, .L___sqrtsf2_21
  sub r2, r2, r9
.L___sqrtsf2_21:
  lsl r8, r8, 1
  or r4, r4, r8
  lsl r2, r2, 2
  lsl r5, r4, 2
  or r5, r5, 1
  sub r8, r2, r5, geu
  jz r8, .L___sqrtsf2_22
  sub r2, r2, r5
.L___sqrtsf2_22:
  lsl r4, r4, 1
  or r8, r8, r4
  lsl r2, r2, 2
  lsl r9, r8, 2
  or r9, r9, 1
  sub r4, r2, r9, geu
  jz r4, .L___sqrtsf2_23
  sub r2, r2, r9
.L___sqrtsf2_23:
  lsl r8, r8, 1
  or r4, r4, r8
  lsl r2, r2, 2
  lsl r5, r4, 2
  or r5, r5, 1
  sub r8, r2, r5, geu
  jz r8, .L___sqrtsf2_24
  sub r2, r2, r5
.L___sqrtsf2_24:
  lsl r4, r4, 1
  or r8, r8, r4
  lsl r2, r2, 2
  lsl r9, r8, 2
  or r9, r9, 1
  sub r4, r2, r9, geu
  jz r4, .L___sqrtsf2_25
  sub r2, r2, r9
.L___sqrtsf2_25:
  lsl r8, r8, 1
  or r4, r4, r8
  lsl r2, r2, 2
  lsl r5, r4, 2
  or r5, r5, 1
  sub r8, r2, r5, geu
  jz r8, .L___sqrtsf2_26
  sub r2, r2, r5
.L___sqrtsf2_26:
  lsl r4, r4, 1
  or r8, r8, r4
  lsl r2, r2, 2
  lsl r9, r8, 2
  or r9, r9, 1
  sub r4, r2, r9, geu
  jz r4, .L___sqrtsf2_27
  sub r2, r2, r9
.L___sqrtsf2_27:
  lsl r8, r8, 1
  or r4, r4, r8
  lsl r2, r2, 2
  lsl r5, r4, 2
  or r5, r5, 1
  sub r8, r2, r5, geu
  jz r8, .L___sqrtsf2_28
  sub r2, r2, r5
.L___sqrtsf2_28:
  lsl r4, r4, 1
  or r8, r8, r4
  lsl r2, r2, 2
  lsl r9, r8, 2
  or r9, r9, 1
  sub r4, r2, r9, geu
  jz r4, .L___sqrtsf2_29
  sub r2, r2, r9
.L___sqrtsf2_29:
  lsl r8, r8, 1
  or r4, r4, r8
  lsl r2, r2, 2
  lsl r5, r4, 2
  or r5, r5, 1
  sub r8, r2, r5, geu
  jz r8, .L___sqrtsf2_30
  sub r2, r2, r5
.L___sqrtsf2_30:
  lsl r4, r4, 1
  or r8, r8, r4
  sub r2, r2, 0, neq
  lsl r8, r8, 1
  or r2, r2, r8
  asr r3, r3, 1
  add r3, r3, 127
  sub r4, r3, 1, lts
  move r5, 0
  jz r4, .L___sqrtsf2_31
  sub r5, r7, r3
.L___sqrtsf2_31:
  lsr r8, r2, r5
  jltu r5, 32, .L___sqrtsf2_32
  move r8, 0
.L___sqrtsf2_32:
  lsl r9, r8, r5
  jltu r5, 32, .L___sqrtsf2_33
  move r9, 0
.L___sqrtsf2_33:
  sub r2, r2, r9, neq
  or r8, r8, r2
  jz r4, .L___sqrtsf2_34
  move r3, r7
.L___sqrtsf2_34:
  move r2, 255
  jges r2, r3, .L___sqrtsf2_35
  move r3, r2
.L___sqrtsf2_35:
  lsr r2, r8, 4
  and r2, r2, 1
  add r8, r8, 7
  add r2, r2, r8
  lsr r2, r2, 4
  add r3, r3, -1
  lsl r3, r3, 23
  add r2, r2, r3
  move r3, 2139095040
  jltu r2, r3, .L___sqrtsf2_36
  move r2, r3
.L___sqrtsf2_36:
  sub r4, r1, 0, eq
  sub r5, r1, r3, eq
  or r5, r4, r5
  jz r5, .L___sqrtsf2_37
  move r2, r0
.L___sqrtsf2_37:
  xor r4, r4, 1
  and r6, r6, r4
  sub r3, r3, r1, ltu
  or r6, r6, r3
  jz r6, .L___sqrtsf2_38
  move r2, 2143289344
.L___sqrtsf2_38:
  sw r22, 16, r2
  lw r0, r22, 16
  jump r23
