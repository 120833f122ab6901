        .size n
        .group g[n, 3]
        .group h[4]
        .var in  a: i64 @g = r0 as u6
        .var in  b: i64[8] @g = r0 as i9 first shape[8, n, 3]
        .var out c: u8[2] @h = r8 split
        .var out d: i32 = r9 shape[]
        .var in  e: u8 @g = r0 as i7
        .var in  f: i8 @g = r0 as u8
        .var in  i: bool @g = r0 as u2
        .var in  j: u8 @g = r0 as v6
        .var in  k: u8 @g = r0 first
        .var in  l: u8[2] = r0 split
        .var in  m: u8[2] @h = r0 split shape[8]
        .var in  o: u8[2] @h = r0 shape[2, 5]
        .var in  p: u8[2] @h = r0 shape[n, 5]
        .var in  q: u8 @h = r0 first as u7 split
        .var in  r: u8 @h = r0 shape[1, 1, 1, 1, 1, 1, 1, 1, 4]
        .var in  s: u8 @h = r0 shape[0, 4]
        .var in  t: u8 @h = r0 shape 4
        .var in  u: u8 @h = r0 as u7 shaped
        .var in  v: u8[2] @h = r0 shape[2, 4]
        .var out w: u8 = r2
        .length  v = w
