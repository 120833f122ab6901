/* SPDX-License-Identifier: MIT
 * The tables of an object as directives (docs/assembly.md). */
#include "disasm/reassemble.h"
#include "object/bytes.h"

#include <inttypes.h>
#include <string.h>

static bool same_place(struct place left, struct place right) {
    return left.file == right.file && left.line == right.line && left.column == right.column;
}

/* Places that are not known are line 0 of any file. */
void disasm_tell_place(struct source_writer *writer, struct place place) {
    if (place.file >= writer->o->files.len || place.line == 0)
        place = (struct place){NO_INDEX, 0, 0};
    if (writer->o->files.len == 0 || same_place(place, writer->told))
        return;
    if (place.file != NO_INDEX && place.file != writer->file) {
        str_append(writer->out, "        .file ");
        str_quote(writer->out, writer->o->files.data[place.file]);
        str_char(writer->out, '\n');
        writer->file = place.file;
    }
    str_printf(writer->out, "        .loc %" PRIu32, place.line);
    if (place.column)
        str_printf(writer->out, ", %" PRIu32, place.column);
    str_char(writer->out, '\n');
    writer->told = place;
}

/* All files first, in the order of the table; without any nothing has a place. */
static void write_files(struct source_writer *writer) {
    if (writer->o->files.len == 0)
        str_append(writer->out, "        .file \"\"\n");
    for (uint32_t i = 0; i < writer->o->files.len; i++) {
        str_append(writer->out, "        .file ");
        str_quote(writer->out, writer->o->files.data[i]);
        str_char(writer->out, '\n');
        writer->file = i;
    }
    writer->told = (struct place){NO_INDEX, UINT32_MAX, 0}; /* unlike any: the next one is told */
}

static void write_settings(struct source_writer *writer) {
    const struct object *o = writer->o;
    str_append(writer->out, "        .source ");
    str_quote(writer->out, o->source);
    str_printf(writer->out,
               "\n        .geometry lanes=%" PRIu32 ", vrfs=%" PRIu32 ", rfhs=%" PRIu32,
               o->geometry.lanes, o->geometry.vrfs, o->geometry.rfhs);
    if (o->geometry.grid_dims) {
        str_append(writer->out, ", grid=");
        disasm_grid_text(&o->geometry, writer->out);
    }
    str_char(writer->out, '\n');
    str_printf(writer->out, "        .width %u\n", o->default_width);
    if (o->debug_lines)
        str_append(writer->out, "        .debug_lines\n");
}

static void write_size(struct source_writer *writer, uint32_t size) {
    disasm_tell_place(writer, writer->o->sizes.data[size].place);
    str_append(writer->out, "        .size ");
    object_size_text(writer->o, size, writer->out);
    str_char(writer->out, '\n');
}

static void write_link_value(struct source_writer *writer, const struct value_decl *decl) {
    disasm_tell_place(writer, decl->place);
    str_append(writer->out, "        .value ");
    object_value_text(decl, writer->out);
    str_char(writer->out, '\n');
}

#define VALUES_PER_LINE 8

/* Elements from `at` on that are written as one: runs of at least SHORTEST_RUN. */
static uint32_t lut_run(const struct lut_decl *lut, uint32_t at, uint32_t given) {
    enum { SHORTEST_RUN = 4 };
    uint32_t end = given, n = 1;
    for (uint32_t i = 0; i < lut->fill_count; i++) {
        const struct lut_fill *f = &lut->fills[i];
        if (f->first <= at && at < f->first + f->count)
            return 1;
        if (f->first > at && f->first < end)
            end = f->first;
    }
    while (at + n < end && lut->table.entries[at + n] == lut->table.entries[at])
        n++;
    return n < SHORTEST_RUN ? 1 : n;
}

static void write_lut(struct source_writer *writer, const struct lut_decl *lut) {
    uint32_t given = object_lut_given(lut), column = 0;
    disasm_tell_place(writer, lut->place);
    str_printf(writer->out, "        .lut %s k=%u width=%u", lut->name, lut->table.index_bits,
               lut->element_bits);
    for (uint32_t i = 0, n; i < given; i += n, column++) {
        n = lut_run(lut, i, given);
        if (column % VALUES_PER_LINE == 0)
            str_printf(writer->out, "\n        .lut %s = ", lut->name);
        else
            str_append(writer->out, ", ");
        if (n > 1)
            str_printf(writer->out, "dup(%" PRIu32 ", ", n);
        object_lut_entry_text(writer->o, lut, i, writer->out);
        str_append(writer->out, n > 1 ? ")" : "");
    }
    str_char(writer->out, '\n');
}

