#!/bin/sh
# SPDX-License-Identifier: MIT
# man.sh PAGES BIN DOCS WORK TOOL...: the man pages in PAGES, and the tables of options in DOCS,
# against the tools in BIN.
#   Every tool has a page, which has the options of --help and no others.
#   The table below "## Options" on the tool's page of DOCS has every option that is the tool's own,
#   by one of its names, and no others.
#   An option that prose of a page names is one that a tool has.
#   Pages of ours under SEE ALSO are there.
#   A page uses nothing but the requests and escapes that every formatter knows, in pairs where they
#   come in pairs.  Where man and groff are there, they have no warning.
set -u
LC_ALL=C
export LC_ALL
pages=$1
bin=$2
docs=$3
work=$4
shift 4
status=0
rm -rf "$work"
mkdir -p "$work"

complain() { echo "$*" && status=1; }

# The names of options in the lines of --help.
help_names() { sed -n 's/^ \{1,6\}\(-.*\)/\1/p' | help_names_of; }
help_names_of() { sed 's/   *.*//; s/, /\n/g' | sed 's/[= [].*//' | sort -u; }

# The text of a page without fonts and escapes.
plain() { sed 's/\\f[BIR]//g; s/\\-/-/g; s/\\&//g' "$1"; }

# The names of options in section OPTIONS of a page: those that head an entry.
page_names() {
    plain "$1" | awk '/^\.SH/ { on = /^\.SH OPTIONS/ } tag && on { print " " $0 } { tag = /^\.TP/ }' | help_names
}

# What stands behind the names of one line of --help: the tool's own options, a line each.
own_options() { sed '/^Common options/,$d' "$1" | sed -n 's/^ \{1,6\}\(-.*\)/\1/p' | sed 's/   *.*//'; }

# table TOOL PAGE: the names in the first column of the page's table of options.
table() {
    awk '/^## / { on = /^## Options$/ } on && /^\| `/' "$docs/$2" | sed 's/^| \(\(`[^`]*`[, ]*\)*\)|.*/\1/' |
        grep -o -e '`-[^` =]*' | sed 's/^`//' | sort -u >"$work/$1.table"
    own_options "$work/$1.text" | while read -r line; do
        echo "$line" | help_names_of | grep -q -x -F -f "$work/$1.table" || echo "$2 has no $line"
    done
    while read -r name; do
        grep -q -x -F -e "$name" "$work/$1.help" || echo "$2: $1 has no $name"
    done <"$work/$1.table"
}

