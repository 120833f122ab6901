# A kernel that no DPU carries out: what stands behind its 'else', with a warning; from a package, too.
cat > big.s <<'A'
        .size   n = 5
        .group  g[n]
        .var in  x: i32 @g = r0
        .var out y: i32 @g = r1
        .buffer in x: i32[n]
        .buffer out y: i32[n]
        .kernel f stage(x: i32[], y: i32[], n: u64) ELSE
            length n;
            map (in x, out y) { i64 t[4096]; i64 s[4096]; t[x[0] & 4095] = x[0]; s[t[x[0] & 4095] & 4095] = x[0]; y[0] = (i32)s[x[0] & 4095]; }
        .endkernel
        RECIPE  f(x, y, n)
        HALT

        .sub slow
        COMPUTEG @g
        MOV.32  x y
        COMPUTE_DONE
        RETURN
        .endsub
A
sed 's/ELSE/else slow/' big.s > has.s
sed 's/ELSE//' big.s > none.s
try() { "$@"; echo "exit $?" >&2; }
try mpu-run --target upmem has.s --in x=iota --print y --check
try mpu-run --target upmem none.s --in x=iota --print y
try ezpim has.s --target upmem -o has.mpu
try mpu-run --target upmem has.mpu --in x=iota --print y
try mpu-run --target upmem has.mpu --size n=4 --in x=iota --print y
# Resident buffers are resident variables, and a round keeps what somebody wants of an array that is no output.
quiet() { mpu-run --target upmem "$@" -Wno-kernel-else -Wno-unscaled; }
try quiet has.s --in x=iota --resident x,y --stats csv > resident.csv
grep -E '^host\.(puts|gets|resident\..*name),' resident.csv
sed -e 's/\.var out y/.var y/' -e 's/\.buffer out y/.buffer y/' has.s > inner.s
few='--set machine.mpus=1 --set machine.rfh_per_mpu=1 --set dpu.mram_bytes=65536'
try quiet inner.s $few --size n=200000 --in x=iota --print y[199998:200000] --stats csv > inner.csv
grep -E '^(y\[|total\.rounds)' inner.csv
# No variable has the name of the buffer; a text that is wrong is refused beside one that is too much.
sed -e '/\.var in/d' -e 's/  x y/  r0 y/' has.s > nowhere.s
try quiet nowhere.s --in x=iota
sed -e 's/RECIPE  f/RECIPE  d(x)\n        RECIPE  f/' -e 's/\(.*\)\.endkernel/&\n\1.kernel d dpu(x: i32[]) else slow\n\1    nonsense r0, r1\n&/' has.s > both.s
try quiet both.s --in x=iota --print y
# Of several kernels each that is too much says why.
sed -e 's/RECIPE  f/RECIPE  f(x, y, n)\n        RECIPE  k/' -e 's/\(.*\)\.endkernel/&\n\1.kernel k stage(x: i32[], y: i32[], n: u64) else slow\n\1    length n;\n\1    array t: i32;\n\1    group 5000 (in x, out t) { t[0] = x[0]; }\n\1    map (in t, out y) { y[0] = t[0]; }\n&/' -e 's/4096/8/' -e 's/4096/8/' has.s > several.s
try mpu-run --target upmem several.s --in x=iota --print y
