/* SPDX-License-Identifier: MIT
 * Types, modifiers and forms by their names. */
#include "ptx/forms.h"

#include "ptx/alu.h"

#include <string.h>

#define MAX_PARTS 16 /* of an opcode and its modifiers */

/* ---- types, spaces, special registers ---- */

static const struct {
    const char *name;
    uint8_t bits;
    bool is_signed, is_float;
} types[PTX_TYPES] = {
    [PTX_U8] = {"u8", 8, false, false},     [PTX_U16] = {"u16", 16, false, false},
    [PTX_U32] = {"u32", 32, false, false},  [PTX_U64] = {"u64", 64, false, false},
    [PTX_S8] = {"s8", 8, true, false},      [PTX_S16] = {"s16", 16, true, false},
    [PTX_S32] = {"s32", 32, true, false},   [PTX_S64] = {"s64", 64, true, false},
    [PTX_B8] = {"b8", 8, false, false},     [PTX_B16] = {"b16", 16, false, false},
    [PTX_B32] = {"b32", 32, false, false},  [PTX_B64] = {"b64", 64, false, false},
    [PTX_F16] = {"f16", 16, false, true},   [PTX_F16X2] = {"f16x2", 32, false, true},
    [PTX_F32] = {"f32", 32, false, true},   [PTX_F64] = {"f64", 64, false, true},
    [PTX_PRED] = {"pred", 1, false, false},
};

unsigned ptx_type_bits(enum ptx_type type) {
    return types[type].bits;
}

bool ptx_type_signed(enum ptx_type type) {
    return types[type].is_signed;
}

bool ptx_type_float(enum ptx_type type) {
    return types[type].is_float;
}

const char *ptx_type_name(enum ptx_type type) {
    return types[type].name ? types[type].name : "";
}

static bool is_name(const char *known, const char *name, size_t n) {
    return strlen(known) == n && memcmp(known, name, n) == 0;
}

enum ptx_type ptx_type_find(const char *name, size_t n) {
    for (unsigned i = 1; i < PTX_TYPES; i++)
        if (is_name(types[i].name, name, n))
            return (enum ptx_type)i;
    return PTX_NO_TYPE;
}

static const char *const specials[] = {
#define SPECIAL(name, id) name,
#include "ptx/specials.def"
#undef SPECIAL
};

enum ptx_special ptx_special_find(const char *name, size_t n) {
    unsigned i = 0;
    while (i < PTX_SPECIALS && !is_name(specials[i], name, n))
        i++;
    return (enum ptx_special)i;
}

const char *ptx_special_name(enum ptx_special special) {
    return specials[special];
}

/* ---- modifiers ---- */

enum class { TYPE, SPACE, ROUND, COMPARE, OPERATION, MODE, VECTOR, FLAG };
static const struct suffix {
    const char *name;
    uint8_t n; /* characters of it */
    uint8_t class;
    uint16_t value;
} suffixes[] = {
#define SUFFIX(name, class, value) {name, sizeof(name) - 1, class, value},
#include "ptx/suffixes.def"
#undef SUFFIX
};

static const struct suffix *suffix_find(const char *name, size_t n) {
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (suffixes[i].n == n && suffixes[i].name[0] == name[0] &&
            memcmp(suffixes[i].name, name, n) == 0)
            return &suffixes[i];
    return NULL;
}

enum ptx_space ptx_space_find(const char *name, size_t n) {
    const struct suffix *s = suffix_find(name, n);
    return s && s->class == SPACE ? (enum ptx_space)s->value : PTX_GENERIC;
}

const char *ptx_space_name(enum ptx_space space) {
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (suffixes[i].class == SPACE && suffixes[i].value == space)
            return suffixes[i].name;
    return "generic";
}

static void settle(struct ptx_modifiers *m, const struct suffix *s) {
    switch ((enum class)s->class) {
    case TYPE:
        m->type[m->type[0] != PTX_NO_TYPE] = (uint8_t)s->value;
        break;
    case SPACE:
        m->space = (uint8_t)s->value;
        break;
    case ROUND:
        m->round = (uint8_t)s->value;
        break;
    case COMPARE:
        m->compare = (uint8_t)s->value;
        break;
    case OPERATION:
        m->operation = (uint8_t)s->value;
        break;
    case MODE:
        m->mode = (uint8_t)s->value;
        break;
    case VECTOR:
        m->vector = (uint8_t)s->value;
        break;
    case FLAG:
        m->flags |= s->value;
        break;
    }
}

/* ---- patterns ---- */

