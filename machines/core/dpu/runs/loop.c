/* SPDX-License-Identifier: MIT
 * The loop of a run on one DPU.  A tasklet takes every so-manieth block of elements: what is read
 * of it comes to WRAM, the body goes through it, what was written goes back.
 *
 * A tasklet's part of WRAM: its block's number and what it needs of tables in MRAM, the stack, and
 * for each size of elements the blocks of the arrays of that size, one behind the other, which one
 * register goes through. */
#include "machines/core/dpu/dpu.h"
#include "machines/core/dpu/runs/runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_UNROLLED 8u
#define LEAST_BLOCK   8u    /* elements: transfers are 8 bytes and more */
#define MOST_TRANSFER 2048u /* bytes */
#define OWN_BYTES     8u /* in front of the stack: a block's number, where tables of MRAM begin */
#define FAR_BYTES     8u /* behind these, where there are such tables: what came of one */
#define SIZES         DPU_LOOP_SIZES

struct loop_layout {
    const struct dpu_loop *loop;
    struct dpu_loop_about *about;
    bool loads[SCALAR_ARRAYS], stores[SCALAR_ARRAYS];
    uint8_t size[SCALAR_ARRAYS];   /* log2 of an element's bytes */
    uint32_t place[SCALAR_ARRAYS]; /* of its block among those of its size */
    uint32_t arrays[SIZES];        /* how many have that size */
    const char *pointer[SIZES];
    const char *counter;
    unsigned registers; /* for values */
    bool far;           /* a table in MRAM is looked up */
    uint32_t own;       /* bytes in front of the stack */
    uint32_t stack;
};

uint32_t dpu_loop_round(uint32_t elements) {
    const uint32_t most = MOST_TRANSFER;
    return (elements + most - 1) / most * most;
}

static unsigned log2_of(uint32_t n) {
    return (unsigned)__builtin_ctz(n);
}

/* Places of arguments. */
enum {
    ARGUMENT_BLOCKS,
    ARGUMENT_BASE,
    ARGUMENT_SHIFT = ARGUMENT_BASE + SCALAR_ARRAYS,
    ARGUMENT_LAPS,
    ARGUMENT_BYTES,
    ARGUMENT_FAR = ARGUMENT_BYTES + SIZES
};
static uint32_t argument(const struct loop_layout *l, unsigned number) {
    return l->loop->arguments + 4 * number;
}

void dpu_loop_arguments(uint32_t elements, uint32_t tasklets, uint32_t most, uint32_t unrolled,
                        const uint32_t base[SCALAR_ARRAYS], uint32_t far,
                        uint32_t out[DPU_LOOP_ARGUMENTS]) {
    uint32_t block = unrolled > LEAST_BLOCK ? unrolled : LEAST_BLOCK;
    while (block < most && (uint64_t)block * tasklets < elements)
        block *= 2;
    out[ARGUMENT_BLOCKS] = (elements + block - 1) / block;
    memcpy(out + ARGUMENT_BASE, base, SCALAR_ARRAYS * sizeof *base);
    out[ARGUMENT_SHIFT] = log2_of(block);
    out[ARGUMENT_LAPS] = block / unrolled;
    out[ARGUMENT_FAR] = far;
    for (unsigned s = 0; s < SIZES; s++)
        out[ARGUMENT_BYTES + s] = (((block << s) / 8 - 1) & 255) << 24;
}

