.geometry lanes=4
main:
  MARK "region"
  COMPUTE RFH0 VRF0
  COMPUTE RFH1 VRF0
  LI.8 -3 r1
  PRINT "as signed" r1:i8
  PRINT "as unsigned" r1:u8
  COMPUTE_DONE
