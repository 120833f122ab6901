/* SPDX-License-Identifier: MIT
 * Kernels as packages hold them: numbers of 32 bits, the lowest byte first; texts with their
 * lengths.  What is read is looked at before it is believed. */
#include "machines/core/simt/code.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC      0x544d4953u /* "SIMT" */
#define VERSION    1
#define MOST_BYTES (UINT32_C(1) << 30) /* of a memory */
#define MOST_NAMES 65536
#define MOST_TEXT  65536

/* ---- writing ---- */

static void put(struct str *out, uint32_t number) {
    char *at = str_extend(out, 4);
    for (unsigned i = 0; i < 4; i++)
        at[i] = (char)(number >> 8 * i);
}

static void put_text(struct str *out, const char *text) {
    const size_t n = strlen(text);
    put(out, (uint32_t)n);
    str_append_n(out, text, n);
}

static void put_texts(struct str *out, const char *const *texts, uint32_t count) {
    put(out, count);
    for (uint32_t i = 0; i < count; i++)
        put_text(out, texts[i]);
}

void simt_kernel_write(const struct simt_kernel *k, struct str *out) {
    const uint32_t head[] = {MAGIC,
                             VERSION,
                             k->near,
                             k->both,
                             k->far,
                             k->predicates,
                             k->parameter_bytes,
                             k->param_bytes,
                             k->local_bytes,
                             k->spill_bytes,
                             k->shared_bytes,
                             k->max_threads,
                             k->needed_threads[0],
                             k->needed_threads[1],
                             k->needed_threads[2]};
    for (unsigned i = 0; i < sizeof head / sizeof *head; i++)
        put(out, head[i]);
    for (unsigned i = 0; i < SIMT_LOCATIONS; i++)
        put(out, k->counts.registers[i]);
    for (unsigned i = 0; i < SIMT_LOCATIONS; i++)
        put(out, k->counts.instructions[i]);
    put_text(out, k->name);
    put_texts(out, k->files, k->file_count);
    put_texts(out, k->functions, k->function_count);
    put(out, k->parameter_count);
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        put(out, k->parameters[i].offset);
        put(out, k->parameters[i].bytes);
    }
    put(out, k->word_count);
    for (uint32_t i = 0; i < k->word_count; i++)
        put(out, k->words[i]);
    put(out, k->insn_count);
    for (uint32_t i = 0; i < k->insn_count; i++) {
        put(out, k->lines[i].line);
        put(out, k->lines[i].file);
        put(out, k->lines[i].source_line);
        put(out, k->lines[i].function);
    }
}

/* ---- reading ---- */

struct record_reader {
    const unsigned char *at, *end;
    struct simt_kernel *k;
    const char *problem;
};

static bool refuse(struct record_reader *r, const char *problem) {
    if (!r->problem)
        r->problem = problem;
    return false;
}

static uint32_t take(struct record_reader *r) {
    uint32_t number = 0;
    if (r->end - r->at < 4) {
        refuse(r, "a kernel of target simt ends too early");
        r->at = r->end;
        return 0;
    }
    for (unsigned i = 0; i < 4; i++)
        number |= (uint32_t)*r->at++ << 8 * i;
    return number;
}

/* A number of things of which each takes so many bytes at least. */
static uint32_t take_count(struct record_reader *r, uint32_t bytes) {
    const uint32_t count = take(r);
    if ((size_t)(r->end - r->at) / bytes >= count)
        return count;
    refuse(r, "a kernel of target simt ends too early");
    return 0;
}

static const char *take_text(struct record_reader *r) {
    const uint32_t n = take_count(r, 1);
    if (n > MOST_TEXT || memchr(r->at, 0, n)) {
        refuse(r, "a name in a kernel of target simt is none");
        return "";
    }
    const char *text = arena_strndup(&r->k->arena, (const char *)r->at, n);
    r->at += n;
    return text;
}

