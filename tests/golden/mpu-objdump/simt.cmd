# Code of near-bank SIMT cores: locations, registers, where lanes meet, lines; the listing assembled
# is what the package has, byte by byte, and so is the text of that.
mpu-as -g "$EXAMPLES/cuda/axpy.s" -o axpy.o
mpu-ld --target simt axpy.o -o axpy.mpu
mpu-objdump --recipes axpy.mpu | sed 's|  // \(.*\)  [^ ]*/axpy.s|  // \1  axpy.s|'
mpu-objdump --recipes axpy.mpu | sed '1,/^kernel/d' | mpu-as --syntax=simt - -o one.simt
mpu-objdump --reassemble one.simt >two.s
mpu-as --syntax=simt two.s -o two.simt
cmp one.simt two.simt
mpu-objdump -d one.simt | tail -3
