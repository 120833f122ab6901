/* SPDX-License-Identifier: MIT
 * The tables of an object as directives (docs/assembly.md). */
#include "disasm/reassemble.h"

#include <inttypes.h>
#include <string.h>

static bool same_place(struct place a, struct place b) {
    return a.file == b.file && a.line == b.line && a.column == b.column;
}

/* Places that are not known are line 0 of any file. */
void disasm_tell_place(struct source_writer *w, struct place p) {
    if (p.file >= w->o->files.len || p.line == 0)
        p = (struct place){NO_INDEX, 0, 0};
    if (w->o->files.len == 0 || same_place(p, w->told))
        return;
    if (p.file != NO_INDEX && p.file != w->file) {
        str_append(w->out, "        .file ");
        str_quote(w->out, w->o->files.data[p.file]);
        str_char(w->out, '\n');
        w->file = p.file;
    }
    str_printf(w->out, "        .loc %" PRIu32, p.line);
    if (p.column)
        str_printf(w->out, ", %" PRIu32, p.column);
    str_char(w->out, '\n');
    w->told = p;
}

/* All files first, in the order of the table. */
static void write_files(struct source_writer *w) {
    for (uint32_t i = 0; i < w->o->files.len; i++) {
        str_append(w->out, "        .file ");
        str_quote(w->out, w->o->files.data[i]);
        str_char(w->out, '\n');
        w->file = i;
    }
    w->told = (struct place){NO_INDEX, UINT32_MAX, 0}; /* unlike any: the next one is told */
}

static void write_settings(struct source_writer *w) {
    const struct object *o = w->o;
    str_append(w->out, "        .source ");
    str_quote(w->out, o->source);
    str_printf(w->out, "\n        .geometry lanes=%" PRIu32 ", vrfs=%" PRIu32 ", rfhs=%" PRIu32,
               o->geometry.lanes, o->geometry.vrfs, o->geometry.rfhs);
    if (o->geometry.grid_dims) {
        str_append(w->out, ", grid=");
        disasm_grid_text(&o->geometry, w->out);
    }
    str_char(w->out, '\n');
    str_printf(w->out, "        .width %u\n", o->default_width);
    if (o->debug_lines)
        str_append(w->out, "        .debug_lines\n");
}

static void write_size(struct source_writer *w, uint32_t size) {
    disasm_tell_place(w, w->o->sizes.data[size].place);
    str_append(w->out, "        .size ");
    object_size_text(w->o, size, w->out);
    str_char(w->out, '\n');
}

static void write_link_value(struct source_writer *w, const struct value_decl *v) {
    disasm_tell_place(w, v->place);
    str_append(w->out, "        .value ");
    object_value_text(v, w->out);
    str_char(w->out, '\n');
}

static void write_group(struct source_writer *w, const struct group *g) {
    disasm_tell_place(w, g->place);
    str_append(w->out, "        .group ");
    disasm_group_text(w->o, g, w->out);
    str_char(w->out, '\n');
}

static void write_variable(struct source_writer *w, const struct variable *v) {
    disasm_tell_place(w, v->place);
    str_printf(w->out, "        .var %s ", object_direction_text(v->direction));
    disasm_variable_text(w->o, v, w->out);
    str_char(w->out, '\n');
}

static void write_value(const struct mpu_type *t, uint64_t value, struct str *out) {
    if (t->kind == TYPE_INT)
        str_printf(out, "%" PRId64, (int64_t)value);
    else
        str_printf(out, "%" PRIu64, value);
}

#define VALUES_PER_LINE 8

/* Runs of at least this many equal values are written as one. */
#define SHORTEST_RUN 4

static uint64_t run_length(const struct data_record *r, uint64_t at) {
    uint64_t n = 1;
    while (at + n < r->count && r->values[at + n] == r->values[at])
        n++;
    return n;
}

static void write_data(struct source_writer *w, const struct data_record *r) {
    const struct variable *v = &w->o->vars.data[r->variable];
    unsigned column = 0;
    for (uint64_t i = 0, n; i < r->count; i += n, column++) {
        n = run_length(r, i);
        if (column % VALUES_PER_LINE == 0)
            str_printf(w->out, "%s        .data %s = ", column ? "\n" : "", v->name);
        else
            str_append(w->out, ", ");
        n = n < SHORTEST_RUN ? 1 : n;
        if (n > 1)
            str_printf(w->out, "dup(%" PRIu64 ", ", n);
        write_value(&v->type, r->values[i], w->out);
        str_append(w->out, n > 1 ? ")" : "");
    }
    str_char(w->out, '\n');
}

