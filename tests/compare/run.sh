#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares this checkout's build with that of another one, where no figure may differ: the code and what
# every target makes of it, for the examples and random programs.  bench/README.md says more.
#   run.sh BUILD [--example NAME] [--target T] [--engine E] OTHER [COUNT [FIRST]]
# BUILD: this checkout's build folder; OTHER: the other checkout, built in OTHER/build; COUNT: random
# programs (1000), their seeds from FIRST (1) on.  --example: this one alone, and no recipes and messages;
# --target: on this target alone.  --engine: this build runs programs on that engine, all runs of more than an
# instruction composed at once, on one thread or two, and OTHER on strict; nothing but runs is compared.
# OTHER may be this checkout.
# Exit code 1: something differs.  BUILD/compare (or COMPARE_WORK of the environment) keeps what is needed to
# repeat it.
set -u
export LC_ALL=C
unset NO_COLOR

# What may differ in statistics, and why.  A key stands for all below it.
export COMPARE_IGNORED='
provenance.version             the builds may be of two versions
provenance.command             has file names and options, which are the same but for paths
provenance.program_sha256      the file holds packages, whose format may change
provenance.target_file         where the build has its target from
provenance.target_sha256       a target file may get keys and comments
provenance.recipes_sha256      a recipe file may get comments
provenance.assumed_parameters  counts numbers of the target file, which may get new ones
provenance.engine              may be what is compared
'
# The same of mpu-objdump -x, of programs with packages: parts of the listing, to the next empty line.
export COMPARE_IGNORED_PARTS='
Sections:                  sizes and places of packages
PACKAGES:                  their sizes
'

usage() {
    echo "usage: ./dev compare [--example NAME] [--target T] [--engine E] OTHER [COUNT [FIRST]]" >&2
    echo "       OTHER is a checkout that has been built" >&2
    exit 2
}

[ $# -ge 2 ] || usage
build=$(cd "$1" && pwd) || exit 3
shift
example=
target=
engine=
while [ $# -gt 1 ]; do
    case $1 in
    --example) example=$2 ;;
    --target) target=$2 ;;
    --engine) engine=$2 ;;
    *) break ;;
    esac
    shift 2
done
case $# in [123]) ;; *) usage ;; esac
case $1 in -*) usage ;; esac
case ${2:-0}${3:-0} in *[!0-9]*) usage ;; esac
other=$(cd "$1" && pwd) || exit 3
count=${2:-1000} first=${3:-1}
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
for file in "$build/tests/random-sources" "$build/bin/mpu-run" "$other/build/bin/mpu-run"; do
    [ -x "$file" ] || {
        echo "compare: '$file' is not there: run ./dev build in that checkout" >&2
        exit 3
    }
done

work=${COMPARE_WORK:-$build/compare}
rm -rf "$work"
mkdir -p "$work/source" "$work/bin" "$work/run" "$work/results" "$work/added" "$work/technology" || exit 3
if [ -z "$engine" ]; then
    ln -s "$build/bin" "$work/bin/new"
else
    mkdir "$work/bin/new"
    ln -s "$build"/bin/* "$work/bin/new"
    rm "$work/bin/new/mpu-run"
    # The command line decides how many threads, so that a run has as many when it is repeated.
    cat >"$work/bin/new/mpu-run" <<TEXT
#!/bin/sh
if [ "\$1 \$2" = "-j 1" ]; then
    shift 2
    set -- -j \$((\$(echo "\$*" | cksum | cut -d ' ' -f 1) % 2 + 1)) "\$@" --engine "$engine"
fi
MPU_COMPOSE_AT=0 exec "$build/bin/mpu-run" "\$@"
TEXT
    chmod +x "$work/bin/new/mpu-run"
fi
if [ -z "$engine" ]; then
    ln -s "$other/build/bin" "$work/bin/old"
else
    mkdir "$work/bin/old"
    ln -s "$other"/build/bin/* "$work/bin/old"
    rm "$work/bin/old/mpu-run"
    cat >"$work/bin/old/mpu-run" <<TEXT
#!/bin/sh
MPU_ENGINE=strict exec "$other/build/bin/mpu-run" "\$@"
TEXT
    chmod +x "$work/bin/old/mpu-run"
fi
ln -s "$source/examples/technology" "$work/technology/new"
ln -s "$other/examples/technology" "$work/technology/old"
cp -r "$source"/examples/*.ez "$source"/examples/*.s "$source"/examples/*.recipe "$source/examples/data" \
    "$work/source"
"$build/tests/random-sources" "$first" "$count" "$work/source" || exit 3

# Targets that both have; golden is no machine.
list() {
    "$work/bin/$1/mpu-run" --list-targets | awk -v only="$target" 'only == "" || $1 == only { print $1 }' | sort
}
list old >"$work/targets.old"
list new >"$work/targets.new"
targets=$(comm -12 "$work/targets.old" "$work/targets.new" | tr '\n' ' ')
lost=$(comm -23 "$work/targets.old" "$work/targets.new" | tr '\n' ' ')
gained=$(comm -13 "$work/targets.old" "$work/targets.new" | tr '\n' ' ')
COMPARE_WORK=$work COMPARE_SOURCE=$source COMPARE_OTHER=$other
COMPARE_MACHINES=$(echo " $targets" | sed 's/ golden / /')
COMPARE_ENGINE=$engine
export COMPARE_WORK COMPARE_SOURCE COMPARE_OTHER COMPARE_MACHINES COMPARE_ENGINE

# The work, what takes long first: a line for each piece.
jobs() {
    if [ -z "$example$engine" ]; then
        for tool in mpu-run ezpim mpu-ld mpu-as mpu-objdump mpu-recipe; do echo "messages $tool"; done
        for t in $COMPARE_MACHINES; do echo "recipes $t"; done
    fi
    [ -n "$engine" ] || for t in $targets; do echo "target $t"; done
    i=0
    for file in "$work/source"/*[a-z]*.ez "$work/source"/collatz.s "$work/source"/fig6.s; do
        name=${file##*/}
        [ -z "$example" ] || [ "$example" = "$name" ] || continue
        [ -n "$engine" ] || echo "code $name"
        for t in $targets; do echo "example $name $t"; done
        i=$((i + 1))
        [ -z "$target" ] || continue
        # Targets that are files: each example on one of them.
        set -- "$source"/examples/technology/*.yaml
        shift $((i % $#))
        echo "example $name technology/${1##*/}"
    done
    i=$first
    while [ $i -lt $((first + count)) ]; do
        echo "random $i"
        i=$((i + 1))
    done
}
jobs >"$work/jobs"
if [ -z "$(echo $targets)" ] || { [ -n "$example" ] && ! grep -q '^example' "$work/jobs"; }; then
    echo "compare: the builds have no such example, or target" >&2
    exit 2
