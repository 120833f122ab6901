#!/bin/sh
# SPDX-License-Identifier: MIT
# Every C source is as clang-format leaves it.
set -u
cd "$1" || exit 2
find support isa-spec object asm target recipe portable stage pipeline machines disasm linker ezpim emu runtime pimeval tools tests bench examples \
    -name '*.c' -o -name '*.h' -o -name '*.cpp' | sort | xargs clang-format-14 --dry-run -Werror
