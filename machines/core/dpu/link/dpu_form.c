/* SPDX-License-Identifier: MIT
 * Kernels of form `dpu`: a program of UPMEM's tools, or a text in assembly.  Symbols of the program
 * that have the names of parameters get the arguments.  A buffer that no line says the layout of is
 * its symbol, one in each DPU; others lie in MRAM, and their symbols get the addresses. */
#include "machines/core/dpu/packed_kernel.h"
#include "machines/core/dpu/link/dpu_link.h"

#include "support/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool refuse(struct machine_kernel_fault *fault, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool refuse(struct machine_kernel_fault *fault, uint32_t line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    str_vprintf(&fault->what, format, args);
    va_end(args);
    fault->line = line;
    return false;
}

/* ---- programs ---- */

static struct dpu_program *read_program(const void *bytes, size_t size, bool words,
                                        struct dpu_text *text, struct machine_kernel_fault *fault) {
    struct dpu_program *p = NULL;
    struct diag *d = diag_new(machine_fault_from_error, fault);
    if (words)
        p = dpu_program_read("", bytes, size, d);
    else if (dpu_text_read(bytes, size, text, fault))
        p = dpu_assemble("", str_text(&text->text), text->text.len, d);
    diag_flush(d);
    diag_free(d);
    return p;
}

static struct dpu_program *program_of(const struct kernel_decl *k, struct dpu_text *text,
                                      struct machine_kernel_fault *fault) {
    struct str own = {0};
    bool entry = k->entry && !k->words;
    if (entry)
        stored_kernel_text(k, &own);
    struct dpu_program *p = read_program(entry ? str_text(&own) : k->bytes,
                                         entry ? own.len : k->size, k->words, text, fault);
    str_free(&own);
    return p;
}

static const struct dpu_lies *layout_of(const struct dpu_text *text, const char *name) {
    for (size_t i = 0; i < text->layouts.len; i++)
        if (strcmp(text->layouts.data[i].name, name) == 0)
            return &text->layouts.data[i];
    return NULL;
}

/* ---- what a file declares ---- */

/* DPU_MRAM_HEAP_POINTER_NAME: from here on MRAM is the host's. */
#define HEAP "__sys_used_mram_end"

static bool is_heap(const struct dpu_symbol *s) {
    return s->space == DPU_IN_MRAM && strcmp(s->name, HEAP) == 0;
}

/* Bytes of a symbol that a host may access: where nothing says its size, to the end of the memory.
 */
static uint32_t symbol_bytes(const struct dpu_symbol *s) {
    const uint32_t end =
        s->space == DPU_IN_MRAM ? DPU_AT_MRAM + DPU_MRAM_BYTES : (uint32_t)DPU_WRAM_BYTES;
    const uint32_t there = s->value < end ? end - s->value : 0;
    return is_heap(s) || !s->size || s->size > there ? there : s->size;
}

static bool is_hosts(const struct dpu_program *p, const struct dpu_symbol *s) {
    for (size_t i = 0; i < p->sections.len; i++) {
        const struct dpu_section *x = &p->sections.data[i];
        if (x->space == s->space && s->value >= x->address && s->value - x->address < x->size)
            return strstr(x->name, "host");
    }
    return false;
}

static bool some_are_hosts(const struct dpu_program *p) {
    for (size_t i = 0; i < p->symbols.len; i++)
        if (p->symbols.data[i].space == DPU_IN_WRAM && is_hosts(p, &p->symbols.data[i]))
            return true;
    return false;
}

static bool is_buffer(const struct dpu_program *p, const struct dpu_symbol *s, bool hosts) {
    return is_heap(s) ||
           (s->object && s->global && s->size && object_name_ok(s->name) &&
            strncmp(s->name, "__sys", 5) != 0 &&
            (s->space == DPU_IN_MRAM || (s->space == DPU_IN_WRAM && (!hosts || is_hosts(p, s)))));
}

