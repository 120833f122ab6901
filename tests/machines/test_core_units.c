/* SPDX-License-Identifier: MIT
 * Random kernels on toy cores that write to one another's elements: what they leave, what they
 * take, where they stop and what is said of that are the same whatever threads the host has, and
 * those of a model that carries the units out one after another. */
#include "tests/draws.h"
#include "emu/control/control.h"
#include "support/bits.h"
#include "support/pool.h"
#include "tests/control/machine.h"
#include "tests/machines/core/core.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KERNELS draws(DRAWS_MACHINES_CORE_UNITS)
#define CORE    MPU_SOURCE_DIR "/tests/machines/core/core.yaml"
/* Units: those of the one MPU that the programs name. */
enum { UNITS = 8, ELEMENTS = 16, MOST_STEPS = 12 };

/* ---- a kernel: steps on registers x5 and x6, and elements of y by number ---- */

enum step_kind { TAKE, GIVE, SUM, OWN, LAPS, BEYOND, STEP_KINDS };
struct step {
    enum step_kind kind;
    uint32_t element, unit; /* unit: BEYOND happens there alone */
};
struct kernel {
    struct step steps[MOST_STEPS];
    uint32_t count, workers;
};

static struct kernel random_kernel(uint64_t *seed) {
    struct kernel k = {.count = 1 + (uint32_t)(splitmix64(seed) % MOST_STEPS),
                       .workers = 1 + (uint32_t)(splitmix64(seed) % (3 * UNITS))};
    for (uint32_t i = 0; i < k.count; i++) {
        uint32_t kind = (uint32_t)(splitmix64(seed) % (3 * STEP_KINDS));
        k.steps[i].kind = kind < STEP_KINDS ? kind : kind % BEYOND; /* few that stop */
        k.steps[i].element = (uint32_t)(splitmix64(seed) % ELEMENTS);
        k.steps[i].unit = (uint32_t)(splitmix64(seed) % k.workers);
    }
    return k;
}

static void write_text(const struct kernel *k, struct str *out) {
    str_printf(out,
               "        .buffer inout y: i64[%d]\n        .kernel work core(y: i64[])\n"
               "        li x5 7\n        li x6 1\n",
               ELEMENTS);
    for (uint32_t i = 0; i < k->count; i++) {
        const struct step *s = &k->steps[i];
        str_printf(out, "        li x7 %u\n        add x7 x7 x1\n", 8 * s->element);
        if (s->kind == TAKE)
            str_append(out, "        ld x5 (x7)\n");
        else if (s->kind == GIVE)
            str_append(out, "        st x5 (x7)\n");
        else if (s->kind == SUM)
            str_append(out, "        ld x8 (x7)\n        add x5 x5 x8\n");
        else if (s->kind == OWN) /* in the element of the worker's number */
            str_printf(out,
                       "        li x8 %d\n        and x8 x8 x15\n        li x9 3\n"
                       "        shl x8 x8 x9\n        add x8 x8 x1\n        ld x9 (x8)\n"
                       "        xor x5 x5 x9\n        st x5 (x8)\n",
                       ELEMENTS - 1);
        else if (s->kind == LAPS)
            str_printf(out,
                       "        li x8 63\n        and x8 x8 x5\n"
                       "lap%u:   beqz x8 out%u\n        sub x8 x8 x6\n        add x5 x5 x15\n"
                       "        beqz x0 lap%u\nout%u:   add x5 x5 x6\n",
                       i, i, i, i);
        else
            str_printf(out,
                       "        li x8 %u\n        xor x8 x8 x15\n        bnez x8 on%u\n"
                       "        ld x5 (x6)\non%u:    add x5 x5 x6\n",
                       s->unit, i, i);
    }
    str_printf(out,
               "        end\n        .endkernel\nmain:   RECIPE work<<<%u>>>(y)\n"
               "        RECIPE work<<<%u>>>(y)\n        HALT\n",
               k->workers, k->workers);
}

/* ---- the model ---- */

static bool model_worker(const struct kernel *k, uint32_t worker, uint64_t *y) {
    uint64_t a = 7;
    for (uint32_t i = 0; i < k->count; i++) {
        uint64_t *at = &y[k->steps[i].element], *own = &y[worker % ELEMENTS];
        switch (k->steps[i].kind) {
        case TAKE:
            a = *at;
            break;
        case GIVE:
            *at = a;
            break;
        case SUM:
            a += *at;
            break;
        case OWN:
            *own = a ^= *own;
            break;
        case LAPS:
            a += (a & 63) * worker + 1;
            break;
        default:
            if (worker == k->steps[i].unit)
                return false;
            a++;
        }
    }
    return true;
}

