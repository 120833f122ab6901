/* SPDX-License-Identifier: MIT
 * Writes of every cell: VRFs that were written alike are boxes of MPUs, RFHs and VRFs, so that what
 * a whole chip did alike is a line for each cell.  Invariant: at any time each VRF of a class lies
 * in one box of it. */
#include "emu/report/report.h"

#include "support/str.h"
#include "support/vec.h"

#include <stdlib.h>

struct wear_box {
    uint32_t class, mpu, mpus, rfh, rfhs, vrf, vrfs;
};
struct wear_lines {
    const struct report_run *run;
    struct file_stream *out;
    VEC(struct wear_box) boxes;
    size_t first, end; /* boxes of the class at hand */
    uint32_t class;
    bool open; /* the boxes are in order, and there is one */
    struct str line, name;
};

static uint32_t least(uint64_t left, uint64_t right) {
    return (uint32_t)(left < right ? left : right);
}

/* The largest box that a range of VRFs begins with; returns how many VRFs it has. */
static uint64_t first_box(const struct target *target, uint32_t first, uint64_t count,
                          struct wear_box *box) {
    uint32_t per = target_vrfs_per_mpu(target), rfhs = target->rfh_per_mpu;
    uint32_t at = first % per, left = least(count, per - at);
    box->mpu = first / per;
    box->mpus = box->vrfs = 1;
    box->vrf = at / rfhs;
    box->rfh = at % rfhs;
    box->rfhs = least(left, rfhs - box->rfh);
    if (box->rfh == 0 && left >= rfhs)
        box->vrfs = left / rfhs;
    if (at == 0 && count >= per)
        box->mpus = (uint32_t)(count / per);
    return (uint64_t)box->mpus * box->vrfs * box->rfhs;
}

static void add_range(void *context, uint32_t class_number, uint32_t first, uint64_t vrfs) {
    struct wear_lines *x = context;
    while (vrfs) {
        struct wear_box box = {.class = class_number};
        uint64_t n = first_box(x->run->target, first, vrfs, &box);
        vec_push(&x->boxes, box);
        first += (uint32_t)n;
        vrfs -= n;
    }
}

/* Members in this order; the first that differs decides. */
static int compare(const uint32_t *left, const uint32_t *right, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

/* Boxes that differ in nothing but their VRFs stand one behind the other. */
static int by_vrf(const void *left, const void *right) {
    const struct wear_box *a = left, *b = right;
    const uint32_t x[] = {a->class, a->mpu, a->mpus, a->rfh, a->rfhs, a->vrf},
                   y[] = {b->class, b->mpu, b->mpus, b->rfh, b->rfhs, b->vrf};
    return compare(x, y, sizeof x / sizeof *x);
}

/* Likewise for MPUs. */
static int by_mpu(const void *left, const void *right) {
    const struct wear_box *a = left, *b = right;
    const uint32_t x[] = {a->class, a->vrf, a->vrfs, a->rfh, a->rfhs, a->mpu},
                   y[] = {b->class, b->vrf, b->vrfs, b->rfh, b->rfhs, b->mpu};
    return compare(x, y, sizeof x / sizeof *x);
}

/* For people: by place. */
static int by_place(const void *left, const void *right) {
    const struct wear_box *a = left, *b = right;
    const uint32_t x[] = {a->class, a->mpu, a->vrf, a->rfh},
                   y[] = {b->class, b->mpu, b->vrf, b->rfh};
    return compare(x, y, sizeof x / sizeof *x);
}

static bool joins(struct wear_box *box, const struct wear_box *next, bool mpus) {
    bool rfhs = box->class == next->class && box->rfh == next->rfh && box->rfhs == next->rfhs;
    bool same_mpus = box->mpu == next->mpu && box->mpus == next->mpus;
    bool same_vrfs = box->vrf == next->vrf && box->vrfs == next->vrfs;
    if (mpus && rfhs && same_vrfs && box->mpu + box->mpus == next->mpu) {
        box->mpus += next->mpus;
        return true;
    }
    if (!mpus && rfhs && same_mpus && box->vrf + box->vrfs == next->vrf) {
        box->vrfs += next->vrfs;
        return true;
    }
    return false;
}

static void join(struct wear_lines *lines, bool mpus) {
    struct wear_box *list = lines->boxes.data;
    size_t kept = 0;
    if (lines->boxes.len)
        qsort(list, lines->boxes.len, sizeof *list, mpus ? by_mpu : by_vrf);
    for (size_t i = 0; i < lines->boxes.len; i++)
        if (!kept || !joins(&list[kept - 1], &list[i], mpus))
            list[kept++] = list[i];
    lines->boxes.len = kept;
}

/* The boxes of a class that is new; classes come in order. */
static void open_class(struct wear_lines *lines, uint32_t class_number) {
    if (!lines->open) {
        join(lines, false);
        join(lines, true);
        if (lines->boxes.len)
            qsort(lines->boxes.data, lines->boxes.len, sizeof *lines->boxes.data, by_place);
    }
    lines->open = true;
    lines->class = class_number;
    lines->first = lines->end;
    while (lines->end < lines->boxes.len && lines->boxes.data[lines->end].class == class_number)
        lines->end++;
}

static void put_cell(void *context, uint32_t class_number, uint32_t cell, uint64_t writes) {
    struct wear_lines *x = context;
    uint32_t section = 0;
    if (!x->open || x->class != class_number)
        open_class(x, class_number);
    str_clear(&x->name);
    control_cell_text(x->run->control, cell, &x->name, &section);
    for (size_t i = x->first; i < x->end; i++) {
        const struct wear_box *b = &x->boxes.data[i];
        const uint64_t numbers[] = {b->mpu, b->mpus, b->rfh, b->rfhs, b->vrf, b->vrfs};
        str_clear(&x->line);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            str_u64(&x->line, numbers[k]);
            str_char(&x->line, ',');
        }
        str_printf(&x->line, "%s,%u,", str_text(&x->name), (unsigned)section);
        str_u64(&x->line, writes);
        str_char(&x->line, '\n');
        file_stream_write(x->out, x->line.text, x->line.len);
    }
}

void report_wear_csv(const struct report_run *run, bool one, struct file_stream *out) {
    static const char head[] = "mpu,mpus,rfh,rfhs,vrf,vrfs,row,section,writes\n";
    struct wear_lines x = {.run = run, .out = out};
    const struct wear_visit visit = {&x, add_range, put_cell};
    file_stream_write(out, head, sizeof head - 1);
    control_wear_each(run->control, one ? &control_stats(run->control)->wear.most_vrf : NULL,
                      &visit);
    vec_free(&x.boxes);
    str_free(&x.line);
    str_free(&x.name);
}
