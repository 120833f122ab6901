#!/bin/sh
# SPDX-License-Identifier: MIT
# dappa.sh PRIM BUILD [ELEMENTS [DPUS..]]: figures 6 and 7 of DaPPA's paper again, PrIM's compiled programs
# beside pipelines, on the same model of a DPU (upmem-dappa) and the same link; a page in Markdown.
#
# PRIM is a folder of PrIM's sources whose `bin` folders hold the DPU programs (docs/dpu.md says which); it is
# copied and stays as it is.  ELEMENTS are those of a DPU (1,048,576; a multiple of 2,048); DPUS 1 4 16 64.
set -eu
[ $# -ge 2 ] || {
    echo "usage: dappa.sh PRIM BUILD [ELEMENTS [DPUS..]]" >&2
    exit 2
}
source=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in VA SEL UNI RED GEMV HST-S; do
    cp -r "$1/$name" "$work"
done
shift 2
elements=${1:-1048576}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- 1 4 16 64
libmpu="-L$build/lib -lmpu -Wl,-rpath,$build/lib"
cat >"$work/dpu-pkg-config" <<END
#!/bin/sh
echo "-w -D_GNU_SOURCE -I$source/runtime/include -I$source/runtime/include/mpu $libmpu -lm"
END
chmod +x "$work/dpu-pkg-config"
cd "$work"
for name in va sel uni red gemv hst; do
    ${CXX:-c++} -std=c++17 -O2 -DCOLUMNS=256 -I"$source/runtime/include" "$source/examples/dappa/$name.cc" \
        -o "$name" $libmpu
done