/* Which arrays the body touches.  One that is stored in parts, or under a mask, comes first. */
static void touch(struct loop_layout *l, const struct scalar_body *b) {
    for (unsigned a = 0; a < SCALAR_ARRAYS; a++)
        l->size[a] = a < 64 && l->loop->run.reg_bits[a]
                         ? (uint8_t)log2_of(scalar_bytes(l->loop->run.reg_bits[a]))
                         : 0;
    for (size_t i = 0; i < b->values.len; i++) {
        const struct scalar_value *v = &b->values.data[i];
        if ((v->op == SCALAR_LOAD || v->op == SCALAR_LOADS) && v->uses)
            l->loads[v->array] = true;
        l->far |= v->op == SCALAR_LOOKUP_FAR && v->uses;
        if (v->op != SCALAR_STORE || !v->bytes)
            continue;
        l->stores[v->array] = true;
        if (v->a || v->bytes != 1u << l->size[v->array])
            l->loads[v->array] = true;
    }
    l->own = OWN_BYTES + (l->far ? FAR_BYTES : 0);
    for (unsigned a = 0; a < SCALAR_ARRAYS; a++)
        if (l->loads[a] || l->stores[a])
            l->place[a] = l->arrays[l->size[a]]++;
}
static void name_registers(struct loop_layout *l) {
    const struct scalar_core *core = dpu_scalar_core();
    unsigned r = core->registers;
    for (unsigned s = 0; s < SIZES; s++)
        if (l->arrays[s])
            l->pointer[s] = core->names[--r];
    l->counter = core->names[--r];
    l->registers = r;
}

static uint32_t block_bytes(const struct loop_layout *l, uint32_t block) {
    uint32_t bytes = 0;
    for (unsigned s = 0; s < SIZES; s++)
        bytes += l->arrays[s] * (block << s);
    return bytes;
}
/* The largest that fits beside a stack of so many bytes, and of which all tasklets get some. */
static uint32_t block_of(const struct loop_layout *l, uint32_t stack) {
    uint32_t most = MOST_TRANSFER, each = l->loop->wram_bytes / l->loop->tasklets / 8 * 8;
    for (unsigned s = 0; s < SIZES; s++)
        if (l->arrays[s] && most > MOST_TRANSFER >> s)
            most = MOST_TRANSFER >> s;
    while (most > LEAST_BLOCK && (l->own + stack + block_bytes(l, most) > each ||
                                  (uint64_t)(most / 2) * l->loop->tasklets >= l->loop->elements))
        most /= 2;
    return l->own + stack + block_bytes(l, most) > each ? 0 : most;
}

static void place_at(const void *context, uint32_t array, uint32_t element, const char **reg,
                     uint32_t *offset) {
    const struct loop_layout *l = context;
    unsigned s = l->size[array];
    *reg = l->pointer[s];
    *offset = (l->place[array] * l->about->block + element) << s;
}
static void place_table(const void *context, uint32_t table, const char **reg, uint32_t *offset) {
    const struct loop_layout *l = context;
    *reg = "zero";
    *offset = l->loop->tables[table];
}

/* The body `unrolled` times; about->lap and the rest of `code` say what came of it. */
static enum dpu_loop_trouble body(struct loop_layout *l, uint32_t unrolled, struct str *out,
                                  struct scalar_code *code, uint64_t *which) {
    struct scalar_body b = {.from = 0};
    struct scalar_places places = {place_at, place_table, l, 0, 0};
    enum dpu_loop_trouble trouble = DPU_LOOP_FINE;
    size_t wrong = 0;
    scalar_id none = 0;
    for (uint32_t i = 0; i < unrolled && !trouble; i++)
        if (!scalar_from_run(&b, &l->loop->run, i, &wrong)) {
            *which = wrong;
            trouble = DPU_LOOP_INSTRUCTION;
        }
    if (!trouble) {
        scalar_finish(&b);
        if (!l->counter) {
            touch(l, &b);
            name_registers(l);
            l->about->block = 1; /* not known yet; lengths of code do not depend on it */
        }
        places.registers = l->registers;
        places.stack = l->own;
        if (!scalar_emit(dpu_scalar_core(), &b, &places, out, code, &none)) {
            *which = none;
            trouble = DPU_LOOP_PATTERN;
        }
    }
    scalar_free(&b);
    return trouble;
}

