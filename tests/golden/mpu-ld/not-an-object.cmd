# input: main.s
mpu-ld -o x.mpu "$IN"
