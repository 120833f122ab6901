/* SPDX-License-Identifier: MIT
 * Code of runs, each assembled by itself, and moved to where it lies in an image. */
#include "machines/core/dpu/runs/images.h"

#include "machines/core/dpu/dpu.h"
#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ELEMENTS (UINT32_C(1) << 24) /* of a VRF */

void dpu_runs_free(struct dpu_runs *r) {
    for (size_t i = 0; i < r->images.len; i++)
        vec_free(&r->images.data[i].words);
    vec_free(&r->images);
    vec_free(&r->pieces);
    vec_free(&r->runs);
    vec_free(&r->text);
    vec_free(&r->sources);
    vec_free(&r->tables);
}

/* ---- tables ---- */

const struct dpu_run_table *dpu_runs_table(const struct dpu_runs *r, const struct insn *x) {
    for (size_t i = 0; x->table && i < r->tables.len; i++)
        if (r->tables.data[i].lut == x->lut && r->tables.data[i].bytes == scalar_bytes(x->width))
            return &r->tables.data[i];
    return NULL;
}

static uint32_t behind_tables(const struct dpu_runs *r) {
    uint32_t end = DPU_RUN_TABLES;
    for (size_t i = 0; i < r->tables.len; i++)
        end += r->tables.data[i].far ? 0 : r->tables.data[i].size;
    return end;
}
uint32_t dpu_runs_far_bytes(const struct dpu_runs *r) {
    uint32_t bytes = 0;
    for (size_t i = 0; i < r->tables.len; i++)
        bytes += r->tables.data[i].far ? r->tables.data[i].size : 0;
    return bytes;
}

/* Tables of so many bytes have the first places in WRAM. */
#define SMALL_TABLE 1024u

struct dpu_table_room {
    uint64_t wram, mram; /* the next place in each */
};

static bool place_table(struct dpu_runs *r, const struct dpu_run_limits *limits,
                        const struct insn *x, struct dpu_table_room *room, struct str *problem) {
    struct dpu_run_table t = {.lut = x->lut, .bytes = scalar_bytes(x->width)};
    uint64_t size = ((UINT64_C(1) << x->table->index_bits) * t.bytes + 7) / 8 * 8;
    t.far = room->wram + size > DPU_RUN_TABLES + limits->table_bytes;
    uint64_t *at = t.far ? &room->mram : &room->wram;
    if (t.far && *at + size > limits->far_bytes) {
        str_printf(problem,
                   "its table has %" PRIu64 " bytes, and %" PRIu64
                   " of MRAM are left of the %" PRIu32 " that tables may have",
                   size, limits->far_bytes - *at, limits->far_bytes);
        return false;
    }
    t.at = (uint32_t)*at;
    t.size = (uint32_t)size;
    vec_push(&r->tables, t);
    *at += size;
    return true;
}

bool dpu_runs_place_tables(struct dpu_runs *r, const struct dpu_run_limits *limits,
                           const struct insn *insns, const uint8_t *taken, size_t count,
                           size_t *wrong, struct str *problem) {
    struct dpu_table_room room = {behind_tables(r), dpu_runs_far_bytes(r)};
    for (unsigned large = 0; large < 2; large++)
        for (*wrong = 0; *wrong < count; ++*wrong) {
            const struct insn *x = &insns[*wrong];
            if ((taken && !taken[*wrong]) || !isa_has_table(x->op) || !x->table ||
                dpu_runs_table(r, x))
                continue;
            bool small =
                (UINT64_C(1) << x->table->index_bits) * scalar_bytes(x->width) <= SMALL_TABLE;
            if (small != large && !place_table(r, limits, x, &room, problem))
                return false;
        }
    return true;
}

/* ---- images ---- */

static void assemble_into(const char *text, size_t size, struct dpu_run_image *out) {
    struct diag *quiet = diag_new(NULL, NULL);
    struct dpu_program *p = dpu_assemble("run.s", text, size, quiet);
    for (size_t i = 0; p && i < p->words.len; i++)
        vec_push(&out->words, p->words.data[i]);
    dpu_program_free(p);
    diag_free(quiet);
}

