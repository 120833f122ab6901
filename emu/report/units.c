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

/* value / unit, rounded to so many decimals. */
static void put_decimals(uint64_t value, uint64_t unit, unsigned decimals, struct str *out) {
    uint64_t scale = 1;
    if (unit == 1 && !decimals) { /* twice the value may be too large */
        str_u64(out, value);
        return;
    }
    for (unsigned i = 0; i < decimals; i++)
        scale *= 10;
    uint64_t rounded = (sat_scale(value, 2 * scale, unit) + 1) / 2;
    str_u64(out, rounded / scale);
    if (decimals)
        str_printf(out, ".%0*llu", (int)decimals, (unsigned long long)(rounded % scale));
}

struct report_unit report_unit_of(const char *key, uint64_t least) {
    const struct units *u = units_of(key);
    struct report_unit x = {u ? u->name[0] : NULL, 1, 0};
    if (!u || least < 1000)
        return x;
    x.size = 1000;
    unsigned k = 1;
    for (; least >= x.size / 100 * 99995 && u->name[k + 1]; k++)
        x.size *= 1000;
    x.name = u->name[k];
    x.decimals = least >= x.size / 100 * 99995 ? 0 : decimals_of(least, x.size);
    return x;
}

void report_unit_put(const struct report_unit *unit, uint64_t value, struct str *out) {
    put_decimals(value, unit->size, unit->decimals, out);
    if (unit->name)
        str_printf(out, " %s", unit->name);
}

void report_unit_text(const char *key, uint64_t value, struct str *out) {
    struct report_unit unit = report_unit_of(key, value);
    report_unit_put(&unit, value, out);
}

void report_ratio_text(uint64_t part, uint64_t whole, struct str *out) {
    unsigned decimals = 0;
    if (!whole) {
        str_char(out, '-');
        return;
    }
    for (uint64_t scale = 1; decimals < 9 && part && sat_scale(part, scale, whole) < 1000;
         decimals++)
        scale *= 10;
    put_decimals(part, whole, decimals, out);
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
