#!/bin/sh
# SPDX-License-Identifier: MIT
# A piece of the work of run.sh, by both builds; appends a line for each comparison to results.
#   job.sh code EXAMPLE | example EXAMPLE TARGET | random SEED | target TARGET | recipes TARGET |
#          messages TOOL
# Lists of options, variables and machines are words in one string:
# shellcheck disable=SC2086
set -u
here=$(dirname "$0")
id=$(echo "$*" | tr ' /' '--')
top=$COMPARE_WORK/run/$id
results=$COMPARE_WORK/results/$id
source=../../../source
mkdir -p "$top/old" "$top/new"
: >"$results"
for side in old new; do
    [ -e "$top/$side/technology" ] || ln -s "$COMPARE_WORK/technology/$side" "$top/$side/technology"
done

# both STEP TOOL ARGUMENTS...: by each build in its own folder.  STEP.out, .err and .code are what the tool
# printed and its exit code.  No name comes twice, so that what is shown of a difference is still there.
both() {
    step=$1 tool=$2
    shift 2
    command="$tool $*"
    for side in old new; do
        code=0
        (cd "$top/$side" && exec "$COMPARE_WORK/bin/$side/$tool" "$@" >"$step.out" 2>"$step.err" </dev/null) || code=$?
        echo $code >"$top/$side/$step.code"
    done
}

record() { printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$id" "$3" "$command" >>"$results"; }

# same KIND FILE...: one comparison, of what both wrote into files of these names; none if there are none.
same() {
    kind=$1 there=
    shift
    for file; do
        [ -e "$top/old/$file" ] || [ -e "$top/new/$file" ] || continue
        there=$file
        cmp -s "$top/old/$file" "$top/new/$file" && continue
        record "$kind" differs "$file"
        return
    done
    [ -z "$there" ] || record "$kind" same "$there"
}

# Exit code and messages of the last step; false where it failed.
ended() {
    read -r old_code <"$top/old/$step.code"
    read -r new_code <"$top/new/$step.code"
    if [ "$old_code$new_code" = 00 ]; then
        same messages "$step.err"
    else
        same refusals "$step.code" "$step.err"
        false
    fi
}

# The statistics of this step, without what may differ; bytes that are equal need no second look.
statistics() {
    if cmp -s "$top/old/$step.json" "$top/new/$step.json"; then
        same statistics "$step.json"
        return
    fi
    for side in old new; do
        [ ! -e "$top/$side/$step.json" ] ||
            awk -f "$here/json.awk" "$top/$side/$step.json" >"$top/$side/$step.figures"
    done
    same statistics "$step.figures"
}

# ---- programs ----

# code PROGRAM: the words of its text, and the listing with symbols, variables, moves and lines.
code() {
    both "$1.listing" mpu-objdump -s -x -d -l "$1"
    for side in old new; do
        awk '/^Contents of section/ { on = 1; is_text = /\.text:/ }
             /^Disassembly of section/ || !NF { on = 0 }
             { if (!on) print > listing; else if (is_text) print > text }' \
            listing="$top/$side/$1.listing" text="$top/$side/$1.text" "$top/$side/$step.out"
    done
    ended && same listings "$1.listing"
    same code "$1.text"
}

# The program's sizes without a value, its inputs and its outputs.
sizes='' inputs='' outputs=''
find_variables() {
    [ -e "$top/new/p.mpu.listing" ] ||
        "$COMPARE_WORK/bin/new/mpu-objdump" -x "$top/new/p.mpu" >"$top/new/p.mpu.listing"
    eval "$(awk '
        !NF { part = "" }
        part == "SIZES:" && !/=/ { sizes = sizes " " $2 }
        part == "VARIABLES:" { sub(/:/, "", $3) }
        part == "VARIABLES:" && $2 ~ /^in/ { inputs = inputs " " $3 }
        part == "VARIABLES:" && $2 ~ /out$/ { outputs = outputs " " $3 }
        NF == 1 { part = $1 }
        END { printf "sizes=\047%s\047 inputs=\047%s\047 outputs=\047%s\047", sizes, inputs, outputs }' \
        "$top/new/p.mpu.listing")"
}

# packages TARGET [OPTIONS]: $linked is the program with a package; what lies where, and its recipes.  False:
# refused.
packages() {
    on=${1##*/}
    linked=p.$on.mpu
    both "link.$on" mpu-ld -o "$linked" -Map="map.$on" --print-capacity --target "$@" p.mpu
    ended || return 1
    same placements "map.$on" "$step.out"
    both "package.$on" mpu-objdump -x --recipes "$linked" --target "$@"
    ended || return 1
    for side in old new; do
        awk 'BEGIN {
                 n = split(ENVIRON["COMPARE_IGNORED_PARTS"], lines, "\n")
                 for (i = 1; i <= n; i++)
                     if (split(lines[i], words, " "))
                         ignored[words[1]] = 1
             }
             $1 in ignored && NF == 1 { skip = 1 }
             !NF { skip = 0 }
             skip { next }
             /^recipes for target/ { on = 1 }
             { print > (on ? recipes : places) }' \
            recipes="$top/$side/recipes.$on" places="$top/$side/places.$on" "$top/$side/$step.out"
    done
    same placements "places.$on"
    same "recipe tables" "recipes.$on"
}

# run NAME PROGRAM TARGET OPTIONS...: results, statistics and trace.  False: refused, or stopped.
run() {
    name=$1 file=$2 target=$3 files=
    shift 3
    [ "$target" = golden ] || set -- "$@" --trace "$name.trace"
    for v in $outputs; do set -- "$@" --print "$v"; done
    # Of files two have to do: what they hold is printed.
    for v in $(echo "$outputs" | cut -d ' ' -f 2-3); do
        set -- "$@" --out "$v=$name.$v.npy"
        files="$files $name.$v.npy"
    done
    both "$name" mpu-run -j 1 --target "$target" "$file" "$@" --stats "json:$name.json"
    statistics
    same traces "$name.trace"
    same results "$name.out" $files
    ended || return
    [ -z "$COMPARE_ENGINE" ] || [ "$target" = golden ] || checked "$name" "$file" "$target" "$@"
}

# checked NAME PROGRAM TARGET OPTIONS...: the same beside golden, of each engine.
checked() {
    name=$1 file=$2 target=$3
    shift 3
    both "$name.check" mpu-run -j 1 --target "$target" "$file" "$@" --check
    same results "$step.out"
    ended
}

# watch NAME PROGRAM TARGET OPTIONS...: log and streams of some instructions.
watch() {
    name=$1 file=$2 target=$3
    shift 3
    # The format of targets whose micro-ops activate rows.
    ! (cd "$top/new" && "$COMPARE_WORK/bin/new/mpu-run" --print-target "$target") | grep ' activate:' >/dev/null ||
        set -- "$@" --uops "$name.dram:dram"
    both "$name" mpu-run -j 1 --target "$target" "$file" "$@" --log="insn,uop:$name.log" \
        --uops "$name.text:text" --uops "$name.csv:csv" --log-from 3 --log-count 25
    ended
    same logs "$name.log"
    same "micro-op streams" "$name.text" "$name.csv" "$name.dram"
    [ -n "$COMPARE_ENGINE" ] || return 0
    # What each instruction leaves, which goes in single steps.
    both "$name.values" mpu-run -j 1 --target "$target" "$file" "$@" --log="value:$name.values.log" \
        --log-from 3 --log-count 25
    ended
    same logs "$name.values.log"
}

# ---- examples ----

# compile_example NAME LEVEL PROGRAM
compile_example() {
    case $1 in
    fig6.s)
        both first mpu-as -g -o first.o $source/fig6-partner.s
        both second mpu-as -g -o second.o $source/fig6.s
        both compile mpu-ld -o "$3" first.o second.o
        ;;
    *) both "compile$2" ezpim -g "-O$2" -o "$3" "$source/$1" ;;
    esac
    ended
}

