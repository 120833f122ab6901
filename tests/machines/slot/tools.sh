#!/bin/sh
# SPDX-License-Identifier: MIT
# The tools on the toy: packages, listings, checks, sweeps, traces and streams of micro-ops.
#   tools.sh SOURCE_DIR BIN TOYS
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
target=$1/tests/machines/slot/slot.yaml
cat >"$dir/k.ez" <<'END'
size  n;
group g[n];
in    x, y: u16 @ g;
out   z: u16 @ g;
main {
    compute g {
        z = max(x, y) - min(x, y);
        while (z > 100) { z = z - 7; }
    }
}
END
cd "$dir"
"$2/ezpim" k.ez -o k.mpu
"$3/mpu-ld" --target "$target" k.mpu -o p.mpu --size n=3
"$3/mpu-objdump" --recipes --target "$target" p.mpu >listing
grep -q '^row programs for target slot: .* in slots of 16 bits$' listing
grep -q '^  SWEEP C <- \|^  XOR C <- ' listing
run() { "$toys/mpu-run" --target "$target" p.mpu --in x=10,20,300 --in y=7,25,30 "$@"; }
toys=$3
run --print z --check --stats json >plain
grep -qx 'z = 3 5 95' plain
grep -q '"sweeps without a match": *[0-9]' plain
"$toys/mpu-recipe" verify --target "$target" --op ADD,SHRI --width 3,8 >verified
[ "$(wc -l <verified)" = 5 ] # in slots of 4, 8, 16, 32, 64
"$toys/mpu-recipe" verify --target "$target" --op ADD --width 8 --slot 8,64 >verified
grep -q '^slot in slots of 8: instructions 1, forms 10, ' verified
grep -q '^slot in slots of 64: instructions 1, forms 10, ' verified
# Who finishes a reduction decides how wide a group's registers are: packages of their own, and one
# that was made for the other choice is not taken.
cat >w.s <<'END'
        .geometry lanes=64, vrfs=64, rfhs=8
        .size n
        .group g[n]
        .group one[1] like g
        .var in x: u8 @g = r0
        .var out s: u8 = r1 in one
        .width 8
        .finish s = sum u8 @g r0
        COMPUTEG @g
        .width 32
        XOR r2 r2 r2
        .width 8
        MOV r0 r1
        ADD r1 r2 r1
        COMPUTE_DONE
        .endfinish
END
"$2/mpu-as" w.s -o w.o
"$2/mpu-ld" w.o -o w.mpu
for who in host device; do
    "$3/mpu-ld" --target "$target" --finish=$who w.mpu -o $who.mpu --size n=1
    "$3/mpu-objdump" --recipes --target "$target" $who.mpu >$who
    "$toys/mpu-run" --target "$target" $who.mpu --finish=device --in x=7 --print s --check --stats json >by-$who 2>error
    [ ! -s error ]
    grep -qx 's = 7' by-$who
    grep -q '"established_micro_ops": 32,' by-$who
done
grep -q 'in slots of 8 bits$' host
grep -q 'in slots of 32 bits$' device
if [ "$(sha256sum <host.mpu)" = "$(sha256sum <device.mpu)" ]; then exit 1; fi
# Costs by slot: a row for those that cost the same. Rows of planes have none.
"$toys/mpu-recipe" count --target "$target" --op XOR,ADD --width 8 --slot 8,64 --csv >counted
sed -n 1p counted | grep -q '^target,instruction,width,slot,masked,micro_ops,'
[ "$(grep -c '^slot,XOR,8,\(8\|64\),0,4,-,-,-,60,-,[1-9][0-9]*,-$' counted)" = 2 ]
[ "$(grep -c '^slot,ADD,8,\(8\|64\),0,27,-,-,-,441,-,[1-9][0-9]*,-$' counted)" = 2 ]
"$toys/mpu-recipe" count --target "$target" --set slot.fj_per_lane=0 --op XOR --width 8,32 --csv >counted
grep -qx 'slot,XOR,8,8-64,0,4,-,-,-,60,-,3600,-' counted
grep -qx 'slot,XOR,32,32-64,0,4,-,-,-,60,-,3600,-' counted
[ "$(wc -l <counted)" = 3 ]
"$toys/mpu-recipe" count --target "racer,$target" --op ADD --width 8 --slot 8 --csv >counted
grep -q '^racer,ADD,8,-,0,' counted
grep -q '^slot,ADD,8,8,0,' counted
"$toys/mpu-recipe" diff "$target" "$target" --op ADD --width 8,16 >same
tail -n 1 same | grep -q '^0 of 7 differ; micro-ops b/a, geometric mean of all: 1.000$'
sed 's/^name: slot/name: slower/; s/shift_fj: 1300/shift_fj: 1400/' "$target" >slower.yaml
"$toys/mpu-recipe" diff "$target" slower.yaml --op ADD,XOR --width 8 --slot 8,64 --csv >differ
[ "$(grep -c '^ADD,8,\(8\|64\),27,27,1.000,441,441,1.000,' differ)" = 2 ]
if grep -q '^XOR,' differ; then exit 1; fi
# And of a kind that measures what it carries out.
"$toys/mpu-recipe" count --target "$1/tests/machines/core/core.yaml" --op ADD --width 8 --csv >counted
grep -qx 'core,ADD,8,0,320,-,-,-,512,-,5056000,-' counted
if "$toys/mpu-recipe" count --target "$target" --op ADD --width 16 --slot 8 2>error; then exit 1; fi
grep -q 'no instruction fits' error
if "$toys/mpu-recipe" expand --target "$target" --op ADD 2>error; then exit 1; fi
grep -q 'mpu-recipe counts, verifies and compares it' error
# A table of a VRF: a row for each bit of its slots; all components add up to all of the run.
grep -q '"established_vrfs": 1,' plain
grep -q '"established_micro_ops": 16,' plain
grep -q '"established_time_ps": 176000,' plain
run --stats csv >csv
awk -F, '/^total.end_to_end_time_ps,/ { all = $2 }
    /^by_component.*\.time_ps,/ { sum += $2 }
    END { exit !(all && all == sum) }' csv
run --set host.transpose=host --set host.transpose_bytes_per_s=1000 --stats csv >turned
grep -q '^host.transpose_time_ps,0$' csv
grep -q '^host.transpose_time_ps,[1-9]' turned
run --print z --check --stats json --trace t.json --uops u.txt:text --uops u.csv:csv --log insn,uop:log >watched
sed '/"command"/,/]/d' plain >a
sed '/"command"/,/]/d' watched >b
cmp a b
# As many lines as there are micro-ops of runs; answers are none.
grep -c . u.csv >lines
[ "$(cat lines)" -gt 1000 ]
sed -n 1p u.csv | grep -qx 'number,batch,time_ps,mpu,rfh,vrf,vrfs,index,order,command,result,first,second'
grep -q '^  *[0-9].*XOR r2 <- r2, t' u.txt
grep -q '"ph":"X","pid":17,"tid":4,"ts":0.000000,"dur":0.176000,"name":"COMPUTEG @g: set-up".*"vrfs":1' t.json
python3 -c 'import json; json.load(open("t.json"))' 2>/dev/null || ! command -v python3 >/dev/null
run --set slot.window_ps=0,13000 --set slot.sweep_ps=70000,90000 >sweep
[ "$(grep -c ' done$' sweep)" = 4 ]
if run --set slot.scratch_rows=1 2>error; then exit 1; fi
grep -q "scratch rows; target 'slot' has 1" error
