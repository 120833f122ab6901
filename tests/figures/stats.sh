# SPDX-License-Identifier: MIT
# For the scripts beside it: figure PATH reads statistics as CSV and writes the one figure.
figure() {
    awk -F, -v path="$1" '$1 == path { print $2 }'
}
# component NAME WHAT: of by_component.
component() {
    awk -F, -v name="$1" -v what="$2" '
        $1 ~ /^by_component\..*\.component$/ { at = $1; sub(/component$/, "", at); here[at what] = $2 == name }
        here[$1] { print $2 }'
}
