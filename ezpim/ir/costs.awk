# SPDX-License-Identifier: MIT
# Micro-ops of each instruction at 8, 16, 32 and 64 bits on one target, from the costs that
# mpu-recipe counted (isa-spec/costs.csv), as rows of a C table.
#   awk -f costs.awk -v target=racer costs.csv
BEGIN { FS = ","; place[8] = 0; place[16] = 1; place[32] = 2; place[64] = 3 }
$1 == target && $4 == 0 && ($3 in place) && $2 !~ / (cond|rs)$/ {
    split($2, word, " ")
    if (!(word[1] in seen)) { seen[word[1]] = 1; order[++count] = word[1] }
    cost[word[1], place[$3]] = $5
}
END {
    for (i = 1; i <= count; i++)
        printf "    [OP_%s] = {%d, %d, %d, %d},\n", order[i], cost[order[i], 0], cost[order[i], 1],
            cost[order[i], 2], cost[order[i], 3]
}
