.global helper
.sub helper
  ADD.8 r0 r0 r1
  RETURN
.endsub
