/* SPDX-License-Identifier: MIT
 * Plans of stage kernels as bytes: numbers of 4 bytes, lists behind their lengths. */
#include "machines/core/dpu/stage_plan.h"
#include "object/bytes.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC UINT32_C(0x32475453) /* "STG2" */
/* Numbers in front of the lists. */
#define HEAD 11u

void dpu_stage_plan_free(struct dpu_stage_plan *p) {
    for (size_t i = 0; i < p->sites.len; i++)
        free(p->sites.data[i].name);
    vec_free(&p->blocks);
    vec_free(&p->seen);
    vec_free(&p->parts);
    vec_free(&p->left);
    vec_free(&p->read);
    vec_free(&p->sites);
}

static void put_all(struct str *out, const uint32_t *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        put_u32(out, numbers[i]);
}
#define PUT_LIST(list)                                                                             \
    do {                                                                                           \
        put_u32(out, (uint32_t)(list).len);                                                        \
        put_all(out, (const uint32_t *)(const void *)(list).data,                                  \
                (list).len * sizeof *(list).data / 4);                                             \
    } while (0)

void dpu_stage_plan_write(const struct dpu_stage_plan *p, struct str *out) {
    const uint32_t head[HEAD] = {p->tasklets, p->rows,    p->row,        p->starts_at,
                                 p->full_at,  p->own_at,  p->own_each,   p->end_at,
                                 p->wrong_at, p->counter, p->rows_beyond};
    put_u32(out, MAGIC);
    put_all(out, head, HEAD);
    PUT_LIST(p->blocks);
    PUT_LIST(p->seen);
    PUT_LIST(p->parts);
    PUT_LIST(p->left);
    PUT_LIST(p->read);
    put_u32(out, (uint32_t)p->sites.len);
    for (size_t i = 0; i < p->sites.len; i++) {
        const struct dpu_stage_site *s = &p->sites.data[i];
        const uint32_t numbers[] = {s->line,  s->group,     s->per,
                                    s->unit,  s->is_signed, s->bits,
                                    s->count, s->bound,     (uint32_t)strlen(s->name)};
        put_all(out, numbers, sizeof numbers / sizeof *numbers);
        str_append(out, s->name);
    }
}

struct plan_reader {
    const unsigned char *at;
    size_t left;
    bool fine;
};
static uint32_t take(struct plan_reader *r) {
    if (r->left < 4) {
        r->fine = false;
        r->left = 0;
        return 0;
    }
    uint32_t n = get_u32(r->at);
    r->at += 4;
    r->left -= 4;
    return n;
}
static bool more(struct plan_reader *r, size_t numbers, uint32_t *count) {
    *count = take(r);
    r->fine = r->fine && *count <= r->left / (4 * numbers);
    return r->fine;
}
#define TAKE_LIST(type, list)                                                                      \
    for (uint32_t n_ = 0, count_ = 0, whole_ = sizeof(type) / 4;                                   \
         n_ ? n_ <= count_ : (n_ = 1, more(&r, whole_, &count_) && count_); n_++) {                \
        uint32_t numbers_[sizeof(type) / 4];                                                       \
        type one_;                                                                                 \
        for (uint32_t i_ = 0; i_ < whole_; i_++)                                                   \
            numbers_[i_] = take(&r);                                                               \
        memcpy(&one_, numbers_, sizeof one_);                                                      \
        vec_push(&(list), one_);                                                                   \
    }

static void take_sites(struct plan_reader *r, struct dpu_stage_plan *out) {
    uint32_t count;
    if (!more(r, 9, &count))
        return;
    for (uint32_t i = 0; i < count && r->fine; i++) {
        struct dpu_stage_site s = {.line = take(r)};
        s.group = take(r);
        s.per = take(r);
        s.unit = take(r);
        s.is_signed = take(r);
        s.bits = take(r);
        s.count = take(r);
        s.bound = take(r);
        uint32_t length = take(r);
        r->fine = r->fine && length <= r->left && s.bits && s.bits <= 64 && s.per;
        if (!r->fine)
            return;
        s.name = xstrndup((const char *)r->at, length);
        r->at += length;
        r->left -= length;
        vec_push(&out->sites, s);
    }
}

size_t dpu_stage_plan_read(const void *bytes, size_t size, struct dpu_stage_plan *out) {
    struct plan_reader r = {bytes, size, true};
    *out = (struct dpu_stage_plan){.tasklets = 0};
    if (take(&r) != MAGIC)
        return 0;
    uint32_t *head[HEAD] = {&out->tasklets, &out->rows,    &out->row,        &out->starts_at,
                            &out->full_at,  &out->own_at,  &out->own_each,   &out->end_at,
                            &out->wrong_at, &out->counter, &out->rows_beyond};
    for (unsigned i = 0; i < HEAD; i++)
        *head[i] = take(&r);
    TAKE_LIST(struct dpu_stage_block, out->blocks);
    TAKE_LIST(struct dpu_stage_seen, out->seen);
    TAKE_LIST(struct dpu_stage_part, out->parts);
    TAKE_LIST(struct dpu_stage_number, out->left);
    TAKE_LIST(struct dpu_stage_read, out->read);
    take_sites(&r, out);
    if (r.fine && out->tasklets && out->tasklets <= 24 && out->row && out->counter < 32)
        return size - r.left;
    dpu_stage_plan_free(out);
    *out = (struct dpu_stage_plan){.tasklets = 0};
    return 0;
}
