mpu-as -g -o small.o small.s
mpu-objdump -d --no-show-raw-insn small.o
