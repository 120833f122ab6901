# No output is an input or another output, however it is spelled; devices may have several uses.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
echo 1 2 >x.txt
echo 'const SHIFT = 1;' >part.ez
printf 'include "part.ez";\n' | cat - axpy.ez >all.ez
ln -s x.txt link.txt
ln x.txt hard.txt
run="mpu-run --target racer --in a=1 --in x=x.txt --in y=zeros"
try $run --out z=./x.txt axpy.ez
try $run --out z=link.txt axpy.ez
try $run --out z=hard.txt axpy.ez
try $run --stats csv:axpy.ez axpy.ez
try $run --trace x.txt axpy.ez
try $run --log insn:axpy.ez axpy.ez
try $run --uops axpy.ez:csv axpy.ez
try $run --stats-every 10:x.txt axpy.ez
try $run --expect z=z.txt --out z=z.txt axpy.ez
try $run --trace new --stats csv:../d/new axpy.ez
try $run --stats csv:part.ez all.ez
try $run --out z=/dev/null.txt axpy.ez
try $run --trace /dev/null --stats csv:/dev/null axpy.ez
try $run --out z=y.txt axpy.ez
cat x.txt part.ez
rm x.txt y.txt link.txt hard.txt part.ez all.ez
