/* SPDX-License-Identifier: MIT
 * Text to kernels: what list.c writes, line by line. */
#include "machines/core/simt/words.h"

#include "ptx/words.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct label {
    const char *name;
    uint32_t insn, line;
};
struct assembler {
    struct simt_kernel *k;
    struct ptx_words w;
    struct portable_fault *fault;
    VEC(struct simt_insn) insns;
    VEC(struct simt_line) lines;
    VEC(uint32_t) text_lines;     /* of the insns */
    VEC(struct label) labels;     /* that stand there */
    VEC(struct label) wanted;     /* by branches: insn, PTX_NONE for none: targets, then */
    VEC(struct label) reconverge; /* where lanes meet */
    VEC(struct simt_parameter) parameters;
    VEC(const char *) files, functions;
    struct simt_line line; /* of the next instruction */
};

/* ---- words ---- */

static bool wrong(struct assembler *a, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool wrong(struct assembler *a, uint32_t line, const char *format, ...) {
    va_list args;
    if (a->fault->what.len)
        return false;
    va_start(args, format);
    str_vprintf(&a->fault->what, format, args);
    va_end(args);
    a->fault->line = line;
    return false;
}

static bool unexpected(struct assembler *a, const char *wanted) {
    const struct ptx_word *w = &a->w.word;
    return wrong(a, w->line, "expected %s in place of '%.*s'", wanted, w->n > 60 ? 60 : (int)w->n,
                 w->n ? w->text : "");
}

static bool is(const struct assembler *a, const char *text) {
    return ptx_word_is(&a->w.word, text);
}

static bool accept(struct assembler *a, const char *text) {
    if (!is(a, text))
        return false;
    ptx_words_next(&a->w);
    return true;
}

static bool expect(struct assembler *a, const char *text) {
    return accept(a, text) || unexpected(a, text);
}

static bool take_number(struct assembler *a, uint32_t *number) {
    uint64_t n = 0;
    if (a->w.word.kind != PTX_WORD_NUMERAL || !number_parse_u64(a->w.word.text, a->w.word.n, &n) ||
        n > UINT32_MAX)
        return unexpected(a, "a number");
    *number = (uint32_t)n;
    ptx_words_next(&a->w);
    return true;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* What str_quote wrote. */
static bool take_string(struct assembler *a, const char **text) {
    const struct ptx_word *w = &a->w.word;
    struct str out = {0};
    if (w->kind != PTX_WORD_STRING || w->n < 2)
        return unexpected(a, "a text in quotes");
    for (size_t i = 1; i + 1 < w->n; i++) {
        if (w->text[i] == '\\' && i + 4 < w->n && w->text[i + 1] == 'x' &&
            hex_digit(w->text[i + 2]) >= 0 && hex_digit(w->text[i + 3]) >= 0) {
            str_char(&out, (char)(hex_digit(w->text[i + 2]) * 16 + hex_digit(w->text[i + 3])));
            i += 3;
        } else {
            i += w->text[i] == '\\' && i + 2 < w->n;
            str_char(&out, w->text[i]);
        }
    }
    *text = arena_strndup(&a->k->arena, str_text(&out), out.len);
    str_free(&out);
    ptx_words_next(&a->w);
    return true;
}

/* ---- operands ---- */

enum written { IS_REGISTER, IS_PREDICATE, IS_NUMBER, IS_SPECIAL, IS_LABEL };
struct operand {
    enum written is;
    uint8_t number; /* of the register, or enum ptx_special */
    bool negated, minus, narrow;
    uint64_t value;
    struct ptx_word at;
    uint8_t group; /* which operand of the text it is a part of */
};
#define MOST 12
struct operands {
    struct operand list[MOST];
    uint32_t count, groups;
    uint32_t parts[MOST]; /* of each group */
    uint8_t second;       /* d|p */
    bool address;         /* one is in [ ] */
    uint8_t address_bits;
    int64_t offset;
};

static bool register_number(const char *text, size_t n, unsigned most, uint8_t *number) {
    uint64_t v = 0;
    if (!n || !number_parse_u64(text, n, &v) || v >= most)
        return false;
    *number = (uint8_t)v;
    return true;
}

/* R4, RZ, P3, PT, %tid.x; else a label. */
static bool take_name(struct assembler *a, struct operand *o) {
    const struct ptx_word w = a->w.word;
    size_t n = w.n;
    o->at = w;
    if (n > 3 && memcmp(w.text + n - 3, ".32", 3) == 0) {
        o->narrow = true;
        n -= 3;
    }
    o->is = IS_LABEL;
    if (n == 2 && memcmp(w.text, "RZ", 2) == 0) {
        o->is = IS_REGISTER;
        o->number = SIMT_RZ;
    } else if (n == 2 && memcmp(w.text, "PT", 2) == 0) {
        o->is = IS_PREDICATE;
        o->number = SIMT_PT;
    } else if (w.text[0] == 'R' && register_number(w.text + 1, n - 1, SIMT_REGISTERS, &o->number)) {
        o->is = IS_REGISTER;
    } else if (w.text[0] == 'P' &&
               register_number(w.text + 1, n - 1, SIMT_PREDICATES, &o->number)) {
        o->is = IS_PREDICATE;
    } else if (ptx_special_find(w.text, n) != PTX_SPECIALS) {
        o->is = IS_SPECIAL;
        o->number = (uint8_t)ptx_special_find(w.text, n);
    }
    ptx_words_next(&a->w);
    return true;
}

/* 12, 0x1f, 0f3f800000, 0d.. */
static bool take_value(struct assembler *a, struct operand *o) {
    const struct ptx_word *w = &a->w.word;
    o->is = IS_NUMBER;
    o->at = *w;
    const bool bits = w->n > 2 && w->text[0] == '0' && (w->text[1] == 'f' || w->text[1] == 'd');
    if (bits) {
        for (size_t i = 2; i < w->n; i++) {
            if (hex_digit(w->text[i]) < 0 || w->n > 18)
                return unexpected(a, "a number");
            o->value = o->value << 4 | (unsigned)hex_digit(w->text[i]);
        }
    } else if (w->kind != PTX_WORD_NUMERAL || !number_parse_u64(w->text, w->n, &o->value)) {
        return unexpected(a, "an operand");
    }
    if (o->minus)
        o->value = 0 - o->value;
    ptx_words_next(&a->w);
    return true;
}

static bool take_one(struct assembler *a, struct operands *all) {
    if (all->count == MOST)
        return wrong(a, a->w.word.line, "there are too many operands");
    struct operand *o = &all->list[all->count++];
    *o = (struct operand){.group = (uint8_t)all->groups};
    o->negated = accept(a, "!");
    o->minus = accept(a, "-");
    if (a->w.word.kind == PTX_WORD_NAME && !o->minus)
        return take_name(a, o);
    return take_value(a, o);
}

static bool take_address(struct assembler *a, struct operands *all) {
    struct operand sum = {.is = IS_NUMBER};
    if (!take_one(a, all))
        return false;
    all->address = true;
    all->address_bits = all->list[all->count - 1].narrow ? 32 : 64;
    if (is(a, "+") || is(a, "-")) {
        sum.minus = is(a, "-");
        ptx_words_next(&a->w);
        if (!take_value(a, &sum))
            return false;
        all->offset = (int64_t)sum.value;
    }
    return expect(a, "]");
}

static bool take_group(struct assembler *a, struct operands *all) {
    const uint32_t before = all->count;
    bool fine;
    if (accept(a, "{")) {
        fine = take_one(a, all);
        while (fine && accept(a, ","))
            fine = take_one(a, all);
        fine = fine && expect(a, "}");
    } else if (accept(a, "[")) {
        fine = take_address(a, all);
    } else {
        fine = take_one(a, all);
    }
    if (fine && accept(a, "|")) {
        struct operand p = {.group = 0};
        fine = take_name(a, &p) &&
               (p.is == IS_PREDICATE || wrong(a, p.at.line, "a second result is a predicate"));
        all->second = p.number;
    }
    all->parts[all->groups++] = all->count - before;
    return fine;
}

static bool take_operands(struct assembler *a, uint32_t line, struct operands *all) {
    *all = (struct operands){.second = SIMT_PT, .address_bits = 64};
    if (a->w.word.line != line || a->w.word.kind == PTX_WORD_END || is(a, ";"))
        return true;
    do
        if (!take_group(a, all))
            return false;
    while (accept(a, ","));
    return true;
}

/* ---- instructions ---- */

static enum simt_op op_named(const char *name, size_t n, struct ptx_modifiers *m) {
    struct str what = {0};
    *m = (struct ptx_modifiers){.vector = 1};
    if (n == 3 && memcmp(name, "nop", 3) == 0)
        return SIMT_NOP;
    if (n > 4 && (memcmp(name, "s2r.", 4) == 0 || memcmp(name, "lea.", 4) == 0)) {
        m->type[0] = (uint8_t)ptx_type_find(name + 4, n - 4);
        return name[0] == 's' ? SIMT_S2R : SIMT_LEA;
    }
    const struct ptx_form *form = ptx_form_find(name, n, m, &what);
    str_free(&what);
    if (form && strncmp(form->pattern, "bar warp", 8) == 0)
        return SIMT_BAR_WARP;
    enum simt_op op = SIMT_NOP + 1;
    while (form && op < SIMT_OPS && simt_ptx_op(op) != form->op)
        op = (enum simt_op)(op + 1);
    return form ? op : SIMT_OPS;
}

static bool put_source(struct assembler *a, struct simt_insn *insn, unsigned i,
                       const struct operand *o) {
    const uint8_t kind = insn->source_kind[i];
    insn->source[i] = o->number;
    if (kind == SIMT_OPERAND_SPECIAL)
        return o->is == IS_SPECIAL || wrong(a, o->at.line, "a special register is expected");
    if (o->is == IS_NUMBER) {
        insn->source_kind[i] = SIMT_OPERAND_NUMBER;
        insn->source[i] = 0;
        insn->number[i] = o->value & low_bits(insn->source_bits[i]);
        return insn->number[i] == o->value ||
               (o->minus &&
                sign_extend(insn->number[i], insn->source_bits[i]) == (int64_t)o->value) ||
               wrong(a, o->at.line, "a number of %u bits is expected", insn->source_bits[i]);
    }
    if (o->is != (kind == SIMT_OPERAND_PREDICATE ? IS_PREDICATE : IS_REGISTER) ||
        kind == SIMT_OPERAND_NUMBER)
        return wrong(a, o->at.line, "'%.*s' is no operand of that kind", (int)o->at.n, o->at.text);
    insn->negated |= (uint8_t)(o->negated << i);
    return true;
}

static bool put_operands(struct assembler *a, struct simt_insn *insn, const struct operands *all) {
    uint32_t at = 0;
    if (all->count != (uint32_t)insn->result_count + insn->source_count)
        return wrong(a, a->w.word.line, "it has %u operands, and not %u",
                     (unsigned)insn->result_count + insn->source_count, (unsigned)all->count);
    for (unsigned i = 0; i < insn->result_count; i++, at++) {
        const struct operand *o = &all->list[at];
        if (o->is != (insn->result_kind[i] == SIMT_OPERAND_PREDICATE ? IS_PREDICATE : IS_REGISTER))
            return wrong(a, o->at.line, "'%.*s' is where a result goes", (int)o->at.n, o->at.text);
        insn->result[i] = o->number;
    }
    for (unsigned i = 0; i < insn->source_count; i++, at++)
        if (!put_source(a, insn, i, &all->list[at]))
            return false;
    insn->second = all->second;
    if (all->offset < INT32_MIN || all->offset > INT32_MAX)
        return wrong(a, a->w.word.line, "an offset has 32 bits");
    insn->offset = (int32_t)all->offset;
    return true;
}

static void want(struct assembler *a, const struct operand *o, bool reconverge) {
    struct label l = {arena_strndup(&a->k->arena, o->at.text, o->at.n), (uint32_t)a->insns.len,
                      o->at.line};
    if (reconverge)
        vec_push(&a->reconverge, l);
    else
        vec_push(&a->wanted, l);
}

static bool put_branch(struct assembler *a, struct simt_insn *insn, const struct operands *all,
                       uint32_t line) {
    const uint32_t needs = insn->guard == SIMT_PT ? 1 : 2;
    insn->reconverge = SIMT_END;
    if (all->count != needs || all->list[0].is != IS_LABEL || all->list[needs - 1].is != IS_LABEL)
        return wrong(a, line, "a branch has a label, and under a guard another one, or end");
    want(a, &all->list[0], false);
    if (needs == 2 && !ptx_word_is(&all->list[1].at, "end"))
        want(a, &all->list[1], true);
    return true;
}

/* A result whose parts are in braces, or sources. */
static void count_parts(struct simt_insn *insn, const struct operands *all) {
    insn->result_count = insn->source_count = 0;
    if (insn->op == SIMT_MOV && all->groups == 2) {
        insn->result_count = (uint8_t)all->parts[0];
        insn->source_count = (uint8_t)all->parts[1];
    } else if (insn->op == SIMT_BAR) {
        insn->source_count = (uint8_t)all->groups;
    }
}

static bool take_guard(struct assembler *a, struct simt_insn *insn) {
    struct operand p = {.group = 0};
    if (!accept(a, "@"))
        return true;
    insn->guard_not = accept(a, "!");
    take_name(a, &p);
    insn->guard = p.number;
    return p.is == IS_PREDICATE || wrong(a, p.at.line, "a guard is a predicate");
}

/* "; 46 0:5 in 1": as list.c puts it. */
static bool take_line(struct assembler *a, uint32_t line) {
    a->line = (struct simt_line){.file = UINT32_MAX};
    if (!accept(a, ";"))
        return true;
    if (!take_number(a, &a->line.line))
        return false;
    if (a->w.word.line == line && (is(a, "-") || a->w.word.kind == PTX_WORD_NUMERAL) &&
        ((!accept(a, "-") && !take_number(a, &a->line.file)) || !expect(a, ":") ||
         !take_number(a, &a->line.source_line)))
        return false;
    return !accept(a, "in") || take_number(a, &a->line.function);
}

static bool take_insn(struct assembler *a) {
    const uint32_t line = a->w.word.line;
    struct simt_insn insn = {.guard = SIMT_PT, .second = SIMT_PT};
    struct operands all;
    insn.location = accept(a, "near")   ? SIMT_NEAR
                    : accept(a, "far")  ? SIMT_FAR
                    : accept(a, "both") ? SIMT_BOTH
                                        : SIMT_UNKNOWN;
    if (insn.location == SIMT_UNKNOWN)
        return unexpected(a, "near, far or both");
    if (!take_guard(a, &insn))
        return false;
    const struct ptx_word name = a->w.word;
    const enum simt_op op = op_named(name.text, name.n, &insn.m);
    if (name.kind != PTX_WORD_NAME || op == SIMT_OPS)
        return unexpected(a, "an instruction");
    insn.op = (uint8_t)op;
    ptx_words_next(&a->w);
    if (!take_operands(a, line, &all))
        return false;
    insn.address_bits = all.address_bits;
    insn.m.flags &= (uint16_t)~PTX_HINT;
    count_parts(&insn, &all);
    if (!simt_shape(&insn) || all.address != simt_is_access(op))
        return wrong(a, line, "'%.*s' has other operands", (int)name.n, name.text);
    if (!(op == SIMT_BRA ? put_branch(a, &insn, &all, line) : put_operands(a, &insn, &all)))
        return false;
    if (!take_line(a, line))
        return false;
    vec_push(&a->insns, insn);
    vec_push(&a->lines, a->line);
    vec_push(&a->text_lines, line);
    return true;
}

/* ---- directives ---- */

/* Numbers with names in front of them. */
static bool take_fields(struct assembler *a, const char *const *names, uint32_t *const *fields,
                        unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if ((names[i] && !expect(a, names[i])) || !take_number(a, fields[i]))
            return false;
    return true;
}

static bool take_located(struct assembler *a, uint32_t *n) {
    static const char *const names[] = {"near", "far", "both", "none"};
    uint32_t *const fields[] = {n + SIMT_NEAR, n + SIMT_FAR, n + SIMT_BOTH, n + SIMT_UNKNOWN};
    return take_fields(a, names, fields, 4);
}

static bool take_directive(struct assembler *a) {
    struct simt_kernel *k = a->k;
    struct simt_parameter p;
    const char *text;
    if (accept(a, ".registers")) {
        static const char *const names[] = {"near", "both", "far", "predicates"};
        return take_fields(a, names,
                           (uint32_t *const[]){&k->near, &k->both, &k->far, &k->predicates}, 4);
    }
    if (accept(a, ".bytes")) {
        static const char *const names[] = {"parameters", "param", "local", "spilled", "shared"};
        return take_fields(a, names,
                           (uint32_t *const[]){&k->parameter_bytes, &k->param_bytes,
                                               &k->local_bytes, &k->spill_bytes, &k->shared_bytes},
                           5);
    }
    if (accept(a, ".threads")) {
        static const char *const names[] = {"most", "needed", NULL, NULL};
        uint32_t *n = k->needed_threads;
        return take_fields(a, names, (uint32_t *const[]){&k->max_threads, n, n + 1, n + 2}, 4);
    }
    if (accept(a, ".located"))
        return take_located(a, k->counts.registers);
    if (accept(a, ".placed"))
        return take_located(a, k->counts.instructions);
    if (accept(a, ".parameter")) {
        if (!take_number(a, &p.offset) || !take_number(a, &p.bytes))
            return false;
        vec_push(&a->parameters, p);
        return true;
    }
    if (is(a, ".file") || is(a, ".function")) {
        const bool file = is(a, ".file");
        ptx_words_next(&a->w);
        if (!take_string(a, &text))
            return false;
        if (file)
            vec_push(&a->files, text);
        else
            vec_push(&a->functions, text);
        return true;
    }
    return unexpected(a, "a directive");
}

/* "L12:" stands in front of an instruction. */
static bool take_label(struct assembler *a, bool *was) {
    struct ptx_words ahead = a->w;
    ptx_words_next(&ahead);
    *was = a->w.word.kind == PTX_WORD_NAME && ptx_word_is(&ahead.word, ":");
    if (!*was)
        return true;
    struct label l = {arena_strndup(&a->k->arena, a->w.word.text, a->w.word.n),
                      (uint32_t)a->insns.len, a->w.word.line};
    vec_push(&a->labels, l);
    ptx_words_next(&ahead);
    a->w = ahead;
    return true;
}

/* ---- all of it ---- */

static int by_name(const void *left, const void *right) {
    const struct label *x = left, *y = right;
    return strcmp(x->name, y->name);
}

static bool find(struct assembler *a, const struct label *wanted, uint32_t *insn) {
    const struct label *l =
        a->labels.len ? bsearch(wanted, a->labels.data, a->labels.len, sizeof *wanted, by_name)
                      : NULL;
    if (!l || l->insn >= a->insns.len)
        return wrong(a, wanted->line, "no instruction has the label '%s'", wanted->name);
    *insn = l->insn;
    return true;
}

static bool find_labels(struct assembler *a) {
    if (a->labels.len)
        qsort(a->labels.data, a->labels.len, sizeof *a->labels.data, by_name);
    for (size_t i = 1; i < a->labels.len; i++)
        if (by_name(&a->labels.data[i - 1], &a->labels.data[i]) == 0)
            return wrong(a, a->labels.data[i].line, "label '%s' stands twice",
                         a->labels.data[i].name);
    for (size_t i = 0; i < a->wanted.len; i++)
        if (!find(a, &a->wanted.data[i], &a->insns.data[a->wanted.data[i].insn].target))
            return false;
    for (size_t i = 0; i < a->reconverge.len; i++)
        if (!find(a, &a->reconverge.data[i], &a->insns.data[a->reconverge.data[i].insn].reconverge))
            return false;
    return true;
}

#define KEEP(list, type, to, count)                                                                \
    do {                                                                                           \
        type *copy = ARENA_ARRAY(&a->k->arena, (list).len + 1, type);                              \
        if ((list).len)                                                                            \
            memcpy(copy, (list).data, (list).len * sizeof *copy);                                  \
        (to) = copy;                                                                               \
        (count) = (uint32_t)(list).len;                                                            \
    } while (0)

/* What reads it has the last word. */
static bool is_sound(struct assembler *a) {
    const char *problem = NULL;
    struct str bytes = {0};
    simt_kernel_write(a->k, &bytes);
    struct simt_kernel *again = simt_kernel_read(bytes.text, bytes.len, &problem);
    str_free(&bytes);
    simt_kernel_free(again);
    return again || wrong(a, 0, "%s", problem);
}

static bool finish(struct assembler *a) {
    struct simt_insn *insns;
    uint32_t at = 0;
    KEEP(a->parameters, struct simt_parameter, a->k->parameters, a->k->parameter_count);
    KEEP(a->files, const char *, a->k->files, a->k->file_count);
    KEEP(a->functions, const char *, a->k->functions, a->k->function_count);
    KEEP(a->lines, struct simt_line, a->k->lines, a->k->insn_count);
    if (!find_labels(a))
        return false;
    KEEP(a->insns, struct simt_insn, insns, a->k->insn_count);
    if (!simt_kernel_encode(a->k, insns, &at, &a->fault->what)) {
        a->fault->line = at < a->text_lines.len ? a->text_lines.data[at] : 0;
        return false;
    }
    return is_sound(a);
}

static bool take_all(struct assembler *a) {
    if (!expect(a, ".kernel") || !take_string(a, &a->k->name))
        return false;
    while (a->w.word.kind != PTX_WORD_END) {
        const uint32_t line = a->w.word.line;
        bool label = false;
        if (a->w.word.text[0] == '.') {
            if (!take_directive(a))
                return false;
        } else if (!take_label(a, &label) || (!label && !take_insn(a))) {
            return false;
        }
        if (!label && a->w.word.kind != PTX_WORD_END && a->w.word.line == line)
            return unexpected(a, "the end of the line");
    }
    return finish(a);
}

struct simt_kernel *simt_assemble(const char *text, size_t size, struct portable_fault *fault) {
    struct assembler a = {.k = xcalloc(1, sizeof *a.k), .fault = fault};
    ptx_words_begin(&a.w, text, size);
    bool fine = take_all(&a);
    vec_free(&a.insns);
    vec_free(&a.lines);
    vec_free(&a.text_lines);
    vec_free(&a.labels);
    vec_free(&a.wanted);
    vec_free(&a.reconverge);
    vec_free(&a.parameters);
    vec_free(&a.files);
    vec_free(&a.functions);
    if (fine)
        return a.k;
    simt_kernel_free(a.k);
    return NULL;
}