static void write_product(struct source_writer *writer, const struct product_decl *decl) {
    disasm_tell_place(writer, decl->place);
    str_append(writer->out, "        .product ");
    object_product_text(decl, writer->out);
    str_char(writer->out, '\n');
}

static void write_group(struct source_writer *writer, const struct group *group) {
    disasm_tell_place(writer, group->place);
    str_append(writer->out, "        .group ");
    disasm_group_text(writer->o, group, writer->out);
    str_char(writer->out, '\n');
}

static void write_variable(struct source_writer *writer, const struct variable *variable) {
    disasm_tell_place(writer, variable->place);
    str_printf(writer->out, "        .var %s ", object_direction_text(variable->direction));
    disasm_variable_text(writer->o, variable, writer->out);
    str_char(writer->out, '\n');
}

/* Runs of at least this many equal values are written as one. */
#define SHORTEST_RUN 4

static uint64_t run_length(const struct data_record *record, uint64_t at) {
    uint64_t n = 1;
    while (at + n < record->count && record->values[at + n] == record->values[at])
        n++;
    return n;
}

static void write_data(struct source_writer *writer, const struct data_record *record) {
    const struct variable *v = &writer->o->vars.data[record->variable];
    unsigned column = 0;
    for (uint64_t i = 0, n; i < record->count; i += n, column++) {
        n = run_length(record, i);
        if (column % VALUES_PER_LINE == 0)
            str_printf(writer->out, "%s        .data %s = ", column ? "\n" : "", v->name);
        else
            str_append(writer->out, ", ");
        n = n < SHORTEST_RUN ? 1 : n;
        if (n > 1)
            str_printf(writer->out, "dup(%" PRIu64 ", ", n);
        object_pattern_source(v->type, record->values[i], writer->out);
        str_append(writer->out, n > 1 ? ")" : "");
    }
    str_char(writer->out, '\n');
}

static void write_move(struct source_writer *writer, const struct move *move) {
    disasm_tell_place(writer, move->place);
    str_append(writer->out, "        .move ");
    disasm_move_text(writer->o, move, writer->out);
    str_char(writer->out, '\n');
}

static void write_signature(struct source_writer *writer, const struct sub_signature *signature) {
    disasm_tell_place(writer, signature->place);
    str_append(writer->out, "        .signature ");
    object_signature_text(signature, writer->out);
    str_char(writer->out, '\n');
}

static void write_debug(struct source_writer *writer, const struct debug_record *record) {
    static const char *const directives[DEBUG_KINDS] = {".mark", ".print", ".assert", ".show"};
    char type[8];
    str_printf(writer->out, "        %s ", directives[record->kind]);
    str_quote(writer->out, record->text);
    if (object_debug_has_register(record->kind)) {
        object_type_text(record->type, type);
        str_printf(writer->out, ", r%u: %s", record->reg, type);
    }
    str_char(writer->out, '\n');
}

/* A text line by line, each in quotes, with commas between them. */
static void write_lines(struct source_writer *writer, const char *text, size_t size) {
    struct str line = {0};
    for (size_t at = 0; at < size; at += line.len) {
        const char *end = memchr(text + at, '\n', size - at);
        str_clear(&line);
        str_append_n(&line, text + at, end ? (size_t)(end - text) + 1 - at : size - at);
        str_append(writer->out, at ? ", " : "");
        str_quote(writer->out, str_text(&line));
    }
    str_free(&line);
}

/* The text itself, so that nothing but this source is needed. */
static void write_recipes(struct source_writer *writer, const struct user_file *file) {
    str_append(writer->out, "        .recipe ");
    str_quote(writer->out, file->name);
    str_append(writer->out, file->size ? ", " : ", \"\"");
    write_lines(writer, file->text, file->size);
    str_char(writer->out, '\n');
}

static void write_buffer(struct source_writer *writer, const struct buffer_decl *buffer) {
    disasm_tell_place(writer, buffer->place);
    str_append(writer->out, "        .buffer ");
    object_buffer_text(writer->o, buffer, writer->out);
    str_char(writer->out, '\n');
}

static void write_words(struct source_writer *writer, const void *bytes, size_t size,
                        const char *end) {
    str_append(writer->out, " words");
    for (size_t i = 0; i < size / 8; i++)
        str_printf(writer->out, "%s0x%" PRIx64, i % 4 ? ", " : "\n                ",
                   get_u64((const unsigned char *)bytes + 8 * i));
    str_printf(writer->out, "\n        .%s\n", end);
}