# prim NAME DPUS: a line `DPUS NAME prim in kernel out host` in ps.
prim() {
    options="-w 0 -e 1 -x 0 -i $elements"
    [ "$1" != GEMV ] || options="-w 0 -e 1 -n 256 -m $((elements / 256 * $2))"
    (
        cd "$1"
        host=$(sed -n 's|^HOST_TARGET := ${BUILDDIR}/||p' Makefile)
        rm -f "bin/$host" ../stats
        PATH=$work:$PATH make -s "bin/$host" NR_DPUS="$2" BL=10 >../log 2>&1 || { cat ../log >&2; exit 1; }
        UPMEM_PROFILE_BASE=target=upmem-dappa,stats=$work/stats "./bin/$host" $options >../log 2>&1 ||
            { cat ../log >&2; exit 1; }
    )
    grep -q -i "are equal" log || { echo "$1 on $2 DPUs: wrong results" >&2; exit 1; }
    awk -v name="$1" -v dpus="$2" '
    function value(part, key) {
        return match(part, "\"" key "\":[0-9]+") ? substr(part, RSTART + length(key) + 3, RLENGTH - length(key) - 3) : 0
    }
    function way(name, part) {
        part = $0
        sub(".*\"" name "\":", "", part)
        return value(part, "ps")
    }
    {
        kernel += value($0, "launches") * value($0, "launch_ps") + value($0, "kernel_ps")
        to += way("to_one") + way("to_many") + way("to_all")
        from += way("from_one") + way("from_many")
    }
    END { printf "%d %s prim %.0f %.0f %.0f 0\n", dpus, name, to, kernel, from }' stats
}
# ours NAME DPUS WHO TASKLETS TYPE
ours() {
    file=$(echo "${1%-S}" | tr A-Z a-z)
    n=$((elements * $2))
    [ "$1" != GEMV ] || n=$((n / 256))
    MPU_FIGURES=1 MPU_TARGET=upmem-dappa MPU_DPUS=$2 MPU_SET=dpu.run_tasklets=$4 "./$file" "$5" $n >log 2>&1 ||
        { cat log >&2; exit 1; }
    awk -v name="$1" -v dpus="$2" -v who="$3" '
        $2 == "transfer_in" { print dpus, name, who, $3, $5, $7, $9 }' log
}
for dpus; do
    for row in "VA i32" "SEL u64" "UNI i64" "RED i64" "GEMV u32" "HST-S u32"; do
        prim ${row% *} "$dpus"
        ours ${row% *} "$dpus" same 16 ${row#* }
        ours ${row% *} "$dpus" eleven 11 i32
    done
done >rows

cat "$source/bench/dappa.md"
awk -v elements="$elements" '
function ms(ps) { return sprintf("%.2f", ps / 1e9) }
function ratio(x) { return sprintf("%.2f", x) }
# A line of the table for `who` of a workload; `times`: so many times the DPUs and ranks of those executed.
function line(d, name, who, times,    p, sum, t) {
    for (p = 1; p <= 4; p++) t[p] = v[d, name, who, p] * (p == 2 ? 1 : times)
    sum = t[1] + t[2] + t[3] + t[4]
    share = (t[1] + t[3]) / sum * 100
    all[who] = sum; kernel[who] = t[2]
    printf "| %s | %s | %s | %s | %s | %s | %s | %.0f %% |", name, label[who], ms(t[1]), ms(t[2]), ms(t[3]), ms(t[4]), ms(sum), share
    shares[who] += share
    if (who == "prim") print " | |"
    else print " " ratio(all["prim"] / sum) " | " ratio(kernel["prim"] / t[2]) " |"
}
function table(d, times, title,    i, name, w, who, n) {
    print "\n### " title "\n"
    print "| workload | | transfer in | kernel | transfer out | host | total ms | transfers | PrIM / here, end to end | kernel |"
    print "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    split("", mean); split("", most); split("", shares)
    for (i = 1; i <= names; i++) {
        name = order[i]
        for (w = 1; w <= 3; w++) {
            who = whos[w]
            line(d, name, who, times)
            if (who == "prim") continue
            mean[who, "all"] += log(all["prim"] / all[who]); mean[who, "kernel"] += log(kernel["prim"] / kernel[who])
            if (name == "SEL" || name == "UNI") mean[who, "filters"] += log(all["prim"] / all[who])
            if (kernel["prim"] / kernel[who] > most[who]) { most[who] = kernel["prim"] / kernel[who]; which[who] = name }
        }
    }
    summary[++tables] = title
    for (w = 2; w <= 3; w++) {
        who = whos[w]
        sum[tables, who] = sprintf("%s | %s | %s | %s (%s) | %.0f %%, %.0f %%", ratio(exp(mean[who, "all"] / names)),
            ratio(exp(mean[who, "filters"] / 2)), ratio(exp(mean[who, "kernel"] / names)), ratio(most[who]), which[who],
            shares["prim"] / names, shares[who] / names)
    }
}
BEGIN {
    whos[1] = "prim"; whos[2] = "same"; whos[3] = "eleven"
    label["prim"] = "PrIM"; label["same"] = "here"; label["eleven"] = "here, 11, i32"
}
{
    if (!(($1, "") in seen)) { seen[$1, ""] = 1; dpus[++counts] = $1 }
    if (!($2 in known)) { known[$2] = 1; order[++names] = $2 }
    for (p = 1; p <= 4; p++) v[$1, $2, $3, p] = $(p + 3)
}
END {
    print "\n" elements " elements in each DPU; GEMV has rows of 256 of them."
    for (i = 1; i <= counts; i++) table(dpus[i], 1, dpus[i] " DPU" (dpus[i] > 1 ? "s" : "") ", executed")
    if (dpus[counts] == 64) table(64, 40, "2,560 DPUs, by the model of the link")
    print "\n## Means\n"
    print "Geometric means of the six; the last column has the means of the transfers'"'"' shares, of PrIM'"'"'s programs and of the pipelines.\n"
    print "| | | end to end | SEL and UNI | kernel | largest of a kernel | transfers |"
    print "|---|---|---:|---:|---:|---:|---:|"
    print "| the paper, 2,560 DPUs | 11 tasklets | 2.1 | 10 | 1.4 | 3.5 | \"the vast majority\" |"
    for (i = 1; i <= tables; i++)
        for (w = 2; w <= 3; w++) print "| " summary[i] " | " (w == 2 ? "16 tasklets, PrIM'"'"'s types" : "11 tasklets, i32") " | " sum[i, whos[w]] " |"
}' rows
