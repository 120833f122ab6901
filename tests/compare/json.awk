# SPDX-License-Identifier: MIT
# Of a JSON object a line for each value: its path, a colon, the value.  COMPARE_IGNORED in the
# environment has lines that begin with a path that is left out, with all below it.
BEGIN {
    n = split(ENVIRON["COMPARE_IGNORED"], lines, "\n")
    for (i = 1; i <= n; i++)
        if (split(lines[i], words, " "))
            skip[words[1]] = 1
}
function left_out(path,    i) {
    for (i = length(path); i > 0; i--)
        if ((i == length(path) || substr(path, i + 1, 1) == ".") && substr(path, 1, i) in skip)
            return 1
    return 0
}
function value(text,    path) {
    path = prefix[depth] (list[depth] ? place[depth]++ : key)
    if (!left_out(path))
        print path ": " text
}
function open(is_list,    path) {
    path = depth ? prefix[depth] (list[depth] ? place[depth]++ : key) "." : ""
    depth++
    prefix[depth] = path
    list[depth] = is_list
    place[depth] = 0
}
{
    rest = $0
    while (match(rest, /[^ \t,]/)) {
        rest = substr(rest, RSTART)
        first = substr(rest, 1, 1)
        if (first == "{" || first == "[") {
            open(first == "[")
            rest = substr(rest, 2)
        } else if (first == "}" || first == "]") {
            depth--
            rest = substr(rest, 2)
        } else {
            if (first == "\"")
                match(rest, /^"([^"\\]|\\.)*"/)
            else
                match(rest, /^[^]},: \t]+/)
            token = substr(rest, 1, RLENGTH)
            rest = substr(rest, RLENGTH + 1)
            if (match(rest, /^:/)) {
                key = substr(token, 2, length(token) - 2)
                rest = substr(rest, 2)
            } else {
                value(token)
            }
        }
    }
}
