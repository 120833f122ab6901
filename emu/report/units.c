/* SPDX-License-Identifier: MIT
 * A figure with its unit, which the end of its key says; the prefix is chosen so that 1 to 3 digits
 * stand before the point. */
#include "emu/report/units.h"
#include "support/saturate.h"

#include <string.h>

/* Each unit is 1,000 of the one before it. */
struct units {
    const char *suffix;
    const char *name[7];
};
static const struct units table[] = {
    {"_ps", {"ps", "ns", "us", "ms", "s"}},
    {"_fs", {"fs", "ps", "ns", "us", "ms", "s"}},
    {"_fj", {"fJ", "pJ", "nJ", "uJ", "mJ", "J"}},
    {"_nw", {"nW", "uW", "mW", "W", "kW"}},
};

static const struct units *units_of(const char *key) {
    size_t n = strlen(key);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (n > 3 && strcmp(key + n - 3, table[i].suffix) == 0)
            return &table[i];
    return NULL;
}

size_t report_unit_stem(const char *key) {
    return strlen(key) - (units_of(key) ? 3 : 0);
}

/* Decimals that make four digits of value / unit after rounding; unit is a power of 1000. */
static unsigned decimals_of(uint64_t value, uint64_t unit) {
    if (2 * value < unit / 1000 * 19999)
        return 3;
    return value < unit / 1000 * 99995 ? 2 : 1;
}

static void four_digits(uint64_t value, uint64_t unit, struct str *out) {
    unsigned decimals = decimals_of(value, unit);
    uint64_t scale = decimals == 1 ? 10 : decimals == 2 ? 100 : 1000;
    uint64_t rounded = (sat_scale(value, 2 * scale, unit) + 1) / 2;
    str_printf(out, "%llu.%0*llu", (unsigned long long)(rounded / scale), (int)decimals,
               (unsigned long long)(rounded % scale));
}

void report_unit_text(const char *key, uint64_t value, struct str *out) {
    const struct units *u = units_of(key);
    uint64_t unit = 1000;
    unsigned k = 1;
    if (!u || value < 1000) {
        str_printf(out, "%llu%s%s", (unsigned long long)value, u ? " " : "", u ? u->name[0] : "");
        return;
    }
    for (; value >= unit / 100 * 99995 && u->name[k + 1]; k++)
        unit *= 1000;
    if (value >= unit / 100 * 99995) /* beyond the largest unit */
        str_printf(out, "%llu", (unsigned long long)(value / unit));
    else
        four_digits(value, unit, out);
    str_printf(out, " %s", u->name[k]);
}

void report_percent_text(uint64_t part, uint64_t whole, struct str *out) {
    if (!whole) {
        str_char(out, '-');
        return;
    }
    uint64_t tenths = sat_scale(part, 1000, whole);
    str_printf(out, "%llu.%llu", (unsigned long long)(tenths / 10),
               (unsigned long long)(tenths % 10));
}
