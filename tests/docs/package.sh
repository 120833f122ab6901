#!/bin/sh
# SPDX-License-Identifier: MIT
# package.sh BUILD WORK: the Debian package has tools, library, pages, examples, editor files and
# completions below /usr, and says which libraries it needs.  77 (skipped) without Debian's tools.
set -u
command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null || exit 77
rm -rf "$2"
mkdir -p "$2"
cpack --config "$1/CPackConfig.cmake" -G DEB -B "$2" >"$2/log" 2>&1 || { cat "$2/log" && exit 1; }
package=$(echo "$2"/*.deb)
dpkg-deb -c "$package" | sed 's/.* \.\/\([^ ]*\).*/\1/' >"$2/files"
status=0
for file in usr/bin/ezpim usr/bin/mpu-run usr/bin/mpu-pycheck usr/lib/libmpu.a usr/include/mpu/mpu.h \
    usr/lib/libmpu-pimeval.so usr/include/mpu/pimeval/libpimeval.h usr/lib/pkgconfig/mpu-pimeval.pc \
    usr/lib/cmake/mpu/mpu-config.cmake usr/share/man/man1/mpu-run.1 \
    usr/share/doc/mpu-toolchain/docs/cli.md usr/share/doc/mpu-toolchain/examples/axpy.ez \
    usr/share/bash-completion/completions/mpu-run usr/share/vim/vimfiles/ftdetect/mpu.vim; do
    grep -q -x -F "$file" "$2/files" || { echo "no $file" && status=1; }
done
grep -v '^usr/' "$2/files" | grep . && { echo "files outside of /usr" && status=1; }
dpkg-deb -f "$package" Depends | grep -q 'libyaml-0-2' || { echo "no dependencies" && status=1; }
exit $status
