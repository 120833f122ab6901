#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh BUILD WORK TOOL...: what cmake --install puts where: every tool runs from there and has
# its page; the documentation lies beside it, and no link of it leads nowhere; an example compiles;
# each shell has completions of each tool's options, and editors have their files.
set -u
build=$1
work=$2
prefix="$2/Präfix mit Leerzeichen/mpu"
shift 2
rm -rf "$work"
status=0
for part in tools man docs editors completions; do
    cmake --install "$build" --component "$part" --prefix "$prefix" >/dev/null || exit 1
done
for tool in "$@"; do
    "$prefix/bin/$tool" --version >/dev/null || { echo "$tool does not run" && status=1; }
    [ -s "$prefix/share/man/man1/$tool.1" ] || { echo "no page of $tool" && status=1; }
done
for file in man5/mpu.5 man5/mpu-target.5 man5/mpu-recipe-file.5 man7/mpu-isa.7; do
    [ -s "$prefix/share/man/$file" ] || { echo "no $file" && status=1; }
done
find "$prefix/share/doc" -name formats.md | grep -q . || { echo "no documentation" && status=1; }

# Links of pages: to files, and to headings in them.
pages=$prefix/share/doc/mpu-toolchain
anchors() { # as GitHub makes them of headings, outside of blocks
    awk '/^```/ { block = !block } !block && /^##* / { sub(/^#* /, ""); print tolower($0) }' "$1" |
        sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}
