#!/bin/sh
# SPDX-License-Identifier: MIT
# The words of the scanner are those that editors know.
#   keywords.sh SOURCE WORK
set -eu
mkdir -p "$2"
sed -n 's/^\("[a-z"|]*"\).*/\1/p' "$1/ezpim/ez/lexer.l" | tr '|' '\n' | tr -d '"' | grep . | sort >"$2/scanner"
awk '/^\[/ { take = $0 ~ /^\[ez (keyword|constant)\]/; next }
     take && !/^#/ { for (i = 1; i <= NF; i++) print $i }' "$1/isa-spec/keywords.txt" | sort >"$2/editors"
diff "$2/scanner" "$2/editors" || { echo "isa-spec/keywords.txt and ezpim/ez/lexer.l differ"; exit 1; }
