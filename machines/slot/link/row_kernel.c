/* SPDX-License-Identifier: MIT
 * The form "pluto": text checked word by word as it will be carried out, and what a package holds
 * of it. */
#include "machines/slot/link/row_kernel.h"

#include "object/bytes.h"
#include "object/object.h"
#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a package holds: the slot, parameters, pool and program ---- */

static void write_kernel(const struct slot_kernel *k, struct str *out) {
    str_char(out, (char)k->slot);
    str_char(out, (char)k->parameter_count);
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        str_char(out, (char)k->parameters[i].reg);
        str_char(out, (char)k->parameters[i].bytes);
        str_char(out, (char)k->parameters[i].bits);
        str_char(out, (char)k->parameters[i].is_signed);
    }
    row_pool_write(&k->pool, out);
    row_program_write(&k->program, out);
}

/* Registers of parameters, C and M hold something before; the others do not. */
static void note_given(struct slot_kernel *k) {
    memset(&k->use, 0, sizeof k->use);
    for (uint32_t i = 0; i < k->parameter_count; i++)
        k->use.given[slot_kernel_row(k, i)] = true;
    k->use.given[ROW_TEXT_C - ROW_SCRATCH] = k->use.given[ROW_TEXT_M - ROW_SCRATCH] = true;
}

static const char *take_parameters(struct slot_kernel *k, const unsigned char **at,
                                   const unsigned char *end) {
    const unsigned char *p = *at;
    if (end - p < 2 || p[1] > SLOT_KERNEL_PARAMETERS || end - p < 2 + 4 * p[1])
        return "it ends too early";
    k->slot = p[0];
    k->parameter_count = p[1];
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        k->parameters[i].reg = p[2 + 4 * i];
        k->parameters[i].bytes = p[3 + 4 * i];
        k->parameters[i].bits = p[4 + 4 * i];
        k->parameters[i].is_signed = p[5 + 4 * i];
        if (k->parameters[i].reg >= 64 || k->parameters[i].bytes > 8 || !k->parameters[i].bytes ||
            !k->parameters[i].bits || k->parameters[i].bits > k->slot ||
            k->parameters[i].is_signed > 1)
            return "there is no such parameter";
    }
    *at = p + 2 + 4 * k->parameter_count;
    return NULL;
}

const char *slot_kernel_read(const void *code, size_t size, uint32_t row_bits,
                             struct slot_kernel *out) {
    const unsigned char *at = code, *end = at + size;
    const char *problem;
    uint32_t word;
    memset(out, 0, sizeof *out);
    if ((problem = take_parameters(out, &at, end)) ||
        !row_pool_read(&out->pool, &at, end, &problem) ||
        !row_program_read(&out->program, &at, end, &problem))
        return problem;
    if (at != end || out->pool.slot != out->slot || !out->slot || row_bits % out->slot)
        return "it is no kernel of rows";
    note_given(out);
    return row_program_check_alone(&out->program, &out->pool, row_bits, &out->use, &word);
}

void slot_kernel_free(struct slot_kernel *kernel) {
    row_program_free(&kernel->program);
    row_pool_free(&kernel->pool);
}

/* ---- compiling ---- */

bool slot_compares(const struct target *t, const struct row_program *p, struct str *problem) {
    uint32_t only = slot_target_of(t)->match_bits;
    for (size_t i = 0; only && i < p->words.len; i++)
        if (p->words.data[i].kind == ROW_QUERY && p->words.data[i].bits != only) {
            str_printf(problem,
                       "it looks up fields of %d bits; match logic of target '%s' compares %" PRIu32
                       " (pluto.match_bits)",
                       p->words.data[i].bits, t->name, only);
            return false;
        }
    return true;
}

static unsigned least_slot(unsigned bits) {
    unsigned slot = 1;
    while (slot < bits)
        slot *= 2;
    return slot;
}

/* "r5" is row r5; another name the row by the parameter's place. */
static uint8_t row_of_parameter(const char *name, uint32_t place) {
    uint64_t number;
    if (name[0] == 'r' && number_parse_u64(name + 1, strlen(name + 1), &number) && number < 64)
        return (uint8_t)number;
    return (uint8_t)place;
}

static bool take_decl(const struct kernel_decl *kernel, struct slot_kernel *k, unsigned *slot,
                      struct str *why) {
    uint64_t taken = 0;
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct kernel_parameter *p = &kernel->parameters[i];
        uint8_t reg = row_of_parameter(p->name, i);
        if (i == SLOT_KERNEL_PARAMETERS || p->kind != PARAMETER_BUFFER ||
            p->type.kind == TYPE_FLOAT || p->type.kind == TYPE_BFLOAT)
            str_printf(why,
                       "'%s' is no buffer of integers; a kernel of rows has such parameters alone, "
                       "64 at most",
                       p->name);
        else if (taken >> reg & 1)
            str_printf(why, "'%s' is row r%d, which another parameter is", p->name, reg);
        if (why->len)
            return false;
        taken |= UINT64_C(1) << reg;
        k->parameters[i].reg = reg;
        k->parameters[i].bits = (uint8_t)p->type.bits;
        k->parameters[i].bytes = (uint8_t)object_element_bytes(p->type);
        k->parameters[i].is_signed = p->type.kind == TYPE_INT;
        *slot = p->type.bits > *slot ? p->type.bits : *slot;
    }
    k->parameter_count = kernel->parameter_count;
    *slot = least_slot(*slot);
    return true;
}

