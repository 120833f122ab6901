# SPDX-License-Identifier: MIT
# Rows that instructions leave for registers (rows.csv), as rows of a C table.
#   awk -f rows.awk rows.csv
BEGIN { FS = "," }
{
    printf "    [%s][%d] = {0", $1, $2
    for (w = 1; w <= 64; w++)
        printf ", %d", $(w + 2)
    print "},"
}
