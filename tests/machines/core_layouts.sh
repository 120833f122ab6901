#!/bin/sh
# SPDX-License-Identifier: MIT
# Buffers of the toy core that do not lie flat, by the tools: what transfers take, what a package says of
# them, units without data, and what is refused.
#   core_layouts.sh SOURCE BIN TOYBIN
. "$1/tests/machines/core_tools.sh"

# A host whose link has modes, as UPMEM's.
cat >link.yaml <<Y
schema: 1
name: link
extends: $core
host:
  bytes_per_s: null
  modes:
    serial:    { in_bytes_per_s: 330000000, out_bytes_per_s: 120000000, setup_ps: 0, scope: rfh }
    parallel:  { in_bytes_per_s: 6680000000, out_bytes_per_s: 4740000000, setup_ps: 0, scope: rfh }
    broadcast: { in_bytes_per_s: 16880000000, setup_ps: 0, scope: rfh }
Y
# Each core takes 2 from its elements; the last has less than the others.
cat >less.s <<'S'
        .size   n = 4000
        .buffer inout x: i64[n]
        .kernel less core(x: i64[], count: u64)
            .split x 8 0
            li x5 8; li x6 1; li x7 2
            lap: beqz x2 out
            ld x8 (x1); sub x8 x8 x7; st x8 (x1)
            add x1 x1 x5; sub x2 x2 x6; beqz x0 lap
            out: end
        .endkernel
main:   RECIPE  less(x, (n + 63) / 64)
        HALT
S
field() { tr -d ' \n' <"$1" | sed -n "s/.*{\"mode\":\"$2\",\([^}]*\)}.*/\1/p"; }
# 504 bytes a core, four of an RFH: 504 at the pace of one alone in, 4 times as many by all out.
"$toy/mpu-run" --target link.yaml less.s --in x=iota --print 'x[3998:]' --stats json:less.json >less.out || status=1
[ "$(cat less.out)" = 'x[3998:4000] = 3996 3997' ] || { cat less.out && status=1; }
case $(field less.json parallel) in
*'"transfers":2,"bytes_in":32256,"bytes_out":32256,"padding_bytes":512,"time_ps":5727273'*) ;;
*) echo "parallel: $(field less.json parallel)" && status=1 ;;
esac
# Flat it is one transfer of a VRF: 97 us in.
sed '/\.split/d; s/li x7 2/&; bnez x15 out/; s/(n + 63) \/ 64/n/' less.s >flat.s
"$toy/mpu-run" --target link.yaml flat.s --in x=iota --print 'x[3998:]' --stats json:flat.json >flat.out || status=1
cmp less.out flat.out || status=1
case $(field flat.json serial) in
*'"transfers":2,"bytes_in":32000,"bytes_out":32000,"padding_bytes":0,"time_ps":363636364'*) ;;
*) echo "flat: $(field flat.json serial)" && status=1 ;;
esac

mpu-as -g less.s -o less.o && "$toy/mpu-ld" --target "$core" less.o -o less.mpu || status=1
expect 'what the package says' 'buffer inout x: i64[n] lies split by 8 bytes with a halo of 0: 64 slices of 504 bytes, in the last 248' \
    sh -c "'$toy/mpu-objdump' --recipes --target '$core' less.mpu | grep '^buffer'"
for j in 1 2; do
    run -j $j less.mpu --in x=iota --out x=x$j.txt --stats csv:j$j.csv || status=1
done
[ "$(grep -v ^provenance.command j1.csv)" = "$(grep -v ^provenance.command j2.csv)" ] && cmp x1.txt x2.txt || status=1
# A core behind the data has nothing.
expect 'a core without data' "kernel 'less', pc 4, less.s:7: unit 50, worker 50 finds no 8 bytes at" run less.s --size n=100 --in x=iota

# What does not go.
cat >two.s <<'S'
        .size   n = 100
        .buffer inout x: i64[n]
        .kernel one core(x: i64[])
            .split x 8 16
            end
        .endkernel
        .kernel two core(y: i64[], a: u64)
            ld x5 (x1)
            .same y
            end
        .endkernel
main:   RECIPE  one(x)
        RECIPE  two(x, 3)
        HALT
