/* SPDX-License-Identifier: MIT
 * Runs as bytes: how many images, pieces, runs, words of text and tables there are; then these. */
#include "machines/core/dpu/runs/images.h"

#include "machines/core/dpu/dpu.h"
#include "object/bytes.h"

enum { PIECE_NUMBERS = 6, RUN_NUMBERS = 5, TABLE_NUMBERS = 5, WORD_BYTES = 8 };

void dpu_runs_write(const struct dpu_runs *r, struct str *out) {
    put_u32(out, (uint32_t)r->images.len);
    put_u32(out, (uint32_t)r->pieces.len);
    put_u32(out, (uint32_t)r->runs.len);
    put_u32(out, (uint32_t)r->text.len);
    put_u32(out, (uint32_t)r->tables.len);
    for (size_t i = 0; i < r->images.len; i++) {
        const struct dpu_run_image *x = &r->images.data[i];
        put_u32(out, (uint32_t)x->words.len);
        for (size_t w = 0; w < x->words.len; w++)
            put_u64(out, x->words.data[w]);
    }
    for (size_t i = 0; i < r->pieces.len; i++) {
        const struct dpu_run_piece *x = &r->pieces.data[i];
        const uint32_t numbers[PIECE_NUMBERS] = {x->image, x->entry,    x->words,
                                                 x->block, x->unrolled, x->count};
        for (size_t k = 0; k < PIECE_NUMBERS; k++)
            put_u32(out, numbers[k]);
    }
    for (size_t i = 0; i < r->runs.len; i++) {
        const struct dpu_run *x = &r->runs.data[i];
        const uint32_t numbers[RUN_NUMBERS] = {x->masked, x->count, x->first_text, x->first_piece,
                                               x->piece_count};
        for (size_t k = 0; k < RUN_NUMBERS; k++)
            put_u32(out, numbers[k]);
    }
    for (size_t i = 0; i < r->text.len; i++)
        put_u32(out, r->text.data[i]);
    for (size_t i = 0; i < r->tables.len; i++) {
        const struct dpu_run_table *x = &r->tables.data[i];
        const uint32_t numbers[TABLE_NUMBERS] = {x->lut, x->bytes, x->at, x->size, x->far};
        for (size_t k = 0; k < TABLE_NUMBERS; k++)
            put_u32(out, numbers[k]);
    }
}

/* ---- and back ---- */

struct image_reader {
    const unsigned char *at, *end;
    bool fine;
};
static uint32_t take(struct image_reader *r) {
    r->fine = r->fine && r->end - r->at >= 4;
    if (!r->fine)
        return 0;
    r->at += 4;
    return get_u32(r->at - 4);
}
static void take_numbers(struct image_reader *r, uint32_t *out, size_t count) {
    for (size_t i = 0; i < count; i++)
        out[i] = take(r);
}
/* A number of things of so many bytes each, as the bytes that are left may hold. */
static uint32_t take_count(struct image_reader *r, size_t bytes) {
    uint32_t count = take(r);
    r->fine = r->fine && count <= (size_t)(r->end - r->at) / bytes;
    return r->fine ? count : 0;
}

static void take_image(struct image_reader *r, struct dpu_runs *out) {
    uint32_t count = take_count(r, WORD_BYTES);
    r->fine = r->fine && count && count <= DPU_IRAM_WORDS;
    vec_push(&out->images, ((struct dpu_run_image){.words = {0}}));
    for (uint32_t i = 0; r->fine && i < count; i++, r->at += WORD_BYTES)
        vec_push(&vec_last(&out->images).words, get_u64(r->at));
}
static void take_piece(struct image_reader *r, struct dpu_runs *out) {
    uint32_t n[PIECE_NUMBERS];
    take_numbers(r, n, PIECE_NUMBERS);
    const struct dpu_run_piece x = {n[0], n[1], n[2], n[3], n[4], n[5]};
    r->fine = r->fine && x.image < out->images.len && x.block && x.block <= 2048 && x.unrolled &&
              x.unrolled <= x.block && !(x.block & (x.block - 1)) &&
              !(x.unrolled & (x.unrolled - 1)) && x.count;
    if (r->fine) {
        size_t words = out->images.data[x.image].words.len;
        r->fine = x.words && x.entry >= DPU_RUN_HEAD_WORDS && x.entry < words &&
                  x.words <= words - x.entry;
    }
    vec_push(&out->pieces, x);
}
static void take_run(struct image_reader *r, struct dpu_runs *out, size_t texts) {
    uint32_t n[RUN_NUMBERS], sum = 0;
    take_numbers(r, n, RUN_NUMBERS);
    const struct dpu_run x = {n[0] != 0, n[1], n[2], n[3], n[4]};
    r->fine = r->fine && n[0] < 2 && x.first_text <= texts && x.count <= texts - x.first_text &&
              x.first_piece <= out->pieces.len && x.piece_count &&
              x.piece_count <= out->pieces.len - x.first_piece;
    for (uint32_t i = 0; r->fine && i < x.piece_count; i++) {
        uint32_t count = out->pieces.data[x.first_piece + i].count;
        r->fine = count <= x.count - sum;
        sum += count;
    }
    r->fine = r->fine && sum == x.count;
    vec_push(&out->runs, x);
}
static void take_table(struct image_reader *r, struct dpu_runs *out) {
    uint32_t n[TABLE_NUMBERS];
    take_numbers(r, n, TABLE_NUMBERS);
    const struct dpu_run_table x = {n[0], n[1], n[2], n[3], n[4] != 0};
    const uint32_t room = x.far ? DPU_MRAM_BYTES : DPU_WRAM_BYTES;
    r->fine = r->fine && (x.bytes == 1 || x.bytes == 2 || x.bytes == 4 || x.bytes == 8) &&
              n[4] < 2 && (x.far || x.at >= DPU_RUN_TABLES) && x.at % 8 == 0 && x.at <= room &&
              x.size <= room - x.at;
    vec_push(&out->tables, x);
}

bool dpu_runs_read(const void *bytes, size_t size, struct dpu_runs *out) {
    struct image_reader r = {bytes, (const unsigned char *)bytes + size, true};
    uint32_t n[5];
    take_numbers(&r, n, 5);
    for (uint32_t i = 0; r.fine && i < n[0]; i++)
        take_image(&r, out);
    for (uint32_t i = 0; r.fine && i < n[1]; i++)
        take_piece(&r, out);
    for (uint32_t i = 0; r.fine && i < n[2]; i++)
        take_run(&r, out, n[3]);
    for (uint32_t i = 0; r.fine && i < n[3]; i++)
        vec_push(&out->text, take(&r));
    for (uint32_t i = 0; r.fine && i < n[4]; i++)
        take_table(&r, out);
    return r.fine && r.at == r.end;
}
