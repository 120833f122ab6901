mpu-as lib.s -o - | mpu-ld -o - - | mpu-objdump -d -
