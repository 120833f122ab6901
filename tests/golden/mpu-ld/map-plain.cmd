mpu-as -g call.s && mpu-as -g lib.s
mpu-ld -Map=x.map -o x.mpu call.o lib.o && cat x.map
