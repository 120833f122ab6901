# input: good.s
mpu-as "$IN" -o - | mpu-objdump -d - | sed "/file format/d"
