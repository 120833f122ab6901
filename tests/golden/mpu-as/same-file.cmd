# No output is an input, however it is spelled, nor another output.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
printf '.include "b.s"\n' >a.s
printf 'NOP\n' >b.s
printf -- '-g' >words
try mpu-as -o a.s a.s
try mpu-as -o ./a.s - <a.s
try mpu-as --listing=../d/a.s a.s
try mpu-as -o b.s a.s
try mpu-as -o new --listing ./new a.s
try mpu-as -o words @words a.s
ln -s nothing one && try mpu-as -o one --listing one a.s
try mpu-as -o /dev/null --listing=/dev/null a.s
mpu-as -o a.o a.s && printf '\357\273\277' | cat - a.s >m.s && mv m.s a.s && mpu-as -o m.o a.s && cmp m.o a.o
cat b.s words
rm -f a.s b.s words one *.o