/* Every tasklet begins at instruction 0. */
static const char head[] = "  lw r0, zero, 0\n  jump r0\n";
_Static_assert(DPU_RUN_ENTRY == 0, "as the text has it");

/* Whether an operand of an instruction is a place in the code: where it jumps on a condition, or
 * calls; a call by a register alone has the place there, and one that adds to it steps from there
 * on. */
static bool is_place(const struct dpu_form *f, const struct dpu_insn *x, unsigned operand) {
    bool never = false, from_register = false;
    for (unsigned i = 0; i < f->count; i++) {
        const struct dpu_operand *o = f->operands[i];
        never |= o->role == DPU_CC && dpu_cc_ask(o->cc, (uint32_t)x->values[i]) == DPU_ASK_FALSE;
        from_register |= o->role == DPU_A && x->values[i] < 24;
    }
    if (f->operands[operand]->role == DPU_PC)
        return !never;
    return f->op == DPU_OP_CALL && f->operands[operand]->role == DPU_OFF &&
           (!from_register || x->values[operand]);
}

/* The word with its target, if it has one, so many instructions further on. */
static uint64_t moved(uint64_t word, uint32_t by) {
    struct dpu_insn x;
    struct dpu_form f;
    uint64_t out = word;
    if (!dpu_decode(word, false, &x))
        return word;
    dpu_form_get(x.form, &f);
    const struct dpu_insn was = x;
    for (unsigned i = 0; i < f.count; i++)
        if (is_place(&f, &was, i))
            x.values[i] += by;
    return dpu_encode(&x, &out) ? out : word;
}

/* The image that has room for so many words. */
static uint32_t image_with_room(struct dpu_runs *r, uint32_t words, uint32_t iram_words) {
    for (uint32_t i = 0; i < r->images.len; i++)
        if (r->images.data[i].words.len + words <= iram_words)
            return i;
    vec_push(&r->images, ((struct dpu_run_image){.words = {0}}));
    assemble_into(head, sizeof head - 1, &vec_last(&r->images));
    return (uint32_t)r->images.len - 1;
}

static struct dpu_run_piece add_piece(struct dpu_runs *r, const struct dpu_run_limits *limits,
                                      const struct str *text) {
    struct dpu_run_image code = {.words = {0}};
    assemble_into(str_text(text), text->len, &code);
    struct dpu_run_piece p = {.words = (uint32_t)code.words.len};
    p.image = image_with_room(r, p.words, limits->iram_words);
    struct dpu_run_image *image = &r->images.data[p.image];
    p.entry = (uint32_t)image->words.len;
    for (uint32_t i = 0; i < p.words; i++)
        vec_push(&image->words, moved(code.words.data[i], p.entry));
    vec_free(&code.words);
    return p;
}

/* ---- runs ---- */

struct compiling {
    struct dpu_runs *runs;
    const struct dpu_run_limits *limits;
    const struct scalar_run *all;
    struct insn *insns;       /* whose tables have the numbers of dpu_runs.tables */
    const uint32_t *table_at; /* by these, */
    const uint8_t *far;       /* and these */
};

static const char *why(enum dpu_loop_trouble trouble) {
    return trouble == DPU_LOOP_WRAM   ? "blocks of its registers do not fit into WRAM"
           : trouble == DPU_LOOP_IRAM ? "its code does not fit into IRAM"
                                      : "DPUs do not carry it out";
}

static bool masked_after(const struct insn *insns, size_t count, bool masked) {
    for (size_t i = 0; i < count; i++) {
        uint32_t flags = isa_info(insns[i].op)->flags;
        masked = (masked || flags & ISA_PREDICATE_ON) && !(flags & ISA_PREDICATE_OFF);
    }
    return masked;
}