/* The worker that stops, or UINT32_MAX; y as it is then. */
static uint32_t model_launch(const struct kernel *k, uint64_t *y) {
    for (uint32_t u = 0; u < UNITS; u++)
        for (uint32_t n = u; n < k->workers; n += UNITS)
            if (!model_worker(k, n, y))
                return n;
    return UINT32_MAX;
}

/* ---- the machine ---- */

static void print_all(struct opened *m, const uint64_t *y, struct str *out) {
    const struct control_stats *s = control_stats(m->control);
    str_printf(out, "%d %s\n%" PRIu64 " %" PRIu64, m->end, control_message(m->control), s->time_ps,
               s->launches);
    for (uint32_t i = 0; i < control_tables(m->control)->kind_count; i++)
        str_printf(out, " %" PRIu64, s->uops[i]);
    for (uint32_t i = 0; i < control_tables(m->control)->part_count; i++)
        str_printf(out, " %" PRIu64, s->energy_fj[i]);
    for (uint32_t i = 0; i < control_tables(m->control)->counter_count; i++)
        str_printf(out, " %" PRIu64, s->counters[i]);
    for (uint32_t i = 0; i < ELEMENTS; i++)
        str_printf(out, " %" PRIx64, y[i]);
}

/* part_ps 1: whatever there is to do is enough for all threads. */
static void run_way(const char *text, unsigned threads, const uint64_t *before, uint64_t *after,
                    struct str *out) {
    struct opened m;
    uint64_t address;
    struct diag *d = diag_new(NULL, NULL);
    machine_open_on(&m, CORE, text);
    assert_true(m.dp->ops->mem_alloc(m.dp, ELEMENTS * 8, &address, d));
    assert_true(m.dp->ops->mem_put(m.dp, address, before, ELEMENTS * 8, d));
    machine_run(&m,
                &(struct control_config){.buffers = &address, .threads = threads, .part_ps = 1});
    assert_true(m.dp->ops->mem_get(m.dp, address, after, ELEMENTS * 8, d));
    print_all(&m, after, out);
    machine_close(&m);
    diag_free(d);
}

static void says_worker(const char *said, uint32_t worker) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "worker %" PRIu32 " finds no 8 bytes at 0x1", worker);
    if (!strstr(said, wanted))
        fail_msg("'%s', not '%s'", said, wanted);
}

static void kernels(void **state) {
    unsigned stopped = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        uint64_t draw = seed, before[ELEMENTS], after[ELEMENTS], model[ELEMENTS];
        struct kernel k = random_kernel(&draw);
        struct str text = {0}, first = {0};
        write_text(&k, &text);
        for (uint32_t i = 0; i < ELEMENTS; i++)
            model[i] = before[i] = splitmix64(&draw);
        uint32_t stops = model_launch(&k, model);
        if (stops == UINT32_MAX)
            model_launch(&k, model);
        stopped += stops != UINT32_MAX;
        for (unsigned threads = 1; threads <= 3; threads++) {
            struct str said = {0};
            run_way(str_text(&text), threads, before, after, &said);
            assert_memory_equal(after, model, sizeof model);
            if (threads == 1)
                str_append(&first, str_text(&said));
            assert_string_equal(str_text(&said), str_text(&first));
            if (stops != UINT32_MAX)
                says_worker(str_text(&said), stops);
            str_free(&said);
        }
        str_free(&text);
        str_free(&first);
    }
    assert_true(stopped > KERNELS / 20 && stopped < KERNELS / 2);
}

/* Many cycles in one core and few in those behind it: the limit is of the longest alone. */
static void limits(void **state) {
    static const char text[] = "        .kernel work core(n: u64)\n"
                               "            bnez x15 out\n"
                               "            li x5 1\n"
                               "        lap: beqz x1 out\n"
                               "            sub x1 x1 x5\n"
                               "            beqz x0 lap\n"
                               "        out: end\n"
                               "        .endkernel\n"
                               "main:   RECIPE work(100)\n"
                               "        HALT\n";
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++)
        for (unsigned few = 0; few < 2; few++) {
            struct opened m;
            uint64_t none = 0;
            machine_open_on(&m, CORE, text);
            machine_run(&m, &(struct control_config){.buffers = &none,
                                                     .threads = threads,
                                                     .part_ps = 1,
                                                     .max_cycles = few ? 200 : 2000});
            assert_int_equal(m.end, few ? CONTROL_LIMIT : CONTROL_DONE);
            machine_close(&m);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
