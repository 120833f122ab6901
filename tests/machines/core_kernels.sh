#!/bin/sh
# SPDX-License-Identifier: MIT
# Kernels of the toy core by the tools: one launch for all MPUs, sizes from the shape of a buffer, what
# stands behind 'else', limits, faults, and MPUs that do not come.
#   core_kernels.sh SOURCE BIN TOYBIN
. "$1/tests/machines/core_tools.sh"

cat >grid.s <<'S'
        .geometry grid=[2]
        .size n
        .buffer inout y: i64[n]
        .buffer out z: i64[2]
        .kernel inc core(y: i64[], z: i64[], a: u64, n: u64)
            beqz x15 go
            end
        go: ld x5 (x1)
            add x5 x5 x3
            st x5 (x1)
            st x4 (x2)
            end
        .endkernel
main:   REPEAT 3
        RECIPE inc(y, z, 5, n + 1)
        REPEAT_END
        HALT
S
expect 'one launch for all MPUs' 'y = 16 2 3' run grid.s --in y=1,2,3 --print y
expect 'a size from a shape' 'z = 5 0' run grid.s --in y=1,2,3,4 --print z
run grid.s --in y=1,2 --stats json:s.json && grep -q '"launches": 3' s.json || { echo 'not 3 launches' && status=1; }
expect 'another shape' "has shape (2,); the variable has shape (3,)" run grid.s --in y=1,2 --size n=3
run grid.s --in y=1,2 --out y=y.npy && run grid.s --in y=1,2 --expect y=y.npy || status=1
expect 'data that nobody gave' "no data was given for input 'y'" run grid.s --size n=2
expect 'a limit' 'the limit of 20 cycles is reached' run grid.s --in y=1 --max-cycles 20
expect 'checking' "kernel 'inc': golden does not interpret" run grid.s --in y=1 --check
expect 'golden' 'engine golden cannot carry it out' run grid.s --in y=1 --engine golden
run grid.s --in y=1,2 --out y=r.txt --resident y --stats json:r.json || status=1
[ "$(tr -d ' \n' <r.json | sed -n 's/.*"resident":\(\[[^]]*\]\).*/\1/p')" = '[{"name":"y","bytes_in":16,"bytes_out":16}]' ] && grep -q '"puts": 0' r.json ||
    { echo 'a resident buffer is charged' && status=1; }
sed 's/ld x5 (x1)/ld x5 (x3)/' grid.s >fault.s
expect 'a fault' "kernel 'inc', pc 2, fault.s:8: unit 0, worker 0 finds no 8 bytes at 0x5" run fault.s --in y=1
sed 's/ld x5 (x1)/ld x5 r3/' grid.s >lane.s
expect 'a lane' "lane.s:8:1: error: kernel 'inc': r3 is nothing" run lane.s --in y=1
sed 's/i64\[n\]/i32[n]/; s/y: i64\[\]/y: i32[]/' grid.s >narrow.s
expect 'narrow elements' "elements of 'y' have less than the 8 bytes" run narrow.s --in y=1
# A launch is work of all 64 cores, whatever MPUs the program names, and begins when it does.
cat >whole.s <<'S'
        .buffer inout y: i64[64]
        .kernel count core(y: i64[])
            li x5 3
            shl x5 x15 x5
            add x5 x1 x5
            ld x6 (x5)
            add x6 x6 x14
            st x6 (x5)
            end
        .endkernel
main:   RECIPE count(y)
        RECIPE count(y)
        HALT
S
sed '1i\        .geometry grid=[2]' whole.s >named.s
field() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" "$2" | head -n 1; }
for f in whole named; do
    run $f.s --in y=zeros --out y=$f.txt --stats json:$f.json --uops $f.uops:text || status=1
    [ "$(field mpus_used $f.json) $(field vrfs_used $f.json)" = '8 64' ] ||
        { echo "$f: not the whole machine" && status=1; }