/* In one piece, or in halves of which each is. */
static bool compile(struct compiling *c, size_t first, size_t count, bool masked, size_t *wrong,
                    struct str *problem) {
    struct str text = {0};
    struct dpu_loop_about about;
    uint64_t which = 0;
    uint32_t from = behind_tables(c->runs);
    struct dpu_loop loop = {.run = *c->all,
                            .elements = MOST_ELEMENTS,
                            .arguments = DPU_RUN_ARGUMENTS,
                            .tasklets = c->limits->tasklets,
                            .wram_first = from,
                            .wram_bytes = c->limits->wram_bytes - from,
                            .iram_words = c->limits->iram_words - DPU_RUN_HEAD_WORDS,
                            .tables = c->table_at};
    struct dpu_loop_sources sources = {.words = {0}};
    loop.sources = &sources;
    loop.run.insns = c->insns + first;
    loop.run.count = count;
    loop.run.masked = masked;
    loop.run.far = c->far;
    enum dpu_loop_trouble trouble = dpu_loop_text(&loop, &text, &about, &which);
    bool fine = !trouble;
    if (fine) {
        struct dpu_run_piece p = add_piece(c->runs, c->limits, &text);
        p.block = about.block;
        p.unrolled = about.unrolled;
        p.count = (uint32_t)count;
        p.first_source = (uint32_t)c->runs->sources.len;
        for (uint32_t i = 0; i < p.words; i++)
            vec_push(&c->runs->sources, i < sources.words.len ? sources.words.data[i] : 0);
        vec_push(&c->runs->pieces, p);
    } else if (count > 1 && (trouble == DPU_LOOP_WRAM || trouble == DPU_LOOP_IRAM)) {
        size_t half = count / 2;
        bool then = masked_after(c->insns + first, half, masked);
        fine = compile(c, first, half, masked, wrong, problem) &&
               compile(c, first + half, count - half, then, wrong, problem);
    } else {
        *wrong = first + (trouble == DPU_LOOP_INSTRUCTION ? (size_t)which : 0);
        str_append(problem, why(trouble));
    }
    vec_free(&sources.words);
    str_free(&text);
    return fine;
}

static void number_tables(const struct dpu_runs *r, struct insn *insns, size_t count,
                          uint32_t *table_at, uint8_t *far) {
    for (size_t i = 0; i < r->tables.len; i++) {
        table_at[i] = r->tables.data[i].at;
        far[i] = r->tables.data[i].far;
    }
    for (size_t i = 0; i < count; i++) {
        const struct dpu_run_table *t =
            isa_has_table(insns[i].op) ? dpu_runs_table(r, &insns[i]) : NULL;
        if (t)
            insns[i].lut = (uint16_t)(t - r->tables.data);
    }
}

bool dpu_runs_add(struct dpu_runs *r, const struct dpu_run_limits *limits,
                  const struct scalar_run *run, size_t *wrong, struct str *problem) {
    struct dpu_run out = {.masked = run->masked,
                          .count = (uint32_t)run->count,
                          .first_text = (uint32_t)r->text.len,
                          .first_piece = (uint32_t)r->pieces.len};
    struct insn *insns = xcalloc(run->count + 1, sizeof *insns);
    uint32_t *table_at = xcalloc(r->tables.len + 1, sizeof *table_at);
    uint8_t *far = xcalloc(r->tables.len + 1, 1);
    struct compiling c = {r, limits, run, insns, table_at, far};
    memcpy(insns, run->insns, run->count * sizeof *insns);
    number_tables(r, insns, run->count, table_at, far);
    bool fine = compile(&c, 0, run->count, run->masked, wrong, problem);
    for (size_t i = 0; fine && i < run->count; i++) {
        uint32_t word = 0;
        isa_encode(&run->insns[i], &word);
        vec_push(&r->text, word);
    }
    out.piece_count = (uint32_t)r->pieces.len - out.first_piece;
    if (fine)
        vec_push(&r->runs, out);
    free(insns);
    free(table_at);
    free(far);
    return fine;
}

const struct dpu_run *dpu_runs_find(const struct dpu_runs *r, const struct insn *insns,
                                    size_t count, bool masked) {
    for (size_t k = 0; k < r->runs.len; k++) {
        const struct dpu_run *x = &r->runs.data[k];
        if (x->count == count && x->masked == masked &&
            scalar_run_has_words(r->text.data + x->first_text, insns, count))
            return x;
    }
    return NULL;
}