static uint32_t block_before(const struct loop_layout *l, unsigned array) {
    unsigned s = l->size[array];
    uint32_t before = l->own + l->stack;
    for (unsigned i = 0; i < s; i++)
        before += l->arrays[i] * (l->about->block << i);
    return before + ((l->place[array] * l->about->block) << s);
}
/* r0 is the number of the block, or with arguments r3 its first element. */
static void transfer(struct str *out, const struct loop_layout *l, unsigned array,
                     const char *how) {
    unsigned s = l->size[array];
    if (l->loop->arguments) {
        str_printf(out, "  lw r1, zero, %" PRIu32 "\n", argument(l, ARGUMENT_BASE + array));
        str_printf(out, "  lsl_add r1, r1, r3, %u\n", s);
        str_printf(out, "  lw r2, zero, %" PRIu32 "\n  add r2, r2, r22\n",
                   argument(l, ARGUMENT_BYTES + s));
    } else {
        str_printf(out, "  move r1, %" PRIu32 "\n", l->loop->base[array]);
        str_printf(out, "  lsl_add r1, r1, r0, %u\n", log2_of(l->about->block) + s);
    }
    str_printf(out, "  add r2, %s, %" PRIu32 "\n  %s r2, r1, %" PRIu32 "\n",
               l->loop->arguments ? "r2" : "r22", block_before(l, array), how,
               l->loop->arguments ? 0 : (l->about->block << s) / 8 - 1);
}
static void transfers(struct str *out, const struct loop_layout *l, const bool which[],
                      const char *how) {
    if (l->loop->arguments)
        str_printf(out, "  lw r3, zero, %" PRIu32 "\n  lsl r3, r0, r3\n",
                   argument(l, ARGUMENT_SHIFT));
    for (unsigned a = 0; a < SCALAR_ARRAYS; a++)
        if (which[a])
            transfer(out, l, a, how);
}

static void begin(struct str *out, const struct loop_layout *l) {
    const struct dpu_loop *p = l->loop;
    str_printf(out, "  jeq id, %" PRIu32 ", run_go\n  boot id, 1\nrun_go:\n", p->tasklets - 1);
    str_printf(out, "  move r0, %" PRIu32 "\n", p->wram_bytes / p->tasklets / 8 * 8);
    str_append(out, "  move r1, id\n  mul_ul_ul r2, r1, r0\n  mul_ul_uh r0, r1, r0\n"
                    "  lsl_add r22, r2, r0, 8\n");
    str_printf(out, "  add r22, r22, %" PRIu32 "\n", p->wram_first);
    if (l->far && p->arguments)
        str_printf(out, "  lw r0, zero, %" PRIu32 "\n  sw r22, 4, r0\n", argument(l, ARGUMENT_FAR));
    else if (l->far)
        str_printf(out, "  move r0, %" PRIu32 "\n  sw r22, 4, r0\n", p->far_base);
    str_append(out, "  move r0, id\n");
}
static void pointers(struct str *out, const struct loop_layout *l, uint32_t unrolled) {
    uint32_t at = l->own + l->stack;
    for (unsigned s = 0; s < SIZES; s++)
        if (l->arrays[s]) {
            str_printf(out, "  add %s, r22, %" PRIu32 "\n", l->pointer[s], at);
            at += l->arrays[s] * (l->about->block << s);
        }
    if (l->loop->arguments)
        str_printf(out, "  lw %s, zero, %" PRIu32 "\n", l->counter, argument(l, ARGUMENT_LAPS));
    else
        str_printf(out, "  move %s, %" PRIu32 "\n", l->counter, l->about->block / unrolled);
}

void dpu_put_routines(struct str *out, const struct scalar_code *code) {
    VEC(const char *) names = {0};
    for (size_t i = 0; i < code->routines.len; i++)
        vec_push(&names, code->routines.data[i]);
    for (size_t i = 0; i < names.len; i++) {
        const char *needs = NULL;
        bool there = false;
        for (size_t k = 0; k < i; k++)
            there = there || strcmp(names.data[k], names.data[i]) == 0;
        if (!there)
            str_append(out, dpu_routine(names.data[i], &needs));
        if (needs)
            vec_push(&names, needs);
    }
    vec_free(&names);
}
uint32_t dpu_words_of(const char *text) {
    uint32_t n = 0;
    for (const char *s = text; *s; s++)
        n += *s == ' ' && s[1] == ' ' && s[2] != '.' && (s == text || s[-1] == '\n');
    return n;
}

