.size n
.size rounds = 3
.group g[n]
.var in x: u16 @g r1
.var out y: u16 @g r2
main:
  REPEAT size(rounds)
  COMPUTEG @g
  ADD.16 x x y
  COMPUTE_DONE
  REPEAT_END