static void write_move(struct source_writer *w, const struct move *m) {
    disasm_tell_place(w, m->place);
    str_append(w->out, "        .move ");
    disasm_move_text(w->o, m, w->out);
    str_char(w->out, '\n');
}

static void write_signature(struct source_writer *w, const struct sub_signature *s) {
    disasm_tell_place(w, s->place);
    str_append(w->out, "        .signature ");
    object_signature_text(s, w->out);
    str_char(w->out, '\n');
}

static void write_debug(struct source_writer *w, const struct debug_record *r) {
    static const char *const directives[] = {".mark", ".print", ".assert"};
    char type[8];
    str_printf(w->out, "        %s ", directives[r->kind]);
    str_quote(w->out, r->text);
    if (r->kind == DEBUG_PRINT) {
        object_type_text(r->type, type);
        str_printf(w->out, ", r%u: %s", r->reg, type);
    }
    str_char(w->out, '\n');
}

/* The text line by line, so that nothing but this source is needed. */
static void write_recipes(struct source_writer *w, const struct user_file *f) {
    struct str line = {0};
    str_append(w->out, "        .recipe ");
    str_quote(w->out, f->name);
    str_append(w->out, f->size ? "" : ", \"\"");
    for (size_t at = 0; at < f->size; at += line.len) {
        const char *end = strchr(f->text + at, '\n');
        str_clear(&line);
        str_append_n(&line, f->text + at, end ? (size_t)(end - f->text) + 1 - at : f->size - at);
        str_append(w->out, ", ");
        str_quote(w->out, str_text(&line));
    }
    str_char(w->out, '\n');
    str_free(&line);
}

void disasm_write_declarations(struct source_writer *w) {
    const struct object *o = w->o;
    write_settings(w);
    write_files(w);
    for (uint32_t i = 0; i < o->sizes.len; i++)
        write_size(w, i);
    for (size_t i = 0; i < o->values.len; i++)
        write_link_value(w, &o->values.data[i]);
    for (size_t i = 0; i < o->groups.len; i++)
        write_group(w, &o->groups.data[i]);
    for (size_t i = 0; i < o->vars.len; i++)
        write_variable(w, &o->vars.data[i]);
    for (size_t i = 0; i < o->data.len; i++)
        write_data(w, &o->data.data[i]);
    for (size_t i = 0; i < o->lengths.len; i++)
        str_printf(w->out, "        .length %s = %s\n",
                   o->vars.data[o->lengths.data[i].variable].name,
                   o->vars.data[o->lengths.data[i].length].name);
    for (size_t i = 0; i < o->constants.len; i++)
        str_printf(w->out, "        .constant %s[%" PRIu32 "] = %s\n", o->constants.data[i].array,
                   o->constants.data[i].dimension, o->constants.data[i].constant);
    for (size_t i = 0; i < o->moves.len; i++)
        write_move(w, &o->moves.data[i]);
    for (size_t i = 0; i < o->debugs.len; i++)
        write_debug(w, &o->debugs.data[i]);
    for (size_t i = 0; i < o->recipes.len; i++)
        write_recipes(w, &o->recipes.data[i]);
    for (size_t i = 0; i < o->signatures.len; i++)
        write_signature(w, &o->signatures.data[i]);
}

static void write_entry(struct source_writer *w, const struct entry *e) {
    str_printf(w->out, "        .mpu %" PRIu32, e->first_mpu);
    if (e->mpu_count > 1)
        str_printf(w->out, "..%" PRIu32, e->first_mpu + e->mpu_count - 1);
    if (e->symbol != NO_INDEX)
        str_printf(w->out, ", %s", w->o->symbols.data[e->symbol].name);
    str_char(w->out, '\n');
}

static void write_symbol(struct source_writer *w, const struct symbol *s) {
    if (s->kind == SYMBOL_ABS) {
        disasm_tell_place(w, s->place);
        str_printf(w->out, "        .equ %s, %" PRId64 "\n", s->name, s->value);
    }
    if (s->global)
        str_printf(w->out, "        .global %s\n", s->name);
}

void disasm_write_symbols(struct source_writer *w) {
    const struct object *o = w->o;
    for (size_t i = 0; i < o->symbols.len; i++)
        if (o->symbols.data[i].global || o->symbols.data[i].kind == SYMBOL_ABS)
            write_symbol(w, &o->symbols.data[i]);
    for (size_t i = 0; i < o->entries.len; i++)
        write_entry(w, &o->entries.data[i]);
}
