# No output is an input: what is given, what is included, and what the name would be by default.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
echo 'const SHIFT = 1;' >part.ez
printf 'include "part.ez";\n' | cat - axpy.ez >all.ez
cp axpy.ez a.ez
cp all.ez sum
printf 'extends: racer\nname: mine\n' >t.yaml
try ezpim -o a.ez a.ez
try ezpim -o ../d/part.ez all.ez
try ezpim --target ./t.yaml --size n=4 -o t.yaml a.ez
try ezpim -S -o a.s a.ez
try ezpim -S a.s
try ezpim -x ez -o sum sum
ezpim a.ez
try ezpim a.mpu
try ezpim -o a.mpu --target racer --size n=4 a.mpu
try ezpim --target racer --size n=4 a.mpu
cmp a.ez axpy.ez
mpu-objdump -x a.mpu | grep -c racer
rm -f part.ez all.ez a.ez sum t.yaml a.s a.mpu
