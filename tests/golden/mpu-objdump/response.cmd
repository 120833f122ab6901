printf -- '--no-show-raw-insn\n-d "two words.o"' >args.rsp
printf 'NOP\n' | mpu-as -o 'two words.o' -
mpu-objdump @args.rsp
