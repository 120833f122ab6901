# The rule names what was read: the source, what it includes, and its recipes.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mkdir inc
echo '.equ ONE 1' >inc/one.s
printf '.include "one.s"\n.include "one.s"\nNOP\n' >two.s
try mpu-as -I inc -MD two.s && cat two.d
try mpu-as -I inc -MD -MP -MF rule -MT 'x y' --listing two.lst -o two.o - <two.s && cat rule
try mpu-as -MF rule two.s
try mpu-as -MD - <two.s
try mpu-as -I inc -MD -MF inc/one.s two.s
try mpu-as -I inc -MD -MF rule --listing ./rule two.s
name="$(printf 'a\nb.s')" && cp two.s "$name" && mpu-as -I inc -MD -o x.o "$name"
echo "exit $?" >&2
rm -r inc two.* rule "$name"
