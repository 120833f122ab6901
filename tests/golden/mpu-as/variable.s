.group g[4]
.var x: u8 r1
.var a: q8 r3
.var a: u65 r3
.var a: i1 r3
.var a u8 r3
.var a: u8 r64
.var a: u8[4] r61
.var a: u8[65] r0
.var b: u8 r5 sideways
.data x 256
.data xx 1
.var c: u8[2] r6
  COMPUTEG @g
  ADD x c[2] c[0]
  ADD x cc x
  COMPUTE_DONE
