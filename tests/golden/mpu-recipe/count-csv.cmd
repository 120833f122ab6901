# input: xor.recipe
mpu-recipe count --op XOR,SHLI --csv "$IN"
