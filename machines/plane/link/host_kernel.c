/* SPDX-License-Identifier: MIT
 * The form "pypim": text or words, checked word by word as they will be carried out. */
#include "machines/plane/link/host_kernel.h"
#include "machines/plane/link/host_words.h"

#include "object/bytes.h"
#include "object/object.h"
#include "support/alloc.h"
#include "support/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct compiler {
    struct plane_crossbar x;
    struct plane_selected selected;
    const struct target *target;
    struct machine_kernel *out;
    struct machine_kernel_fault *fault;
    VEC(uint32_t) lines;
    uint64_t words, reads;
    uint32_t last_crossbar; /* that is touched */
};

/* ---- what a word needs ---- */

static void need_register(struct compiler *compiler, uint32_t reg) {
    compiler->out->reg_bits[reg] = (uint8_t)compiler->x.partitions;
}

static void need_registers(struct compiler *compiler, const struct plane_word *word) {
    unsigned inputs = word->kind == WORD_MOVE                             ? 1
                      : word->kind != WORD_GATES || word->gate < GATE_NOT ? 0
                      : word->gate == GATE_NOT                            ? 1
                                                                          : 2;
    need_register(compiler, word->reg);
    for (unsigned i = 0; i < inputs; i++)
        need_register(compiler, word->in_reg[i]);
}

static void need_crossbars(struct compiler *compiler, const struct plane_word *word) {
    const struct plane_range *r = &compiler->selected.crossbars;
    uint32_t last = r->stop;
    if (word->kind == WORD_MOVE && word->crossbar + (r->stop - r->start) > last)
        last = word->crossbar + (r->stop - r->start);
    if (last > compiler->last_crossbar)
        compiler->last_crossbar = last;
}

/* False, with what is wrong in the fault. */
static bool add_word(struct compiler *compiler, const struct plane_word *word) {
    if (!plane_word_check(&compiler->x, word, &compiler->selected, &compiler->fault->what))
        return false;
    if (word->kind != WORD_CROSSBARS && word->kind != WORD_ROWS) {
        if (word->reg >= 64 || word->in_reg[0] >= 64 || word->in_reg[1] >= 64) {
            str_append(&compiler->fault->what, "a program has registers 0 to 63");
            return false;
        }
        need_registers(compiler, word);
        need_crossbars(compiler, word);
    }
    compiler->reads += word->kind == WORD_READ;
    compiler->words++;
    put_u64(&compiler->out->code, plane_word_encode(&compiler->x, word));
    return true;
}

/* ---- words ---- */

/* What was said of a word, behind its number. */
static void name_word(struct machine_kernel_fault *fault, uint64_t number) {
    struct str said = {0};
    str_printf(&said, "word %" PRIu64 ": %s", number, str_text(&fault->what));
    str_free(&fault->what);
    fault->what = said;
}

static bool add_words(struct compiler *compiler, const struct kernel_decl *kernel) {
    const unsigned char *bytes = kernel->bytes;
    for (size_t i = 0; i < kernel->size / 8; i++) {
        struct plane_word w;
        if (plane_word_decode(&compiler->x, get_u64(bytes + 8 * i), &w, &compiler->fault->what) &&
            add_word(compiler, &w))
            continue;
        name_word(compiler->fault, i);
        return false;
    }
    return true;
}

/* ---- text ---- */

/* Bytes of a line before its comment and the blanks around that. */
static size_t content(const char *line, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (line[i] == ';' || line[i] == '#' || (line[i] == '/' && i + 1 < n && line[i + 1] == '/'))
            n = i;
    while (n && strchr(" \t\r", line[n - 1]))
        n--;
    return n;
}

static const char *skip_blanks(const char *line, size_t *n) {
    while (*n && strchr(" \t\r", *line)) {
        line++;
        --*n;
    }
    return line;
}

/* Calls `take` for what each line holds, if it holds something; false where that was. */
typedef bool line_taker(void *context, const char *line, size_t n, uint32_t number);
static bool each_line(const char *text, size_t size, line_taker *take, void *context) {
    uint32_t number = 1;
    for (const char *at = text, *end = text + size; at < end; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t n = newline ? (size_t)(newline - at) : (size_t)(end - at);
        size_t left = content(at, n);
        const char *line = skip_blanks(at, &left);
        if (left && !take(context, line, left, number))
            return false;
        at += n + (newline != NULL);
    }
    return true;
}

static bool take_line(void *context, const char *line, size_t n, uint32_t number) {
    struct compiler *c = context;
    struct plane_word w;
    c->fault->line = number;
    if (!plane_word_parse(&c->x, line, n, &w, &c->fault->what) || !add_word(c, &w))
        return false;
    vec_push(&c->lines, number);
    return true;
}

/* ---- a kernel ---- */

static bool serves(const struct target *target, struct str *why) {
    struct plane_crossbar x;
    if (!plane_crossbar_of(target, &x, why))
        return false;
    for (unsigned g = 0; g < GATE_COUNT; g++)
        if (!plane_gate_op(target, (enum plane_gate)g)) {
            str_printf(why, "target '%s' has no gate that does what words of %s do", target->name,
                       plane_gate_name((enum plane_gate)g));
            return false;
        }
    return true;
}

