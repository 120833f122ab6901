# Buffers, kernels and calls of kernels: what is refused, and where.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >kernels.s <<'S'
        .size   n = 8
        .buffer in x: u32[n]
        .buffer x: u32[n]
        .buffer y: u65[n]
        .buffer z: u8[0]
        .buffer q: u8[1,2,3,4,5,6,7,8,9]
        .kernel f core(x: u32[], n: u64, a: f32) else slow
            end
        .endkernel
        .kernel f core() = "end"
        .kernel g core(x: u32[], x: u8) = "end"
        .kernel h core()
        .endkernel
        .kernel i core() words
            1, 2, three
        .endkernel
        .kernel j core(
            end
        .endkernel
        .global slow
main:   RECIPE  f(x, n, 1.5)
        RECIPE  f(x, n)
        RECIPE  f(x, n, 1.5, 2)
        RECIPE  f(n, x, 1.5)
        RECIPE  f(w, n, 1.5)
        RECIPE  f(x, -1, 1.5)
        RECIPE  f(x, n, n)
        RECIPE  k(x)
        COMPUTE RFH0 VRF0
        RECIPE  f(x, n, 1.5)
        COMPUTE_DONE
        HALT
S
try mpu-as kernels.s
cat >variable.s <<'S'
        .group  g[8]
        .var in x: u32 @g = r0
        .buffer in x: u16[8]
        .value  v: u8 = 1
        .buffer v: u8
S
try mpu-as variable.s
printf '        .kernel f core()\n            end\n' >open.s
try mpu-as open.s
