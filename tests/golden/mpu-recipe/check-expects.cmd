# input: expects.recipe
mpu-recipe check "$IN"
