l: UNMASK
  JUMP_COND l
.equ N 1
.equ N 2
