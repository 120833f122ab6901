# input: debug-record.s
mpu-as -o out.o "$IN"
