mpu-recipe count --op SHLI --imm 0 --width 8 --csv xor.recipe
mpu-recipe count --op SHLI --imm 7 --width 8 --csv xor.recipe | tail -n 1
mpu-recipe count --op SHLI --imm 63 --width 8 --csv xor.recipe | tail -n 1
