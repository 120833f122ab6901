/* SPDX-License-Identifier: MIT
 * Who pays: what a device did, divided among the labels under which it was called.  Invariant: the
 * bills of all labels add up to device.billed, which was device_bill when one of them last paid. */
#include "runtime/device.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LABELS = 4096, MOST_NAME = 255 };

/* What a figure of the bill is divided by. */
enum bill_weight { BY_TIME, BY_ENERGY, BY_NUMBER, BILL_WEIGHTS };
static const struct {
    size_t at; /* in struct device_bill */
    enum bill_weight by;
} bill_figures[] = {{offsetof(struct device_bill, time_ps), BY_TIME},
                    {offsetof(struct device_bill, energy_fj), BY_ENERGY},
                    {offsetof(struct device_bill, end_ps), BY_TIME},
                    {offsetof(struct device_bill, end_fj), BY_ENERGY},
                    {offsetof(struct device_bill, bytes_in), BY_NUMBER},
                    {offsetof(struct device_bill, bytes_out), BY_NUMBER}};
enum { BILL_FIGURES = sizeof bill_figures / sizeof *bill_figures };

static uint64_t *figure_of(struct device_bill *bill, unsigned figure) {
    return (uint64_t *)(void *)((char *)bill + bill_figures[figure].at);
}

/* ---- the label that is set ---- */

static bool is_name(const char *name) {
    size_t length = 0;
    for (; length <= MOST_NAME && name[length]; length++)
        if ((unsigned char)name[length] < ' ' || name[length] == 127)
            return false;
    return length <= MOST_NAME;
}

static uint32_t number_of(mpu_device *device, const char *name) {
    const uint32_t number = map_number(&device->label_numbers, name, strlen(name));
    while (device->labels.len <= number)
        vec_push(&device->labels, (struct device_label){.calls = 0});
    return number;
}

mpu_result mpu_device_label(mpu_device *device, const char *name) {
    PUBLIC_ENTRY_OF(device, NULL, MPU_CAPACITY);
    const char *text = name ? name : "";
    if (!is_name(text) || (device->labels.len > MOST_LABELS &&
                           !map_get_n(&device->label_numbers, text, strlen(text))))
        return MPU_USAGE;
    number_of(device, "");
    device_label_settle(device);
    device->label = number_of(device, text);
    device->labels.data[device->label].calls += device->label != 0;
    return MPU_OK;
}

/* ---- paying ---- */

/* Figure by figure what was not paid for yet. */
static struct device_bill take_bill(mpu_device *device) {
    struct device_bill now = device_bill(device), open = now;
    for (unsigned k = 0; k < BILL_FIGURES; k++)
        *figure_of(&open, k) -= *figure_of(&device->billed, k);
    device->billed = now;
    return open;
}

static void pay(mpu_device *device, uint32_t label, unsigned figure, uint64_t sum) {
    uint64_t *paid = figure_of(&device->labels.data[label].bill, figure);
    *paid = sat_add(*paid, sum);
}

void device_label_charge(mpu_device *device, uint32_t label) {
    if (!device->labels.len)
        return;
    struct device_bill open = take_bill(device);
    for (unsigned k = 0; k < BILL_FIGURES; k++)
        pay(device, label, k, *figure_of(&open, k));
}

void device_label_settle(mpu_device *device) {
    device_label_charge(device, device->label);
}

/* up_to[i]: weights of operations 0 .. i, which are not all 0. */
static void divide_figure(mpu_device *device, unsigned figure, uint64_t sum, const uint32_t *labels,
                          const uint64_t *up_to, uint32_t count) {
    uint64_t before = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t here = sat_scale(sum, up_to[i], up_to[count - 1]);
        pay(device, labels[i], figure, here - before);
        before = here;
    }
}