static const char *const *take_texts(struct record_reader *r, uint32_t *count) {
    *count = take_count(r, 4);
    if (*count > MOST_NAMES)
        *count = 0;
    const char **list = ARENA_ARRAY(&r->k->arena, *count + 1u, const char *);
    for (uint32_t i = 0; i < *count; i++)
        list[i] = take_text(r);
    return list;
}

static bool take_head(struct record_reader *r) {
    struct simt_kernel *k = r->k;
    if (take(r) != MAGIC)
        return refuse(r, "it is no kernel of target simt");
    if (take(r) != VERSION)
        return refuse(r, "a kernel of target simt is of another version of the tools");
    uint32_t *const head[] = {&k->near,
                              &k->both,
                              &k->far,
                              &k->predicates,
                              &k->parameter_bytes,
                              &k->param_bytes,
                              &k->local_bytes,
                              &k->spill_bytes,
                              &k->shared_bytes,
                              &k->max_threads,
                              k->needed_threads,
                              k->needed_threads + 1,
                              k->needed_threads + 2};
    for (unsigned i = 0; i < sizeof head / sizeof *head; i++)
        *head[i] = take(r);
    for (unsigned i = 0; i < SIMT_LOCATIONS; i++)
        k->counts.registers[i] = take(r);
    for (unsigned i = 0; i < SIMT_LOCATIONS; i++)
        k->counts.instructions[i] = take(r);
    if (k->near > SIMT_REGISTERS || k->both > SIMT_REGISTERS || k->far > SIMT_REGISTERS ||
        k->near + k->both + k->far > SIMT_REGISTERS || k->predicates > SIMT_PREDICATES)
        return refuse(r, "a kernel of target simt has more registers than there are");
    if (k->parameter_bytes > KERNEL_MAX_PARAMETER_BYTES || k->param_bytes < k->parameter_bytes ||
        k->param_bytes > MOST_BYTES || k->local_bytes > MOST_BYTES ||
        k->spill_bytes > k->local_bytes || k->shared_bytes > MOST_BYTES)
        return refuse(r, "a kernel of target simt has more memory than there is");
    return true;
}

static void take_parameters(struct record_reader *r) {
    struct simt_kernel *k = r->k;
    k->parameter_count = take_count(r, 8);
    struct simt_parameter *list =
        ARENA_ARRAY(&k->arena, k->parameter_count + 1u, struct simt_parameter);
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        list[i].offset = take(r);
        list[i].bytes = take(r);
        if (list[i].offset > k->parameter_bytes ||
            list[i].bytes > k->parameter_bytes - list[i].offset)
            refuse(r, "a parameter of a kernel of target simt lies beyond them");
    }
    k->parameters = list;
}

static bool is_within(const struct simt_kernel *k, unsigned kind, unsigned number) {
    const uint32_t registers = k->near + k->both + k->far;
    switch (kind) {
    case SIMT_OPERAND_PREDICATE:
        return number == SIMT_PT || number < k->predicates;
    case SIMT_OPERAND_UNIT:
        return number == SIMT_RZ || number < registers;
    case SIMT_OPERAND_PAIR:
        return number == SIMT_RZ || number + 1 < registers;
    default:
        return true;
    }
}

static bool operands_fit(const struct simt_kernel *k, const struct simt_insn *insn) {
    bool fine = is_within(k, SIMT_OPERAND_PREDICATE, insn->guard) &&
                is_within(k, SIMT_OPERAND_PREDICATE, insn->second);
    for (unsigned i = 0; i < insn->result_count; i++)
        fine = fine && is_within(k, insn->result_kind[i], insn->result[i]);
    for (unsigned i = 0; i < insn->source_count; i++)
        fine = fine && is_within(k, insn->source_kind[i], insn->source[i]);
    return fine;
}

/* Words of branches become instructions: number_at[word] is one more than what begins there. */
static bool find_target(const struct simt_kernel *k, const uint32_t *number_at, uint32_t *word) {
    if (*word >= k->word_count || !number_at[*word])
        return false;
    *word = number_at[*word] - 1;
    return true;
}

