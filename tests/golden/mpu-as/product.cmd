# input: product.s
mpu-as -o out.o "$IN"
