.size n
.group g[n]
.var in consumed x: u16 @g r1
.var in consumed k: u8[2] r2
.var in consumed: u8 r4
.var out y: u16 @g r5
  COMPUTEG @g
  ADD.16 x r2 y
  COMPUTE_DONE
  HALT
