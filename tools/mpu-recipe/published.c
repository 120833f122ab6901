/* SPDX-License-Identifier: MIT
 * The tables of published counts. */
#include "tools/mpu-recipe/published.h"

/* --- mimdram --- */

static uint64_t add_commands(unsigned n) {
    return 8 * n + 1;
}
/* Of the 2n-bit product's 11n^2 - 5n - 1 the n lowest bits. */
static uint64_t mul_commands(unsigned n) {
    return (11 * (uint64_t)n * n + n - 2) / 2;
}
static uint64_t div_commands(unsigned n) {
    return 8 * (uint64_t)n * n + 12 * n;
}
static uint64_t choice_commands(unsigned n) {
    return 7 * n;
}
static uint64_t min_commands(unsigned n) {
    return 10 * n + 2;
}
static uint64_t equal_commands(unsigned n) {
    return 4 * n + 3;
}
static uint64_t greater_commands(unsigned n) {
    return 3 * n + 2;
}
static uint64_t relu_commands(unsigned n) {
    return 3 * n + (n - 1) % 2;
}
static uint64_t bitcount_commands(unsigned n) {
    return 8 * n;
}
static uint64_t and_commands(unsigned n) {
    return 4 * n;
}
static uint64_t not_commands(unsigned n) {
    return 2 * n;
}
static uint64_t xor_commands(unsigned n) {
    return 7 * n;
}
static uint64_t copy_commands(unsigned n) {
    return n;
}
static uint64_t abs_commands(unsigned n) {
    return 10 * n - 1;
}

/* Bits of the result that no count of n ones reaches. */
static uint64_t upper_zeros(unsigned n) {
    unsigned bits = 0;
    for (unsigned m = n; m; m /= 2)
        bits++;
    return n - bits;
}

/* --- duality-cache --- */

static uint64_t add_cycles(unsigned n) {
    return n + 1;
}
static uint64_t sub_cycles(unsigned n) {
    return 2 * n;
}
/* Of the 2n-bit product's n^2 + 5n - 2 the n lowest bits. */
static uint64_t mul_cycles(unsigned n) {
    return ((uint64_t)n * n + 7 * n - 2) / 2;
}
static uint64_t div_cycles(unsigned n) {
    return (3 * (uint64_t)n * n + 11 * n) / 2;
}
static uint64_t divisor_cycles(unsigned n) {
    return n - 1;
}

/* --- pypim --- */

/* Logarithm of the widths that have figures, else 0. */
static unsigned levels_of(unsigned n) {
    return n == 8 ? 3 : n == 16 ? 4 : n == 32 ? 5 : 0;
}
static uint64_t if_known(unsigned n, uint64_t words) {
    return levels_of(n) ? words : 0;
}
static uint64_t add_words(unsigned n) {
    return if_known(n, 14 * levels_of(n) + 25);
}
static uint64_t sub_words(unsigned n) {
    return if_known(n, 14 * levels_of(n) + 28);
}
/* The low half: without the addition at the end. */
static uint64_t mul_words(unsigned n) {
    return if_known(n, (uint64_t)n * (2 * levels_of(n) + 26) + 4);
}
static uint64_t div_words(unsigned n) {
    uint64_t levels = levels_of(n);
    return if_known(n, 9 * n * levels + 83 * (uint64_t)n + 28 * levels + 55);
}
static uint64_t mod_words(unsigned n) {
    return n == 32 ? 4288 : div_words(n);
}
static uint64_t neg_words(unsigned n) {
    return if_known(n, 14 * levels_of(n) + 15);
}
static uint64_t abs_words(unsigned n) {
    return if_known(n, 16 * levels_of(n) + 29);
}
static uint64_t not_words(unsigned n) {
    return if_known(n, 2);
}
static uint64_t or_words(unsigned n) {
    return if_known(n, 4);
}
static uint64_t and_words(unsigned n) {
    return if_known(n, 6);
}
static uint64_t xor_words(unsigned n) {
    return if_known(n, 10);
}
static uint64_t signed_div_words(unsigned n) {
    return n == 32 ? 4454 : 0;
}
static uint64_t mux_words(unsigned n) {
    return n == 32 ? 19 : 0;
}
static uint64_t less_words(unsigned n) {
    return n == 32 ? 102 : 0;
}
static uint64_t not_more_words(unsigned n) {
    return n == 32 ? 123 : 0;
}
static uint64_t same_words(unsigned n) {
    return n == 32 ? 115 : 0;
}
static uint64_t other_words(unsigned n) {
    return n == 32 ? 117 : 0;
}

/* --- tables --- */

static const char simdram[] = "SIMDRAM; MIMDRAM's release, counted and repaired";
static const char ambit[] = "Ambit";
static const char neural[] = "Neural Cache";
static const char aritpim[] = "AritPIM, and PyPIM's driver, counted; L = log2 n";
static const char pypim[] = "PyPIM's driver, counted";
static const char or_chain[] = "n - 1 to know whether the divisor's higher bits are 0";

#define DRAM(op, formula, count, source)                                                           \
    { "mimdram", op, formula, source, count, NULL, NULL }
#define CROSSBAR(op, formula, count, source)                                                       \
    { "pypim", op, formula, source, count, NULL, NULL }