done
static_of() { tr -d ' \n' <"$1" | sed -n 's/.*"component":"static"[^}]*"energy_fj":\([0-9]*\).*/\1/p'; }
[ "$(static_of whole.json)" = "$(static_of named.json)" ] || { echo 'static energy of 8 cores' && status=1; }
cmp whole.txt named.txt || status=1
[ "$(grep -c ' 128$\|128' whole.txt)" -gt 0 ] || { echo 'not 64 workers in each launch' && status=1; }
# The first launch begins behind control.launch_ps, the second behind the first and another of these.
awk '/^#/ { first = 1; next }
     NF == 0 { next }
     first && $1 < last + 2000000 { wrong = 1 }
     { first = 0; last = $1 > last ? $1 : last }
     END { exit wrong }' whole.uops || { echo 'a launch begins before the one in front of it ends' && status=1; }

# Grid, block and units of a launch, as formulas of sizes.
cat >laid.s <<'S'
        .size n
        .buffer inout y: i64[n]
        .kernel mark core(y: i64[])
            li x5 3
            shl x5 x15 x5
            add x5 x1 x5
            st x14 (x5)
            end
        .endkernel
main:   .launch mark<<<(n + 2) / 3, [3, 1]>>>(y) units n - 2 from n
        RECIPE mark<<<n>>>(y)
        .launch mark<<<2>>>(y) units 1 from 0
        HALT
S
expect 'a grid of blocks' 'y = 2 2 6 6 6 6' run laid.s --in y=0,0,0,0,0,0 --print y
sed 's/units 1 from 0/units 1 from 0 + n/' laid.s >from.s
expect 'a formula that begins with 0' 'y = 2 2 6 6 6 6' run from.s --in y=0,0,0,0,0,0 --print y
for bad in "s/<<<n>>>/<<<n - 6>>>/=kernel 'mark': the grid is 0, not 1 to 4294967295" \
    "s/<<<n>>>/<<<n, n, 8>>>/=form 'core' leaves the number of bytes of a block to the machine" \
    "s/units 1 from 0/units 60 from n/=kernel 'mark' names units 6 to 65; target 'core' has 64" \
    "s/<<<n>>>/<<<1048576, 2097152>>>/=the launch has more than 2^40 workers" \
    's/<<<n>>>/<<<[1, 2, 3, 4]>>>/=a grid has at most 3 dimensions' \
    "s/<<<n>>>/<<<n/=expected '>>>'" \
    's/<<<n>>>/<<<0>>>/=an extent is a number in 1..2^40' \
    "s/RECIPE mark/RECIPE marc/=there is no kernel 'marc'"; do
    sed "${bad%%=*}" laid.s >bad.s
    expect "$bad" "${bad#*=}" run bad.s --in y=0,0,0,0,0,0
done
# What goes wrong says where: kernel, word, line, unit and worker.  core is 64 units; worker 65 is unit 1's.
cat >wrong.s <<'S'
        .buffer inout y: i64[2]
        .kernel wrong core(y: i64[], step: i64, n: i64)
            xor x4 x15 x3
            bnez x4 out
            add x1 x1 x2
            ld x5 (x1)
        out: end
        .endkernel
main:   RECIPE wrong<<<70>>>(y, 0, 65)
        HALT
S
expect 'nothing wrong' 'y = 1 2' run wrong.s --in y=1,2 --print y
for bad in '-65536 an unmapped address=finds no 8 bytes at 0x0' '4 between elements=finds no 8 bytes at 0x10004, which is not aligned' \
    '16 the gap behind a buffer=finds no 8 bytes at 0x10010' '12 half behind it=finds no 8 bytes at 0x1000c, which is not aligned'; do
    sed "s/(y, 0, 65)/(y, ${bad%% *}, 65)/" wrong.s >bad.s
    expect "${bad%=*}" "bad.s:9:9: error: kernel 'wrong', pc 3, bad.s:6: unit 1, worker 65 ${bad#*=} (instruction 0" run bad.s --in y=1,2
