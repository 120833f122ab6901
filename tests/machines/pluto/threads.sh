# SPDX-License-Identifier: MIT
# The same bytes, and the same figures, with one thread and with two; the same bytes in rounds.
#   threads.sh BIN WORK
set -u
bin=$1
rm -rf "$2"
mkdir -p "$2"
cd "$2" || exit 1
failed=0
fail() {
    echo "FAILED: $*"
    failed=1
}

# Two kin, slots of 8 and of 32, a table and a loop that ends when no lane is at work any more.
cat > two.ez << 'END'
size n;
group narrow[n], wide[n];
in  a: u8 @ narrow;
out b: u8 @ narrow;
in  x: u32 @ wide;
out y: u32 @ wide;
out steps: u16 @ wide;
const SQUARE: u8[16] = { 0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225 };
main {
    compute narrow { b = SQUARE[a & 15] + a; }
    compute wide {
        y = x;
        steps = 0;
        while (y > 9) {
            y = y / 3 + 1;
            steps = steps + 1;
        }
    }
}
END
"$bin/ezpim" two.ez -o two.mpu || fail "two.ez"
small='--set pluto.row_bits=512 --set array.lanes=8'
few="$small --set machine.rfh_per_mpu=2 --set machine.vrf_per_rfh=4"
in='--in a=a.npy --in x=iota --size n=500'
cat > values.ez << 'END'
size n;
group g[n];
in  x: u32 @ g;
out a: u8 @ g;
main { compute g { a = u8(x * 77); } }
END
"$bin/mpu-run" --target golden values.ez --in x=iota --size n=500 --out a=a.npy > /dev/null ||
    fail "values"
"$bin/mpu-run" --target golden two.mpu $in --out b=want-b.npy --out y=want-y.npy \
    --out steps=want-steps.npy > /dev/null || fail golden
for target in pluto-bsa pluto-gsa pluto-gmc; do
    for how in "-j 1 $small" "-j 2 $small" "-j 1 $few" "-j 2 $few"; do
        name=$(echo "$target $how" | tr -c 'a-z0-9\n' _)
        "$bin/mpu-run" --target $target $how two.mpu $in --out b=b.npy --out y=y.npy \
            --out steps=steps.npy --stats "$name.json" > /dev/null || fail "$target $how"
        for v in b y steps; do
            cmp $v.npy want-$v.npy || fail "$v differs: $target $how"
        done
    done
    set -- "$target"_*.json
    [ $# = 4 ] || fail "statistics of $target"
    for f in "$target"__j_1_*.json; do
        cmp "$f" "$(echo "$f" | sed 's/_j_1_/_j_2_/')" || fail "figures differ: $f"
    done
done
"$bin/mpu-run" --target pluto-gmc $few two.mpu $in --print-capacity 2>&1 | grep -q "rounds" ||
    "$bin/mpu-objdump" --target pluto-gmc $few --size n=500 --capacity two.mpu | grep -q "rounds" ||
    fail "no rounds"
exit $failed
