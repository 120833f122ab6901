# The number is that of the file VERSION.
mpu-ld --version | sed "s/[0-9.]*$/N/"