done
sed 's/ld x5 (x1)/st x5 (x1)/; s/(y, 0, 65)/(y, 16, 65)/' wrong.s >bad.s
expect 'a store there' "kernel 'wrong', pc 3, bad.s:6: unit 1, worker 65 finds no 8 bytes at 0x10010" run bad.s --in y=1,2
sed 's/ld x5 (x1)/here: beqz x4 here/' wrong.s >bad.s
expect 'a stuck unit' "kernel 'wrong', pc 3, bad.s:6: unit 1, worker 65 comes to no end (core.watchdog)" run bad.s --in y=1,2
# A word of a package that was damaged is found before there is a unit, and not carried out.
mpu-as -g wrong.s -o wrong.o && "$toy/mpu-ld" --target "$core" wrong.o -o wrong.mpu
expect 'the code of the text' 'y = 1 2' run wrong.mpu --in y=1,2 --print y
at=$(grep -obUaP '\x00\x00\x12\x41' wrong.mpu | head -1 | cut -d: -f1) # add x1 x1 x2
printf '\102' | dd of=wrong.mpu bs=1 seek=$((at + 3)) conv=notrunc 2>/dev/null
expect 'a damaged word' 'the package cannot be used: it is damaged' run wrong.mpu --in y=1,2
# Figures of kernels: lines of the kernel and of RECIPE are all of the energy but static's and the
# host's, and all micro-ops; kernels have what their lines have.
cat >two.s <<'S'
        .buffer inout y: i64[64]
        .kernel count core(y: i64[])
            li x5 3
            shl x5 x15 x5
            add x5 x1 x5
            ld x6 (x5)
            add x6 x6 x14
            st x6 (x5)
            end
        .endkernel
        .kernel clear core(y: i64[], n: u64)
            beqz x15 go
            end
        go: li x6 1
            li x7 8
        lap: beqz x2 out
            st x0 (x1)
            add x1 x1 x7
            sub x2 x2 x6
            beqz x0 lap
        out: end
        .endkernel
main:   RECIPE count(y)
        REPEAT 3
        RECIPE clear(y, 3)
        RECIPE count<<<7>>>(y)
        REPEAT_END
        HALT
S
run two.s --in y=zeros --out y=y.txt -j 1 --stats csv:1.csv && run two.s --in y=zeros --expect y=y.txt -j 2 --stats csv:2.csv || status=1
for n in 1 2; do grep -v '^provenance' $n.csv >$n.figures; done
cmp 1.figures 2.figures || status=1
awk -F, '$1 ~ /^by_line\.[0-9]*\.(energy_fj|micro_ops)$/ { sub(/.*\./, "", $1); line[$1] += $2 }
         $1 ~ /^by_line\.[0-9]*\.line$/ { lines[$2] = 1 }
         $1 ~ /^by_kernel\.[0-9]*\.(energy_fj|micro_ops|launches)$/ { sub(/.*\./, "", $1); kernel[$1] += $2 }
         $1 ~ /^by_component/ && $2 ~ /^(static|host_cpu)$/ { other = $1; sub(/component$/, "energy_fj", other); less[other] = 1 }
         { value[$1] = $2 }
         END { e = value["total.energy_fj"]
               for (k in less) e -= value[k]
               exit !(line["energy_fj"] == e && line["micro_ops"] == value["total.micro_ops"] &&
                      kernel["micro_ops"] == value["total.micro_ops"] && kernel["launches"] == 7 &&
                      kernel["energy_fj"] > 0 && lines[6] && lines[16] && lines[25]) }' 1.csv ||
    { echo 'lines of kernels are not all of it' && status=1; }
