# The number is that of the file VERSION.
mpu-as --version | sed "s/[0-9.]*$/N/"
