#!/bin/sh
# SPDX-License-Identifier: MIT
# commands.sh SOURCE BIN WORK TOOL...: what the pages show of the tools' command lines exists.
#   In blocks and between backticks every word behind a tool's name that looks like an option is one
#   of its --help, and the first word behind mpu-recipe is one of its commands.
#   An option that stands alone between backticks is one of some tool, of ./dev or of a script of
#   the project, or of a program of others that is named on that line.
#   ./dev is followed by a command of ./dev help.
#   Words that a tool's row of README's table has between backticks, and those of a summary before
#   "recipes", are commands or options.
set -u
LC_ALL=C
export LC_ALL
source=$1
bin=$2
work=$3
shift 3
status=0
rm -rf "$work"
mkdir -p "$work"
complain() { echo "$*" && status=1; }

names_of() { sed -n 's/^ \{1,6\}\(-.*\)/\1/p' | sed 's/   *.*//; s/, /\n/g' | sed 's/[= [].*//' | sort -u; }
for tool in "$@"; do
    "$bin/$tool" --help >"$work/$tool.text" || complain "$tool --help fails"
    names_of <"$work/$tool.text" | sed "s/^/$tool /" >>"$work/options"
done
sed -n 's/^\(usage:\)* *mpu-recipe \([a-z]*\) .*/\2/p' "$work/mpu-recipe.text" | sort -u >"$work/commands"
sed -n 's/^  \([a-z]*\)\( .*\)*$/\1/p' "$source/dev" | sort -u >"$work/dev"
# Options of the project's scripts, which the pages name as well.
find "$source/dev" "$source/tests" "$source/bench" -type f \( -name dev -o -name '*.sh' \) ! -name commands.sh |
    tr '\n' '\0' | xargs -0 grep -h -o -e '--[a-z][a-z-]*' | sort -u >"$work/scripts"
[ "$(wc -l <"$work/commands")" -ge 5 ] && [ "$(wc -l <"$work/dev")" -ge 12 ] || complain 'few commands'

# code PAGE: its blocks and what stands between backticks, a piece a line, behind the line's number
# and how the piece stands (B: in a block, T: between backticks).  Lines that end in \ are joined.
code() {
    awk '
    function piece(kind, text) { if (text ~ /[^ ]/) print at "\t" kind "\t" text }
    { line = $0; at = FNR }
    /^ *```/ { block = !block; language = $1; next }
    block || /^    [^ ]/ {
        while (line ~ /\\$/) { sub(/\\$/, " ", line); if ((getline more) <= 0) break; line = line more }
        if (!block || language !~ /```(yaml|diff|c|ez|py|python|json|s)$/) piece("B", line)
        next }
    { n = split(line, part, "`"); for (i = 2; i <= n; i += 2) piece("T", part[i]) }' "$1"
}

# check PAGE (pieces on standard input): what is wrong, a line each.
check() {
    awk -F '\t' -v page="$1" -v work="$work" -v all="$tools" '
    function read_file(name, into,   line) { while ((getline line <(work "/" name)) > 0) into[line] = 1 }
    function option_of(tool, word) {
        sub(/[=].*/, "", word)
        if ((tool " " word) in options) return 1
        if (word ~ /^-[A-Za-z]./ && word !~ /^--/)   # -Wname, -Dn=3, -j2, -vj2, -O2
            return (tool " " substr(word, 1, 2)) in options
        return 0 }
    BEGIN {
        n = split(all, list, " ")
        for (i = 1; i <= n; i++) is_tool[list[i]] = 1
        read_file("options", options); read_file("commands", commands); read_file("dev", dev)
        read_file("scripts", any)
        for (x in options) { split(x, pair, " "); any[pair[2]] = 1 } }
    { at = $1; kind = $2; text = $3
      gsub(/[()\[\]{}|;&<>,"\047]/, " & ", text); sub(/ # .*/, "", text); gsub(/\$ /, "", text)
      n = split(text, word, / +/); tool = ""; first = 0
      for (i = 1; i <= n; i++) {
          w = word[i]; base = w; sub(/.*\//, "", base)
          if (base in is_tool) { tool = base; first = i; continue }
          if (w == "./dev" && i < n && word[i + 1] ~ /^[a-z]/) {
              if (!(word[i + 1] in dev)) print page ":" at ": ./dev has no " word[i + 1]
              continue }
          if (w ~ /^[|;&()]$/ || w == "do" || w == "done" || w == "then") { tool = ""; continue }
          if (tool == "mpu-recipe" && i == first + 1 && w ~ /^[a-z]+$/ && (kind == "T" || i < n) && !(w in commands))
              print page ":" at ": mpu-recipe has no command " w
          if (w !~ /^--?[A-Za-z]/ || w ~ /^-+[A-Za-z-]*[^A-Za-z0-9=_.:\/+-]/) continue
          if (w ~ /[.][.][.]$/) continue
          sub(/[.:]+$/, "", w)
          if (tool) { if (!option_of(tool, w)) print page ":" at ": " tool " has no " w }
          else if (kind == "T" && i == 1 && w ~ /^--[a-z]/) {
              sub(/[=].*/, "", w)
              if (!(w in any)) print page ":" at ": no tool has " w } } }'
}

tools=$*
# adding.md adds an option, and ./dev walk carries it out.
find "$source/README.md" "$source/docs" "$source/examples" "$source/isa-spec/README.md" "$source/bench/README.md" \
    "$source/editors/README.md" "$source/tests/golden/README.md" -name '*.md' ! -name adding.md >"$work/pages"
while read -r page; do
    code "$page" | check "${page#"$source"/}"
done <"$work/pages" >"$work/wrong"
[ ! -s "$work/wrong" ] || complain "$(cat "$work/wrong")"
[ "$(wc -l <"$work/pages")" -gt 60 ] || complain 'few pages'

# Where commands are listed rather than used.
sed -n 's/^| `mpu-recipe` |//p' "$source/README.md" | grep -o '`[a-z-]*`' | tr -d '`' >"$work/row"
[ "$(wc -l <"$work/row")" -ge 5 ] || complain 'README.md does not list the commands of mpu-recipe'
while read -r word; do
    grep -q -x -F -e "$word" "$work/commands" || grep -q -x -F -e "mpu-recipe $word" "$work/options" || echo "$word"
done <"$work/row" >"$work/listed"
sed -n '1s/^mpu-recipe - \(.*\) recipes$/\1/p' "$work/mpu-recipe.text" | sed 's/,//g; s/ and / /' | tr ' ' '\n' |
    grep -v -x -F -f "$work/commands" >>"$work/listed"
[ ! -s "$work/listed" ] || complain "mpu-recipe has no: $(paste -sd ' ' "$work/listed")"

# The checks find what they are for.
finds() {
    printf '%s\n' "$1" >"$work/page.md"
    code "$work/page.md" | check page.md | grep -q -F -e "$2" || complain "not found: $1"
}
finds 'Write `mpu-recipe show`.' 'no command show'
finds '    $ mpu-run --target racer --stat text x.mpu' 'mpu-run has no --stat'
finds '    $ mpu-run --target racer \
        --nothing x.mpu | head -1' 'mpu-run has no --nothing'
finds 'With `--nothing` it is' 'no tool has --nothing'
finds 'Try `./dev everything`.' './dev has no everything'
finds '    ezpim axpy.ez && mpu-as -Q x.s' 'mpu-as has no -Q'
exit $status
