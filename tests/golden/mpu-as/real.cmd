# input: real.s
mpu-as -o real.o "$IN" && mpu-objdump --reassemble real.o | tee again.s
mpu-as -o again.o again.s && mpu-objdump --reassemble again.o | diff again.s -
