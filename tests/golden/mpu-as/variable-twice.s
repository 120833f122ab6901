.group g[4]
.group g[5]
.var x: u8 @g r1
.var x: u8 r2
