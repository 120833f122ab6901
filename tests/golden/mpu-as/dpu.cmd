# input: dpu.s
mpu-as --syntax=dpu -o - "$IN" >x.elf
mpu-objdump -d x.elf
mpu-objdump --reassemble --no-aliases x.elf
mpu-objdump --reassemble x.elf | mpu-as --syntax=dpu -o y.elf -
mpu-objdump --reassemble --no-aliases y.elf | mpu-as --syntax=dpu -o z.elf -
cmp y.elf z.elf
rm x.elf y.elf z.elf
