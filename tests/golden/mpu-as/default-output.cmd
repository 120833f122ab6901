mkdir sub
mpu-as ../d/good.s && mpu-as --output=sub/x.o good.s && ls good.o sub
mpu-as - <good.s | mpu-objdump -d -
