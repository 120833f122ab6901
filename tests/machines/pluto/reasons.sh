# SPDX-License-Identifier: MIT
# Every example that simdram takes is linked for pLUTo's three designs, or refused by a reason that
# the page's table has (docs/pluto.md), and no other.
#   reasons.sh SOURCE BIN WORK [--rebase]
set -u
source=$1
bin=$2
rm -rf "$3"
mkdir -p "$3"
cd "$3" || exit 1
page=$source/docs/pluto.md
: > floats; : > recipes; : > mpus; : > rows; : > taken; : > other

compile() {
    case $1 in
    *.s) "$bin/mpu-as" "$1" -o o.o 2> said ;;
    *) "$bin/ezpim" "$1" -o o.o 2> said ;;
    esac
}
# linked TARGETS: sizes that it asks for are 48.  Values come when a program is run; instructions
# and their recipes were looked at before.
linked() {
    sizes=
    for try in 1 2 3 4 5 6; do
        "$bin/mpu-ld" --target "$1" $sizes o.o -o o.mpu > /dev/null 2> said && return 0
        size=$(sed -n "s/.*error: size '\([a-zA-Z_0-9]*\)' has no value.*/\1/p" said | head -1)
        [ -n "$size" ] || break
        sizes="$sizes --size $size=48"
    done
    grep -q "has no elements; give it a default" said
}

for path in "$source"/examples/*.ez "$source"/examples/*.s "$source"/examples/*/*.ez \
    "$source"/examples/*/*.py; do
    name=${path#"$source/examples/"}
    compile "$path" || continue
    linked pluto-bsa,pluto-gsa,pluto-gmc && echo "$name" >> taken && continue
    mv said refused
    linked simdram || continue
    mv refused said
    if grep -q "floating point shifts each by a distance of its own" said; then
        echo "$name" >> floats
    elif grep -q "has no recipe on target 'pluto-[a-z]*': there is no row program for it" said; then
        echo "$name" >> recipes
    elif grep -q "machine.mpus=" said; then
        echo "$name" >> mpus
    elif grep -q "rows.*target 'pluto-[a-z]*' has" said; then
        echo "$name" >> rows
    else
        echo "$name" >> other
        cat said
    fi
done

row() {
    echo "| $1 | $(wc -l < "$2") | $(sort "$2" | paste -s -d ' ' | sed 's/ /, /g') |"
}
{
    echo "| examples | | |"
    echo "|---|---:|---|"
    row "taken" taken
    row "floats" floats
    row "own recipes of planes" recipes
    row "more MPUs: with \`machine.mpus=N\`" mpus
    row "more rows than there are" rows
} > table
sed -n '/^<!-- who runs -->$/,/^<!-- end of who runs -->$/p' "$page" | sed '1d;$d' > there
if [ "${4:-}" = --rebase ]; then
    sed -e '/^<!-- who runs -->$/,/^<!-- end of who runs -->$/{/^<!-- who runs -->$/{p;r table
};/^<!-- end of who runs -->$/p;d}' "$page" > page && cp page "$page"
    exit 0
fi
[ -s other ] && exit 1
[ "$(wc -l < taken)" -gt 30 ] || exit 1
diff there table || {
    echo "docs/pluto.md differs; write it with --rebase"
    exit 1
}
