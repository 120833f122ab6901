# no pipe: what goes with a program of a core
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-as --syntax=dpu -g dpu.s
try mpu-as --syntax=dpu --width 8 dpu.s
try mpu-as --syntax=dpu dpu.s
try mpu-objdump -s dpu.elf
try mpu-objdump --recipes dpu.elf
head -c 100 dpu.elf >short.elf
try mpu-objdump -d short.elf
rm dpu.elf short.elf