static bool fits_slot(const struct slot_kernel *k, const struct kernel_decl *kernel,
                      struct str *why) {
    for (uint32_t i = 0; i < k->parameter_count; i++)
        if (k->parameters[i].bits > k->slot) {
            str_printf(why, "elements of '%s' have %d bits, slots %u", kernel->parameters[i].name,
                       k->parameters[i].bits, k->slot);
            return false;
        }
    return true;
}

/* Rows of registers of a program, of which there may be 64, and its C, M and valid. */
enum { PROGRAM_ROWS = 64 + SLOT_MASK_ROWS };

static uint64_t rows_wanted(const struct slot_kernel *k) {
    uint64_t wanted = k->pool.constants.len;
    for (unsigned r = 0; r < ROW_ALL_SCRATCH; r++)
        wanted += k->use.reads[r] || k->use.writes[r];
    return wanted;
}

struct slot_room slot_kernel_room(const struct target *target, const struct slot_kernel *kernel) {
    uint64_t taken = rows_wanted(kernel) + PROGRAM_ROWS, there = slot_target_of(target)->rows;
    return (struct slot_room){there > taken ? there - taken : 0, 0,
                              slot_keeps_copies(target) ? 0 : target->vrf_per_rfh};
}

static bool has_rows(const struct target *t, const struct slot_kernel *k, struct str *why) {
    uint64_t wanted = rows_wanted(k), kept = PROGRAM_ROWS, there = slot_target_of(t)->rows;
    if (wanted + kept <= there)
        return true;
    str_printf(why,
               "it needs %" PRIu64 " rows; target '%s' has %" PRIu64 ", less %" PRIu64
               " of registers, C, M and valid",
               wanted, t->name, there, kept);
    return false;
}

static bool check(const struct target *t, struct slot_kernel *k, const struct row_text *text,
                  struct machine_kernel_fault *fault) {
    uint32_t row_bits = slot_target_of(t)->row_bits, word = 0;
    const char *problem = row_program_check_alone(&k->program, &k->pool, row_bits, &k->use, &word);
    if (problem) {
        fault->line = word < text->lines.len ? text->lines.data[word] : 0;
        str_append(&fault->what, problem);
        return false;
    }
    fault->line = 0;
    return slot_compares(t, &k->program, &fault->what) && has_rows(t, k, &fault->what);
}

static void keep_lines(struct machine_kernel *out, const struct row_text *text) {
    out->line_count = (uint32_t)text->lines.len;
    out->lines = xcalloc(text->lines.len + 1, sizeof *out->lines);
    memcpy(out->lines, text->lines.data, text->lines.len * sizeof *out->lines);
}

/* Lines of the first query of each table that comes for each. */
static void note_turns(const struct target *t, const struct slot_kernel *k,
                       const struct row_text *text, struct machine_kernel *out) {
    struct slot_room room = slot_kernel_room(t, k);
    struct slot_tables tables = slot_tables_of(t, &k->pool, &room);
    struct row_cursor cursor = row_cursor(&k->program);
    struct row_command c;
    while (row_next(&cursor, &c)) {
        if (c.kind != ROW_QUERY || tables.homes[c.b] != SLOT_HOME_QUERY)
            continue;
        tables.homes[c.b] = SLOT_HOME_RUN; /* it is said once */
        struct machine_kernel_fault slow = {.line = text->lines.data[c.word]};
        str_printf(&slow.what, "a table of %" PRIu32 " rows is loaded for each query: ", c.count);
        if (slot_keeps_copies(t))
            str_printf(&slow.what,
                       "its rows, those of a program's registers, C, M and valid, and other "
                       "copies leave %" PRIu64 " of %" PRIu32
                       " for its master copy, which has to lie beside them",
                       room.rows - tables.copies, slot_target_of(t)->rows);
        else
            str_printf(&slow.what,
                       "a bank of target '%s' has %" PRIu32 " subarrays of %" PRIu32 " rows",
                       t->name, t->vrf_per_rfh, slot_target_of(t)->table_rows);
        vec_push(&out->turns, slow);
    }
    slot_tables_free(&tables);
}

static bool compile(const struct machine_library *library, const struct machine_launches *program,
                    const struct kernel_decl *kernel, struct machine_kernel *out,
                    struct machine_kernel_fault *fault) {
    struct slot_kernel k = {.slot = 0};
    struct row_text *text = xcalloc(1, sizeof *text);
    unsigned slot = 1;
    (void)program;
    bool fine = !kernel->words;
    if (!fine)
        str_append(&fault->what, "row programs are text, not words");
    fine = fine && take_decl(kernel, &k, &slot, &fault->what) &&
           row_text_read(kernel->bytes, kernel->size, slot, text, &fault->line, &fault->what);
    k.slot = text->pool.slot;
    k.pool = text->pool;
    k.program = text->program;
    note_given(&k);
    if (fine) {
        fault->line = 0;
        fine = fits_slot(&k, kernel, &fault->what);
    }
    if (fine && !k.program.words.len) {
        str_append(&fault->what, "it has no commands");
        fine = false;
    }
    fine = fine && check(library->target, &k, text, fault);
    if (fine) {
        write_kernel(&k, &out->code);
        keep_lines(out, text);
        note_turns(library->target, &k, text, out);
    }
    row_text_free(text);
    free(text);
    return fine;
}

static void print(const struct machine_library *library, const void *code, size_t size,
                  const struct machine_lines *lines, struct str *out) {
    struct slot_kernel k;
    (void)lines;
    if (!slot_kernel_read(code, size, slot_target_of(library->target)->row_bits, &k)) {
        str_printf(out, "  slot %u\n", k.slot);
        row_program_text(&k.program, &k.pool, NULL, out);
    }
    slot_kernel_free(&k);
}

const struct machine_form slot_row_form = {
    .name = "pluto", .whole = true, .compile = compile, .print = print};
