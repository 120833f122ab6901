mpu-recipe diff xor.recipe slow.yaml --op XOR --width 8 --csv | cut -d, -f1-3,6
mpu-recipe diff xor.recipe xor.recipe --target slow.yaml --op XOR
