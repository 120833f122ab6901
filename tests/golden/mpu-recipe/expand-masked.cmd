mpu-recipe expand --op SHLI --imm 1 --width 3 --masked --alias rd=rs xor.recipe
