mpu-ld -r --target racer -o x.o a.o
