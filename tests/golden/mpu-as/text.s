.mark "open
.mark "\q"
.width 'ab'
  NOP ?
  LI 1 r1 $
.include file
.include "no-such-file.s"
  5 r1 r2
  NOP /* open
  NOP
