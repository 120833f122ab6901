.equ WIDE 8
.size n
.width 1 / 0
.width 1 << 64
.width 1 << -1
.width WIED
.width (8
.width 8 +
.width 8 9
.width 12ab
.width 18446744073709551616
.width 0xFFFFFFFFFFFFFFFF + 1
.width size(n)
.width size(nn)
  ADDI size(n) r1
  LI size(n) % 2 r1
  LI defined WIDE r1
.if NOPE
.endif
