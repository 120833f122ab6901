/* SPDX-License-Identifier: MIT
 * float-gen TEXTS LIBRARY TABLES: writes the library of functions of floats, LIBRARY/float.ez and
 * what it includes, from the texts in TEXTS, and the numbers of its tables as C to TABLES. */
#include "tools/float-gen/gen.h"

#include "support/file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 16 };

static const char LIBRARY_HEAD[] =
    "// Functions of $F.  Made by tools/float-gen; docs/float.md says what they are and how exact.\n"
    "// MIT licence.\n\n";

static char *read_text(const char *folder, const char *name) {
    struct str path = {0};
    str_printf(&path, "%s/%s.ez", folder, name);
    size_t size;
    char *text = file_read_text(path.text, TEXT_MAX, &size);
    if (!text) {
        fprintf(stderr, "float-gen: %s: %s\n", path.text, strerror(errno));
        exit(1);
    }
    str_free(&path);
    return text;
}

static void put_text(const char *folder, const char *name, const struct gen_names *names,
                     struct str *out) {
    char *text = read_text(folder, name);
    const char *problem;
    if (!gen_expand(text, names, out, &problem)) {
        fprintf(stderr, "float-gen: %s.ez: %s\n", name, problem);
        exit(1);
    }
    free(text);
}

static void put_file(const char *folder, const char *name, const struct str *text) {
    struct str path = {0};
    str_printf(&path, "%s/%s", folder, name);
    if (!file_write(path.text, text->text, text->len)) {
        fprintf(stderr, "float-gen: %s: %s\n", path.text, strerror(errno));
        exit(1);
    }
    str_free(&path);
}

static void define_format(struct gen_names *names, const struct gen_format *format) {
    int bias = (1 << (format->exponent_bits - 1)) - 1;
    int64_t infinity = (int64_t)(2 * bias + 1) << (format->precision - 1);
    int steps = 0;
    while (1 << steps < format->precision)
        steps++;
    names->format = format->name;
    names->core = format->core;
    gen_define(names, "P", format->precision);
    gen_define(names, "E", format->exponent_bits);
    gen_define(names, "EMAX", format->exponent_bits + 2);
    gen_define(names, "W", format->width);
    gen_define(names, "BIAS", bias);
    gen_define(names, "INF", infinity);
    gen_define(names, "NAN", infinity | (int64_t)1 << (format->precision - 2));
    gen_define(names, "MAGNITUDE", ((int64_t)1 << (format->width - 1)) - 1);
    gen_define(names, "STEPS", steps);
    gen_define(names, "SB", format->scaled);
}

/* The entry whose tables and numbers a text uses beside its own; NULL: none. */
static const struct gen_entry *used_by(const struct gen_entry *entry) {
    bool wave = strcmp(entry->text, "wave") == 0;
    bool needs_exp = strcmp(entry->text, "share") == 0 || strcmp(entry->text, "exp") == 0 ||
                     strcmp(entry->text, "hyper") == 0 || strcmp(entry->text, "less") == 0 ||
                     strcmp(entry->text, "soft") == 0;
    const char *text = wave ? "turn" : entry->share ? "share" : "exp_fixed";
    const char *name = wave ? "turn" : entry->share ? entry->share : "exp_fixed";
    if (!wave && !entry->share && !needs_exp)
        return NULL;
    for (size_t i = 0; i < gen_entry_count; i++)
        if (gen_entries[i].format == entry->format && strcmp(gen_entries[i].text, text) == 0 &&
            strcmp(gen_entries[i].function, name) == 0)
            return &gen_entries[i];
    return NULL;
}

