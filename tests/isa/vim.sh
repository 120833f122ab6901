#!/bin/sh
# SPDX-License-Identifier: MIT
# vim.sh SOURCE WORK: what Vim makes of a line of each language.  77 (skipped) without Vim.
set -eu
source=$1 work=$2
command -v vim >/dev/null || exit 77
vim --version | grep -q '+syntax' || exit 77
rm -rf "$work"
mkdir -p "$work"
cd "$work"
ln -s "$source" source # names of files of scripts for Vim have no blanks
printf 'COMPUTE RFH1 VRF2 // header\nadd.9 r1 r2 r3\n.group g 64\n' >a.s
printf 'addi $1, $2, 3\n' >other.s
printf 'in x: i32 @ g;\nmain { x = min(x, 12); } // end\n' >a.ez
printf 'recipe ADD(a, b) -> d any w # note\n' >a.recipe

# check FILE LINE COLUMN GROUP
check() {
    printf '%s\n' "set runtimepath^=source/editors/vim" 'filetype plugin on' 'syntax on' \
        "edit $1" "call writefile([synIDattr(synID($2, $3, 1), 'name')], 'got')" 'qa!' >script
    vim -es -N -u NONE -i NONE -S script </dev/null || true
    [ "$(cat got)" = "$4" ] || {
        echo "$1:$2:$3: '$(cat got)' instead of '$4'"
        exit 1
    }
}

# Every program of ours is found to be one, and what other assemblers read is not: DPU text, too.
printf 'main:\n        NOP\nagain:  COMPUTE RFH0 VRF0\n' >label.s
printf 'main: add.8 r1 r2 r3\n' >step.s
printf '\t.size main, .-main\n\t.group\nmain: addi $1, $2, 3\n repeat: mov r1, r2\n' >gnu.s
find source/examples/ source/tests/programs/ -name '*.s' -not -path '*/dpu/*' -not -path '*/prim/*' >ours
find source/examples/dpu/ source/examples/prim/ -name '*.s' >theirs
printf '%s\n' label.s step.s >>ours
{
    printf '%s\n' "set runtimepath^=source/editors/vim" 'filetype on' 'let g:types = []'
    for file in $(cat ours theirs) gnu.s; do
        printf '%s\n' "edit $file" "call add(g:types, expand('%:t') . ' ' . &filetype)"
    done
    printf '%s\n' "call writefile(g:types, 'types')" 'qa!'
} >script
vim -es -N -u NONE -i NONE -S script </dev/null || true
[ "$(grep -c ' mpuasm$' types)" = "$(wc -l <ours)" ] && tail -n 1 types | grep -qv mpuasm || {
    echo "types of files:" && cat types
    exit 1
}

check a.s 1 1 mpuasmMnemonic
check a.s 1 9 mpuasmPlace
check a.s 1 20 mpuasmComment
check a.s 2 1 mpuasmMnemonic
check a.s 2 7 mpuasmRegister
check a.s 3 2 mpuasmDirective
check a.ez 1 1 ezpimKeyword
check a.ez 1 7 ezpimType
check a.ez 2 12 ezpimFunction
check a.ez 2 19 ezpimNumber
check a.ez 2 27 ezpimComment
check a.recipe 1 1 mpurecipeKeyword
check a.recipe 1 8 mpurecipeMnemonic
check a.recipe 1 30 mpurecipeComment
