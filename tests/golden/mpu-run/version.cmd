# The number is that of the file VERSION.
mpu-run --version | sed "s/[0-9.]*$/N/"
