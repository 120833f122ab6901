mpu-objdump --no-show-raw-insn x.o
