mpu-recipe verify --op XOR,SHLI --width 2 --emit-smt smt xor.recipe
ls smt
grep -c assert smt/racer-XOR.2.smt2
mpu-recipe verify --op SDIV --width 3 --emit-smt divide
ls divide
