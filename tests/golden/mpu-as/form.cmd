# input: form.s
mpu-as -o out.o "$IN"