# options: --size and --in for the example's data, which have its name; random where it has none.
example_options() {
    options=
    for v in $inputs; do
        data=$(cd "$top/new" && ls $source/data/"${1%.*}-$v".* 2>/dev/null)
        [ "$1-$v" != brightness.ez-pixel ] || data=$source/data/landscape.pgm
        [ -n "$data" ] || for size in $sizes; do options="$options --size $size=70"; done
        options="$options --in $v=${data:-random:1}"
    done
    if [ "$1" = fig6.s ]; then
        outputs=" MPU4.RFH4.VRF2.r2"
        options="--in RFH1.VRF1.r1=random:1 --in RFH1.VRF0.r0=random:2"
    fi
}

small_machine='--set machine.mpus=1 --set machine.rfh_per_mpu=2 --set machine.vrf_per_rfh=4 --set array.lanes=32'

job_code() {
    for level in 0 1 2; do
        compile_example "$1" $level p$level.mpu && code p$level.mpu
        [ "$1" != fig6.s ] || return
    done
}

job_example() {
    compile_example "$1" 1 p.mpu || return
    find_variables
    example_options "$1"
    # Sizes that follow from the data are in the statistics.
    bound=$(cd "$top/new" && "$COMPARE_WORK/bin/new/mpu-run" --target golden p.mpu $options --stats csv:- 2>/dev/null |
        sed -n 's/^size\.\([^,]*\),/\1=/p' | paste -sd , -)
    program=p.mpu
    if [ "$2" != golden ] && packages "$2" ${bound:+--size $bound}; then
        program=$linked
        both huge mpu-ld -o huge.mpu --target "$2" ${bound:+--size ${bound%%=*}=1099511627776} p.mpu
        ended
    fi
    run plain $program "$2" $options
    # Targets that are files derive their recipes anew in each call: once has to do.
    case $2 in technology/*) return ;; esac
    # Again on a small machine, in rounds; what cannot be cut into rounds, on its own one.
    options="$options --batch one --init random:1"
    run rounds p.mpu "$2" $options $small_machine || run one p.mpu "$2" $options
    [ "$2" = golden ] || watch watched $program "$2" $options
}

# ---- random programs ----

# Machines that the programs run on in turn: half of them as they are.
overrides() {
    case $1 in
    1) echo machine.mpus=9 machine.rfh_per_mpu=2 machine.vrf_per_rfh=4 array.lanes=8 machine.active_vrf_per_rfh=1 ;;
    2) echo control.order=paper control.order_seed=7 machine.rfh_per_mpu=8 machine.vrf_per_rfh=8 array.lanes=64 ;;
    3) echo control.front_end=host network.intra=ring machine.rfh_per_mpu=8 machine.vrf_per_rfh=8 ;;
    4) echo network.chip=torus network.intra=p2p control.controllers=2 machine.vrf_per_rfh=8 array.lanes=16 ;;
    5) echo control.scheduler=software control.recipe_templates=300 control.playback_entries=64 ;;
    6) echo machine.mpus=3 machine.rfh_per_mpu=2 machine.vrf_per_rfh=8 array.lanes=8 control.queue=3 ;;
    7) echo control.cap=power machine.vrf_per_rfh=16 machine.rfh_per_mpu=4 array.lanes=8 ;;
    esac
}

# The seed says which level, batch, first contents, machine and overrides; each pair of them comes.
job_random() {
    seed=$1
    if [ -e "$COMPARE_WORK/source/$seed.ez" ]; then
        both compile ezpim -g "-O$((seed / 8 % 3))" -o p.mpu "$source/$seed.ez"
    else
        both assemble mpu-as -g -o p.o "$source/$seed.s"
        ended || return
        both compile mpu-ld -o p.mpu p.o
    fi
    ended || return
    [ -n "$COMPARE_ENGINE" ] || code p.mpu
    find_variables
    case $((seed / 5 % 3)) in 0) batch=target ;; 1) batch=one ;; 2) batch=all ;; esac
    options="--batch $batch"
    [ $((seed / 3 % 2)) = 0 ] || options="$options --init random:$seed"
    for v in $inputs; do options="$options --in $v=random:$seed"; done
    run golden p.mpu golden $options

    set -- $COMPARE_MACHINES
    machines=$#
    [ $machines != 0 ] || return
    setup=$((seed / 4 / machines % 14 - 6)) start=$((seed / 4 % machines)) tries=0 good=0
    changes=
    for set in $(overrides $setup); do changes="$changes --set $set"; done
    # On two machines, of the first three; a machine that cannot run the program says why.
    while [ $tries -lt 3 ] && [ $tries -lt $machines ] && [ $good -lt 2 ]; do
        set -- $COMPARE_MACHINES
        shift $(((start + 4 * tries) % machines))
        program=p.mpu
        tries=$((tries + 1))
        if [ $good = 0 ]; then
            if packages "$1"; then
                [ -n "$changes" ] || program=$linked
            elif [ -z "$changes" ]; then
                continue
            fi
        fi
        run "on.$1" $program "$1" $options $changes || continue
        good=$((good + 1))
        [ $((seed / 4 % 5)) != $good ] || watch "watched.$1" $program "$1" $options $changes
    done
}

# ---- targets ----

# grown AWK: what the old build printed in this step is there; other lines of the new one are counted.
grown() {
    for side in old new; do awk "$1" "$top/$side/$step.out" >"$top/$side/$step.lines"; done
    awk '
    { key = substr($0, 1, index($0, "\t") - 1) }
    NR == FNR { old[key] = $0; next }
    !(key in old) { print title ": " $0 > added; next }
    { print }' title="$id" added="$COMPARE_WORK/added/$id.$step" "$top/old/$step.lines" "$top/new/$step.lines" \
        >"$top/new/$step.common"
    cp "$top/old/$step.lines" "$top/old/$step.common"
    same "target files" "$step.common"
}

job_target() {
    both print mpu-run --print-target "$1"
    # Lines with their path: the key, and those that it stands below.
    ended && grown '
    {
        match($0, /^ */)
        depth = RLENGTH
        text = substr($0, depth + 1)
        key = text
        sub(/:.*/, "", key)
        path[depth] = key
        name = key
        for (d = depth - 2; d >= 0; d -= 2)
            name = path[d] "." name
        gsub(/  +/, " ", text)
        print name "\t" text
    }'
    both keys mpu-run --list-keys "$1"
    ended && grown '{ key = $1; $1 = ""; print key "\t" $0 }'
}

