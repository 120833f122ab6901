mpu-recipe count --op XOR --width 8 --csv -o out.csv xor.recipe && cat out.csv
