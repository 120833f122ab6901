.group g[4]
.var in x: u8 @g r1
.var out y: u8 @g r2
main:
  COMPUTEG @g
  ADD.8 x x y
  COMPUTE_DONE
