#!/bin/sh
# SPDX-License-Identifier: MIT
# warnings.sh SOURCE BIN WORK: the help of a tool lists the warnings that it can give, and no others.
#   A warning is given by a call of diag_warning with its W_ name; the folder of the file says which
#   tools have that code, and the table of support/warnings.def must say the same.
#   A warning that a golden test of a tool shows stands in the help of that tool.
set -u
LC_ALL=C
export LC_ALL
cd "$1" || exit 99
bin=$2
work=$3
mkdir -p "$work"
status=0
tools='ezpim mpu-as mpu-ld mpu-objdump mpu-recipe mpu-run'

# Who has the code of a folder; a program's place
# on the chip is looked at by whoever makes packages.
having() {
    case $1 in
    *:target/* | *:recipe/technology/*) echo ezpim mpu-ld mpu-objdump mpu-recipe mpu-run ;;
    *:asm/* | *:isa-spec/* | *:ezpim/erc/*) echo ezpim mpu-as mpu-run ;;
    *:ezpim/*) echo ezpim mpu-run ;;
    *:linker/join/signatures.c) echo ezpim mpu-ld mpu-run ;;
    *:linker/package/package_read.c) echo mpu-objdump mpu-run ;;
    *:linker/* | *:machines/* | *:recipe/notation/*) echo ezpim mpu-ld mpu-objdump mpu-run ;;
    *:emu/* | *:runtime/*) echo mpu-run ;;
    *:tools/*) echo "${1#*:tools/}" | sed 's,/.*,,' ;;
    *) echo "nobody-has-$1" ;;
    esac
}

names=$(sed -n 's/^X(\([A-Z_]*\),.*/\1/p' support/warnings.def | paste -sd '|')
grep -rnoE --include='*.c' "\<W_($names)\>" asm isa-spec disasm ezpim linker machines recipe target object emu runtime tools |
    sed 's/^\([^:]*\):[0-9]*:W_\(.*\)/\2:\1/' | sort -u | while read -r place; do
    for tool in $(having "$place"); do echo "${place%%:*} $tool"; done
done | sort -u >"$work/given"

for tool in $tools; do
    "$bin/$tool" --help | sed -n '/^Warnings/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p' | tr a-z- A-Z_ |
        sed "s/\$/ $tool/"
done | sort -u >"$work/told"
diff "$work/given" "$work/told" ||
    { status=1 && echo "< can be given, > is in the help"; }
[ "$(wc -l <"$work/told")" -gt 20 ] || { status=1 && echo "few warnings"; }

for tool in $tools; do
    for name in $(grep -ho -e "\[-W\(error=\)\?[a-z-]*\]" tests/golden/"$tool"/*.err | sed 's/.*[W=]\([a-z-]*\)\]/\1/' | sort -u); do
        # A golden test may call other tools too; theirs is the warning then.
        grep -q "^$(echo "$name" | tr a-z- A-Z_) " "$work/told" ||
            { status=1 && echo "$tool: no help has -W$name"; }
    done
    # What else does not concern a tool: it runs no program, or has nothing to link.
    if [ "$tool" != mpu-run ] && "$bin/$tool" --help | grep -q 'emulated program stopped'; then
        status=1 && echo "$tool runs no program, and its help says how one stops"
    fi
done
exit $status
