#!/bin/sh
# SPDX-License-Identifier: MIT
# Host programs of examples/cuda on libmpu: each is compiled as docs/cuda.md says, runs, and ends with
# success after checking its own results; what fails says why, and kernels in CUDA are compiled where
# clang is there.
#   hosts.sh SOURCE BUILD SCRATCH
set -eu
source=$1 build=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
unset MPU_KERNELS MPU_TARGET MPU_CHECK MPU_CLANG || true
flags="-Wall -Wextra -Werror -I$source/runtime/include -L$build/lib -Wl,-rpath,$build/lib"
fail() {
    echo "$1"
    exit 1
}
# expect TEXT COMMAND..: what it prints contains the text
expect() {
    text=$1
    shift
    "$@" >out 2>&1 || true
    grep -qF -- "$text" out || fail "'$*' does not say '$text': $(cat out)"
}

for name in saxpy bfs; do
    ${CC:-cc} $flags "$source/examples/cuda/$name.c" -o $name -lmpu
    cp "$source/examples/cuda/$name.ptx" .
    for target in golden simt; do
        MPU_TARGET=$target ./$name >out 2>&1 || fail "$name on $target: $(cat out)"
    done
done
${CXX:-c++} $flags -x c++ "$source/examples/cuda/listing1.cu" -x none -o listing1 -lmpu
cp "$source/examples/cuda/listing1.ptx" .
for target in golden simt; do
    expect "0 of 1000 elements are wrong; the last one is 2497.5" env MPU_TARGET=$target ./listing1
    expect "17 launches, right" env MPU_TARGET=$target ./bfs
done

expect "nothing.ptx: this file of kernels cannot be read" env MPU_KERNELS=nothing.ptx ./saxpy
expect "has no kernel 'saxpy'" env MPU_KERNELS=bfs.ptx ./saxpy
expect "saxpy: initialization error" env MPU_TARGET=nothing ./saxpy
MPU_KERNELS=bfs.ptx:saxpy.ptx ./saxpy >out 2>&1 || fail "two texts of kernels: $(cat out)"

# What goes wrong in a host program: an argument too few, a structure in place of a number, a range
# beyond an allocation, an address of none, a block too large.
cat >wrong.c <<'EOF'
#include <mpu/simt.h>
int main(int argc, char **argv) {
    struct { float a, b, c; } wide = {1, 2, 3};
    float *p, x[4] = {0};
    dim3 block = {2048, 1, 1};
    (void)argc;
    cudaMalloc((void **)&p, sizeof x);
    switch (argv[1][0]) {
    case 'a': MPU_LAUNCH(saxpy, 1, 32)(4, 1.0f, p); break;
    case 'b': MPU_LAUNCH(saxpy, 1, 32)(4, wide, p, p); break;
    case 'c': cudaMemcpy(p + 1, x, sizeof x, cudaMemcpyHostToDevice); break;
    case 'd': cudaMemcpy(x, &x, sizeof x, cudaMemcpyDeviceToHost); break;
    case 'e': MPU_LAUNCH(saxpy, 1, block)(4, 1.0f, p, p); break;
    case 'f': cudaFree(p + 1); break;
    case 'g': MPU_LAUNCH(saxpy, 1, 32)(1000000, 1.0f, p, p); break;
    case 'h': mpu_memcpy(p + 1, x, sizeof x, Host2Device); break;
    }
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
EOF
${CC:-cc} $flags wrong.c -o wrong -lmpu
export MPU_KERNELS=saxpy.ptx
for MPU_TARGET in golden simt; do
    export MPU_TARGET
    expect "kernel 'saxpy' has 4 parameters, and gets 3" ./wrong a
    expect "kernel 'saxpy', argument 2 of 12 bytes does not fit its parameter" ./wrong b
    expect "the allocation that begins before them ends within them" ./wrong c
    expect "no allocation of the machine's memory has them" ./wrong d
    expect "a block of 2048 x 1 x 1 threads: there are at most 1024" ./wrong e
    expect "the address is that of no allocation" ./wrong f
    expect "cudaErrorLaunchFailure" ./wrong g
    ! ./wrong h >out 2>&1 || fail "mpu_memcpy beyond an allocation goes on"
done
unset MPU_TARGET
unset MPU_KERNELS

# One program for machines that know PTX and for those that do not.
for target in golden simt racer; do
    expect "y = 0 4 8 12 16 20 24" "$build/bin/mpu-run" --target $target "$source/examples/cuda/axpy.s" \
        --size n=7 --in x=iota --in y=iota --print y
done

# Kernels in CUDA.
printf '__global__ void k(float *p) {\n    p[0] = q;\n    printf("%%g", p[0]);\n}\n' >bad.cu
expect "bad.cu' is in CUDA, which clang compiles, and 'no-such-clang' is not there" \
    env MPU_CLANG=no-such-clang "$build/bin/ezpim" bad.cu -o bad.mpu
printf '#!/bin/sh\necho "fatal error: error in backend: cannot" >&2\necho "clang: error: exit code 70" >&2\nexit 70\n' >broken
chmod +x broken
expect "clang cannot compile 'bad.cu': error in backend: cannot" \
    env MPU_CLANG="$PWD/broken" "$build/bin/ezpim" bad.cu -o bad.mpu
if command -v "${MPU_CLANG:-clang}" >/dev/null; then
    expect "bad.cu:2:12: error: use of undeclared identifier 'q'" "$build/bin/ezpim" bad.cu -o bad.mpu
    expect "bad.cu:3:5: error: 'printf<float>' is unavailable: kernels have no printf" \
        "$build/bin/ezpim" bad.cu -o bad.mpu
    expect "y = 2.0 4.5 7.0 9.5" "$build/bin/mpu-run" --target golden "$source/examples/cuda/saxpy.cu" \
        --launch 'saxpy<<<1, 32>>>(n, 2.5, x, y)' --buffer 'x: f32[n]' --buffer 'y: f32[n]' --size n=4 \
        --in x=0,1,2,3 --in y=2,2,2,2 --print y
    expect "y = 2.0 4.5 7.0 9.5" env PATH="$build/bin:$PATH" mpu-run --target golden "$source/examples/cuda/saxpy.cu" \
        --launch 'saxpy<<<1, 32>>>(n, 2.5, x, y)' --buffer 'x: f32[n]' --buffer 'y: f32[n]' --size n=4 \
        --in x=0,1,2,3 --in y=2,2,2,2 --print y
    [ ! -e bad.mpu ] || fail "a program was written after errors"
fi
