mpu-as call.s && mpu-as lib.s
mpu-ld -r -o both.o call.o lib.o
mpu-objdump -d -r both.o
mpu-ld -o x.mpu both.o && mpu-ld -o y.mpu call.o lib.o && mpu-objdump -d x.mpu >x && mpu-objdump -d y.mpu | sed 's/y\.mpu/x.mpu/' | cmp x -