# How long a launch takes stands at the kernel's lines, and what starting it takes at RECIPE's.
time_of() { awk -F, -v n="$1" '$1 ~ /^by_line.*line$/ && $2 == n { k = $1; sub(/line$/, "busy_time_ps", k) } k && $1 == k { print $2 }' 1.csv; }
[ "$(time_of 23)" -lt 3100000 ] && [ "$(time_of 5)" -gt 0 ] || { echo "RECIPE takes $(time_of 23)" && status=1; }
run two.s --in y=zeros --stats text:full | grep -q '^  clear  *3  ' || { echo 'no kernel clear in the text' && status=1; }
"$2/mpu-as" -g two.s -o two.o && "$toy/mpu-ld" --target "$core" two.o -o two.mpu && holds 'lines of code' "ld x6 (x5)              two.s:6" "$toy/mpu-objdump" --recipes --target "$core" two.mpu
# In traces kernels and cores have lines of their own, whose bars are as long as the statistics say.
for j in 1 2; do run two.s --in y=zeros -j $j --trace trace$j.json || status=1; done
cmp trace1.json trace2.json || status=1
awk -F'[:,]' 'NR == FNR { split($0, f, ",")
                  if (f[1] ~ /^by_kernel.*unit_time_ps$/) unit += f[2]
                  else if (f[1] ~ /^by_kernel.*time_ps$/) ps += f[2]
                  next }
         /"name":"process_name".*"machine"/ { names++ } /"thread_name".*"kernels"/ { names++ } /"thread_name".*"core 7"/ { names++ }
         /"ph":"X"/ { match($0, /"dur":[0-9.]*/); dur = substr($0, RSTART + 6, RLENGTH - 6) * 1000000
                      match($0, /"tid":[0-9]*/); tid = substr($0, RSTART + 6, RLENGTH - 6)
                      if (tid == 3) { kernels += dur; named += /count|clear/ } else if (tid >= 1073741824) cores += dur }
         END { exit !(names == 10 && named == 7 && int(kernels + .5) == ps && int(cores + .5) == unit && ps > 0 && unit > 0) }' \
    1.csv trace1.json || { echo 'bars of kernels and cores' && status=1; }
# Groups that nothing but an 'else' works on need no room where kernels are launched: 8,000 elements on 4,096 lanes.
cat >else.s <<'S'
        .size   n = 8
        .buffer in  x: i64[n]
        .buffer out y: i64[n]
        .kernel scale core(x: i64[], y: i64[], a: i64) else slow
            li x6 3
            shl x6 x15 x6
            add x7 x1 x6
            add x8 x2 x6
            ld x9 (x7)
            add x9 x9 x3
            st x9 (x8)
            end
        .endkernel
        .group  e[3]
        .group  g[n]
        .group  h[4] like g
        .group  own[3]
        .var in  x: i64 @g = r0
        .var out y: i64 @g = r1
        .var t: i64 @h = r2
        .var out z: i64 @own = r0
        .move m i64 @h r2[i] = y[i]
main:   RECIPE  scale<<<n>>>(x, y, -3)
        COMPUTEG @own
        LI.12 7 r0
        COMPUTE_DONE
        HALT
        .sub slow
        COMPUTEG @g
        MOV r0 r1
        DEC r1 r1
        DEC r1 r1
        DEC r1 r1
        COMPUTE_DONE
        GMOVE m
        RETURN
        .endsub
