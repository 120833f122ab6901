/* SPDX-License-Identifier: MIT
 * Random kernels on toy cores that write to one another's elements: what they leave, what they
 * take in all and at each of their words, where they stop and what is said of that are the same
 * whatever threads the host has, and those of a model that carries the units out one after another;
 * what words took is counted once more by somebody who watches each of them. */
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
    size_t count;
    const struct control_kernel_stats *k = control_kernels(m->control, &count);
    for (size_t n = 0; n < count; n++)
        for (uint32_t i = 0; i < k[n].place_count; i++)
            str_printf(out, " %" PRIu64 ":%" PRIu64, k[n].places[i].executed,
                       k[n].places[i].unit_ps);
}

/* ---- who watches ---- */

enum { WORDS = 256 };
struct words {
    uint64_t executed[WORDS], cycles[WORDS], fj[WORDS];
};
struct naive {
    const struct datapath_ops *ops;
    const struct datapath *dp;
    const struct core_keys *keys;
    struct words ended, launch;        /* of launches that came to their end; of the one at work */
    uint64_t longest;                  /* cycles of those that ended, one after another */
    uint64_t unit[UNITS], port[UNITS]; /* of the launch at work */
    uint64_t cycles[UNITS];            /* of cores, of launches that ended */
    uint32_t at;                       /* the word before */
    enum core_op op;
};
static struct naive *watching;

static void see(void *context, const struct dp_event *e) {
    struct naive *n = context;
    struct str line = {0};
    uint32_t lane, at, unit = e->vrf_first;
    enum core_op op = e->kind;
    bool access = op == CORE_LD || op == CORE_ST;
    n->dp->ops->format(n->dp, e, STORED_FORMAT_CSV, &line);
    assert_int_equal(sscanf(str_text(&line), "%" SCNu32 ",%" SCNu32 ",", &lane, &at), 2);
    str_free(&line);
    assert_true(at < WORDS);
    if (n->op != CORE_END && at && at != n->at + 1) { /* the word before was a branch */
        n->launch.cycles[n->at] += n->keys->branch_cycles - 1;
        n->unit[unit] += n->keys->branch_cycles - 1;
    }
    n->launch.executed[at]++;
    n->launch.cycles[at] += access ? n->keys->access_cycles : 1;
    n->launch.fj[at] += access ? n->keys->access_fj : n->keys->alu_fj;
    n->unit[unit] += access ? n->keys->access_cycles : 1;
    n->port[unit % 2] += access ? n->keys->port_cycles : 0;
    n->at = at;
    n->op = op;
}

/* A launch is over when its slowest core is, and the ports of the RFHs, which are two. */
static bool watched_launch(struct datapath *dp, const struct dp_launch *x, struct dp_cost *cost,
                           struct diag *d) {
    struct naive *n = watching;
    uint64_t most = 0;
    bool fine = n->ops->launch(dp, x, cost, d);
    for (uint32_t i = 0; fine && i < WORDS; i++) {
        n->ended.executed[i] += n->launch.executed[i];
        n->ended.cycles[i] += n->launch.cycles[i];
        n->ended.fj[i] += n->launch.fj[i];
    }
    for (uint32_t u = 0; u < UNITS; u++) {
        most = n->unit[u] > most ? n->unit[u] : most;
        most = n->port[u] > most ? n->port[u] : most;
        n->cycles[u] += fine ? n->unit[u] : 0;
    }
    n->longest += fine ? most : 0;
    memset(&n->launch, 0, sizeof n->launch);
    memset(n->unit, 0, sizeof n->unit);
    memset(n->port, 0, sizeof n->port);
    n->op = CORE_END;
    return fine;
}

static uint64_t sum(const uint64_t *list, uint32_t count) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++)
        all += list[i];
    return all;
}

/* The counter that each core has of its own. */
static void units_fit(const struct opened *m, const struct naive *n) {
    const struct control_unit_counter *c = control_stats(m->control)->unit_counters;
    uint64_t least = UINT64_MAX, most = 0;
    assert_int_equal(control_tables(m->control)->unit_counter_count, 1);
    assert_int_equal(control_tables(m->control)->units, UNITS);
    for (uint32_t u = 0; u < UNITS; u++) {
        least = n->cycles[u] < least ? n->cycles[u] : least;
        most = n->cycles[u] > most ? n->cycles[u] : most;
    }
    assert_int_equal(c->sum, sum(n->cycles, UNITS));
    assert_int_equal(c->least, least);
    assert_int_equal(c->most, most);
}

/* What is said of each word is what was seen, and all words are the launches. */
static void places_fit(const struct opened *m, const struct naive *n) {
    size_t count;
    const struct control_kernel_stats *k = control_kernels(m->control, &count);
    const struct control_stats *s = control_stats(m->control);
    uint64_t fj = 0, uops = 0, launches = 0, ps = 0;
    for (uint32_t i = 0; i < k->place_count; i++) {
        struct dp_place_cost all = {0};
        for (size_t c = 0; c < count; c++) {
            all.executed += k[c].places[i].executed;
            all.unit_ps += k[c].places[i].unit_ps;
            all.energy_fj += k[c].places[i].energy_fj;
            all.micro_ops += k[c].places[i].micro_ops;
        }
        assert_int_equal(all.executed, n->ended.executed[i]);
        assert_int_equal(all.unit_ps, n->ended.cycles[i] * m->target->datapath_ps);
        assert_int_equal(all.energy_fj, n->ended.fj[i]);
        fj += all.energy_fj;
        uops += all.micro_ops;
    }
    for (size_t c = 0; c < count; c++) {
        launches += k[c].launches;
        ps += k[c].time_ps;
        assert_int_equal(k[c].mpu_time_ps, k[c].time_ps); /* of one MPU */
    }
    assert_int_equal(fj, sum(s->energy_fj, 2));
    assert_int_equal(uops, sum(s->uops, CORE_OPS));
    assert_int_equal(launches, s->launches);
    assert_int_equal(ps, n->longest * m->target->datapath_ps);
    units_fit(m, n);
}

/* part_ps 1: whatever there is to do is enough for all threads. */
static void run_way(const char *text, unsigned threads, bool watched, const uint64_t *before,
                    uint64_t *after, struct str *out) {
    struct opened m;
    uint64_t address;
    struct diag *d = diag_new(NULL, NULL);
    machine_open_on(&m, CORE, text);
    struct naive *n = calloc(1, sizeof *n);
    struct datapath_ops own = *m.dp->ops;
    *n = (struct naive){.ops = m.dp->ops, .dp = m.dp, .keys = m.target->own, .op = CORE_END};
    assert_true(m.dp->ops->mem_alloc(m.dp, ELEMENTS * 8, &address, d));
    assert_true(m.dp->ops->mem_put(m.dp, address, before, ELEMENTS * 8, d));
    if (watched) {
        own.launch = watched_launch;
        watching = n;
        m.dp->ops = &own;
        m.dp->ops->observe(m.dp, see, n);
    }
    machine_run(&m,
                &(struct control_config){.buffers = &address, .threads = threads, .part_ps = 1});
    if (watched)
        places_fit(&m, n);
    free(n);
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
        for (unsigned way = 0; way < 4; way++) { /* the first is watched */
            struct str said = {0};
            run_way(str_text(&text), way ? way : 2, way == 0, before, after, &said);
            assert_memory_equal(after, model, sizeof model);
            if (way == 0)
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
