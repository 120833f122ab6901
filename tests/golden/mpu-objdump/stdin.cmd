printf 'NOP\n' | mpu-as - | mpu-objdump -t -d -
