# input: data-count.s
mpu-as -o out.o "$IN"
