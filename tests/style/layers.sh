#!/bin/sh
# SPDX-License-Identifier: MIT
# Which folder may include which (docs/architecture.md): every #include "folder/..." is checked.
set -u
cd "$1" || exit 2
status=0
# folder: folders it may include from
rules='
support: support
isa-spec: isa-spec support
object: object isa-spec support
asm: asm object isa-spec support
recipe: recipe isa-spec support
disasm: disasm object recipe isa-spec support
linker: linker object recipe isa-spec support
ezpim: ezpim asm linker object recipe isa-spec support
emu: emu linker object recipe isa-spec support
runtime: runtime emu ezpim asm disasm linker object recipe isa-spec support
'
echo "$rules" | while IFS=: read -r folder allowed; do
    [ -n "$folder" ] || continue
    find "$folder" -name '*.[chly]' -o -name '*.cpp' | sort | while read -r file; do
        grep -n '#include "[a-z-]*/' "$file" | while IFS= read -r line; do
            used=$(printf '%s' "$line" | sed 's/.*#include "\([a-z-]*\)\/.*/\1/')
            case " $allowed " in
            *" $used "*) ;;
            *) echo "$file:${line%%:*}: $folder/ may not include from $used/" ;;
            esac
        done
    done
done >"${TMPDIR:-/tmp}/layers.$$"
# C++ has one room; no source may start without its licence line.
find . -path './build*' -prune -o -name '*.cpp' -print | grep -v '^./support/llvm/' >>"${TMPDIR:-/tmp}/layers.$$"
git ls-files '*.[ch]' | while read -r file; do
    head -n 2 "$file" | grep -q 'SPDX-License-Identifier: MIT' || echo "$file: no SPDX line"
done >>"${TMPDIR:-/tmp}/layers.$$"
[ -s "${TMPDIR:-/tmp}/layers.$$" ] && status=1
cat "${TMPDIR:-/tmp}/layers.$$"
rm -f "${TMPDIR:-/tmp}/layers.$$"
exit $status
