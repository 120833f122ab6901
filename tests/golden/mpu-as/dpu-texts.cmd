# no pipe: the text is read several times
IN=dpu-texts.s
mkdir folder
printf '        .macro  both op\n        \\op     r1, r1, VALUE\n        \\op     r2, r2, VALUE\n        .endm\n' >folder/both.inc
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-as --syntax=dpu -I folder -D VALUE=5 -o x.elf "$IN"
mpu-objdump -d x.elf | sed -n '/mutex_lock/,$d;p'
mpu-objdump -d x.elf | grep -c mutex
try mpu-as --syntax=dpu -D VALUE=5 -o x.elf "$IN"
try mpu-as --syntax=dpu -I folder -o x.elf "$IN"
try mpu-as --syntax=dpu -I folder -D VALUE=5000000000 -o x.elf "$IN"
printf '        .include "twice.inc"\n        .include "twice.inc"\n' >folder/twice.inc
printf '        nop\n        .include "folder/twice.inc"\n' >twice.s
try mpu-as --syntax=dpu -o x.elf twice.s
rm -r folder x.elf twice.s