# Counts of all instructions, and the micro-ops themselves.
job_recipes() {
    for masked in "" --masked; do
        both "count$masked" mpu-recipe count --target "$1" --csv --width 1,8,31,32,64 $masked
        ended && same recipes "$step.out"
        names=$(awk -F '[, ]' 'NR > 1 && !seen[$2]++ { print $2 }' "$top/new/$step.out" | paste -sd , -)
        both "expand$masked" mpu-recipe expand --target "$1" --op "$names" --width 8 $masked
        ended && same recipes "$step.out"
    done
}

# ---- messages ----

# The golden tests that make the tool say something on standard error, or fail.
job_messages() {
    cases=$COMPARE_SOURCE/tests/golden/$1
    EXAMPLES=$COMPARE_SOURCE/examples
    export EXAMPLES
    for side in old new; do
        cp -r "$cases"/. "$top/$side"
        rm -f "$top/$side"/*.out "$top/$side"/*.err "$top/$side"/*.code
        mkdir "$top/$side/said"
    done
    for file in "$cases"/*.cmd; do
        name=${file##*/}
        name=${name%.cmd}
        cmp -s "$file" "$COMPARE_OTHER/tests/golden/$1/$name.cmd" || continue
        command="$1 # sh ./$name.cmd"
        for side in old new; do
            (
                cd "$top/$side" || exit
                IN=$(sed -n 's/^# input: //p' "$file") PATH=$COMPARE_WORK/bin/$side:$PATH \
                    sh "./$name.cmd" >/dev/null 2>"said/$name.err" </dev/null
                echo "exit $?" >>"said/$name.err"
            )
        done
        [ "$(cat "$top/old/said/$name.err" "$top/new/said/$name.err")" = "exit 0
exit 0" ] || same refusals "said/$name.err"
    done
}

"job_$1" "$2" "${3:-}"

# What is equal need not be kept, nor more than a few dozen of what is not.
if ! grep -q '	differs	' "$results" || [ "$(ls "$COMPARE_WORK/run" | wc -l)" -gt 60 ]; then
    rm -rf "$top"
fi
printf 'all\tdone\t%s\n' "$id" >>"$results"
