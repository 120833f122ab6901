# input: dpu-errors.s
mpu-as --syntax=dpu -o x.elf "$IN"