S
run two.s --in x=iota 2>two.err && status=1
[ "$(grep -c error: two.err)" = 1 ] || { cat two.err && status=1; }
grep -q "^two.s:9:1: error: buffer 'x' cannot lie in two ways: kernel 'two' wants it the same in each unit, and kernel 'one' split by 8 bytes with a halo of 16$" two.err &&
    grep -q "^two.s:4:1: note: this is what kernel 'one' wants" two.err || { cat two.err && status=1; }
# refused WHAT SED-SCRIPT WANTED: two.s, changed.
refused() {
    sed "$2" two.s >bad.s
    expect "$1" "$3" run bad.s --in x=iota
}
refused 'flat beside split' '/\.same/d' "bad.s:7:17: error: buffer 'x' cannot lie in two ways: kernel 'two' wants it flat, in one place"
refused 'two halos' 's/\.same y/.split y 8 8/' "kernel 'two' wants it split by 8 bytes with a halo of 8, and kernel 'one' split by 8 bytes with a halo of 16"
refused 'twice in one kernel' 's/(y: i64\[\], a: u64)/(y: i64[], z: i64[])/; s/two(x, 3)/two(x, x)/; s/one(x)$/two(x, x)/' "kernel 'two' wants it flat, in one place, and kernel 'two' the same in each unit"
refused 'part of an element' 's/\.split x 8/.split x 12/; s/two(x, 3)/one(x)/' "bad.s:4:1: error: kernel 'one': buffer 'x' cannot be split by 12 bytes: a unit is elements of 8"
refused 'part of an element in a halo' 's/x 8 16/x 8 12/; s/two(x, 3)/one(x)/' "cannot have a halo of 12 bytes: it is elements of 8"
refused 'too many rows' 's/\.split x 8 16/.each x/; s/two(x, 3)/one(x)/' "bad.s:4:1: error: kernel 'one': buffer 'x' has 100 rows, one for each unit; target 'core' has 64 units"
refused 'a number' 's/\.same y/.same a/' "bad.s:9:1: error: kernel 'two': 'a' is no buffer of its parameters"
refused 'a name' 's/\.same y/.same no/' "bad.s:9:1: error: kernel 'two': 'no' is no buffer of its parameters"
refused 'said twice' 's/\.same y/&; .each y/' "bad.s:9:1: error: kernel 'two': it says twice how 'y' lies"
refused 'no number' 's/\.same y/.split y 8 x/' "bad.s:9:1: error: kernel 'two': x is nothing that stands here"
refused 'no such line' 's/\.same y/.some y/' "bad.s:9:1: error: kernel 'two': .some is nothing that stands here"
# Texts in place have lines of their own.
cat >short.s <<'S'
        .buffer x: i64[8]
        .kernel one core(x: i64[]) = "end\n"
        .kernel two core(x: i64[]) = ".same x\n", "end"
main:   RECIPE  one(x)
        RECIPE  two(x)
        HALT
S
expect 'a text in place' "short.s:3:17: error: buffer 'x' cannot lie in two ways: kernel 'two', line 1 of its text, wants it the same in each unit, and kernel 'one' flat, in one place" run short.s
# A group with more elements than there are lanes: rounds, if what is launched lets them be.
cat >rounds.s <<'S'
        .size   n = 100
        .size   e = 9000
        .group  g[e]
        .var    out a: u64 @g = r1
        .buffer inout x: i64[n]
        .kernel less core(x: i64[], used: u64)
            .split x 8 0
            ltu x5 x15 x2; bnez x5 go; end
            go: ld x8 (x1); sub x8 x8 x15; st x8 (x1)
            end
        .endkernel
main:   COMPUTEG @g
        INIT1   r1
        COMPUTE_DONE
        RECIPE  less(x, n)
        HALT
S
run rounds.s --in x=iota --out x=rounds.txt --stats csv:rounds.csv || status=1
grep -q '^total.rounds,3$' rounds.csv || { grep rounds rounds.csv && status=1; }
run --set machine.mpus=24 rounds.s --in x=iota --out x=once.txt || status=1
cmp rounds.txt once.txt && grep -qx 0 rounds.txt || status=1
mpu-as -g rounds.s -o rounds.o && "$toy/mpu-ld" --target "$core" rounds.o -o rounds.mpu || status=1
expect 'parts of rounds' 'lies split by 8 bytes with a halo of 0: 100 slices of 8 bytes, 64 a round' \
    sh -c "'$toy/mpu-objdump' --recipes --target '$core' rounds.mpu | grep '^buffer'"
