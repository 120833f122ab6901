#!/bin/sh
# SPDX-License-Identifier: MIT
# DPUs as a machine, by the tools: VA from file to file, programs with symbols, and what is refused.
#   machine.sh SOURCE BIN
. "$1/tests/machines/core_tools.sh"

upmem() { mpu-run --target upmem "$@"; }

# va.dpu on all DPUs and on a few, from file to file; nothing depends on threads.
va='va(a, b, c, ((n + d - 1) / d + 1) / 2 * 2, n)'
for n in 1 7 12345; do
    seq 1 $n >a.txt && seq 5 3 $((3 * n + 2)) >b.txt && seq 6 4 $((4 * n + 2)) >wanted.txt
    for j in 1 2; do
        upmem --set machine.mpus=1 "$source/examples/dpu/va.dpu" --launch "$va" --buffer 'c: i32[n]' --size d=512 \
            --size n=$n -j $j --in a=a.txt --in b=b.txt --out c=c$j.txt --stats csv:j$j.csv || status=1
        cmp wanted.txt c$j.txt || status=1
    done
    [ "$(grep -v ^provenance.command j1.csv)" = "$(grep -v ^provenance.command j2.csv)" ] || { echo "$n: threads" && status=1; }
done
holds 'figures of DPUs' 'machine.instructions' cat j1.csv

# Sums and histograms of each DPU: tasklets that meet, and that share bins.
awk 'BEGIN { for (i = 0; i < 12345; i++) print (i * 7919 + 13) % 4096 }' >x.txt
per='((n + d - 1) / d + 1) / 2 * 2'
for n in 3 12345; do
    head -n $n x.txt >x$n.txt
    upmem --set machine.mpus=1 "$source/examples/dpu/red.dpu" --launch "red(x, total, $per, n)" --buffer 'total: i64[d, 1]' \
        --size d=512 --size n=$n --in x=x$n.txt --out total=total.txt || status=1
    expect "sum of $n" "$(head -n $n x.txt | awk '{ s += $1 } END { print s }')" awk '{ for (i = 1; i <= NF; i++) s += $i } END { print s }' total.txt
    upmem --set machine.mpus=1 "$source/examples/dpu/hst.dpu" --launch "hst(x, bins, $per, n)" --buffer 'bins: u32[d, 256]' --size d=512 \
        --size n=$n --in x=x$n.txt --out bins=bins.txt || status=1
    awk '{ for (i = 1; i <= NF; i++) b[k++ % 256] += $i } END { for (k = 0; k < 256; k++) print b[k] }' bins.txt >got.txt
    awk '{ b[int($1 / 16)]++ } END { for (k = 0; k < 256; k++) print b[k] + 0 }' x$n.txt | cmp - got.txt || status=1
done

# A program with symbols that a host knows: three DPUs, each with numbers of its own.
cat >sum.s <<'S'
        .text
main:   lw r0, zero, args
        lw r1, zero, args + 4
        add r0, r0, r1
        sw zero, result, r0
stopped: stop true, stopped
        .section .dpu_host, "aw"
        .globl args
        .type args, @object
args:   .word 0, 0
        .size args, 8
        .globl result
        .type result, @object
result: .word 7
        .size result, 4
S
mpu-as --syntax=dpu sum.s -o sum.elf || status=1
printf '1 2\n3 4\n50 60\n' >args.txt
expect 'a row a DPU' 'result = 3 7 110' sh -c "mpu-run --target upmem sum.elf --launch 'main()' --size units=3 --in args=args.txt --print result | tr -s ' \\n' ' '"
for name in n out in b; do # as words of a line that declares a buffer, or parts of them
    sed "s/result/$name/" sum.s >named.s && mpu-as --syntax=dpu named.s -o named.elf || status=1
    expect "a symbol that is called $name" "$name = 3 7 110" sh -c "mpu-run --target upmem named.elf --launch 'main()' --size units=3 --in args=args.txt --print $name | tr -s ' \\n' ' '"
done
expect 'more than there are' 'has 2561 rows, one for each unit' upmem sum.elf --launch 'main()' --size units=2561 --print result

cat >add.s <<'S'
main:   COMPUTE RFH0 VRF0
        ADD.32 r1 r2 r3
        COMPUTE_DONE
        HALT
S
expect 'instructions of the MPU' 'r = 11 22 33' sh -c "mpu-run --target upmem --check add.s --in RFH0.VRF0.r1:u32=1,2,3 --in RFH0.VRF0.r2:u32=10,20,30 --print 'RFH0.VRF0.r3:u32[0:3]' | sed 's/.* = /r = /'"

# Lanes that a smaller group leaves beyond its own: compared, but for what golden alone writes there.
cat >groups.ez <<'E'
size  n;
group g[n];
in    x: u32 @ g;
out   y: u32 @ g;
var   total: u32;
main {
    total = sum(x);
    compute g { y = x - total; }
}
E
expect 'groups that share DPUs' 'y = 4294967259 4294967260 4294967261 4294967262 4294967263 4294967264 4294967265 4294967266 4294967267 4294967259 4294967260' mpu-run --target upmem --check groups.ez --size n=11 --in x=0,1,2,3,4,5,6,7,8,0,1 --print y
holds 'recipes of bits' 'no arithmetic but exact and flush' upmem --set arith=serial add.s

