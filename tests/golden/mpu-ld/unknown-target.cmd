mpu-as scale.s
mpu-ld --target raser -o x.mpu scale.o