/* A symbol has no type: words, or bytes where these do not fit. */
static void add_buffer(const struct dpu_symbol *s, struct machine_entries *out,
                       struct kernel_parameter *parameters, uint32_t *count) {
    const uint32_t bytes = symbol_bytes(s), unit = (s->value | bytes) % 4 ? 1 : 4;
    const struct lane_type type = {TYPE_UINT, (uint8_t)(8 * unit)};
    const char *name = arena_strndup(&out->arena, s->name, strlen(s->name));
    const struct buffer_decl b = {.name = name,
                                  .direction = VAR_IN | VAR_OUT,
                                  .type = type,
                                  .ndim = 2,
                                  .shape = {{NO_INDEX, 0}, {NO_INDEX, bytes / unit}},
                                  .place = {NO_INDEX, 0, 0}};
    vec_push(&out->buffers, b);
    parameters[(*count)++] =
        (struct kernel_parameter){.name = name, .kind = PARAMETER_BUFFER, .type = type};
}

static bool declare_file(const char *bytes, size_t size, struct machine_entries *out,
                         struct machine_kernel_fault *fault) {
    struct dpu_program *p = read_program(bytes, size, true, NULL, fault);
    if (!p)
        return false;
    struct kernel_parameter *list =
        ARENA_ARRAY(&out->arena, p->symbols.len, struct kernel_parameter);
    struct machine_entry e = {.name = "main", .parameters = list, .line = 1};
    bool hosts = some_are_hosts(p);
    for (size_t i = 0; i < p->symbols.len; i++)
        if (is_buffer(p, &p->symbols.data[i], hosts))
            add_buffer(&p->symbols.data[i], out, list, &e.parameter_count);
    vec_push(&out->entries, e);
    dpu_program_free(p);
    return e.parameter_count <= KERNEL_MAX_PARAMETERS ||
           refuse(fault, 0,
                  "the program has %" PRIu32 " symbols for its host, and a kernel %d parameters",
                  e.parameter_count, KERNEL_MAX_PARAMETERS);
}

/* ".entry va(a: i32[], n: u32)", and nothing but comments before it. */
static bool declare_text(const char *text, size_t size, struct machine_entries *out,
                         struct machine_kernel_fault *fault) {
    struct str copy = {0};
    bool before = true;
    for (size_t i = 0; i < size;) {
        const char *newline = memchr(text + i, '\n', size - i);
        size_t n = newline ? (size_t)(newline - text) + 1 - i : size - i, blank = 0;
        while (blank < n && (text[i + blank] == ' ' || text[i + blank] == '\t'))
            blank++;
        bool comment = blank < n && (text[i + blank] == '#' ||
                                     (text[i + blank] == '/' && text[i + blank + 1] == '/'));
        before = before && (comment || blank == n || text[i + blank] == '\n');
        if (before && comment)
            str_append(&copy, "\n");
        else
            str_append_n(&copy, text + i, n);
        i += n;
    }
    bool fine = stored_declare(str_text(&copy), copy.len, out, fault);
    if (fine && out->entries.len > 1) {
        fault->line = out->entries.data[1].line;
        str_append(&fault->what, "a program has one entry, with which its tasklet 0 begins");
        fine = false;
    }
    str_free(&copy);
    return fine;
}

static bool declare(const char *text, size_t size, struct machine_entries *out,
                    struct machine_kernel_fault *fault) {
    return dpu_is_program(text, size) ? declare_file(text, size, out, fault)
                                      : declare_text(text, size, out, fault);
}

/* ---- what is refused ---- */

static bool fits(const struct dpu_program *p, const struct dpu_keys *keys,
                 struct machine_kernel_fault *fault) {
    const struct dpu_symbol *tasklets = dpu_program_symbol(p, "NR_TASKLETS");
    if (p->words.len > keys->iram_instructions)
        return refuse(fault, 0, "the program has %zu instructions, and IRAM room for %" PRIu32,
                      p->words.len, keys->iram_instructions);
    if (tasklets && tasklets->space == DPU_IN_NOTHING && tasklets->value > keys->tasklets)
        return refuse(fault, 0,
                      "the program has %" PRIu32 " tasklets (NR_TASKLETS), and a DPU %" PRIu32,
                      tasklets->value, keys->tasklets);
    for (size_t i = 0; i < p->sections.len; i++) {
        const struct dpu_section *s = &p->sections.data[i];
        bool wram = s->space == DPU_IN_WRAM;
        uint64_t end = (uint64_t)s->address + s->size - (wram ? 0 : DPU_AT_MRAM),
                 most = wram ? keys->wram_bytes : keys->stored.buffer_bytes;
        if ((wram || s->space == DPU_IN_MRAM) && end > most)
            return refuse(fault, 0,
                          "section '%s' ends at byte %" PRIu64 " of %s, which has %" PRIu64,
                          s->name, end, wram ? "WRAM" : "MRAM", most);
    }
    return true;
}

