.global main
.global helper
.global table
main:
  COMPUTE RFH0 VRF0
  INC.8 r0 r0
  JUMP helper
  COMPUTE_DONE
  HALT
