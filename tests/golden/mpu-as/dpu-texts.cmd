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
printf '// what is included has lines of its own\n        move    r0, 7\n' >folder/code.inc
printf '        nop\n        .include "folder/code.inc"\n        nop\nend:    stop    true, end\n' >lines.s
try mpu-as --syntax=dpu -o x.elf lines.s
mpu-objdump -l x.elf | sed '/^Symbols/,$d'
mpu-objdump -S x.elf | sed '1,/^Code/d;/^$/,$d'
rm lines.s
mpu-objdump -S -l x.elf | sed '1,/^Code/d;/^$/,$d'
rm -r folder x.elf twice.s
