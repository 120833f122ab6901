/* SPDX-License-Identifier: MIT
 * Python's `math` of numbers that are known.  What it computes is what the C library of this
 * computer does, as in Python itself: where its last bit matters, that of the program does. */
#include "ezpim/np/texts.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    double value;
} constants[] = {{"pi", 0x1.921fb54442d18p1},
                 {"tau", 0x1.921fb54442d18p2},
                 {"e", 0x1.5bf0a8b145769p1},
                 {"inf", (double)INFINITY},
                 {"nan", (double)NAN}};

/* Of one float or of two; whole: the result is an integer. */
static const struct known_math {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
    bool whole;
} functions[] = {
    {"sin", sin, NULL, false},     {"cos", cos, NULL, false},     {"tan", tan, NULL, false},
    {"asin", asin, NULL, false},   {"acos", acos, NULL, false},   {"atan", atan, NULL, false},
    {"sinh", sinh, NULL, false},   {"cosh", cosh, NULL, false},   {"tanh", tanh, NULL, false},
    {"exp", exp, NULL, false},     {"log", log, NULL, false},     {"log2", log2, NULL, false},
    {"log10", log10, NULL, false}, {"sqrt", sqrt, NULL, false},   {"fabs", fabs, NULL, false},
    {"floor", floor, NULL, true},  {"ceil", ceil, NULL, true},    {"trunc", trunc, NULL, true},
    {"atan2", NULL, atan2, false}, {"hypot", NULL, hypot, false}, {"pow", NULL, pow, false},
    {"fmod", NULL, fmod, false},
};

struct np_value np_math_attribute(struct np_unit *unit, const char *name, struct span at,
                                  struct span name_at) {
    const char *names[sizeof functions / sizeof *functions];
    size_t n = sizeof functions / sizeof *functions;
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (strcmp(constants[i].name, name) == 0)
            return (struct np_value){.kind = NP_REAL, .at = at, .real = constants[i].value};
    for (size_t i = 0; i < n; i++) {
        names[i] = functions[i].name;
        if (strcmp(functions[i].name, name) == 0)
            return (struct np_value){
                .kind = NP_BUILTIN, .at = at, .text = name, .function = &functions[i]};
    }
    np_error(unit, name_at, "`math.%s` is not taken in kernels", name);
    np_suggest(unit, name_at, name, names, n);
    return (struct np_value){.kind = NP_ERROR};
}

struct np_value np_math_call(struct np_unit *unit, const struct np_value *value,
                             const struct np_value *args, uint32_t count, struct span at) {
    const struct known_math *f = value->function;
    double x[2] = {0, 0};
    for (uint32_t i = 0; i < count && i < 2; i++) {
        if (!np_is_number(&args[i]))
            return np_error(unit, args[i].at, "`math.%s` is of numbers that are known, not %s",
                            f->name, np_value_text(unit, &args[i]));
        x[i] = np_real_of(&args[i]);
    }
    if (!(count == 1 && f->one) && !(count == 2 && f->two))
        return np_error(unit, at, "`math.%s` of %u numbers", f->name, count);
    double v = count == 1 ? f->one(x[0]) : f->two(x[0], x[1]);
    if (isfinite(x[0]) && isfinite(x[1]) && !isfinite(v))
        return np_error(unit, at, "`math.%s` has no such value", f->name);
    if (f->whole)
        return np_whole_of(unit, v, at);
    return (struct np_value){.kind = NP_REAL, .at = at, .real = v};
}
