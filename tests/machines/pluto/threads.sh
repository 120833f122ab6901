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
group narrow[n];
group wide[n];
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
    for where in "$small" "$few"; do
        for j in 1 2; do
            "$bin/mpu-run" --target $target -j $j $where two.mpu $in --out b=b.npy --out y=y.npy \
                --out steps=steps.npy --stats json:stats.json > /dev/null || fail "$target -j $j"
            for v in b y steps; do
                cmp $v.npy want-$v.npy || fail "$v differs: $target -j $j $where"
            done
            mv stats.json stats$j.json
        done
        cmp stats1.json stats2.json || fail "figures differ: $target $where"
    done
    grep -q '"rounds": [2-9]' stats1.json || fail "no rounds"
done
exit $failed