static bool ends(const struct simt_insn *insn) {
    return (insn->op == SIMT_EXIT || insn->op == SIMT_BRA || insn->op == SIMT_TRAP) &&
           insn->guard == SIMT_PT && !insn->guard_not;
}

static bool decode_all(struct record_reader *r, struct simt_insn *insns, uint32_t *places,
                       uint32_t *number_at) {
    struct simt_kernel *k = r->k;
    struct str why = {0};
    for (uint32_t at = 0; at < k->word_count; at += insns[k->insn_count++].words) {
        struct simt_insn *insn = &insns[k->insn_count];
        if (!simt_decode(k->words, k->word_count, at, insn, &why)) {
            str_free(&why);
            return refuse(r, "a word in a kernel of target simt is no instruction");
        }
        if (!operands_fit(k, insn))
            return refuse(r, "an instruction of a kernel of target simt has registers beyond its "
                             "own");
        places[k->insn_count] = at;
        number_at[at] = k->insn_count + 1;
    }
    for (uint32_t i = 0; i < k->insn_count; i++)
        if (insns[i].op == SIMT_BRA &&
            (!find_target(k, number_at, &insns[i].target) ||
             (insns[i].reconverge != SIMT_END && !find_target(k, number_at, &insns[i].reconverge))))
            return refuse(r, "a branch of a kernel of target simt goes to no instruction");
    return (k->insn_count && ends(&insns[k->insn_count - 1])) ||
           refuse(r, "the code of a kernel of target simt does not end");
}

static bool take_code(struct record_reader *r) {
    struct simt_kernel *k = r->k;
    k->word_count = take_count(r, 4);
    if (k->word_count > SIMT_CODE_WORDS)
        return refuse(r, "a kernel of target simt has more code than there is room for");
    uint32_t *words = ARENA_ARRAY(&k->arena, k->word_count + 1u, uint32_t);
    struct simt_insn *insns = ARENA_ARRAY(&k->arena, k->word_count + 1u, struct simt_insn);
    uint32_t *places = ARENA_ARRAY(&k->arena, k->word_count + 1u, uint32_t);
    uint32_t *number_at = xcalloc(k->word_count + 1u, sizeof *number_at);
    for (uint32_t i = 0; i < k->word_count; i++)
        words[i] = take(r);
    k->words = words;
    k->insns = insns;
    k->places = places;
    bool fine = !r->problem && decode_all(r, insns, places, number_at);
    free(number_at);
    return fine;
}

static bool take_lines(struct record_reader *r) {
    struct simt_kernel *k = r->k;
    struct simt_line *lines = ARENA_ARRAY(&k->arena, k->insn_count + 1u, struct simt_line);
    if (take_count(r, 16) != k->insn_count)
        return refuse(r, "a kernel of target simt has lines for other instructions");
    for (uint32_t i = 0; i < k->insn_count; i++) {
        lines[i].line = take(r);
        lines[i].file = take(r);
        lines[i].source_line = take(r);
        lines[i].function = take(r);
        if ((lines[i].file != UINT32_MAX && lines[i].file >= k->file_count) ||
            lines[i].function >= k->function_count)
            return refuse(r, "a line of a kernel of target simt is of no file");
    }
    k->lines = lines;
    return true;
}

struct simt_kernel *simt_kernel_read(const void *bytes, size_t size, const char **problem) {
    struct simt_kernel *k = xcalloc(1, sizeof *k);
    struct record_reader r = {.at = bytes, .end = (const unsigned char *)bytes + size, .k = k};
    if (take_head(&r)) {
        k->name = take_text(&r);
        k->files = take_texts(&r, &k->file_count);
        k->functions = take_texts(&r, &k->function_count);
        take_parameters(&r);
        if (!r.problem && take_code(&r) && take_lines(&r) && r.at != r.end)
            refuse(&r, "there is more behind a kernel of target simt");
    }
    if (!r.problem)
        return k;
    *problem = r.problem;
    simt_kernel_free(k);
    return NULL;
}

void simt_kernel_free(struct simt_kernel *kernel) {
    if (!kernel)
        return;
    arena_free(&kernel->arena);
    free(kernel);
}