/* The tables and the text of a function, and its numbers for C. */
static void put_entry(const char *texts, const struct gen_entry *entry, struct gen_names *names,
                      struct str *out, struct str *numbers, struct str *list) {
    static struct gen_polynomial polynomial;
    const struct gen_format *format = &gen_formats[entry->format];
    define_format(names, format);
    names->function = entry->function;
    names->share = entry->share ? entry->share : "";
    for (size_t i = 0; i < GEN_MAX_TABLES && entry->tables[i].name; i++) {
        struct gen_table table = entry->tables[i];
        if (!table.bits)
            table.bits = (unsigned)format->scaled;
        if (!table.t_bits)
            table.t_bits = (unsigned)format->precision - 1;
        gen_fit(&table, &polynomial);
        gen_define(names, "LW", table.log_width);
        gen_define(names, "I", polynomial.index_bits);
        gen_define(names, "PARTS", table.segments);
        gen_emit_polynomial(&polynomial, format->core, out);
        gen_emit_numbers(&polynomial, format->core, numbers);
    }
    if (entry->windows.pieces)
        gen_emit_windows(&entry->windows, format, out, numbers);
    bool exponential = strcmp(entry->text, "exp_fixed") == 0;
    if (exponential)
        gen_emit_ln2(format, (int)entry->numbers[0].value, (int)entry->numbers[1].value, out,
                     numbers);
    /* What is no function by itself is only used by others. */
    bool own = strcmp(entry->text, "share") != 0 && strcmp(entry->text, "exp_fixed") != 0 &&
               strcmp(entry->text, "turn") != 0;
    const struct gen_entry *used = used_by(entry);
    str_printf(list, "    [%td] = {\"%s\", FLOATS_%s, %s%s, {", entry - gen_entries,
               entry->function, format->id, own ? "floats_" : "NULL", own ? entry->text : "");
    for (size_t i = 0; i < GEN_MAX_TABLES && entry->tables[i].name; i++)
        str_printf(list, "&%s_%s, ", format->core, entry->tables[i].name);
    str_append(list, entry->tables[0].name ? "}, {" : "NULL}, {");
    if (!entry->numbers[0].name)
        str_append(list, "0");
    for (size_t i = 0; i < GEN_MAX_NUMBERS && entry->numbers[i].name; i++) {
        const struct gen_number *number = &entry->numbers[i];
        int64_t value = (int64_t)floorl(ldexpl(number->value, number->bits) + 0.5L);
        gen_define(names, number->name, value);
        str_printf(list, "%" PRId64 ", ", value);
    }
    str_append(list, "}, ");
    if (used)
        str_printf(list, "&floats_functions[%td], ", used - gen_entries);
    else
        str_append(list, "NULL, ");
    if (entry->windows.pieces)
        str_printf(list, "%s_turn},\n", format->core);
    else if (exponential)
        str_printf(list, "%s_ln2},\n", format->core);
    else
        str_append(list, "NULL},\n");
    put_text(texts, entry->text, names, out);
}

static void put_cores(const char *texts, enum gen_format_id format, struct str *out,
                      struct str *numbers, struct str *list) {
    struct gen_names names = {0};
    define_format(&names, &gen_formats[format]);
    put_text(texts, "scale", &names, out);
    put_text(texts, "normalise", &names, out);
    for (size_t i = 0; i < gen_entry_count; i++)
        if (gen_entries[i].format == format)
            put_entry(texts, &gen_entries[i], &names, out, numbers, list);
}

/* The file of a format: its cores, and the wide ones behind them. */
static void put_format(char **argv, enum gen_format_id format, struct str *all, struct str *numbers,
                       struct str *list) {
    struct str out = {0}, file = {0};
    struct gen_names names = {0};
    const char *problem, *name = gen_formats[format].name;
    if (format > 0 && strcmp(gen_formats[format - 1].name, name) == 0)
        return;
    define_format(&names, &gen_formats[format]);
    gen_expand(LIBRARY_HEAD, &names, &out, &problem);
    for (int f = (int)format; f < GEN_FORMATS && strcmp(gen_formats[f].name, name) == 0; f++)
        put_cores(argv[1], (enum gen_format_id)f, &out, numbers, list);
    while (out.len > 1 && out.text[out.len - 2] == '\n')
        out.len--;
    str_printf(&file, "float-%s.ez", name);
    put_file(argv[2], file.text, &out);
    str_printf(all, "include \"%s\";\n", file.text);
    str_free(&out);
    str_free(&file);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: float-gen TEXTS LIBRARY TABLES\n");
        return 2;
    }
    struct str all = {0}, numbers = {0}, list = {0};
    str_append(&all,
               "// Functions of floats, of one format each: f32_exp(x) and so on.  docs/float.md\n"
               "// has all of them.  Made by tools/float-gen.\n// MIT licence.\n\n");
    str_append(&numbers, "/* SPDX-License-Identifier: MIT\n"
                         " * The tables of ezpim/lib/float*.ez.  Made by tools/float-gen. */\n\n");
    for (int format = 0; format < GEN_FORMATS; format++)
        put_format(argv, (enum gen_format_id)format, &all, &numbers, &list);
    put_file(argv[2], "float.ez", &all);
    str_printf(&numbers, "\nstatic const struct floats_function floats_functions[] = {\n%s};\n",
               list.text);
    if (!file_write(argv[3], numbers.text, numbers.len)) {
        fprintf(stderr, "float-gen: %s: %s\n", argv[3], strerror(errno));
        return 1;
    }
    str_free(&all);
    str_free(&numbers);
    str_free(&list);
    return 0;
}
