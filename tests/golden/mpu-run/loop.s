// counts up to r2 in each lane
main:
  COMPUTE RFH0 VRF0
  INIT0.8 r1
again:
  INC.8 r1 r1
  CMPLT.8 r1 r2
  SETMASK cond
  JUMP_COND again
  COMPUTE_DONE
  HALT
