#!/bin/sh
# SPDX-License-Identifier: MIT
# Every C source is as clang-format leaves it.
set -u
cd "$1" || exit 2
git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format-14 --dry-run -Werror
