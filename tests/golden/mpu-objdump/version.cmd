# The number is that of the file VERSION.
mpu-objdump --version | sed "s/[0-9.]*$/N/"
