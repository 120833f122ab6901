.geometry lanes=32 vrfs=8 rfhs=4
.global helper
.sub helper
  INC.16 r3 r3
  RETURN
.endsub
