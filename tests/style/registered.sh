#!/bin/sh
# SPDX-License-Identifier: MIT
# registered.sh TESTS SOURCES: a test that nothing builds cannot fail, so every C file below TESTS must
# be one that a program is built from.  SOURCES lists those, one a line.
set -u
status=0
for file in $(cd "$1" && find . -name '*.c' | sort); do
    grep -qxF "${file#./}" "$2" || { echo "$file: no CMakeLists.txt names it" && status=1; }
done
for folder in "$1"/*/; do
    name=$(basename "$folder")
    grep -qF "\`$name/\`" "$1/README.md" || { echo "README.md: the table has no $name/" && status=1; }
done
exit $status
