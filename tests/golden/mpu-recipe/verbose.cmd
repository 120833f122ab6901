mpu-recipe -v check --op XOR --width 8 xor.recipe 2>&1 | sed 's/[0-9]* recipes, sha256 [0-9a-f]*$/N recipes, sha256 H/'