static bool layouts_fit(const struct kernel_decl *k, const struct dpu_text *text,
                        struct machine_kernel_fault *fault) {
    for (size_t i = 0; i < text->layouts.len; i++) {
        const struct dpu_lies *x = &text->layouts.data[i];
        const struct kernel_parameter *named = NULL;
        for (uint32_t p = 0; p < k->parameter_count; p++)
            if (strcmp(k->parameters[p].name, x->name) == 0)
                named = &k->parameters[p];
        if (!named || named->kind != PARAMETER_BUFFER)
            return refuse(fault, x->line, "'%s' is no buffer of its parameters", x->name);
        if (layout_of(text, x->name) != x)
            return refuse(fault, x->line, "it says twice how '%s' lies", x->name);
        if (x->lies.layout == LAYOUT_SPLIT && (x->lies.unit % 8 || x->lies.halo % 8))
            return refuse(fault, x->line,
                          "'%s' cannot be split so: a DPU moves multiples of 8 bytes of MRAM",
                          x->name);
    }
    return true;
}

/* ---- parameters ---- */

/* Bytes of rows of the buffers that the symbol is in calls; refused where they are not the
 * symbol's. */
static bool rows_fit(const struct machine_launches *launches, const struct kernel_decl *k,
                     uint32_t parameter, const struct dpu_symbol *s,
                     struct machine_kernel_fault *fault) {
    const struct object *o = launches->object;
    for (size_t i = 0; launches->sizes && i < o->calls.len; i++) {
        const struct recipe_call *c = &o->calls.data[i];
        if (object_call_kernel(o, c) != k || c->arguments[parameter].buffer == NO_INDEX)
            continue;
        const struct buffer_decl *b = &o->buffers.data[c->arguments[parameter].buffer];
        uint64_t elements = object_buffer_elements(b, launches->sizes), rows = 1;
        if (b->ndim)
            rows = b->shape[0].size == NO_INDEX ? b->shape[0].value
                                                : (uint64_t)launches->sizes[b->shape[0].size];
        uint64_t bytes = sat_mul(elements, object_element_bytes(b->type)) / (rows ? rows : 1);
        if (bytes > symbol_bytes(s))
            return refuse(fault, 0,
                          "buffer '%s' has %" PRIu64
                          " bytes for each DPU, and symbol '%s' %" PRIu32,
                          b->name, bytes, s->name, symbol_bytes(s));
    }
    return true;
}

static bool take_parameter(const struct machine_launches *launches, const struct kernel_decl *k,
                           uint32_t i, const struct dpu_program *p, const struct dpu_text *text,
                           struct dpu_parameter *out, struct machine_kernel_fault *fault) {
    const struct kernel_parameter *x = &k->parameters[i];
    const struct dpu_symbol *s = dpu_program_symbol(p, x->name);
    out->own = x->kind == PARAMETER_BUFFER && !layout_of(text, x->name);
    if (!s || (s->space != DPU_IN_WRAM && !(out->own && s->space == DPU_IN_MRAM)))
        return refuse(fault, 0, "the program has no symbol '%s' in %s for its parameter", x->name,
                      out->own ? "WRAM or MRAM" : "WRAM");
    out->at = s->value;
    out->bytes = x->kind == PARAMETER_BUFFER ? 4 : object_parameter_bytes(x);
    if (out->own)
        return rows_fit(launches, k, i, s, fault);
    if (s->size && s->size < out->bytes)
        return refuse(fault, 0, "symbol '%s' has %" PRIu32 " bytes, and its parameter %" PRIu32,
                      s->name, s->size, out->bytes);
    return (s->value <= DPU_WRAM_BYTES && out->bytes <= DPU_WRAM_BYTES - s->value) ||
           refuse(fault, 0, "symbol '%s' lies at the end of WRAM", s->name);
}

static uint32_t number_at(const struct dpu_program *p, const char *name) {
    const struct dpu_symbol *s = dpu_program_symbol(p, name);
    return s && s->space == DPU_IN_WRAM && s->value <= DPU_WRAM_BYTES - 4 ? s->value
                                                                          : DPU_NO_SYMBOL;
}

/* ---- machine_form ---- */