/* Of those that call, the subroutines' share, each the same; NULL: each has the same of all. */
static void add_up(const uint64_t *each, uint64_t called, const struct device_shares *shares,
                   uint32_t count, uint64_t *up_to) {
    uint64_t sum = 0, callers = 0;
    for (uint32_t i = 0; each && i < count; i++)
        callers += shares->calls[i];
    for (uint32_t i = 0; each && i < count; i++)
        up_to[i] = sum = sat_add(sum, sat_add(each[i], shares->calls[i] ? called / callers : 0));
    for (uint32_t i = 0; !sum && i < count; i++)
        up_to[i] = i + 1u;
}

void device_label_divide(mpu_device *device, const uint32_t *labels, uint32_t count,
                         const struct device_shares *shares) {
    if (!device->labels.len)
        return;
    uint64_t up_to[BILL_WEIGHTS][DEVICE_SEGMENT];
    struct device_bill open = take_bill(device);
    add_up(shares->time_ps, shares->called_ps, shares, count, up_to[BY_TIME]);
    add_up(shares->energy_fj, shares->called_fj, shares, count, up_to[BY_ENERGY]);
    add_up(NULL, 0, shares, count, up_to[BY_NUMBER]);
    for (unsigned k = 0; k < BILL_FIGURES; k++)
        divide_figure(device, k, *figure_of(&open, k), labels, up_to[bill_figures[k].by], count);
}

void device_label_count(mpu_device *device, uint32_t label) {
    if (!device->labels.len)
        return;
    device->labels.data[label].operations++;
    device->labels.data[label].flushed++;
}

void device_label_close(mpu_device *device) {
    const uint32_t count = (uint32_t)device->labels.len;
    uint64_t *up_to = xcalloc(count + 1u, sizeof *up_to), sum = 0;
    uint32_t *labels = xcalloc(count + 1u, sizeof *labels);
    for (uint32_t i = 0; i < count; i++) {
        labels[i] = i;
        up_to[i] = sum += device->labels.data[i].flushed;
        device->labels.data[i].flushed = 0;
    }
    struct device_bill open = sum ? take_bill(device) : (struct device_bill){.time_ps = 0};
    for (unsigned k = 0; sum && k < BILL_FIGURES; k++)
        divide_figure(device, k, *figure_of(&open, k), labels, up_to, count);
    free(labels);
    free(up_to);
}

/* ---- figures ---- */

static bool has_something(const struct device_label *label) {
    static const struct device_label nothing;
    return memcmp(label, &nothing, sizeof nothing) != 0;
}

void device_label_report(mpu_device *device, struct figures *figures) {
    const bool known = !device->golden, all = device->costs_known;
    device_label_settle(device);
    report_figures_array(figures, "labels");
    for (size_t i = 0; i < device->labels.len; i++) {
        const struct device_label *l = &device->labels.data[i];
        if (!has_something(l))
            continue;
        report_figures_object(figures, NULL);
        report_figures_text(figures, "name", device->label_numbers.entries[i].key);
        report_figures_number(figures, "calls", l->calls);
        report_figures_number(figures, "operations", l->operations);
        report_figures_known(figures, "time_ps", known, l->bill.time_ps);
        report_figures_known(figures, "energy_fj", known, l->bill.energy_fj);
        report_figures_known(figures, "end_to_end_time_ps", all, l->bill.end_ps);
        report_figures_known(figures, "end_to_end_energy_fj", all, l->bill.end_fj);
        report_figures_number(figures, "bytes_in", l->bill.bytes_in);
        report_figures_number(figures, "bytes_out", l->bill.bytes_out);
        report_figures_end(figures);
    }
    report_figures_end(figures);
}

void device_label_reset(mpu_device *device) {
    for (size_t i = 0; i < device->labels.len; i++)
        device->labels.data[i] = (struct device_label){.calls = 0};
    device->billed = (struct device_bill){.time_ps = 0};
}

void device_labels_free(mpu_device *device) {
    vec_free(&device->labels);
    map_free(&device->label_numbers);
}
