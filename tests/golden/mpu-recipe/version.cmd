# The number is that of the file VERSION.
mpu-recipe --version | sed "s/[0-9.]*$/N/"
