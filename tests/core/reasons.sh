# SPDX-License-Identifier: MIT
# Programs on a core: each is carried out there and compared with golden after every ensemble, with
# the MPUs that it names, or refused by a reason that the page's table has, and no other: examples,
# kernels of NumPy, and what pages of docs/ declare as files.  MPUS: how many the core's machine has.
# With PART=n in the environment one of n programs is tried, and the page has to have it.
#   reasons.sh SOURCE BIN WORK TARGET MPUS PAGE [--rebase]
set -u
LC_ALL=C
export LC_ALL
source=$1
bin=$2
rm -rf "$3"
mkdir -p "$3"
cd "$3" || exit 1
core=$4
mpus=$5
page=$source/docs/$6.md
: > right; : > more; : > refused; : > other; : > elsewhere; : > stage
part=${PART:-1}
number=0

# on TARGET FILE [ARGUMENT..]: with 48 for each size that it asks for and numbers for each input.
# What is wrong with the program itself, such as a size that cannot be 48, is so on golden too.
on() {
    way=$1 file=$2
    shift 2
    for try in 1 2 3 4 5 6 7 8 9 10 11 12; do
        # shellcheck disable=SC2086
        timeout 300 "$bin/mpu-run" --target $way "$file" "$@" > out 2> said && return 0
        size=$(sed -n "s/.*error: size '\([a-zA-Z_0-9]*\)' has no value.*/\1/p" said | head -1)
        inputs=$(sed -n "s/.*error: no data was given for input '\([^']*\)'.*/\1/p" said)
        inputs="$inputs $(sed -n "s/.*error: value '\([^']*\)' has no elements; give it.*/\1/p" said | head -1)"
        [ "$size$inputs" != ' ' ] || return 1
        [ -z "$size" ] || set -- "$@" --size "$size=48"
        for input in $inputs; do
            set -- "$@" --in "$input=random:1:0..$most"
        done
    done
    return 1
}

# program NAME FILE
program() {
    number=$((number + 1))
    [ $((number % part)) = 0 ] || return
    most=40
    on "golden --set machine.mpus=512" "$2" || most=1
    [ $most = 40 ] || on "golden --set machine.mpus=512" "$2" || { echo "$1" >> elsewhere && return; }
    on "$core --check" "$2" && echo "$1" >> right && return
    if grep -q 'machine.mpus=' said; then
        on "$core --set machine.mpus=24 --check" "$2" && echo "$1" >> more && return
    fi
    if grep -q ': its recipe is micro-ops of bits, which .* not' said; then
        echo "$1" >> refused
    elif grep -q -e "knows no kernels of form 'stage'" -e 'it needs an `else` for this target' said; then
        echo "$1" >> stage # without an else
    else
        echo "$1" >> other
        echo "$1: $(cat said)"
    fi
}

for path in "$source"/examples/*.ez "$source"/examples/*.s "$source"/examples/*/*.ez "$source"/examples/*/*.s \
    "$source"/examples/*/*.py "$source"/tests/np/kernels/*.py "$source"/tests/np/kernels/*/*.py; do
    program "${path#"$source/"}" "$path"
done
# Files that pages declare.
mkdir pages
for path in "$source"/docs/*.md; do
    awk -v to="pages/$(basename "$path" .md)" '
        file != "" { if (/^```$/) file = ""; else print > (to "-" file); next }
        /^```[a-z-]+ [a-z][a-z0-9_-]*[.](ez|s|py)$/ { file = $2; next }' "$path"
done
for path in pages/*.ez pages/*.s pages/*.py; do
    [ -e "$path" ] && program "docs/${path#pages/}" "$path"
done

# Without files of pages, which come and go with these.
row() {
    grep -v '^docs/' "$2" | sort > names
    echo "| $1 | $(wc -l < names) | $(paste -s -d ' ' names | sed 's/ /, /g') |"
}
{
    echo "| programs | | |"
    echo "|---|---:|---|"
    row "right, with the machine's $mpus MPUs" right
    row "right with more MPUs (\`machine.mpus=24\`), which they name" more
    row "refused: recipes of their own, which are micro-ops of bits" refused
    row "no program, or none by itself, or one of another machine: golden does not carry it out" elsewhere
} > table
sed -n '/^<!-- who runs -->$/,/^<!-- end of who runs -->$/p' "$page" | sed '1d;$d' > there
if [ "${7:-}" = --rebase ]; then
    sed -e '/^<!-- who runs -->$/,/^<!-- end of who runs -->$/{/^<!-- who runs -->$/{p;r table
};/^<!-- end of who runs -->$/p;d}' "$page" > page && cp page "$page"
    exit 0
fi
[ -s other ] && exit 1
if [ "$part" != 1 ]; then
    for name in $(grep -hv '^docs/' right more); do
        grep '^| right' there | grep -q "[ ,]$name[ ,]" || { echo "$page does not have $name" && exit 1; }
    done
    [ "$(wc -l < right)" -gt 15 ]
    exit
fi
[ "$(wc -l < right)" -gt 80 ] || exit 1
diff there table || {
    echo "$page differs; write it with --rebase"
    exit 1
}
