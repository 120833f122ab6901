a: SETMASK cond
  CMPLT r1 r2
  UNMASK
  SETMASK r3
  JUMP_COND a
  JUMP_NONE b
  UNMASK
b: JUMP_COND c
  NOP
c: JUMP_NONE c
.equ N 1
.equ N 2
.macro f
.endm
.macro f
.endm
