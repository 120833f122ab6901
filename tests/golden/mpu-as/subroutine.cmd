# input: subroutine.s
mpu-as -o out.o "$IN"
