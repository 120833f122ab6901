# input: signature-wrong.s
mpu-as -o out.o "$IN"
