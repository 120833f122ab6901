mpu-recipe count --op XOR,SHLI --width 4,33 xor.recipe
