# input: xor.recipe
mpu-recipe check --op XOR,SHLI "$IN"