static void whole(struct str *out, const struct loop_layout *l, const char *lap,
                  const struct scalar_code *code, uint32_t unrolled) {
    const struct dpu_loop *p = l->loop;
    uint32_t blocks = (p->elements + l->about->block - 1) / l->about->block;
    begin(out, l);
    str_append(out, "run_block:\n");
    if (p->arguments)
        str_printf(out, "  lw r1, zero, %" PRIu32 "\n", argument(l, ARGUMENT_BLOCKS));
    else
        str_printf(out, "  move r1, %" PRIu32 "\n", blocks);
    str_append(out, "  jgeu r0, r1, run_end\n");
    str_append(out, "  sw r22, 0, r0\n");
    transfers(out, l, l->loads, "ldma");
    pointers(out, l, unrolled);
    str_printf(out, "run_lap:\n%s", lap);
    for (unsigned s = 0; s < SIZES; s++)
        if (l->arrays[s])
            str_printf(out, "  add %s, %s, %" PRIu32 "\n", l->pointer[s], l->pointer[s],
                       unrolled << s);
    str_printf(out, "  add %s, %s, -1, nz, run_lap\n  lw r0, r22, 0\n", l->counter, l->counter);
    transfers(out, l, l->stores, "sdma");
    str_printf(out, "  add r0, r0, %" PRIu32 "\n  jump run_block\nrun_end:\n  stop true, run_end\n",
               p->tasklets);
    dpu_put_routines(out, code);
}

static void report(const struct loop_layout *l, const struct scalar_code *code, uint32_t unrolled) {
    struct dpu_loop_about *about = l->about;
    unsigned sizes = 0;
    for (unsigned s = 0; s < SIZES; s++)
        sizes += l->arrays[s] != 0;
    about->unrolled = unrolled;
    about->lap = code->instructions + sizes + 1;
    about->spills = code->spills;
    for (unsigned a = 0; a < SCALAR_ARRAYS; a++) {
        if (a < 64) {
            about->loads |= (uint64_t)l->loads[a] << a;
            about->stores |= (uint64_t)l->stores[a] << a;
        } else {
            about->loads_flags[a - SCALAR_C] = l->loads[a];
            about->stores_flags[a - SCALAR_C] = l->stores[a];
        }
    }
}

/* As often as IRAM has room, and a stack leaves room for blocks. */
static enum dpu_loop_trouble try_unrolled(struct loop_layout *l, uint32_t unrolled, struct str *out,
                                          uint64_t *which) {
    struct str lap = {0}, text = {0};
    struct scalar_code code = {0}, again = {0};
    enum dpu_loop_trouble trouble = body(l, unrolled, &lap, &code, which);
    l->stack = code.stack;
    if (!trouble && !(l->about->block = block_of(l, l->stack)))
        trouble = DPU_LOOP_WRAM;
    if (!trouble && l->about->block % unrolled != 0)
        trouble = DPU_LOOP_WRAM;
    str_clear(&lap);
    if (!trouble)
        trouble = body(l, unrolled, &lap, &again, which);
    if (!trouble) {
        whole(&text, l, str_text(&lap), &again, unrolled);
        l->about->words = dpu_words_of(str_text(&text));
        *which = l->about->words;
        if (l->about->words > l->loop->iram_words)
            trouble = DPU_LOOP_IRAM;
    }
    if (!trouble) {
        report(l, &again, unrolled);
        str_append(out, str_text(&text));
    }
    vec_free(&code.routines);
    vec_free(&again.routines);
    str_free(&lap);
    str_free(&text);
    return trouble;
}

enum dpu_loop_trouble dpu_loop_text(const struct dpu_loop *loop, struct str *out,
                                    struct dpu_loop_about *about, uint64_t *which) {
    enum dpu_loop_trouble trouble = DPU_LOOP_IRAM;
    for (uint32_t u = loop->most_unrolled ? loop->most_unrolled : MOST_UNROLLED; u && trouble;
         u /= 2) {
        *about = (struct dpu_loop_about){.block = 0};
        struct loop_layout l = {.loop = loop, .about = about};
        trouble = try_unrolled(&l, u, out, which);
        if (trouble == DPU_LOOP_INSTRUCTION || trouble == DPU_LOOP_PATTERN)
            break;
    }
    return trouble;
}