static bool make(const struct machine_launches *launches, const struct kernel_decl *k,
                 const struct dpu_program *p, const struct dpu_text *text,
                 struct machine_kernel *out, struct machine_kernel_fault *fault) {
    struct dpu_kernel made = {.parameters =
                                  xcalloc(k->parameter_count + 1u, sizeof *made.parameters),
                              .count = k->parameter_count,
                              .unit_at = number_at(p, "MPU_UNIT"),
                              .units_at = number_at(p, "MPU_UNITS")};
    bool fine = true;
    for (uint32_t i = 0; fine && i < k->parameter_count; i++)
        fine = take_parameter(launches, k, i, p, text, &made.parameters[i], fault);
    if (fine)
        dpu_kernel_write(&made, p, &out->code);
    if (fine && p->lines.len) {
        out->line_count = (uint32_t)p->lines.len;
        out->lines = xcalloc(p->lines.len, sizeof *out->lines);
        memcpy(out->lines, p->lines.data, p->lines.len * sizeof *out->lines);
    }
    dpu_kernel_free(&made);
    return fine;
}

static bool compile(const struct machine_library *l, const struct machine_launches *launches,
                    const struct kernel_decl *k, struct machine_kernel *out,
                    struct machine_kernel_fault *fault) {
    struct dpu_text text = {.text = {0}};
    struct dpu_program *p = program_of(k, &text, fault);
    bool fine = p && layouts_fit(k, &text, fault) && fits(p, dpu_keys(l->target), fault) &&
                make(launches, k, p, &text, out, fault);
    dpu_program_free(p);
    dpu_text_free(&text);
    return fine;
}

/* The text was compiled before. */
static void lie_of(struct machine_launches *launches, uint32_t kernel) {
    const struct kernel_decl *k = &launches->object->kernels.data[kernel];
    struct machine_kernel_fault fault = {.line = 0};
    struct dpu_text text = {.text = {0}};
    struct dpu_program *p = program_of(k, &text, &fault);
    for (uint32_t i = 0; p && i < k->parameter_count; i++) {
        const struct dpu_lies *x = layout_of(&text, k->parameters[i].name);
        const struct dpu_symbol *s = dpu_program_symbol(p, k->parameters[i].name);
        struct machine_buffer own = {LAYOUT_OWN, s ? s->value : 0, kernel};
        machine_want(launches, kernel, i, x ? x->lies : own, x ? x->line : 0);
    }
    dpu_program_free(p);
    dpu_text_free(&text);
    str_free(&fault.what);
}

static void lie(const struct machine_library *l, struct machine_launches *launches) {
    (void)l;
    for (uint32_t i = 0; i < launches->object->kernels.len; i++)
        if (launches->called[i] && strcmp(launches->object->kernels.data[i].form, "dpu") == 0)
            lie_of(launches, i);
}

void dpu_kernel_print(const struct machine_library *l, const void *code, size_t size,
                      const struct machine_lines *lines, struct str *out) {
    struct dpu_kernel k;
    struct diag *quiet = diag_new(NULL, NULL);
    struct dpu_program *p =
        dpu_kernel_read(code, size, &k) ? dpu_program_read("", k.file, k.size, quiet) : NULL;
    (void)l;
    for (uint32_t i = 0; p && i < p->words.len; i++) {
        struct str text = {0};
        struct dpu_insn insn;
        if (dpu_decode(p->words.data[i], true, &insn))
            dpu_print(&insn, &text);
        str_printf(out, "%6" PRIu32 "  %012" PRIx64 "  %-40s", i, p->words.data[i],
                   str_text(&text));
        machine_line_text(lines, i, out);
        str_char(out, '\n');
        str_free(&text);
    }
    dpu_program_free(p);
    dpu_kernel_free(&k);
    diag_free(quiet);
}

static const char *const suffixes[] = {".dpu", ".elf", NULL};
static const struct machine_form form = {.name = "dpu",
                                         .whole = true,
                                         .takes = TAKES_UNITS,
                                         .declare = declare,
                                         .compile = compile,
                                         .lie = lie,
                                         .print = dpu_kernel_print,
                                         .is_words = dpu_is_program,
                                         .suffixes = suffixes,
                                         .text_suffix = ".dpu"};
const struct machine_form *const dpu_forms[] = {&form, &dpu_stage_form, NULL};