const struct published_count published_counts[] = {
    DRAM(OP_ADD, "8n + 1", add_commands, simdram),
    DRAM(OP_SUB, "8n + 1", add_commands, simdram),
    DRAM(OP_MUL, "5.5n^2 + 0.5n - 1", mul_commands, simdram),
    DRAM(OP_QDIV, "8n^2 + 12n", div_commands, simdram),
    DRAM(OP_RDIV, "8n^2 + 12n", div_commands, simdram),
    DRAM(OP_MUX, "7n", choice_commands, simdram),
    DRAM(OP_SEL, "7n", choice_commands, simdram),
    DRAM(OP_MIN, "10n + 2", min_commands, simdram),
    DRAM(OP_MAX, "10n + 2", min_commands, simdram),
    DRAM(OP_CMPEQ, "4n + 3", equal_commands, simdram),
    DRAM(OP_CMPGT, "3n + 2", greater_commands, simdram),
    DRAM(OP_CMPGE, "3n + 2", greater_commands, simdram),
    DRAM(OP_RELU, "3n + (n-1) mod 2", relu_commands, simdram),
    DRAM(OP_ABS, "10n - 1", abs_commands, simdram),
    {"mimdram", OP_POPC, "8n", simdram, bitcount_commands,
     "the result has n bits: those above the count are set to 0", upper_zeros},
    DRAM(OP_AND, "4n", and_commands, ambit),
    DRAM(OP_OR, "4n", and_commands, ambit),
    DRAM(OP_XOR, "7n", xor_commands, ambit),
    DRAM(OP_INV, "2n", not_commands, ambit),
    DRAM(OP_MOV, "n", copy_commands, ambit),
    {"duality-cache", OP_ADD, "n + 1", neural, add_cycles, NULL, NULL},
    {"duality-cache", OP_SUB, "2n", neural, sub_cycles, NULL, NULL},
    {"duality-cache", OP_MUL, "n^2/2 + 3.5n - 1", neural, mul_cycles, NULL, NULL},
    {"duality-cache", OP_QDIV, "1.5n^2 + 5.5n", neural, div_cycles, or_chain, divisor_cycles},
    {"duality-cache", OP_RDIV, "1.5n^2 + 5.5n", neural, div_cycles, or_chain, divisor_cycles},
    {"duality-cache", OP_QRDIV, "1.5n^2 + 5.5n", neural, div_cycles, or_chain, divisor_cycles},
    CROSSBAR(OP_ADD, "14L + 25", add_words, aritpim),
    CROSSBAR(OP_SUB, "14L + 28", sub_words, aritpim),
    CROSSBAR(OP_MUL, "n(2L + 26) + 4", mul_words, aritpim),
    CROSSBAR(OP_QDIV, "9nL + 83n + 28L + 55", div_words, aritpim),
    CROSSBAR(OP_RDIV, "9nL + 83n + 28L + 55; 4,288", mod_words, aritpim),
    CROSSBAR(OP_SDIV, "4,454", signed_div_words, pypim),
    CROSSBAR(OP_NEG, "14L + 15", neg_words, aritpim),
    CROSSBAR(OP_ABS, "16L + 29", abs_words, aritpim),
    CROSSBAR(OP_INV, "2", not_words, pypim),
    CROSSBAR(OP_AND, "6", and_words, pypim),
    CROSSBAR(OP_OR, "4", or_words, pypim),
    CROSSBAR(OP_XOR, "10", xor_words, pypim),
    CROSSBAR(OP_MOV, "4", or_words, pypim),
    CROSSBAR(OP_SEL, "19", mux_words, pypim),
    CROSSBAR(OP_CMPLTS, "102", less_words, pypim),
    CROSSBAR(OP_CMPGTS, "102", less_words, pypim),
    CROSSBAR(OP_CMPLES, "123", not_more_words, pypim),
    CROSSBAR(OP_CMPGES, "123", not_more_words, pypim),
    CROSSBAR(OP_CMPEQ, "115", same_words, pypim),
    CROSSBAR(OP_CMPNE, "117", other_words, pypim),
};
const size_t published_count_count = sizeof published_counts / sizeof *published_counts;

static uint64_t no_commands(unsigned n) {
    (void)n;
    return 0;
}
static uint64_t twice(unsigned n) {
    return 2 * n;
}

const struct published_mask published_masks[] = {
    {"mimdram", OP_ADD, "0", no_commands},       {"mimdram", OP_MUL, "0", no_commands},
    {"simdram", OP_ADD, "7n", choice_commands},  {"simdram", OP_AND, "7n", choice_commands},
    {"simdram", OP_MUL, "7n", choice_commands},  {"duality-cache", OP_ADD, "0", no_commands},
    {"duality-cache", OP_SUB, "0", no_commands}, {"duality-cache", OP_MUL, "n", copy_commands},
    {"duality-cache", OP_QDIV, "2n", twice},     {"racer", OP_ADD, "0", no_commands},
};
const size_t published_mask_count = sizeof published_masks / sizeof *published_masks;

const struct published_time published_times[] = {
    {"simdram", OP_ADD, 4, 1585, "25 AAP, 8 AP"},
    {"ambit", OP_ADD, 4, 5081, "89 AAP, 16 AP"},
};
const size_t published_time_count = sizeof published_times / sizeof *published_times;
