# no pipe: the program names a file beside it
# One program, its instruction with a recipe and without: the same results.
for recipe in "$EXAMPLES/average.recipe" recipe-contract.recipe; do
    cp "$recipe" recipe-own.recipe
    ezpim -o own.mpu recipe-else.ez
    mpu-objdump -d --no-show-raw-insn own.mpu | grep RECIPE
    mpu-run --target racer --check --in x=1,2,255,9 --in y=3,3,254,200 --print mean --print twice own.mpu
done
ezpim recipe-else-bad.ez
