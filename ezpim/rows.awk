# SPDX-License-Identifier: MIT
# Rows that instructions leave for registers (rows.csv), as a C table for each target: left_0,
# left_1, ..., and ROWS_TABLE(n, "name") for each of them.
#   awk -f rows.awk rows.csv
BEGIN { FS = ","; count = 0 }
$1 != target {
    if (target != "") print "};"
    target = $1
    names[count] = target
    printf "static const uint16_t left_%d[256][2][2][65] = {\n", count++
}
{
    printf "    [%s][%d][%d] = {0", $2, $3, $4
    for (w = 1; w <= 64; w++)
        printf ", %d", $(w + 4)
    print "},"
}
END {
    print "};"
    printf "#define ROWS_TABLES"
    for (i = 0; i < count; i++)
        printf " ROWS_TABLE(%d, \"%s\")", i, names[i]
    printf "\n"
}
