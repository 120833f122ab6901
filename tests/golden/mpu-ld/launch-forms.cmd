# What a launch says and its form does not take, on a built-in target.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
launch() {
    printf '%s\n' '        .size   n = 4' '        .buffer out y: u32[1]' '        .kernel f pypim(y: u32[])' 'ROWS 5' 'CROSSBARS 1' 'READ r1' \
        '        .endkernel' "main:   RECIPE f$1" '        HALT' >launch.s
    mpu-as launch.s -o launch.o
    try mpu-ld --target pypim launch.o -o launch.mpu
}
launch '<<<n>>>(y)'
launch '<<<1, [n, 2]>>>(y)'
launch '(y) units 2 from n'
launch '(y)'