fi

cores=$(nproc 2>/dev/null || echo 2)
echo "old: $other"
echo "new: $source"
[ -z "$engine" ] || echo "new runs on engine $engine"
echo "comparing: $(awk '$1 == "example" && !seen[$2]++ { n++ } END { print n + 0 }' "$work/jobs") examples and $count random programs, on $cores cores"
start=$(date +%s)
xargs -L 1 -P "$cores" sh "$here/job.sh" <"$work/jobs"
cat "$work/results"/* >"$work/all"

awk -F '\t' '
$2 == "done" { next }
{ compared[$1]++; differ[$1] += $2 == "differs" }
END {
    n = split("code,listings,placements,recipe tables,recipes,results,statistics,traces,logs,micro-op streams,messages,refusals,target files", kinds, ",")
    printf "%-18s %9s %9s\n", "", "compared", "differ"
    for (i = 1; i <= n; i++)
        printf "%-18s %9d %9d\n", kinds[i], compared[kinds[i]], differ[kinds[i]]
}' "$work/all"

status=0
cat "$work/added"/* 2>/dev/null >"$work/all-added"
if [ -s "$work/all-added" ]; then
    echo "target files: $(wc -l <"$work/all-added") lines are new, which is fine; the first:"
    head -n 5 "$work/all-added" | tr '\t' ' ' | cut -c 1-120 | sed 's/^/    /'
fi
[ -z "$gained" ] || echo "targets that only the new build has, which is fine: $gained"
if [ -n "$lost" ]; then
    echo "targets that only the old build has: $lost"
    status=1
fi

# The first differences of each kind, and how to see them again.
awk -F '\t' '$2 == "differs"' "$work/all" >"$work/differences"
if [ -s "$work/differences" ]; then
    status=1
    : >"$work/shown"
    echo "the first differences of each kind, < old, > new (all: $work/differences):"
    while IFS='	' read -r kind _ id file command; do
        [ -d "$work/run/$id" ] || continue
        [ "$(grep -c "^$kind:" "$work/shown")" -lt 2 ] && ! grep -qxF "$kind: $id" "$work/shown" || continue
        echo "$kind: $id" >>"$work/shown"
        echo
        echo "$kind: $id: $file"
        diff -N "$work/run/$id/old/$file" "$work/run/$id/new/$file" | cut -c 1-150 |
            awk '/^Binary/ || (/^</ && old++ < 2) || (/^>/ && new++ < 2) { print "    " $0 }'
        echo "  (cd $work/run/$id; for s in old new; do (cd \$s; ../../../bin/\$s/$command); done)"
    done <"$work/differences"
    echo
fi
# A piece of work that did not come to its end says nothing about the builds.
undone=$(($(wc -l <"$work/jobs") - $(awk '$2 == "done"' "$work/all" | wc -l)))
if [ $undone != 0 ]; then
    echo "$undone pieces of work did not end; see $work/results"
    status=1
fi
echo "$(($(date +%s) - start)) s; $([ $status = 0 ] && echo "nothing differs" || echo "DIFFERENT")"
exit $status
