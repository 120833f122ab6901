main:
  COMPUTE RFH0 VRF0
  LI.8 3 r1
  LI.8 4 r2
  CMPLT.8 r1 r2
  ASSERT "r1 is below r2"
  CMPLT.8 r2 r1
  ASSERT "r2 is below r1"
  COMPUTE_DONE
