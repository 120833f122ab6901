cat >bits.s <<'S'
.width 8
main:
  COMPUTE RFH0 VRF0
  OR r1 r2 r3
  SETMASK COND
  OR r1 r2 r1
  MOV.3 r3 r4
  ANDI 6 r4
  COMPUTE_DONE
S
mpu-as bits.s
mpu-ld --target racer bits.o
mpu-objdump --recipes bits.mpu | sed "s|  from recipes/.*|  from FILE: CHOICE|"
