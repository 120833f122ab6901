mpu-as -g -o small.o small.s
mpu-objdump -S -l --no-show-raw-insn small.o
