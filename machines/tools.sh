#!/bin/sh
# SPDX-License-Identifier: MIT
# The tools with kinds of machines that lie outside of the project (docs/new-machine.md).
#   tools.sh FOLDER     all C files of FOLDER, one of which has the lists of kinds; to FOLDER/bin
# MPU_BUILD is where the project was built, if not in build/; CC the compiler.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
build=${MPU_BUILD:-$source/build}
folder=$(cd "$1" && pwd)
cc=${CC:-cc}
compile() {
    # CC may have words.
    $cc -std=gnu17 -O2 -Wall -Wextra -Wconversion -Wshadow -I"$source" -I"$source/runtime/include" \
        -I"$build/generated" "$@"
}
mkdir -p "$folder/bin/objects"

for file in "$folder"/*.c; do
    compile -c "$file" -o "$folder/bin/objects/$(basename "$file" .c).o"
done

# The folder's lists stand before the archives, so that those of the project are not looked for;
# libmpu.a has them in one object with all else.
others=$(sed -n 's/^Libs.private://p' "$build/runtime/mpu.pc")
find "$build" -name 'libmpu_*.a' -not -path '*/tests/*' -not -path "$build/lib/*" >"$folder/bin/archives"
for tool in mpu-run mpu-ld mpu-objdump mpu-recipe; do
    # The files that the project's own build names; what is in a library comes with the archives.
    set --
    for part in $(sed -n "s/^mpu_tool($tool SOURCES \(.*\) LIBS.*/\1/p" "$source/tools/$tool/CMakeLists.txt"); do
        set -- "$@" "$source/tools/$tool/$part"
    done
    set -- "$@" "$folder"/bin/objects/*.o -Wl,--start-group
    while IFS= read -r archive; do set -- "$@" "$archive"; done <"$folder/bin/archives"
    # shellcheck disable=SC2086
    compile "$@" -Wl,--end-group $others -o "$folder/bin/$tool"
done
