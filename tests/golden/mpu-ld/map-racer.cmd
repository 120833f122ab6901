mpu-as -g sized.s && mpu-as -g lib.s
mpu-ld --target racer --size n=1000 -Map=- -o x.mpu sized.o lib.o
