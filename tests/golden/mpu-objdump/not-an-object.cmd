# input: main.s
mpu-objdump -d "$IN"
