main:
  COMPUTE RFH0 VRF0
  ADDD r1 r2 r3        // near: ADD
  cmp_eq r1 r2         // near: CMPEQ
  JUMPCOND main        // near: JUMP_COND
  FROBNICATE r1        // near nothing
  COMPUTE_DONE
