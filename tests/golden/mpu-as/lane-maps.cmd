# input: lane-maps.s
mpu-as -o out.o "$IN"