static const struct {
    const char *name, *members;
    uint8_t n, length; /* characters of both */
} sets[] = {
#define SET(name, members)                                                                         \
    { name, members, sizeof(name) - 1, sizeof(members) - 1 }
    SET("INT", "u16|s16|u32|s32|u64|s64"),
    SET("FULL", "u32|s32|u64|s64"),
    SET("HALF", "f16|f16x2"),
    SET("RND", "rn|rz|rm|rp"),
    SET("ROUND", "rn|rz|rm|rp|rni|rzi|rmi|rpi"),
    SET("WHOLE", "eq|ne|lt|le|gt|ge"),
    SET("REAL", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"),
    SET("BOOL", "and|or|xor"),
    SET("ANY", "b16|b32|b64|u16|s16|u32|s32|u64|s64|f16|f32|f64"),
    SET("BITS", "pred|b16|b32|b64"),
    SET("CVT", "u8|s8|u16|s16|u32|s32|u64|s64|f16|f32|f64"),
    SET("MEMORY", "b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f16|f32|f64"),
    SET("TEST", "finite|infinite|number|notanumber|normal|subnormal"),
    SET("ORDER", "volatile|weak|relaxed|acquire|release|acq_rel"),
    SET("SCOPE", "cta|gpu|sys"),
    SET("SPACE", "global|shared|local|const|param"),
    SET("WINDOW", "global|shared|local|const|param"),
    SET("CACHE", "ca|cg|cs|lu|cv|wb|wt"),
    SET("VECTOR", "v2|v4"),
    SET("ATOMIC", "and|or|xor|exch|add|inc|dec|min|max"),
    SET("ATOMS", "b32|b64|u32|s32|u64|s64|f32|f64"),
#undef SET
};

struct part {
    const char *text;
    size_t n;
};

static bool is_in(struct part part, const char *list, size_t n);

/* A word of a list: itself, or a set of that name. */
static bool is_word(struct part part, const char *word, size_t n) {
    if (word[0] < 'A' || word[0] > 'Z')
        return n == part.n && memcmp(word, part.text, n) == 0;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (sets[i].n == n && memcmp(sets[i].name, word, n) == 0)
            return is_in(part, sets[i].members, sets[i].length);
    return n == part.n && memcmp(word, part.text, n) == 0; /* NaN */
}

static bool is_in(struct part part, const char *list, size_t n) {
    while (n) {
        const char *bar = memchr(list, '|', n);
        size_t word = bar ? (size_t)(bar - list) : n;
        if (is_word(part, list, word))
            return true;
        list += word + (bar != NULL);
        n -= word + (bar != NULL);
    }
    return false;
}

/* How many of the parts, from number 1 on, the pattern takes; *fits: it takes all, and wants no
 * more. */
static size_t take(const char *pattern, const struct part *parts, size_t count, bool *fits) {
    size_t taken = 1;
    pattern += strcspn(pattern, " ");
    while (*pattern) {
        pattern++;
        size_t n = strcspn(pattern, " ");
        bool optional = pattern[n - 1] == '?';
        if (taken < count && is_in(parts[taken], pattern, n - optional)) {
            taken++;
        } else if (!optional) {
            *fits = false;
            return taken;
        }
        pattern += n;
    }
    *fits = taken == count;
    return taken;
}

/* ---- forms ---- */

static const struct ptx_form forms[] = {
#define FORM(op, pattern, operands, compute) {PTX_OP_##op, pattern, operands, compute},
#define MORE(op, pattern, operands, compute) {PTX_OP_##op, pattern, operands, compute},
#include "ptx/forms.def"
#undef FORM
#undef MORE
};
static const uint32_t form_count = sizeof forms / sizeof *forms;

static size_t split(const char *name, size_t n, struct part *parts) {
    size_t count = 0;
    for (size_t from = 0; from <= n && count < MAX_PARTS;) {
        const char *dot = memchr(name + from, '.', n - from);
        size_t to = dot ? (size_t)(dot - name) : n;
        parts[count++] = (struct part){name + from, to - from};
        from = to + 1;
    }
    return count;
}

static size_t opcode_length(const struct ptx_form *form) {
    return strcspn(form->pattern, " ");
}

static void no_opcode(struct part opcode, struct str *what) {
    const char *names[PTX_OPS];
    char known[PTX_OPS][16];
    char name[64];
    size_t count = 0, n = opcode.n < sizeof name - 1 ? opcode.n : sizeof name - 1;
    for (uint32_t i = 0; i < form_count; i++) {
        size_t length = opcode_length(&forms[i]);
        if (count && forms[i].op == forms[i - 1].op)
            continue;
        memcpy(known[count], forms[i].pattern, length);
        known[count][length] = '\0';
        names[count] = known[count];
        count++;
    }
    memcpy(name, opcode.text, n);
    name[n] = '\0';
    const char *near = nearest_name(name, names, count);
    str_printf(what, "opcode %s is not there", name);
    if (near)
        str_printf(what, "; is %s meant?", near);
}

static void refuse(const struct part *parts, size_t count, size_t taken, struct str *what) {
    if (!taken) {
        no_opcode(parts[0], what);
    } else if (taken < count) {
        str_printf(what, "modifier .%.*s of %.*s", (int)parts[taken].n, parts[taken].text,
                   (int)parts[0].n, parts[0].text);
    } else {
        str_printf(what, "%.*s lacks a modifier behind ", (int)parts[0].n, parts[0].text);
        for (size_t i = 0; i < count; i++)
            str_printf(what, "%s%.*s", i ? "." : "", (int)parts[i].n, parts[i].text);
    }
}

const struct ptx_form *ptx_form_find(const char *name, size_t n, struct ptx_modifiers *m,
                                     struct str *what) {
    struct part parts[MAX_PARTS];
    size_t count = split(name, n, parts), furthest = 0;
    *m = (struct ptx_modifiers){.vector = 1};
    for (uint32_t i = 0; i < form_count; i++) {
        const struct ptx_form *f = &forms[i];
        bool fits;
        if (opcode_length(f) != parts[0].n || memcmp(f->pattern, parts[0].text, parts[0].n) != 0)
            continue;
        size_t taken = take(f->pattern, parts, count, &fits);
        if (fits) {
            for (size_t k = 1; k < count; k++)
                settle(m, suffix_find(parts[k].text, parts[k].n));
            return f;
        }
        furthest = taken > furthest ? taken : furthest;
    }
    refuse(parts, count, furthest, what);
    return NULL;
}

/* ---- names from modifiers ---- */

/* What no bits of a modifier tell: it changes no result, or all forms of the opcode have it. */
#define SILENT (PTX_HINT | PTX_SYNC)

static bool same_width(unsigned asked, unsigned type) {
    return asked == type || (asked >= PTX_U8 && asked <= PTX_U64 && asked + 8 == type);
}

/* Whether it is one that `wanted` has and `made` has not yet; `alike`: .b32 for .u32. */
static bool is_next(const struct suffix *s, const struct ptx_modifiers *wanted,
                    const struct ptx_modifiers *made, bool alike) {
    const unsigned number = made->type[0] != PTX_NO_TYPE;
    switch ((enum class)s->class) {
    case TYPE:
        return made->type[1] == PTX_NO_TYPE && (alike ? same_width(wanted->type[number], s->value)
                                                      : wanted->type[number] == s->value);
    case SPACE:
        return wanted->space == s->value && !made->space;
    case ROUND:
        return wanted->round == s->value && !made->round;
    case COMPARE:
        return wanted->compare == s->value && !made->compare;
    case OPERATION:
        return wanted->operation == s->value && !made->operation;
    case MODE:
        return wanted->mode == s->value && !made->mode;
    case VECTOR:
        return wanted->vector == s->value && made->vector == 1;
    case FLAG:
        break;
    }
    return wanted->flags & s->value & ~made->flags & ~SILENT;
}

/* The first word of a list that is; of a list that says nothing (.sync) the first one of all, if it
 * has to be there. */
static const struct suffix *next_word(const char *list, size_t n,
                                      const struct ptx_modifiers *wanted,
                                      const struct ptx_modifiers *made, bool alike, bool needed) {
    while (n) {
        const char *bar = memchr(list, '|', n);
        size_t word = bar ? (size_t)(bar - list) : n;
        const bool capital = list[0] >= 'A' && list[0] <= 'Z' && list[1] != 'a'; /* NaN */
        const struct suffix *s = capital ? NULL : suffix_find(list, word), *within = NULL;
        for (size_t i = 0; capital && i < sizeof sets / sizeof *sets; i++)
            if (sets[i].n == word && memcmp(sets[i].name, list, word) == 0)
                within = next_word(sets[i].members, sets[i].length, wanted, made, alike, needed);
        if (within || (s && (is_next(s, wanted, made, alike) ||
                             (needed && s->class == FLAG && s->value & SILENT))))
            return within ? within : s;
        list += word + (bar != NULL);
        n -= word + (bar != NULL);
    }
    return NULL;
}

/* Appends the name; false: the form has not these modifiers. */
static bool name_form(const struct ptx_form *form, const struct ptx_modifiers *wanted,
                      struct ptx_modifiers *made, struct str *name) {
    const char *pattern = form->pattern;
    size_t n = strcspn(pattern, " ");
    *made = (struct ptx_modifiers){.vector = 1};
    str_append_n(name, pattern, n);
    for (pattern += n; *pattern; pattern += n) {
        n = strcspn(++pattern, " ");
        bool optional = pattern[n - 1] == '?';
        const struct suffix *s = next_word(pattern, n - optional, wanted, made, false, !optional);
        if (!s && !optional)
            s = next_word(pattern, n, wanted, made, true, false);
        if (!s && !optional)
            return false;
        if (s) {
            settle(made, s);
            str_printf(name, ".%s", s->name);
        }
    }
    return made->space == wanted->space && made->round == wanted->round &&
           made->compare == wanted->compare && made->operation == wanted->operation &&
           made->mode == wanted->mode && made->vector == wanted->vector &&
           !made->type[1] == !wanted->type[1] && !made->type[0] == !wanted->type[0] &&
           !((made->flags ^ wanted->flags) & ~SILENT);
}

const struct ptx_form *ptx_form_of(enum ptx_op op, struct ptx_modifiers *m, struct str *name) {
    const size_t before = name->len;
    for (uint32_t i = 0; i < form_count; i++) {
        struct ptx_modifiers made;
        if (forms[i].op != op)
            continue;
        if (name_form(&forms[i], m, &made, name)) {
            *m = made;
            return &forms[i];
        }
        name->len = before;
        if (name->text)
            name->text[before] = '\0';
    }
    return NULL;
}
