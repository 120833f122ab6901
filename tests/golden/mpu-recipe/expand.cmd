# input: xor.recipe
mpu-recipe expand --op XOR --width 2 "$IN"
