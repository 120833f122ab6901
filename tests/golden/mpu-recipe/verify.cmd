# input: xor.recipe
mpu-recipe verify --op XOR --width 4 "$IN"
