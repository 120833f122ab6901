mpu-recipe count --op XOR --width 8 --masked xor.recipe
