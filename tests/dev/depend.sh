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
# later FILE..: it is newer than all others, which are of one age, whatever the clock says.
later() {
    find . -type f -exec touch -t 200101010000 {} +
    touch -t 200101020000 "$@"
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

# Whatever a name has, make takes back what was written, on both sides of the colon: the include is a
# dependency, so that one that is newer makes the object anew, and one that is not does not.
printf '%%::\n\t@echo anew\ninclude rule.d\n' >Odd.mk
takes() {
    make -rR -f Odd.mk -- "out $1" 2>&1
}
if command -v make >/dev/null; then
    for name in 'a:b' 'a|b' 'a%b' 'a\b' 'a\ b' 'a  b' 'a#b' 'a\#b' 'a$b' 'a$$b' "it's" 'a::b' ':a' '%' 'a\|b' \
        'a\:b' 'a\%b' '{a}' 'a&b' 'a~' '"' 'a:' 'c:\d' 'a,b@c+d!e^f' '-a'; do
        echo '.equ ONE 1' >"inc/$name"
        printf '.include "%s"\nNOP\n' "$(printf %s "$name" | sed 's/[\\"]/\\&/g')" >odd.s
        mpu-as -I inc -MD -MP -MF rule.d -o "out $name" odd.s || status=1
        later "out $name"
        case "$(takes "$name")" in *anew*) status=1 && echo "'$name': made anew for nothing" && cat rule.d ;; esac
        later "inc/$name"
        case "$(takes "$name")" in anew) ;; *) status=1 && echo "'$name': is no dependency" && cat rule.d ;; esac
        rm "inc/$name" "out $name"
    done
fi
for name in 'a;b' 'a=b' 'a*' 'a?' 'a[1]' '~a' 'a\' 'a&' 'a(b)' "$(printf 'a\tb')"; do
    echo NOP >"./$name"
    mpu-as -MD -o x.o -MF rule.d "$name" >log 2>&1
    [ $? = 1 ] && grep -q 'no rule that make reads' log || { status=1 && echo "'$name' is not refused" && cat log; }
    mpu-as -I inc -MD -o x.o -MF rule.d -MT "$name" q.s >log 2>&1
    [ $? = 1 ] && grep -q 'no rule that make reads' log || { status=1 && echo "-MT '$name' is not refused" && cat log; }
    rm "./$name"
done
exit $status
