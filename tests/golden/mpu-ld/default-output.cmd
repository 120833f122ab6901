mkdir sub
mpu-as -o sub/lib.o lib.s
mpu-ld sub/lib.o && ls sub
