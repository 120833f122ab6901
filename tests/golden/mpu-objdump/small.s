.geometry lanes=32 vrfs=8 rfhs=4
.size n
.size rounds = 3
.group g[n]
.group h[4, 2] like g
.group f[8] at RFH1.VRF2
.var in x: u16 @g r1
.var out y: i9 @g r2
.var c: bool[2] @f r10
.data c dup(8, 1), dup(8, 0)
.mpu 0..1 main
.global main
.global helper
main:
  MARK "begin"
  REPEAT size(rounds)
  COMPUTEG @g
  ADD.16 x x r3
  LI.16 size(n) r4
  CMPLT.16 r3 r4
  SETMASK cond
  JUMP helper
  .show "r3", r3:u16
  ASSERT "r3 is below n"
  PRINT "sum" r3:u16
  COMPUTE_DONE
  REPEAT_END
  MOVE RFH0 RFH1
  MEMCPY.16 VRF0 r3 VRF2 r10
  MOVE_DONE
  HALT
.sub local
.again:
  INC.8 r9 r9
  JUMP_COND .again
  RETURN
.endsub
