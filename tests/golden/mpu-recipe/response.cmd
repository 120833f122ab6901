echo '--op XOR --width "8"' >args.rsp
mpu-recipe count @args.rsp xor.recipe --csv
