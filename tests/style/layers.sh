#!/bin/sh
# SPDX-License-Identifier: MIT
# Which folder may include which (docs/architecture.md): every #include "folder/..." is checked.
# Also: C++ has one room, and no C source stands without its licence line.
set -u
cd "$1" || exit 2
find support isa-spec object asm target recipe machines disasm linker ezpim emu runtime tools tests bench examples \
    -type f \( -name '*.[chly]' -o -name '*.cpp' -o -name '*.inc' \) | sort | xargs awk '
BEGIN {
    may["support"] = ""
    may["isa-spec"] = "support"
    may["object"] = "isa-spec support"
    may["asm"] = "object isa-spec support"
    may["target"] = "isa-spec support"
    may["recipe"] = "target isa-spec support"
    may["machines"] = "object recipe target isa-spec support"
    may["disasm"] = "object isa-spec support"
    may["linker"] = "machines object recipe target isa-spec support"
    may["ezpim"] = "asm linker object target isa-spec support"
    may["emu"] = "linker machines object recipe target isa-spec support"
    may["runtime"] = "emu ezpim asm disasm linker machines object recipe target isa-spec support"
}
FNR == 1 {
    if (!/SPDX-License-Identifier: MIT/ && FILENAME ~ /\.[ch]$/)
        complain("no SPDX line at the top")
    if (FILENAME ~ /\.cpp$/ && FILENAME !~ /^support\/llvm\//)
        complain("C++ outside of support/llvm/")
    folder = FILENAME
    sub(/\/.*/, "", folder)
}
folder in may && /^#include "[a-z-]+\// {
    used = $2
    gsub(/"|\/.*/, "", used)
    if (used != folder && index(" " may[folder] " ", " " used " ") == 0)
        complain(folder "/ may not include from " used "/")
}
function complain(what) { print FILENAME ":" FNR ": " what; bad = 1 }
END { exit bad }'
