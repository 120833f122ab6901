# input: xor.recipe
mpu-recipe expand --recipe --op XOR,SHLI "$IN"
