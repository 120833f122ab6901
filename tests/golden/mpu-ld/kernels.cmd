# Kernels and buffers of several objects; targets that do not know a form.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
both='        .size n = 8
        .buffer in x: u32[n]
        .kernel f core(x: u32[]) else slow
            end
        .endkernel'
printf '%s\n' "$both" '      .global slow' 'main: RECIPE f(x)' '      HALT' >a.s
printf '%s\n' "$both" '      .sub slow' '      RECIPE f(x)' '      RETURN' '      .endsub' '      .global slow' >b.s
mpu-as -g a.s
mpu-as -g b.s
try mpu-ld a.o b.o -o ab.mpu
mpu-objdump -x ab.mpu | sed -n '/BUFFERS/,/^$/p; /KERNELS/,/^$/p; /CALLS/,/^$/p'
try mpu-ld --target racer ab.mpu -o x.mpu
sed 's/            end/            add x1 x1 x1\n            end/' b.s >c.s
mpu-as -g c.s
try mpu-ld a.o c.o -o x.mpu
sed 's/in x: u32\[n\]/in x: u32[4]/' b.s >d.s
mpu-as -g d.s
try mpu-ld a.o d.o -o x.mpu
try mpu-ld a.o -o x.mpu
printf '        .group g[8]\n        .var out x: u32 @g = r0\n' >e.s
mpu-as -g e.s
sed 's/ else slow//; /global/d' a.s >f.s
mpu-as -g f.s
try mpu-ld f.o e.o -o x.mpu
try mpu-ld f.o -o f.mpu
try mpu-ld --target racer f.mpu -o x.mpu
try mpu-ld --target pypim f.mpu -o x.mpu
printf '        .kernel f core() = "end"\nmain:   COMPUTE RFH0 VRF0\n        JUMP s\n        COMPUTE_DONE\n        HALT\ns:      RECIPE f()\n        RETURN\n' >g.s
mpu-as -g g.s
try mpu-ld g.o -o g.mpu
