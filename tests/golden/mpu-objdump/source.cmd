mpu-as -g -o - main.s | mpu-objdump -S -l --no-show-raw-insn -