# fault WHAT WANTED TEXT: a kernel whose tasklet 0 comes to it.
fault() {
    printf '        .entry f(x: u32[])\n        .text\nmain: %s\nend: stop true, end\n        .data\nx: .space 8\n' "$3" >f.dpu
    holds "$1" "$2" upmem f.dpu --launch 'f(x) units 2' --buffer 'x: u32[2, 2]' --set dpu.watchdog=1000
}
fault 'beyond WRAM' "4 bytes at 0x80000000 lie beyond WRAM" 'lw r0, mneg, 0'
fault 'alignment' "0x1 is no multiple of 4" 'lw r0, one, 0'
fault 'of the program' "the program reports fault 3" 'fault 3'
fault 'a loop' "still running after 1000 instructions (dpu.watchdog)" 'jump main'
fault 'a place' "kernel 'f', pc 0, f.dpu:3: DPU 0, tasklet 0 at instruction 0 (main)" 'jump main; nop'
fault 'no tasklet' 'there is no tasklet 24' 'boot zero, 24'
fault 'nobody there' 'waits to be resumed, and all tasklets have stopped' 'stop false, main'
fault 'MRAM' 'goes beyond MRAM' 'move r1, 0x0bfffff8; ldma zero, r1, 1'

# Tables that half of the WRAM does not hold lie in MRAM, also out of a package, beside small ones.
awk 'BEGIN {
    print "size n;\ngroup g[n];\nin x: u16 @ g;\nin c: u8 @ g;\nout y: u32 @ g;\nout z: u16 @ g;\nout w: u8 @ g;\nout v: u64 @ g;"
    n = split("32 16 8 64", bits)
    for (i = 1; i <= n; i++) {
        most = 8192 / (i == 3 ? 512 : 1)
        printf "const T%d: u%d[%d] = {", i, bits[i], most
        for (k = 0; k < most; k++)
            printf "%s%d", k ? ", " : "", (k * 40503 + i) % (bits[i] == 8 ? 251 : 65521)
        print "};"
    }
    print "main { compute g { y = T1[x]; z = T2[x]; w = T3[c]; v = 0; if (x % 3 == 1) { v = T4[x]; } } }"
}' >tables.ez
ezpim -Wno-large-table tables.ez -o tables.mpu || status=1
mpu-ld --target upmem --size n=700 tables.mpu -o tables.upmem.mpu || status=1
for program in tables.mpu tables.upmem.mpu; do
    mpu-run --target upmem --size n=700 $program --in x=random:1:0..8191 --in c=random:2 --check >tables.out 2>&1 ||
        { cat tables.out && status=1; }
done

# What is refused.
refused() { holds "$1" "$2" upmem f.dpu --launch 'f(x) units 2' --buffer 'x: u32[2, 2]'; }
printf '        .entry f(y: u32[])\n        .text\nmain: stop true, main\n' >f.dpu
holds 'no symbol' "kernel 'f': the program has no symbol 'y' in WRAM or MRAM for its parameter" upmem f.dpu --launch 'f(y) units 2' --buffer 'y: u32[2, 2]'
printf '        .entry f(x: u32[])\n        .text\nmain: stop true, main\n        .data\nx: .word 0\n        .size x, 4\n' >f.dpu
refused 'a row that is too long' "buffer 'x' has 8 bytes for each DPU, and symbol 'x' 4"
printf '        .entry f(x: u32[])\n        .set NR_TASKLETS, 25\n        .text\nmain: stop true, main\n        .data\nx: .space 8\n' >f.dpu
refused 'too many tasklets' 'the program has 25 tasklets (NR_TASKLETS), and a DPU 24'
printf '        .entry f(x: u32[])\n        .split x 8 4\n        .text\nmain: stop true, main\n        .data\nx: .space 8\n' >f.dpu
refused 'a halo' "f.dpu:2:1: error: kernel 'f': 'x' cannot be split so: a DPU moves multiples of 8 bytes of MRAM"
printf '        .entry f(x: u32[])\n        .text\nmain: ad r1, r2, r3\n        .data\nx: .space 8\n' >f.dpu
refused 'a word' "f.dpu:3:7: error: kernel 'f': "
printf '        .entry f(x: u32[])\n        .text\n main: .space 1\n' >f.dpu
refused 'no code' "f.dpu:3:"
# A number's symbol far beyond WRAM: its address is changed in the file, in front of its size.
printf '        .text\nmain: stop true, main\n        .data\n        .globl far\nfar: .word 0\n        .size far, 0x71717171\n' >far.s
mpu-as --syntax=dpu far.s -o far.elf || status=1
at=$(LC_ALL=C grep -abo qqqq far.elf | cut -d: -f1)
printf '\000\000\002\000' | dd of=far.elf bs=1 seek=$((at - 4)) conv=notrunc 2>dd.log || status=1
while [ $(($(wc -c <far.elf) % 8)) != 0 ]; do printf '\000' >>far.elf; done
{
    echo '        .kernel f dpu(far: u32) words'
    od -An -v -t u8 -w8 far.elf
    printf '        .endkernel\nmain:\n        .launch f(5) units 2\n        HALT\n'
} >far_words.s
holds 'a symbol beyond WRAM' "symbol 'far' lies at the end of WRAM" upmem far_words.s
# All symbols that a host may name, or none.
for n in 512 513; do
    printf '        .text\nmain: stop true, main\n        .data\n        .macro  one\n        .globl n_\\@\n        .type n_\\@, @object\nn_\\@: .word 7\n        .size n_\\@, 4\n        .endm\n        .rept %s\n        one\n        .endr\n' $n >many.s
    mpu-as --syntax=dpu many.s -o many$n.elf || status=1
done
expect 'all symbols' 'n_511 = 7' sh -c "mpu-run --target upmem many512.elf --launch 'main()' --size units=1 --print n_511 | tr -s ' \\n' ' '"
holds 'too many symbols' 'the program has 513 symbols for its host, and a kernel 512 parameters' upmem many513.elf --launch 'main()' --size units=1
head -c 200 sum.elf >cut.elf
holds 'a damaged file' 'the section headers lie outside of the file' upmem cut.elf --launch 'main()'
exit $status
