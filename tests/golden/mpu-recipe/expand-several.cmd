mpu-recipe expand --op XOR,SHLI --width 1,2 xor.recipe | grep -v "^ "
