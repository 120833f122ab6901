#!/bin/sh
# SPDX-License-Identifier: MIT
# No C file of the emulator or of the recipe library knows a gate: a new technology is data.  The
# names come from the target files; comments are taken out first, as OR is also a word.  Gates of the
# made-up technologies stand in no C file of any tool, but for words that are also mnemonics (NAND).
#   gate_names.sh REPOSITORY
set -eu
cd "$1"

# names_of FOLDER: the micro-ops of its target files.
names_of() {
    find "$1" -name '*.yaml' -exec awk '
        /^[a-z]/ { ops = /^ops:/ }
        ops && /^  [A-Za-z0-9_]+:/ { sub(/:.*/, ""); if ($1 != "source") print $1 }' {} + | sort -u
}

# search NAMES FOLDER...: fails where one of the names stands in a C file.
search() {
    names=$1
    shift
    [ -n "$names" ] || { echo "no micro-op found" >&2; exit 1; }
    find "$@" -name '*.[ch]' -o -name '*.cpp' -o -name '*.inc' | sort | xargs awk -v names="$names" '
        BEGIN { n = split(names, list); for (i = 1; i <= n; i++) gate[list[i]] = 1 }
        FNR == 1 { inside = 0 }
        { line = $0; out = ""
          sub(/\/\/.*/, "", line)
          while (line != "") {
              if (inside) {
                  end = index(line, "*/")
                  if (!end) break
                  line = substr(line, end + 2); inside = 0
              } else {
                  begin = index(line, "/*")
                  if (!begin) { out = out line; break }
                  out = out substr(line, 1, begin - 1) " "; line = substr(line, begin + 2); inside = 1
              }
          }
          n = split(out, word, /[^A-Za-z0-9_]+/)
          for (i = 1; i <= n; i++)
              if (word[i] in gate) {
                  print FILENAME ":" FNR ": knows the gate " word[i]; bad = 1
              } }
        END { exit bad }' >&2
}

search "$(names_of isa-spec/targets; names_of examples/technology)" emu recipe
mnemonics=$(sed -n 's/^\([A-Z][A-Z0-9]*\)[. ].*/\1/p' isa-spec/*.isa | sort -u)
# Names that built-in machines share with them are words of other things, too: NOT.
own=$(names_of examples/technology | grep -vxF "$mnemonics" | grep -vxF "$(names_of isa-spec/targets)")
search "$own" support isa-spec object asm disasm ezpim linker runtime tools
