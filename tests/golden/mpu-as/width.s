.width 65
.width 0
.width
  ADD.0 r1 r2 r3
  ADD.65 r1 r2 r3
  ADD.x r1 r2 r3
  ADD. r1 r2 r3
  NOP.8
  SETMASK.8 r1
  MOVE RFH0 RFH1
  MEMCPY.24 VRF0 r0 VRF0 r0
.width 5
  MEMCPY VRF0 r0 VRF0 r0
  MOVE_DONE