/* One buffer where words read, nothing where they do not. */
static bool parameters_fit(struct compiler *compiler, const struct kernel_decl *kernel) {
    const struct kernel_parameter *p = kernel->parameters;
    struct str *why = &compiler->fault->what;
    compiler->fault->line = 0;
    if (!compiler->words)
        str_append(why, "it has no words");
    else if (compiler->reads && (kernel->parameter_count != 1 || p->kind != PARAMETER_BUFFER))
        str_printf(why,
                   "its READ words return %" PRIu64
                   " numbers, and it has no parameter, or more than one, that is a buffer for them",
                   compiler->reads);
    else if (!compiler->reads && kernel->parameter_count)
        str_append(why, "it has no READ words, and so no parameters");
    else if (compiler->reads &&
             (p->type.kind == TYPE_BOOL || p->type.bits < compiler->x.partitions))
        str_printf(why, "a READ word returns %" PRIu32 " bits, more than an element of '%s' has",
                   compiler->x.partitions, p->name);
    return why->len == 0;
}

static void keep_lines(struct compiler *compiler) {
    compiler->out->line_count = (uint32_t)compiler->lines.len;
    compiler->out->lines = compiler->lines.data;
}

static bool compile(const struct machine_library *library, const struct machine_launches *program,
                    const struct kernel_decl *kernel, struct machine_kernel *out,
                    struct machine_kernel_fault *fault) {
    (void)program; /* its words say all */
    struct compiler c = {.target = library->target, .out = out, .fault = fault};
    if (!plane_crossbar_of(c.target, &c.x, &fault->what))
        return false;
    c.selected = plane_selected_all(&c.x);
    put_u64(&out->code,
            kernel->parameter_count == 1 ? object_element_bytes(kernel->parameters[0].type) : 0);
    bool fine = (kernel->words ? add_words(&c, kernel)
                               : each_line(kernel->bytes, kernel->size, take_line, &c)) &&
                parameters_fit(&c, kernel);
    out->mpus = c.last_crossbar / target_vrfs_per_mpu(c.target) + 1;
    keep_lines(&c);
    return fine;
}

static void print(const struct machine_library *library, const void *code, size_t size,
                  const struct machine_lines *lines, struct str *out) {
    (void)lines;
    const unsigned char *bytes = code;
    struct plane_crossbar x;
    struct str why = {0};
    bool known = plane_crossbar_of(library->target, &x, &why);
    for (size_t at = PLANE_KERNEL_HEAD; known && at + 8 <= size; at += 8) {
        struct plane_word w;
        uint64_t bits = get_u64(bytes + at);
        str_printf(out, "%6zu  %016" PRIx64 "  ", (at - PLANE_KERNEL_HEAD) / 8, bits);
        str_clear(&why);
        if (plane_word_decode(&x, bits, &w, &why))
            plane_word_text(&w, out);
        str_char(out, '\n');
    }
    str_free(&why);
}

/* ---- files ---- */

struct hex_reader {
    struct str *words;
    struct machine_kernel_fault *fault;
};

/* A word a line, in hexadecimal digits, with or without 0x before them. */
static bool take_hex(void *context, const char *line, size_t n, uint32_t number) {
    struct hex_reader *r = context;
    struct str digits = {0};
    uint64_t word;
    bool has_mark = n > 1 && line[0] == '0' && (line[1] | 0x20) == 'x';
    str_append(&digits, has_mark ? "" : "0x");
    str_append_n(&digits, line, n);
    bool fine = number_parse_u64(digits.text, digits.len, &word);
    str_free(&digits);
    r->fault->line = number;
    if (fine)
        put_u64(r->words, word);
    else
        str_append(&r->fault->what, "a line holds one word, in up to 16 hexadecimal digits");
    return fine;
}

static const char text_suffix[] = ".pypimhex";

static bool read_file(const char *suffix, const char *bytes, size_t size, struct str *words,
                      struct machine_kernel_fault *fault) {
    struct hex_reader r = {words, fault};
    if (strcmp(suffix, text_suffix) == 0)
        return each_line(bytes, size, take_hex, &r);
    if (size % 8 == 0) {
        str_append_n(words, bytes, size);
        return true;
    }
    str_printf(&fault->what, "words have 8 bytes, and the file %zu", size);
    return false;
}

/* Their kind stands in the lowest bits, whatever the machine. */
static uint64_t returns(const void *words, size_t size) {
    const unsigned char *bytes = words;
    uint64_t count = 0;
    for (size_t i = 0; i + 8 <= size; i += 8)
        count += plane_word_is_read(get_u64(bytes + i));
    return count;
}

static const struct lane_type returned = {TYPE_UINT, 32};
static const char *const suffixes[] = {".pypim", text_suffix, NULL};

const struct machine_form plane_host_form = {.name = "pypim",
                                             .serves = serves,
                                             .compile = compile,
                                             .print = print,
                                             .suffixes = suffixes,
                                             .text_suffix = text_suffix,
                                             .read_file = read_file,
                                             .returns = returns,
                                             .returned = &returned};
