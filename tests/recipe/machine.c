/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CARRIES 64

void machine_open(struct machine *x, const struct target *t, size_t words) {
    memset(x, 0, sizeof *x);
    x->t = t;
    x->words = words;
    x->registers = xcalloc(MACHINE_REGISTERS * 64 * words, 8);
    x->c = xcalloc(words, 8);
    x->m = xcalloc(words, 8);
    x->valid = xcalloc(words, 8);
    /* Not cleared: what was not written is not read. */
    x->scratch = xmalloc(((size_t)t->sections * t->scratch_rows * words + 1) * 8);
    x->buffers = xmalloc((size_t)t->sections * 2 * CARRIES * words * 8);
    x->scratch_written = xcalloc((size_t)t->sections * t->scratch_rows + 1, 1);
    x->buffer_written = xcalloc((size_t)t->sections * 2 * CARRIES, 1);
}

void machine_close(struct machine *x) {
    free(x->registers);
    free(x->c);
    free(x->m);
    free(x->valid);
    free(x->scratch);
    free(x->buffers);
    free(x->scratch_written);
    free(x->buffer_written);
}

uint64_t *machine_plane(struct machine *x, unsigned reg, unsigned bit) {
    return x->registers + ((size_t)reg * 64 + bit) * x->words;
}

void machine_get(const struct machine *x, unsigned reg, size_t word, uint64_t values[64]) {
    for (unsigned b = 0; b < 64; b++)
        values[b] = x->registers[((size_t)reg * 64 + b) * x->words + word];
    transpose64(values);
}

void machine_put(struct machine *x, unsigned reg, size_t word, const uint64_t values[64]) {
    uint64_t planes[64];
    memcpy(planes, values, sizeof planes);
    transpose64(planes);
    for (unsigned b = 0; b < 64; b++)
        machine_plane(x, reg, b)[word] = planes[b];
}

/* The plane's words, and where its written flag is (NULL: it always holds something). */
static uint64_t *find_plane(struct machine *x, uint32_t p, unsigned char **written) {
    unsigned n = PLANE_NUMBER(p), s = PLANE_SECTION(p);
    size_t i;
    *written = NULL;
    switch (PLANE_CLASS(p)) {
    case PLANE_REGISTER:
        return n >> 6 < MACHINE_REGISTERS ? machine_plane(x, n >> 6, n & 63) : NULL;
    case PLANE_C:
        return x->c;
    case PLANE_M:
        return x->m;
    case PLANE_VALID:
        return x->valid;
    case PLANE_SCRATCH:
        if (s >= x->t->sections || n >= x->t->scratch_rows)
            return NULL;
        i = (size_t)s * x->t->scratch_rows + n;
        *written = &x->scratch_written[i];
        return x->scratch + i * x->words;
    case PLANE_BUFFER:
        if (s >= x->t->sections || n >> 8 > 1 || (n & 0xff) >= CARRIES)
            return NULL;
        i = ((size_t)s * 2 + (n >> 8)) * CARRIES + (n & 0xff);
        *written = &x->buffer_written[i];
        return x->buffers + i * x->words;
    default:
        return NULL;
    }
}

static bool read_plane(struct machine *x, uint32_t p, const uint64_t **plane) {
    unsigned char *written;
    *plane = NULL;
    if (PLANE_CLASS(p) == PLANE_CONST)
        return PLANE_NUMBER(p) <= 1;
    *plane = find_plane(x, p, &written);
    return *plane && (!written || *written);
}

static uint64_t word_of(uint32_t p, const uint64_t *plane, size_t i) {
    return PLANE_CLASS(p) == PLANE_CONST ? (PLANE_NUMBER(p) ? UINT64_MAX : 0) : plane[i];
}

/* Sum of the function's minterms. */
static uint64_t apply(uint32_t truth, const uint64_t *in, unsigned n) {
    uint64_t out = 0;
    for (unsigned row = 0; row < 1u << n; row++) {
        if (!(truth >> row & 1))
            continue;
        uint64_t term = UINT64_MAX;
        for (unsigned s = 0; s < n; s++)
            term &= row >> s & 1 ? in[s] : ~in[s];
        out |= term;
    }
    return out;
}

static bool fail(struct machine *x, size_t index, const char *text) {
    snprintf(x->error, sizeof x->error, "micro-op %zu: %s", index, text);
    return false;
}

static bool run_one(struct machine *x, const struct uop *u, size_t index) {
    const struct target_op *op = &x->t->ops[u->kind];
    const uint64_t *src[UOP_MAX];
    uint64_t *dst[UOP_MAX];
    unsigned char *written;
    if (u->nsrc != op->nsrc || u->ndst != op->ndst || u->count != 1)
        return fail(x, index, "operands");
    for (unsigned k = 0; k < u->nsrc; k++)
        if (!read_plane(x, u->src[k], &src[k]))
            return fail(x, index, "reads a plane that was not written");
    for (unsigned k = 0; k < u->ndst; k++) {
        if (!(dst[k] = find_plane(x, u->dst[k], &written)) || PLANE_CLASS(u->dst[k]) == PLANE_VALID)
            return fail(x, index, "writes no plane");
        if (written)
            *written = 1;
        for (unsigned s = 0; s < u->nsrc; s++)
            if (u->src[s] == u->dst[k])
                return fail(x, index, "destination is a source");
    }
    bool masked = PLANE_CLASS(u->predicate) == PLANE_M;
    for (size_t i = 0; i < x->words; i++) {
        uint64_t in[UOP_MAX + 1], out[UOP_MAX];
        for (unsigned k = 0; k < u->ndst; k++) {
            for (unsigned s = 0; s < u->nsrc; s++)
                in[s] = word_of(u->src[s], src[s], i);
            in[u->nsrc] = dst[k][i];
            out[k] = apply(op->truth[k], in, u->nsrc + op->reads_old);
        }
        for (unsigned k = 0; k < u->ndst; k++)
            dst[k][i] = masked ? (out[k] & x->m[i]) | (dst[k][i] & ~x->m[i]) : out[k];
    }
    return true;
}

bool machine_run(struct machine *x, const struct uop_list *list) {
    x->error[0] = '\0';
    memset(x->scratch_written, 0, (size_t)x->t->sections * x->t->scratch_rows);
    memset(x->buffer_written, 0, (size_t)x->t->sections * 2 * CARRIES);
    for (size_t i = 0; i < list->len; i++)
        if (!run_one(x, &list->data[i], i))
            return false;
    return true;
}
