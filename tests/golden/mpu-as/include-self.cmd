# input: include-self.s
# no pipe: the file includes itself by name
mpu-as -o out.o "$IN"
