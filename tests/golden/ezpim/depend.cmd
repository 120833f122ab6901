# The rule names what was read, included files with it, as make and ninja quote names.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mkdir 'a b' inc
echo 'const ONE = 1;' >'a b/#$x\ y.ez'
echo 'const TWO = 2;' >inc/two.ez
printf 'include "#$x\\ y.ez";\ninclude "two.ez";\n' | cat - axpy.ez >'a b/main.ez'
printf -- '-I inc' >words
try ezpim @words -MD -o 'a b/out$.mpu' 'a b/main.ez' && cat 'a b/out$.d'
try ezpim -I inc -MD -MF - -MP -MT one -MT 'two words' -o 'a b/out.mpu' 'a b/main.ez'
try ezpim -I inc -c -MD -o x.o axpy.ez && cat x.d
try ezpim -S -MD -MF rule -MT x.s -o - axpy.ez >/dev/null && cat rule
printf 'extends: racer\nname: mine\n' >t.yaml
try ezpim --target t.yaml,racer --size n=4 -MD -o x.mpu axpy.ez && cat x.d
try ezpim -MF rule axpy.ez
try ezpim -MD -o - axpy.ez
try ezpim -MD -MF axpy.ez axpy.ez
try ezpim -MD -MF x.mpu -o x.mpu axpy.ez
try ezpim -MD -MF no/rule -o new axpy.ez
rm -r 'a b' inc words x.o x.d x.mpu rule t.yaml
