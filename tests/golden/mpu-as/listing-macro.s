.macro twice a
  INC \a \a
  INC \a \a
.endm
.equ N 2
/* two instructions
   a line */
  COMPUTE RFH0 VRF0
  twice r1
.rept N
  LI N r3
.endr
.if N > 5
  NOP
.endif
  COMPUTE_DONE