S
expect 'a group without room' 'y[0:2] = -3 -2' run else.s --size n=8000 --in x=iota --print 'y[0:2]'
expect 'its neighbour' 'z = 7 7 7' run else.s --size n=8000 --in x=iota --print z
expect "'t' is nowhere" "'t' lies nowhere: target 'core' launches" run else.s --in x=iota --print t
expect 'golden takes else' 'y[0:2] = -3 -2' run else.s --size n=800 --in x=iota --engine golden --print 'y[0:2]'
expect 'and has t' 't = -3 -2 -1 0' run else.s --engine golden --in x=iota --print t
# A launch may have an 'else' of its own, and a kernel none.
sed 's/^main:   RECIPE  scale<<<n>>>(x, y, -3)/& else fast/; s/^        .sub slow/        .sub fast\n        COMPUTEG @g\n        MOV r0 r1\n        COMPUTE_DONE\n        RETURN\n        .endsub\n&/' else.s >fast.s
expect 'an else of a launch' 'y[0:2] = 0 1' run fast.s --engine golden --in x=iota --print 'y[0:2]'
expect 'which is launched' 'y[0:2] = -3 -2' run fast.s --in x=iota --print 'y[0:2]'
sed '/kernel scale/s/ else slow//' fast.s >only.s
expect 'the kernel has none' 'y[0:2] = 0 1' run only.s --engine golden --in x=iota --print 'y[0:2]'
for f in fast only; do
    mpu-as $f.s -o $f.o && mpu-objdump --reassemble $f.o >again.s && mpu-as again.s -o again.o && cmp $f.o again.o || status=1
done
sed '/^main:/s/.*/&\n        RECIPE scale(x, y, 4)/; /kernel scale/s/ else slow//; s/^main:   RECIPE/&/' fast.s >some.s
expect 'one without' "kernel 'scale' (instruction 1) cannot be carried out, and has no 'else'" sh -c 'mpu-as some.s -o some.o && mpu-ld --target racer some.o -o some.mpu'
sed '/GMOVE/d' else.s >slices.s
expect 'golden in rounds' 'y[7998:8000] = 7995 7996' run slices.s --size n=8000 --engine golden --in x=iota --print 'y[7998:]'
mpu-as else.s -o else.o && "$toy/mpu-ld" --target "$core" else.o --size n=8000 -o else.mpu || status=1
expect 'a package of it' 'y[0:2] = -3 -2' run else.mpu --size n=8000 --in x=iota --print 'y[0:2]'
sed 's/^main:.*/&\n        GMOVE m/' else.s >needed.s
expect 'a group that is needed' "group 'g' needs 8000 lanes" run needed.s --size n=8000 --in x=iota

cat >apart.s <<'S'
        .geometry grid=[2]
        .kernel nop core() = "end"
        .mpu 0, a
        .mpu 1, b
a:      RECIPE nop()
        HALT
b:      RECIPE nop()
        HALT
S
expect 'MPUs at two calls' 'deadlock: 2 of 2 MPUs wait' run apart.s
sed 's/^b:.*/b:      NOP/' apart.s >ended.s
run ended.s >/dev/null || status=1
# A file of kernels: the program around it is made of --launch and --buffer.
cat >file.core <<'S'
.buffer counts: i64[1]
.entry add(x: i64[], y: i64[], a: i16)
            li x6 3
            shl x6 x15 x6
            add x7 x1 x6
            add x8 x2 x6
            ld x9 (x7)
            beqz x3 out
            add x9 x9 x3
       out: st x9 (x8)
            end
.entry count(n: u64)
            beqz x0 out
            end
       out: ld x6 (x2)
            add x6 x6 x1
            st x6 (x2)
            end
.entry lost(n: u64)
            ld x5 (x1)
            end
S
expect 'a launch' 'y = 10 11 12' run file.core --launch 'add<<<n>>>(x, y, 7)' --size n=3 --in x=3,4,5 \
    --buffer 'y:i64[n]' --print y
expect 'several, and a formula' 'y = 8 9 10 11 12 3' run file.core --size n=6 --in x=3,4,5,6,7,8 --buffer 'y: i64[n]' \
    --launch 'add<<<(n + 2) / 3, 3>>>(x, y, 5)' --launch 'add<<<1>>>(x, y + 8 * n - 8, 0 - n + 6)' --print y \
    --expect y=8,9,10,11,12,3
run file.core --launch 'count<<<[2, 3], 2>>>(4)' --launch 'count<<<2>>>(k)' --size k=100 --out counts=c.txt
expect 'a buffer that the text adds' 248 cat c.txt
expect 'a length from the data' 'x = 4 5' run file.core --launch 'add<<<2>>>(x, x, 1)' --in x=3,4 --print x
cat >structure.core <<'S'
.entry put(x: i64[], p: bytes[16, 8])
        st x3 (x1)
        end
