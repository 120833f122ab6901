#!/bin/sh
# SPDX-License-Identifier: MIT
# depend.sh BIN WORK: programs that make and ninja build by the rules of -MD are built anew when a file
# that they include changes, whatever it is called, and not otherwise.
set -u
LC_ALL=C
export LC_ALL
PATH=$1:$PATH
export PATH
rm -rf "$2"
mkdir -p "$2"
cd "$2" || exit 99
status=0
odd='inc/a b#$c.ez'
mkdir inc
echo 'const ONE = 1;' >"$odd"
echo '.equ ONE 1' >inc/one.s
printf 'include "a b#$c.ez";\nsize n;\ngroup g[n];\nin x: u8 @ g;\nout y: u8 @ g;\nmain { compute g { y = x + ONE; } }\n' >p.ez
printf '.include "one.s"\nNOP\n' >q.s
cat >Makefile <<'M'
all: p.mpu q.o
%.mpu: %.ez
	@ezpim -I inc -MD -MP -o $@ $< && echo $@
%.o: %.s
	@mpu-as -I inc -MD -MP -o $@ $< && echo $@
-include p.d q.d
M
cat >build.ninja <<'N'
rule ez
  command = ezpim -I inc -MD -MF $out.d -o $out $in && echo $out
  depfile = $out.d
  deps = gcc
rule as
  command = mpu-as -I inc -MD -MF $out.d -o $out $in && echo $out
  depfile = $out.d
  deps = gcc
build n.mpu: ez p.ez
build n.o: as q.s
N

# built TOOL WANTED: what the tool builds now.
built() {
    "$1" >log 2>&1 || { status=1 && echo "$1 fails"; }
    got=$(grep -o '^[a-z]*\.\(mpu\|o\)$' log | sort | paste -sd ' ')
    [ "$got" = "$2" ] || { status=1 && echo "$1 built '$got', not '$2'" && cat log; }
}
later() {
    sleep 0.01
    touch "$@"
}
tools=
command -v make >/dev/null && tools="$tools make"
command -v ninja >/dev/null && tools="$tools ninja"
[ -n "$tools" ] || exit 77
for tool in $tools; do
    p=p.mpu q=q.o
    [ $tool = make ] || { p=n.mpu && q=n.o; }
    built $tool "$p $q"
    built $tool ""
    later "$odd"
    built $tool "$p"
    later inc/one.s
    built $tool "$q"
    built $tool ""
done
# A file that is no longer included may go: make knows of it by its empty rule.
if command -v make >/dev/null; then
    make >/dev/null 2>&1
    sed -i '/^include/d; s/ONE/1/' p.ez && rm "$odd" && later p.ez
    built make p.mpu
fi
exit $status
