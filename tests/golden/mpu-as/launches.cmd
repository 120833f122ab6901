# Grid, block, bytes and units of launches: what is refused, and where; and what comes back.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >bad.s <<'S'
        .size   n = 8
        .buffer in x: u32[n]
        .kernel f core(x: u32[], n: u64) = "end"
main:   RECIPE  f<<<n, [0, n]>>>(x, n)
        RECIPE  f<<<[1, 2, 3, 4]>>>(x, n)
        RECIPE  f<<<>>>(x, n)
        RECIPE  f<<<n, 2, 3, 4>>>(x, n)
        RECIPE  f<<<n > 2>>>(x, n)
        RECIPE  f<<<1099511627777>>>(x, n)
        .launch f<<<n>>(x, n)
        .launch k<<<n>>>(x)
        .launch
        .launch f(x, n) units
        .launch f(x, n) units 2 from w
        .launch f(x, n) from 2
        .launch f<<<n, n, n>>>(x)
        COMPUTE RFH0 VRF0
        .launch f(x, n)
        COMPUTE_DONE
        HALT
S
try mpu-as bad.s
cat >good.s <<'S'
        .size   n = 8
        .buffer in x: u32[n]
        .kernel f core(x: u32[], n: u64) = "end"
main:   RECIPE  f<<<(n + 255) / 256, [16, n], 8 * n>>>(x, n) units n - 1 from 2 * n
        .launch f<<<n / 2, 4, 0>>>(x, n) units 3 from 0
        .launch f<<<n>>>(x, n / 2)
        HALT
S
try mpu-as good.s -o good.o
try mpu-objdump -d good.o | grep RECIPE
