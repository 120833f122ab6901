#!/bin/sh
# SPDX-License-Identifier: MIT
# Seeds of the harnesses, each kind in a folder of its own: what lies in the repository, and what
# the tools make of it.
#   seeds.sh SOURCE BUILD OUT
set -eu
source=$1
bin=$2/bin
out=$3
rm -rf "$out"
while read -r kind; do mkdir -p "$out/$kind"; done <"$2/fuzz-kinds"

# take KIND FILE...: equal names get numbers.
take() {
    kind=$1 n=0
    shift
    for f in "$@"; do
        n=$((n + 1))
        [ ! -f "$f" ] || cp "$f" "$out/$kind/$n-$(basename "$f")"
    done
}
take assembly "$source"/examples/*.s "$source"/tests/golden/mpu-as/*.s
take ezpim "$source"/examples/*.ez "$source"/examples/float/*.ez "$source"/tests/ezpim/messages/*.ez
take python "$source"/examples/numpy/*.py "$source"/examples/numpy/float/*.py
take import "$source"/tests/golden/*/*.erc "$source"/tests/golden/*/*.rc "$source"/tests/erc/suite/*.erc
take stage "$source"/tests/fuzz/stage/*.stage
take ptx "$source"/tests/ptx/texts/*.ptx "$source"/tests/fuzz/ptx/*.ptx
take dpu "$source"/tests/fuzz/dpu/*.s
for f in "$source"/tests/fuzz/dpu/*.s; do
    "$bin/mpu-as" --syntax=dpu "$f" -o "$out/dpu/$(basename "$f").elf"
done
printf 'w\006\000\000\203\163\074\000\000\014\142\060\214\204\003\000\003\015' >"$out/dpu/words"
for name in saxpy histogram; do
    "$bin/mpu-as" --syntax=simt "$source/tests/fuzz/simt/$name.s" -o "$out/simt/$name.simt"
    tail -c +600 "$out/simt/$name.simt" | { printf w; cat; } >"$out/simt/$name.words"
done
take simt "$source"/tests/fuzz/simt/*.s
take target "$source"/isa-spec/targets/*.yaml "$source"/examples/technology/*.yaml
for f in "$source"/examples/*.recipe; do
    { echo '#'; cat "$f"; } >"$out/target/$(basename "$f")"
done
"$2/tests/fuzz_seeds" "$out"

# Objects, programs, and programs with packages: of small sources, so that a seed is small.
for name in axpy dot average heat histogram; do
    "$bin/ezpim" -g -c "$source/examples/$name.ez" -o "$out/object/$name.o" 2>/dev/null
    "$bin/ezpim" "$source/examples/$name.ez" -o "$out/object/$name.mpu" 2>/dev/null
done
for name in collatz fig6 fig6-partner; do
    "$bin/mpu-as" "$source/examples/$name.s" -o "$out/object/$name.o" 2>/dev/null
done
# Tables, floats, and kernels with their buffers.
for name in gamma crc32-table float/axpy-f16; do
    "$bin/ezpim" -g "$source/examples/$name.ez" -o "$out/object/$(basename "$name").mpu" 2>/dev/null
done
cat >"$out/assembly/kernels.s" <<'END'
.size n = 700
.buffer in x: u32[n]
.buffer out y: u32[2, 3]
.kernel scale pypim(x: u32[], y: u32[]) else slow
ROWS 5
CROSSBARS 1
READ r1
.endkernel
.kernel raw pypim(x: u32[]) else slow words
0x1f83c0f03ca
0x39
.endkernel
.lut squares k=4 width=8 = 0, 1, 4, 9, size(n) + 1, dup(3, 7)
.module pair core
.data 0, 10
.entry count(x: u32[], a: i16, p: bytes[12, 4])
end
.endmodule
.kernel count core(x: u32[], a: i16, p: bytes[12, 4]) else slow in pair
.kernel again core(x: u32[], a: i16, p: bytes[12, 4]) else slow in pair entry count
main: RECIPE scale<<<(n + 255) / 256, [n, 2, 3], 8 * n>>>(x, y) units 4 from n
.launch raw(x) units 3 from 0 else slow
.launch count<<<n>>>(x + 4 * n, -3, bytes(u32 9, f32 1.5))
RECIPE again(x, n, bytes(i8 1, u32 5))
RECIPE raw(x)
COMPUTE RFH0 VRF0
LUT r1 squares r2
FADD.32 r1 r2 r3
COMPUTE_DONE
HALT
.sub slow
RETURN
.endsub
END
"$bin/mpu-as" -g "$out/assembly/kernels.s" -o "$out/object/kernels.o"
"$bin/mpu-ld" "$out/object/kernels.o" -o "$out/object/kernels.mpu"
"$bin/mpu-ld" --target racer-ideal --size n=1000 "$out/object/axpy.mpu" -o "$out/object/packed.mpu"

# Words of a host: lines of text, digits, and bytes.
printf '%s\n' 'CROSSBARS 1..13:4' 'ROWS 0..1022:2' 'READ r7' 'WRITE r3 <- 0x3f800000' 'INIT1 r30[0..31]' \
    'NOT r30[3..23:4] <- r0[0..20:4]' 'NOR r30[0..31] <- r0[0..31], r1[0..31]' 'NOT r5@1 <- r5@0' \
    'MOVE x2.r4@9 <- r2@5' >"$out/words/lines"
printf '%s\n' 1f83c0f03ca 0x1f83c00801a '4b8fc000012 # gates' 801f80000 17fc004 39 3f8000001d 220122017 a008016 \
    >"$out/words/digits"
printf '\312\003\017\074\370\001\000\000\032\200\000\074\370\001\000\000\071\000\000\000\000\000\000\000' >"$out/words/bytes"

# Files of kernels, behind what is launched of them.
cat >"$out/launches/two" <<'END'
L add<<<(n + 2) / 3, [3, 2]>>>(x, y, 0 - n + 6)
L count<<<n>>>(x + 8 * n) units 4 from n
B y: i64[n]
I x

.data 0, -10, 0x10
.buffer counts: i64[1]
.entry add(x: i64[], y: i64[], a: i16)
        li x6 3
        shl x6 x15 x6
        beqz x3 out
   out: st x9 (x8)
        end
.entry count(x: i64[])
        ld x6 (x2)
        end
END
cat >"$out/launches/structure" <<'END'
L copy(p, k - 1, bytes(u32 8, f32 1.5), q.w)
L copy<<<1>>>(q,2,bytes(u64 1),q.w)
I p
B q: i64[k, 2]
B q.w: u64[3]

.entry copy(x: i64[], n: u64, s: bytes[24, 4], t: u64[])
 .same t
 .split x 16 8
 end
END
