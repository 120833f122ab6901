# input: control-bytes.s
mpu-as -o out.o "$IN"