lint() {
    awk -v page="${1##*/}" '
    function bad(what) { print page ":" FNR ": " what; failed = 1 }
    FNR == 1 && !/^\047\\" t$/ { bad("does not ask for tbl") }
    /[^ -~\t]/ { bad("not ASCII") }
    /^[.\047]/ && !/^\.(TH|SH|SS|TP|PP|IP|RS|RE|ad|nh|nf|fi|br|TS|TE|\\")( |$)/ && FNR > 1 { bad("unknown request: " $0) }
    /^\.TH / { if (sections || ++titles > 1) bad("title") }
    /^\.S[HS]/ && NF < 2 { bad("a heading without words") }
    /^\.S[HS]/ && (open["nf"] || open["RS"] || open["TS"]) { bad("a section within a block") }
    /^\.SH/ { if (!sections++ && $0 != ".SH NAME") bad("NAME is not the first section") }
    /^\.(nf|RS|TS)$|^\.(nf|RS|TS) / { name = substr($1, 2); if (open[name]++) bad("." name " within ." name) }
    /^\.fi/ { if (open["nf"]-- != 1) bad(".fi without .nf") }
    /^\.RE/ { if (open["RS"]-- != 1) bad(".RE without .RS") }
    /^\.TE/ { if (open["TS"]-- != 1) bad(".TE without .TS") }
    after == ".SH NAME" && !/^[a-z\\-]+ \\- [^ ]/ { bad("NAME is not \"name - what it is\"") }
    after == ".TP" && /^\./ { bad("a term is missing") }
    after ~ /^\.(PP|S[HS])/ && /^\.(PP|SH)/ { bad("nothing between " after " and " $0) }
    /^$/ && !open["nf"] { bad("an empty line") }
    { after = $0; rest = $0
      if (FNR > 2) gsub(/\\(e|-|&|f[BIR]|\((dq|aq|ga|ha|ti|bu)|\[u[0-9A-F]+\])/, "", rest)
      if (FNR > 2 && rest ~ /\\/) bad("unknown escape: " rest)
      bold = gsub(/\\f[BI]/, "", $0); roman = gsub(/\\fR/, "", $0)
      if (bold != roman) bad("a font is not switched back") }
    END { if (open["nf"] || open["RS"] || open["TS"]) bad("a block is not closed")
          if (!titles || !sections) bad("no title, or no section"); exit failed }' "$1"
}

for tool in "$@"; do
    "$bin/$tool" --help >"$work/$tool.text" || complain "$tool --help fails"
    help_names <"$work/$tool.text" >"$work/$tool.help"
    cat "$work/$tool.help" >>"$work/all"
    [ "$(wc -l <"$work/$tool.help")" -ge 9 ] || complain "$tool: few options in --help"
    [ -f "$pages/$tool.1" ] || { complain "$tool has no page" && continue; }
    page_names "$pages/$tool.1" >"$work/$tool.page"
    diff "$work/$tool.help" "$work/$tool.page" || complain "$tool.1: options differ from --help"
done

for pair in mpu-as:assembly.md mpu-ld:linking.md mpu-recipe:mpu-recipe.md mpu-run:mpu-run.md; do
    table "${pair%%:*}" "${pair##*:}" >"$work/differs"
    [ ! -s "$work/differs" ] || complain "$(cat "$work/differs")"
done

count=0
for page in "$pages"/*.[157]; do
    count=$((count + 1))
    lint "$page" || status=1
    # --debug-line and the like belong to programs of others.
    plain "$page" | grep -v 'dwarfdump' | grep -o -e '[^a-z-]--[a-z][a-z-]*' | sed 's/^.//' | sort -u >"$work/named"
    while read -r name; do
        grep -q -x -F -e "$name" "$work/all" || complain "${page##*/}: no tool has $name"
    done <"$work/named"
    plain "$page" | sed -n '/^\.SH SEE ALSO/,/^\.PP/p' | grep -o '[a-z-]*([157])' |
        sed 's/(/./; s/)//' >"$work/seen"
    [ -s "$work/seen" ] || complain "${page##*/}: no SEE ALSO"
    while read -r name; do
        [ -f "$pages/$name" ] || complain "${page##*/}: there is no page $name"
    done <"$work/seen"
    # A sheet of a terminal has no end, whatever tbl says where that of paper would be.
    if command -v man >/dev/null && command -v groff >/dev/null; then
        man --warnings -E UTF-8 -l "$page" 2>&1 >/dev/null | grep -v 'not fit on one page' && complain "${page##*/}: warnings of man"
    fi
done
[ "$count" -ge $# ] || complain "$count pages only"

# The checks find what they are for.
must_fail() { ! "$@" >/dev/null || complain "not found: $damage"; }
page=$pages/$1.1
damage='an unknown request' && { cat "$page" && echo .XY; } >"$work/bad.1" && must_fail lint "$work/bad.1"
damage='an open block' && { cat "$page" && echo .nf; } >"$work/bad.1" && must_fail lint "$work/bad.1"
damage='a font left on' && { cat "$page" && echo '\fBx'; } >"$work/bad.1" && must_fail lint "$work/bad.1"
damage='a lost option' && grep -v 'max.-errors' "$page" >"$work/bad.1" && page_names "$work/bad.1" >"$work/bad.page" &&
    must_fail cmp -s "$work/$1.help" "$work/bad.page"
damage='a lost row' && grep -v '^| `--check`' "$docs/mpu-run.md" >"$work/mpu-run.md" && docs=$work &&
    table mpu-run mpu-run.md | grep -q 'has no --check' || complain "not found: $damage"
exit $status