list=$prefix/pages
count=0
find "$pages" -name '*.md' >"$list"
[ "$(wc -l <"$list")" -gt 40 ] || { echo "few pages" && status=1; }
while read -r page; do
    awk '/^```/ { block = !block } !block' "$page" | sed 's/`[^`]*`//g' | grep -o '](\([^)]*\))' | sed 's/^](//; s/)$//' |
        grep -v '^[a-z]*://' | sort -u >"$prefix/links"
    count=$((count + $(wc -l <"$prefix/links")))
    while read -r link; do
        file=${link%%#*} heading=${link#*#}
        to=$page
        [ -z "$file" ] || to=$(dirname "$page")/$file
        [ -e "$to" ] || { echo "$page: nothing at $link" && status=1 && continue; }
        [ "$heading" = "$link" ] || anchors "$to" | grep -q -x -F -e "$heading" ||
            { echo "$page: no heading $link" && status=1; }
    done <"$prefix/links"
done <"$list"
[ $count -gt 200 ] || { echo "few links: $count" && status=1; }

# Examples compile and run where they are.
"$prefix/bin/ezpim" -o "$prefix/axpy.mpu" "$pages/examples/axpy.ez" || status=1
"$prefix/bin/mpu-run" --target racer --in a=2 --in x=1,2 --in y=3,4 --expect z=5,8 "$prefix/axpy.mpu" || status=1

# Below a folder with blanks and umlauts, the demo and what README.md says run from where they lie.
sh "$pages/examples/demo.sh" "$work/demo" >"$prefix/shown" 2>&1 || { cat "$prefix/shown" && echo "demo.sh fails" && status=1; }
grep -q '^  pluto-gmc .* yes$' "$prefix/shown" || { echo "demo.sh: no last screen" && status=1; }
for page in README.md examples/README.md docs/technology.md; do
    grep -n '\./dev\|build/bin\|<!-- ' "$pages/$page" && echo "$page: of a tree of sources" && status=1
done
# block BEFORE: the first indented block behind a line that begins so.
block() {
    awk -v before="$1" 'index($0, before) == 1 { on = 1; next } on && /^    / { print substr($0, 5); seen = 1; next }
        on && seen && NF { exit } on && seen { print "" }' "$pages/README.md"
}
block 'Save as' >"$pages/mykernel.ez"
block 'Or in Python' >"$pages/mykernel.py"
python3 -c 'import numpy' 2>/dev/null && numpy=1 || numpy=
{ block 'These pages lie in' && block 'Compile it and run it' | { [ -n "$numpy" ] && cat || grep -v mpu-pycheck; }; } >"$prefix/commands"
[ "$(grep -c . "$prefix/commands")" -ge 3 ] || { echo "README.md: few commands" && status=1; }
(cd "$pages" && sh -e "$prefix/commands") >"$prefix/shown" 2>&1 || { cat "$prefix/shown" && echo "README.md: commands fail" && status=1; }
grep -q '^z = 3 5 0$' "$prefix/shown" || { cat "$prefix/shown" && echo "README.md: no z" && status=1; }

# What ./dev install builds has all that is installed, and no test.
if [ -f "$build/build.ninja" ] && command -v ninja >/dev/null; then
    ninja -C "$build" -t commands all-installed >"$prefix/steps"
    # below: of the lines the rest of those that begin with the build folder, and the others.
    below() { awk -v folder="$build/" -v all="$1" 'index($0, folder) == 1 { print substr($0, length(folder) + 1); next } all'; }
    # Words of commands, where the folder may be quoted.
    tr -d '\\"' <"$prefix/steps" | awk -v folder="$build/" '
        { while ((at = index($0, folder))) $0 = substr($0, 1, at - 1) substr($0, at + length(folder)) } 1' |
        tr ' :' '\n\n' | sort -u >"$prefix/words"
    ninja -C "$build" -t targets all | sed 's/: [^:]*$//' | below 1 | sort -u >"$prefix/made"
    find "$build" -name cmake_install.cmake -exec cat {} + | tr '"' '\n' | below '' |
        sort -u | grep -x -F -f "$prefix/made" | grep -v -x -F -f "$prefix/words" && echo "installed, but not made by all-installed" && status=1
    grep -e ' -o tests/' "$prefix/steps" && echo "all-installed builds tests" && status=1
fi

# completed WORD...: what bash offers for the last word.
completed() {
    bash -c 'source "$1/share/bash-completion/completions/$2"; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        $(complete -p "$1" | sed "s/.*-F \([^ ]*\).*/\1/"); printf "%s\n" "${COMPREPLY[@]}"' - "$prefix" "$@" | paste -sd ' '
}
offers() {
    want=$1
    shift
    got=$(completed "$@")
    [ "$got" = "$want" ] || { echo "$*: '$got' is offered, not '$want'" && status=1; }
}
if command -v bash >/dev/null; then
    cd "$prefix" || exit 1
    touch data.npy mine.yaml
    offers '--set --sensitivity' mpu-run --se
    offers 'mimdram mine.yaml' mpu-run --target mi
    offers 'racer,mimdram' mpu-run --target = racer,mim
    offers '-Wno-stale-package' mpu-run -Wno-stale
    offers 'data.npy' mpu-run --in x = dat
    offers 'check' mpu-recipe che
    offers '-MD -MF -MT -MP' ezpim -M
    offers 'strict' mpu-run --engine s
    offers 'packed,spread' mpu-run --place = packed,sp
    offers 'zero random:' mpu-run --init = ''
    offers '-O0 -O1 -O2' ezpim -O
    offers '0 1 2' ezpim -O ''
    offers 'always' mpu-as --color = al
    offers 'host' mpu-pycheck --finish h
    cd - >/dev/null || exit 1
fi
for tool in "$@"; do
    bash=$prefix/share/bash-completion/completions/$tool
    zsh=$prefix/share/zsh/site-functions/_$tool
    fish=$prefix/share/fish/vendor_completions.d/$tool.fish
    "$prefix/bin/$tool" --help | sed -n 's/^ \{1,6\}\(-.*\)/\1/p' | sed 's/   *.*//; s/, /\n/g' | sed 's/[= [].*//' | sort -u >"$prefix/names"
    while read -r name; do
        grep -q -e "[ \"]$name[ \"]" "$bash" || { echo "$tool: bash does not complete $name" && status=1; }
        grep -q -F -e "'*$name" "$zsh" || { echo "$tool: zsh does not complete $name" && status=1; }
        grep -q -e " -[slo] $(echo "$name" | sed 's/^--*//') " "$fish" ||
            { echo "$tool: fish does not complete $name" && status=1; }
    done <"$prefix/names"
    for shell in bash zsh fish; do
        eval "file=\$$shell"
        ! command -v $shell >/dev/null || $shell -n "$file" || { echo "$file is no $shell" && status=1; }
    done
done

# What --help offers as words is taken: exit code 2 is a usage error.
words() { "$prefix/bin/$1" --help | sed -n 's/^ *\(-[-a-zA-Z]*\)[= ]\([a-z0-9]*|[a-z0-9|]*\)\( .*\|\[.*\|\)$/\1 \2/p'; }
taken() {
    tool=$1
    shift
    words "$tool" >"$prefix/words"
    [ "$(wc -l <"$prefix/words")" -ge 3 ] || { echo "$tool: few words in --help" && status=1; }
    while read -r name choices; do
        # Packages are asked of the compiler by their target alone, and then are what it makes.
        [ "$tool$name" != ezpim--place ] || set -- "$@" --target racer --size n=2
        for word in $(echo "$choices" | tr '|' ' '); do
            "$prefix/bin/$tool" "$@" "$name" "$word" "$prefix/a.ez" >/dev/null 2>&1
            [ $? != 2 ] || { echo "$tool $name $word is a usage error" && status=1; }
        done
    done <"$prefix/words"
}
cp "$pages/examples/axpy.ez" "$prefix/a.ez"
taken mpu-run --target racer --in a=2 --in x=1,2 --in y=3,4
taken ezpim -o "$prefix/a.out"
for file in vim/vimfiles/ftdetect/mpu.vim vim/vimfiles/syntax/ezpim.vim emacs/site-lisp/mpu-mode.el mpu-toolchain/vscode/package.json; do
    [ -s "$prefix/share/$file" ] || { echo "no $file" && status=1; }
done
[ ! -e "$prefix/bin/man-gen" ] || { echo "man-gen is no tool" && status=1; }
exit $status
