# input: gains.recipe
mpu-recipe check --op NOR "$IN"