/* What stands behind the head: the text on the same line, or words below it. */
static void write_kernel_text(struct source_writer *writer, const struct module_decl *text,
                              const char *end) {
    if (text->words) {
        write_words(writer, text->bytes, text->size, end);
        return;
    }
    if (text->first_line)
        str_printf(writer->out, " line %" PRIu32, text->first_line);
    str_append(writer->out, " = ");
    write_lines(writer, text->bytes, text->size);
    str_char(writer->out, '\n');
}

static void write_module(struct source_writer *writer, const struct module_decl *module) {
    disasm_tell_place(writer, module->place);
    str_append(writer->out, "        .module ");
    object_module_text(module, writer->out);
    write_kernel_text(writer, module, "endmodule");
}

static void write_kernel(struct source_writer *writer, const struct kernel_decl *kernel) {
    disasm_tell_place(writer, kernel->place);
    str_append(writer->out, "        .kernel ");
    object_kernel_text(writer->o, kernel, writer->out);
    if (kernel->entry) {
        str_char(writer->out, '\n');
        return;
    }
    const struct module_decl own = {.words = kernel->words,
                                    .bytes = kernel->bytes,
                                    .size = kernel->size,
                                    .first_line = kernel->first_line};
    write_kernel_text(writer, &own, "endkernel");
}

void disasm_write_declarations(struct source_writer *writer) {
    const struct object *o = writer->o;
    write_settings(writer);
    write_files(writer);
    for (uint32_t i = 0; i < o->sizes.len; i++)
        write_size(writer, i);
    for (size_t i = 0; i < o->values.len; i++)
        write_link_value(writer, &o->values.data[i]);
    for (size_t i = 0; i < o->luts.len; i++)
        write_lut(writer, &o->luts.data[i]);
    for (size_t i = 0; i < o->products.len; i++)
        write_product(writer, &o->products.data[i]);
    for (size_t i = 0; i < o->groups.len; i++)
        write_group(writer, &o->groups.data[i]);
    for (size_t i = 0; i < o->vars.len; i++)
        write_variable(writer, &o->vars.data[i]);
    for (size_t i = 0; i < o->data.len; i++)
        write_data(writer, &o->data.data[i]);
    for (size_t i = 0; i < o->lengths.len; i++)
        str_printf(writer->out, "        .length %s = %s\n",
                   o->vars.data[o->lengths.data[i].variable].name,
                   o->vars.data[o->lengths.data[i].length].name);
    for (size_t i = 0; i < o->constants.len; i++)
        str_printf(writer->out, "        .constant %s[%" PRIu32 "] = %s\n",
                   o->constants.data[i].array, o->constants.data[i].dimension,
                   o->constants.data[i].constant);
    for (size_t i = 0; i < o->moves.len; i++)
        write_move(writer, &o->moves.data[i]);
    for (size_t i = 0; i < o->debugs.len; i++)
        write_debug(writer, &o->debugs.data[i]);
    for (size_t i = 0; i < o->recipes.len; i++)
        write_recipes(writer, &o->recipes.data[i]);
    for (size_t i = 0; i < o->buffers.len; i++)
        write_buffer(writer, &o->buffers.data[i]);
    for (size_t i = 0; i < o->modules.len; i++)
        write_module(writer, &o->modules.data[i]);
    for (size_t i = 0; i < o->kernels.len; i++)
        write_kernel(writer, &o->kernels.data[i]);
    for (size_t i = 0; i < o->signatures.len; i++)
        write_signature(writer, &o->signatures.data[i]);
}

static void write_entry(struct source_writer *writer, const struct entry *entry) {
    str_printf(writer->out, "        .mpu %" PRIu32, entry->first_mpu);
    if (entry->mpu_count > 1)
        str_printf(writer->out, "..%" PRIu32, entry->first_mpu + entry->mpu_count - 1);
    if (entry->symbol != NO_INDEX)
        str_printf(writer->out, ", %s", writer->o->symbols.data[entry->symbol].name);
    str_char(writer->out, '\n');
}

static void write_symbol(struct source_writer *writer, const struct symbol *symbol) {
    if (symbol->kind == SYMBOL_ABS) {
        disasm_tell_place(writer, symbol->place);
        str_printf(writer->out, "        .equ %s, %" PRId64 "\n", symbol->name, symbol->value);
    }
    if (symbol->global)
        str_printf(writer->out, "        .global %s\n", symbol->name);
}

void disasm_write_symbols(struct source_writer *writer) {
    const struct object *o = writer->o;
    for (size_t i = 0; i < o->symbols.len; i++)
        if (o->symbols.data[i].global || o->symbols.data[i].kind == SYMBOL_ABS)
            write_symbol(writer, &o->symbols.data[i]);
    for (size_t i = 0; i < o->entries.len; i++)
        write_entry(writer, &o->entries.data[i]);
}
