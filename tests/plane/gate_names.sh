#!/bin/sh
# SPDX-License-Identifier: MIT
# No C file of the emulator or of the recipe library knows a gate: a new technology is data.  The
# names come from the target files; comments are taken out first, as OR is also a word.
#   gate_names.sh REPOSITORY
set -eu
cd "$1"

names=$(find isa-spec/targets -name '*.yaml' -exec awk '
    /^[a-z]/ { ops = /^ops:/ }
    ops && /^  [A-Za-z0-9_]+:/ { sub(/:.*/, ""); print $1 }' {} + | sort -u)
[ -n "$names" ] || { echo "no op found in isa-spec/targets" >&2; exit 1; }

status=0
for file in $(find emu recipe -name '*.[ch]' -o -name '*.inc' | sort); do
    code=$(sed -e 's@//.*@@' "$file" | awk '
        { line = $0; out = ""
          while (line != "") {
              if (inside) {
                  end = index(line, "*/")
                  if (!end) break
                  line = substr(line, end + 2); inside = 0
              } else {
                  begin = index(line, "/*")
                  if (!begin) { out = out line; break }
                  out = out substr(line, 1, begin - 1); line = substr(line, begin + 2); inside = 1
              }
          }
          print out }')
    for name in $names; do
        found=$(printf '%s\n' "$code" | grep -nw -- "$name") || continue
        printf '%s:%s: knows the gate %s\n' "$file" "$found" "$name" >&2
        status=1
    done
done
exit $status
