main:
  COMPUTE RFH0 VRF0
again:
  INC.8 r1 r1
  GOTO again
  COMPUTE_DONE