S
expect 'a structure' 'x = 7' run structure.core --launch 'put<<<1>>>(x, bytes(u32 2, i64 7))' --buffer 'x: i64[1]' --print x
expect 'no launch' 'file.core: none of its kernels is launched' run file.core
expect 'an unknown kernel' "there is no kernel 'ad'" run file.core --launch 'ad<<<1>>>(x)'
expect 'a number for a buffer' 'expected the name of a buffer' run file.core --launch 'add<<<1>>>(x, 3, 1)' --in x=1
expect 'too few arguments' "kernel 'add' has 3 parameters, and gets 1: --launch 'add<<<1>>>(x)'" run file.core --launch 'add<<<1>>>(x)' --in x=1
expect 'not closed' "expected" run file.core --launch 'add<<<1>>>(x, x, 3' --in x=1
expect 'a buffer of another type' 'gets a buffer of another type' run file.core --launch 'add<<<1>>>(x, x, 3)' --in x=1 --buffer 'x:u64[1]'
expect 'too many arguments' "kernel 'add' has 3 parameters, and gets 4" run file.core --launch 'add<<<1>>>(x, y, (3), 1)' --in x=1
expect 'no arguments' "kernel 'lost' has 1 parameter, and gets 0" run file.core --launch 'lost<<<1>>>()'
expect 'a length from zeros' "error: nothing says how long buffer 'y' is; --buffer 'y: i64[N]' does" run file.core --launch 'add<<<1>>>(x, y, 3)' --in x=1 --in y=zeros
expect 'a length that is said' 'y = 4 5' run file.core --launch 'add<<<2>>>(x, y, 3)' --in x=1,2 --size y.length=2 --print y
expect 'a length that nobody gives' "error: nothing says how long buffer 'y' is; --buffer 'y: i64[N]' does" run file.core --launch 'add<<<1>>>(x, y, 3)' --in x=1
expect 'a fault of a file' "kernel 'lost', pc 0, file.core:20: unit 0, worker 0 finds no 8 bytes at 0x5" run file.core --launch 'lost<<<1>>>(5)'
expect 'a file that is wrong' 'wrong.core:1:1: error: this stands before the first .entry' sh -c \
    "echo end >wrong.core; '$toy/mpu-run' --target '$core' wrong.core --launch 'k<<<1>>>()'"
printf '.entry k(x: i64[])\n end\n\0' >zero.core
expect 'a byte 0' 'zero.core: error: the file has a byte 0 in its text' run zero.core --launch 'k(x)'
printf '0\n' >words.pypimhex
expect 'two lines' 'a launch is one line' run file.core --launch 'add<<<1>>>(x, x, 1)
        HALT'
expect 'another file' 'are one kernel, which is launched as it is' run words.pypimhex --launch 'k<<<1>>>()'
# The same program in assembly takes the same.
cat >same.s <<S
        .size n
        .size x.length
        .buffer inout x: i64[x.length]
        .buffer out y: i64[n]
        .buffer out counts: i64[1]
        .module file core
$(cat file.core)
        .endmodule
        .kernel add core(x: i64[], y: i64[], a: i16, counts: i64[]) in file
main:   .launch add<<<n / 2, 2>>>(x, y, 3, counts)
        HALT
S
for f in same.s file.core; do
    [ $f = same.s ] && set -- || set -- --launch 'add<<<n / 2, 2>>>(x, y, 3)' --buffer 'y: i64[n]'
    run $f "$@" --size n=4 --in x=1,2,3,4,5,6,7,8 --out y=$f.txt --stats json:$f.json
    total $f.json >$f.total
done
cmp same.s.txt file.core.txt && cmp same.s.total file.core.total && grep -q '"launches":1' same.s.total || status=1
exit $status
