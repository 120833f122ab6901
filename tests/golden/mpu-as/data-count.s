.group g[3]
.var in x: u8 @g r1
.var in y: bool @g r2
.var z: bool @gg r2
.data y 1, 2, 0
.data x 1, 2, 3, 4
