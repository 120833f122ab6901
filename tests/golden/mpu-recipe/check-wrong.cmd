# input: wrong.recipe
mpu-recipe check "$IN"
