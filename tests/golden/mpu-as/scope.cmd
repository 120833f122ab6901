# input: scope.s
mpu-as -o out.o "$IN"
