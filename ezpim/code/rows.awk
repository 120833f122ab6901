# SPDX-License-Identifier: MIT
# Rows that instructions leave for registers (rows.csv), as C tables: rows_lines, the different lines
# of rows by width; for the n-th target rows_n, the lines by opcode, masked and alias (0: as operands
# apart); ROWS_TABLES, ROWS_TABLE(n, "name", sections) for each of them.
#   awk -f rows.awk rows.csv
BEGIN { FS = ","; count = 0; lines = 1 }
{
    rows = "0"
    for (w = 1; w <= 64; w++)
        rows = rows ", " $(w + 5)
    if (!(rows in line)) {
        line[rows] = lines
        text[lines++] = rows
    }
    if ($1 != target) {
        target = $1
        sections[count] = $2
        names[count++] = target
    }
    table[count - 1] = table[count - 1] "    [" $3 "][" $4 "][" $5 "] = " line[rows] ",\n"
}
END {
    print "static const uint16_t rows_lines[][65] = {"
    print "    {0},"
    for (i = 1; i < lines; i++)
        print "    {" text[i] "},"
    print "};"
    for (i = 0; i < count; i++)
        printf "static const uint16_t rows_%d[256][2][ROWS_ALIASES] = {\n%s};\n", i, table[i]
    printf "#define ROWS_TABLES"
    for (i = 0; i < count; i++)
        printf " ROWS_TABLE(%d, \"%s\", %d)", i, names[i], sections[i]
    printf "\n"
}