sed 's/less(x, n)/less(x, 101)/' rounds.s >more.s
# With the last core that has something in the second round, one further on has nothing.
expect 'a core behind the data in a round' "kernel 'less', pc 3, more.s:9: unit 36, worker 100 finds no 8 bytes at" run more.s --in x=iota
# in_rounds WHAT SED-SCRIPT WANTED: rounds.s, changed.
in_rounds() {
    sed "$2" rounds.s >bad.s
    expect "$1" "bad.s:6:17: note: the program cannot run in rounds, with a slice of its elements at a time: $3" \
        sh -c "'$toy/mpu-run' --target '$core' bad.s --in x=iota 2>&1 | grep note:"
}
in_rounds 'flat' '/\.split/d' "buffer 'x' of kernel 'less' lies flat, where all units reach it"
in_rounds 'a result in each' 's/\.split.*/.same x/' "buffer 'x' of kernel 'less' lies the same in each unit, and is a result"
in_rounds 'rows' 's/\.split.*/.each x/; s/n = 100/n = 64/' "buffer 'x' of kernel 'less' has a row for each unit of the machine"
in_rounds 'some units' "s/less(x, n)/& units 8/" "kernel 'less' is launched on some units"

sed 's/.kernel less core/.module m core\n.data 7\n.entry less/; s/.endkernel/.endmodule\n.kernel less core(x: i64[], used: u64) in m/' rounds.s >bad.s
expect 'shared data' "bad.s:14:9: note: the program cannot run in rounds, with a slice of its elements at a time: kernel 'less' has data in common with the entries of module 'm'" \
    sh -c "'$toy/mpu-run' --target '$core' bad.s --in x=iota 2>&1 | grep note:"
# Kernels that work on registers: words of pypim, in a machine of 128 crossbars of 1,024 rows.
cat >words.s <<'S'
        .size   e = 140000
        .group  g[e]
        .var    out a: u32 @g = r1
        .kernel ones pypim() = "ROWS 5\n", "CROSSBARS 1\n", "WRITE r3 <- 7"
main:   COMPUTEG @g
        INIT1.32 r1
        COMPUTE_DONE
        RECIPE  ones()
        HALT
S
expect 'registers' "words.s:4:17: note: the program cannot run in rounds, with a slice of its elements at a time: kernel 'ones' works on registers of all the machine" \
    sh -c "'$toy/mpu-run' --target pypim --set machine.mpus=1 words.s 2>&1 | grep note:"
expect 'too many rounds' 'note: kernels cannot be launched in 134217728 rounds, which have more than 2^32 units together' \
    sh -c "'$toy/mpu-run' --target '$core' rounds.s --size e=549755813888 --in x=iota 2>&1 | grep note:"
# Buffers make no rounds: what a unit's memory does not hold is refused, with the way out.
sed 's/e = 9000/e = 9/; s/less(x, n)/less(x, 50)/' rounds.s >held.s
run --set core.buffer_bytes=16 held.s --in x=iota >/dev/null || status=1
expect 'less than a slice' "held.s:5:23: error: buffers take 16 bytes of each unit; a unit of target 'core' has 15 for them: 'x' of kernel 'less' takes 16" \
    run --set core.buffer_bytes=15 held.s --in x=iota
expect 'the way out' '--set machine.mpus=N' sh -c "'$toy/mpu-run' --target '$core' --set core.buffer_bytes=15 held.s --in x=iota 2>&1 | grep note:"
run --set core.buffer_bytes=15 --set machine.mpus=16 held.s --in x=iota >/dev/null || status=1
run --set core.buffer_bytes=15 rounds.s --in x=iota >/dev/null || status=1 # rounds of groups are more units
sed 's/\.split.*/.same x/' held.s >copies.s
expect 'copies' 'it does not become less on more units' \
    sh -c "'$toy/mpu-run' --target '$core' --set core.buffer_bytes=799 copies.s --in x=iota 2>&1 | grep note:"
# A kernel that nobody calls wants nothing.
sed '/RECIPE  two/d' two.s >alone.s
run alone.s --in x=iota >/dev/null || status=1
exit $status
