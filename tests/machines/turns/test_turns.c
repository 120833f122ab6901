/* SPDX-License-Identifier: MIT
 * Threads that take turns, on a toy with words of 48 bits and more than a thousand forms.  Random
 * kernels, on any number of threads of the host, leave and take what a plain model says, which goes
 * through the cycles one by one and issues one instruction at a time; where they stop it is the
 * same thread at the same word. */
#include "tests/draws.h"
#include "emu/control/control.h"
#include "machines/verify/verify.h"
#include "support/bits.h"
#include "support/pool.h"
#include "tests/control/machine.h"
#include "tests/machines/turns/turns.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KERNELS draws(DRAWS_MACHINES_TURNS)
#define TURNS   MPU_SOURCE_DIR "/tests/machines/turns/turns.yaml"
/* Units: those of the one MPU that the programs name. */
enum { UNITS = 8, ELEMENTS = 16, MOST_WORDS = 400, WATCHDOG = 300 };

/* ---- forms and words ---- */

static const struct stored_isa *isa(void) {
    return &turns_stored.isa;
}

static void assembled(const char *text, uint64_t word) {
    struct str wrong = {0}, printed = {0};
    stored_words words = {0};
    if (!stored_assemble(isa(), text, &(struct insn){.width = 64}, &words, &wrong))
        fail_msg("'%s': '%s'", text, str_text(&wrong));
    assert_int_equal(words.len, 1);
    assert_int_equal(words.data[0], word);
    stored_print_word(isa(), word, &printed);
    assert_string_equal(str_text(&printed), text);
    str_free(&wrong);
    str_free(&printed);
    vec_free(&words);
}

/* Each form with random operands: through text, and through bytes, whether they take 6 or 8. */
static void forms(void **state) {
    uint64_t seed = 1;
    (void)state;
    assert_int_equal(isa()->op_count, 1034);
    for (uint32_t op = 0; op < isa()->op_count; op++)
        for (unsigned i = 0; i < 8; i++) {
            uint64_t word = isa()->patterns[op].bits;
            struct str text = {0}, printed = {0}, wrong = {0}, bytes = {0};
            stored_words words = {0};
            for (const char *k = isa()->ops[op].operands; *k; k++) {
                uint64_t r = splitmix64(&seed);
                word |= *k == 'd'   ? r % 40 << 30
                        : *k == 'a' ? r % 40 << 24
                        : *k == 'b' ? r % 40 << 18
                        : *k == 'i' ? (r & 0xfff) << 12
                        : *k == 'n' ? r & 0x3fffffff
                        : *k == 'u' ? r & 0xfff
                        : *k == 'k' ? r & 3
                                    : 0; /* target: behind nothing */
            }
            stored_print_word(isa(), word, &printed);
            assert_int_equal(stored_op(isa(), word), op);
            if (op == TURNS_GET || op == TURNS_PUT) /* places are named by instructions */
                goto done;
            str_append(&text, str_text(&printed));
            if (strchr(isa()->ops[op].operands, 't')) { /* targets by labels */
                text.len -= 1;
                str_append(&text, "here");
                str_append(&wrong, "here: ");
                str_append(&wrong, str_text(&text));
                str_clear(&text);
                str_append(&text, str_text(&wrong));
                str_clear(&wrong);
            }
            if (!stored_assemble(isa(), str_text(&text), &(struct insn){.width = 64}, &words,
                                 &wrong))
                fail_msg("'%s': '%s'", str_text(&text), str_text(&wrong));
            assert_int_equal(words.len, 1);
            assert_int_equal(words.data[0], word);
            for (uint8_t size = 6; size <= 8; size += 2) {
                struct stored_isa stored = *isa();
                stored.word_bytes = size;
                str_clear(&bytes);
                stored_put_word(&stored, word, &bytes);
                assert_int_equal(bytes.len, size);
                assert_int_equal(stored_get_word(&stored, str_text(&bytes)), word);
            }
        done:
            str_free(&text);
            str_free(&printed);
            str_free(&wrong);
            str_free(&bytes);
            vec_free(&words);
        }
}

static void edges(void **state) {
    static const char *const wrong[][2] = {{"add x1 x2 2048", "2048"},
                                           {"add x1 x2 -2049", "-2049"},
                                           {"add x1 x40 x2", "x40"},
                                           {"lock purple", "purple"},
                                           {"nap -1", "-1"},
                                           {"nap 4096", "4096"},
                                           {"set x1 536870912", "536870912"},
                                           {"add.b29 x1 x2 x3 x", "add.b29"},
                                           {"add.z x1 x2 x3 nowhere", "nowhere"},
                                           {"mul x1 x2", ""}};
    (void)state;
    assembled("add x39 x2 x3", UINT64_C(1) << 46 | UINT64_C(39) << 30 | 2 << 24 | 3 << 18);
    assembled("add x39 x2 -1", UINT64_C(0x420000000000) | UINT64_C(39) << 30 | 2 << 24 | 0xfff000);
    assembled("sub x0 x0 2047", UINT64_C(0x460000000000) | 0x3fu << 18 | 0x1f << 12);
    assembled("lock blue", UINT64_C(6) << 40 | 2);
    assembled("nap 4095", UINT64_C(8) << 40 | 4095);
    assembled("set x1 -536870912", UINT64_C(3) << 40 | 1 << 30 | 0x20000000);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct str why = {0};
        stored_words words = {0};
        assert_false(
            stored_assemble(isa(), wrong[i][0], &(struct insn){.width = 64}, &words, &why));
        assert_string_equal(str_text(&why), wrong[i][1]);
        str_free(&why);
        vec_free(&words);
    }
    /* Words that are none: no form, a bit above them, a register that there is not, a target. */
    const uint64_t bad[] = {UINT64_C(0x3f) << 40, UINT64_C(1) << 48,
                            UINT64_C(4) << 40 | UINT64_C(40) << 30, UINT64_C(9) << 40 | 7};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const uint64_t words[] = {bad[i], 0}, fine[] = {UINT64_C(9) << 40 | 1, 0};
        assert_false(stored_words_fine(isa(), words, 2));
        assert_true(stored_words_fine(isa(), fine, 2));
    }
}

/* Runs in such words: right in every bit, and from a package as without one. */
static void runs(void **state) {
    static const char text[] = " .geometry lanes=5, vrfs=64, rfhs=8\n"
                               " COMPUTE RFH0 VRF0\n MUL.16 r1 r2 r3\n CMPLT.16 r1 r2\n"
                               " SETMASK cond\n ADD.16 r1 r2 r3\n COMPUTE_DONE\n HALT\n";
    struct diag *d = diag_new(NULL, NULL);
    const struct verify_options light = {.effort = VERIFY_LIGHT, .op = OP_COUNT, .seed = 1};
    struct verify_machine v;
    struct verify_count n;
    struct opened m;
    struct str bytes = {0}, again = {0};
    const char *problem = NULL;
    (void)state;
    machine_open_on(&m, TURNS, text);
    assert_true(verify_library(&v, m.library, 0));
    if (!verify_matrix(&v, &light, &n, d))
        fail_msg("%s", diag_first(d));
    assert_true(n.forms > 200);
    turns_machine.write(m.package->code, &bytes);
    struct machine_code *c = turns_machine.read(bytes.text, bytes.len, &problem);
    assert_non_null(c);
    turns_machine.write(c, &again);
    assert_int_equal(again.len, bytes.len);
    assert_memory_equal(again.text, bytes.text, bytes.len);
    turns_machine.free(c);
    for (size_t cut = 1; cut < bytes.len; cut++) { /* what is cut off is damaged, or whole runs */
        struct str part = {0};
        c = turns_machine.read(bytes.text, bytes.len - cut, &problem);
        if (c) {
            turns_machine.write(c, &part);
            assert_int_equal(part.len, bytes.len - cut);
            turns_machine.free(c);
        }
        str_free(&part);
    }
    str_free(&bytes);
    str_free(&again);
    machine_close(&m);
    diag_free(d);
}

/* ---- random kernels ---- */

struct word {
    enum turns_op op; /* TURNS_FIRST: arithmetic */
    enum turns_operation operation;
    bool is_number;
    uint32_t condition, d, a, b, target;
    int32_t number;
};
struct kernel {
    struct word words[MOST_WORDS];
    uint32_t count, workers;
};

static const char *const operations[] = {"add", "sub", "and", "or",  "xor", "nand", "nor", "shl",
                                         "shr", "sar", "lt",  "lts", "eq",  "ne",   "mul", "max"};

static uint32_t draw(uint64_t *seed, uint32_t below) {
    return (uint32_t)(splitmix64(seed) % below);
}

static struct word *put(struct kernel *k, enum turns_op op) {
    struct word *w = &k->words[k->count++];
    *w = (struct word){.op = op};
    return w;
}

static struct word *arithmetic(struct kernel *k, enum turns_operation op, uint32_t d, uint32_t a,
                               int32_t number) {
    struct word *w = put(k, TURNS_FIRST);
    w->operation = op;
    w->is_number = true;
    w->d = d;
    w->a = a;
    w->number = number;
    return w;
}

/* Values are in x2 to x7, and x38, x39; addresses come about in x8; loops count in x9 and on. */
static uint32_t value_register(uint64_t *seed) {
    uint32_t r = draw(seed, 8);
    return r < 6 ? 2 + r : 32 + r;
}

static void random_arithmetic(struct kernel *k, uint64_t *seed) {
    struct word *w = arithmetic(k, draw(seed, 16), 2 + draw(seed, 6), value_register(seed),
                                (int32_t)draw(seed, 4096) - 2048);
    w->is_number = draw(seed, 2);
    w->b = value_register(seed);
}

static void random_access(struct kernel *k, uint64_t *seed) {
    arithmetic(k, TURNS_AND, 8, value_register(seed), ELEMENTS - 1);
    arithmetic(k, TURNS_SHL, 8, 8, 3);
    struct word *w = arithmetic(k, TURNS_ADD, 8, 8, 0);
    w->is_number = false;
    w->b = 1;
    if (draw(seed, 60) == 0)
        arithmetic(k, TURNS_ADD, 8, 8, draw(seed, 2) ? 4 : 2047); /* nothing lies there */
    w = put(k, draw(seed, 2) ? TURNS_LOAD : TURNS_STORE);
    w->d = 2 + draw(seed, 6);
    w->a = 8;
}

static void random_part(struct kernel *k, uint64_t *seed, uint32_t depth);

/* Between a lock and its unlock, over some words, in a loop, or a word. */
static void random_words(struct kernel *k, uint64_t *seed, uint32_t depth) {
    uint32_t kind = draw(seed, depth < 3 ? 12 : 6), lock = draw(seed, TURNS_LOCKS), at = k->count;
    if (kind < 3) {
        random_arithmetic(k, seed);
    } else if (kind < 5) {
        random_access(k, seed);
    } else if (kind == 5) {
        put(k, TURNS_NAP)->number = (int32_t)draw(seed, 60);
    } else if (kind < 8) {
        put(k, TURNS_LOCK)->number = (int32_t)lock;
        random_part(k, seed, depth + 1);
        if (draw(seed, 40)) /* else it keeps it, or gives back another */
            put(k, TURNS_UNLOCK)->number = (int32_t)(draw(seed, 80) ? lock : (lock + 1) % 4);
    } else if (kind < 10) {
        random_arithmetic(k, seed);
        k->words[at].condition = 1 + draw(seed, 31);
        random_part(k, seed, depth + 1);
        k->words[at].target = k->count;
    } else {
        struct word *w = put(k, TURNS_SET);
        w->d = 9 + depth;
        w->number = 1 + (int32_t)draw(seed, draw(seed, 30) ? 3 : 200);
        random_part(k, seed, depth + 1);
        w = arithmetic(k, TURNS_SUB, 9 + depth, 9 + depth, 1);
        w->condition = 31;
        w->target = at + 1;
    }
}

static void random_part(struct kernel *k, uint64_t *seed, uint32_t depth) {
    for (uint32_t n = 1 + draw(seed, 3); n-- && k->count < MOST_WORDS - 60;)
        random_words(k, seed, depth);
}

static void random_kernel(uint64_t *seed, struct kernel *k) {
    *k = (struct kernel){.workers = 1 + draw(seed, draw(seed, 3) ? 4 * UNITS : 24 * UNITS)};
    for (uint32_t n = 2 + draw(seed, 6); n-- && k->count < MOST_WORDS - 60;)
        random_words(k, seed, 0);
    put(k, TURNS_END);
}

static void write_word(const struct word *w, struct str *out) {
    static const char *const locks[] = {"red", "green", "blue", "white"};
    static const char *const names[] = {"end",   "get",  "put",    "set", "load",
                                        "store", "lock", "unlock", "nap", "jump"};
    if (w->op != TURNS_FIRST)
        str_append(out, names[w->op]);
    else
        str_append(out, operations[w->operation]);
    if (w->op == TURNS_FIRST && w->condition >= 30)
        str_append(out, w->condition == 30 ? ".z" : ".nz");
    else if (w->op == TURNS_FIRST && w->condition)
        str_printf(out, ".b%u", (unsigned)w->condition - 1);
    if (w->op == TURNS_LOCK || w->op == TURNS_UNLOCK)
        str_printf(out, " %s", locks[w->number]);
    else if (w->op == TURNS_NAP)
        str_printf(out, " %d", (int)w->number);
    else if (w->op == TURNS_SET)
        str_printf(out, " x%u %d", (unsigned)w->d, (int)w->number);
    else if (w->op != TURNS_END)
        str_printf(out, " x%u x%u", (unsigned)w->d, (unsigned)w->a);
    if (w->op == TURNS_FIRST && w->is_number)
        str_printf(out, " %d", (int)w->number);
    else if (w->op == TURNS_FIRST)
        str_printf(out, " x%u", (unsigned)w->b);
    if (w->op == TURNS_FIRST && w->condition)
        str_printf(out, " w%u", (unsigned)w->target);
}

static void write_text(const struct kernel *k, struct str *out) {
    str_printf(out, "        .buffer inout y: i64[%d]\n        .kernel work turns(y: i64[])\n",
               ELEMENTS);
    for (uint32_t i = 0; i < k->count; i++) {
        str_printf(out, "w%u:    ", (unsigned)i);
        write_word(&k->words[i], out);
        str_char(out, '\n');
    }
    str_printf(out, "        .endkernel\nmain:   RECIPE work<<<%u>>>(y)\n        HALT\n",
               (unsigned)k->workers);
}

/* ---- the model: cycle by cycle, a word at a time ---- */

struct model_thread {
    uint64_t x[TURNS_REGISTERS], ready, came;
    uint32_t pc, left, worker;
    int wants; /* a lock; -1: none */
    bool over;
};
struct model {
    const struct kernel *k;
    const struct turns_keys *keys;
    uint64_t base, *y, now, free, idle, issued, accesses, locks, cycles;
    uint64_t executed[MOST_WORDS];
    struct model_thread t[TURNS_THREADS];
    uint32_t count, unit;
    int has[TURNS_LOCKS]; /* a thread; -1: nobody */
    char fault[200];
};

static void model_fault(struct model *m, const struct model_thread *t, const char *why) {
    snprintf(m->fault, sizeof m->fault, "pc %u, .*unit %u, thread %u %s", (unsigned)t->pc,
             (unsigned)m->unit, (unsigned)t->worker, why);
}

static uint64_t model_value(const struct word *w, const struct model_thread *t) {
    uint64_t a = t->x[w->a], b = w->is_number ? (uint64_t)(int64_t)w->number : t->x[w->b];
    unsigned by = b & 63;
    switch (w->operation) {
    case TURNS_ADD:
        return a + b;
    case TURNS_SUB:
        return a - b;
    case TURNS_AND:
        return a & b;
    case TURNS_OR:
        return a | b;
    case TURNS_XOR:
        return a ^ b;
    case TURNS_NAND:
        return ~a | ~b;
    case TURNS_NOR:
        return ~a & ~b;
    case TURNS_SHL:
        return a << by;
    case TURNS_SHR:
        return a >> by;
    case TURNS_SAR:
        return by && a >> 63 ? a >> by | ~(UINT64_MAX >> by) : a >> by;
    case TURNS_LT:
        return a < b;
    case TURNS_LTS:
        return (a ^ UINT64_C(1) << 63) < (b ^ UINT64_C(1) << 63);
    case TURNS_EQ:
        return !(a ^ b);
    case TURNS_NE:
        return !!(a ^ b);
    case TURNS_MUL:
        return a * b;
    default:
        return a < b ? b : a;
    }
}

static bool model_access(struct model *m, struct model_thread *t, const struct word *w) {
    uint64_t at = t->x[w->a] - m->base;
    char why[100];
    uint64_t begin = m->free < m->now ? m->now : m->free;
    if (at % 8 || at >= 8 * ELEMENTS) {
        snprintf(why, sizeof why, "finds no 8 bytes at 0x%" PRIx64 "%s", t->x[w->a],
                 t->x[w->a] % 8 ? ", which is not aligned" : "");
        model_fault(m, t, why);
        return false;
    }
    if (w->op == TURNS_LOAD)
        t->x[w->d] = m->y[at / 8];
    else
        m->y[at / 8] = t->x[w->d];
    m->free = begin + m->keys->access_cycles;
    if (begin + m->keys->latency_cycles > t->ready)
        t->ready = begin + m->keys->latency_cycles;
    m->accesses++;
    return true;
}

static bool model_unlock(struct model *m, struct model_thread *t, int lock) {
    struct model_thread *next = NULL;
    if (m->has[lock] != t - m->t) {
        model_fault(m, t, "does not have that lock");
        return false;
    }
    for (uint32_t i = 0; i < m->count; i++)
        if (m->t[i].wants == lock && (!next || m->t[i].came < next->came))
            next = &m->t[i];
    m->has[lock] = next ? (int)(next - m->t) : -1;
    if (next) {
        next->wants = -1;
        next->pc++;
        next->ready = m->now + 1;
    }
    return true;
}

/* The word of a thread; false: it stops. */
static bool model_word(struct model *m, struct model_thread *t) {
    const struct word *w = &m->k->words[t->pc];
    uint32_t at = t->pc, next = at + 1;
    t->ready = m->now + m->keys->gap_cycles;
    if (!t->left--) {
        model_fault(m, t, "comes to no end (turns.watchdog)");
        return false;
    }
    if (w->op == TURNS_LOCK) {
        if (m->has[w->number] == t - m->t) {
            model_fault(m, t, "has that lock");
            return false;
        }
        m->locks++;
        if (m->has[w->number] >= 0) {
            t->wants = w->number;
            t->came = m->issued;
            next = at;
        } else {
            m->has[w->number] = (int)(t - m->t);
        }
    } else if (w->op == TURNS_UNLOCK) {
        if (!model_unlock(m, t, w->number))
            return false;
    } else if (w->op == TURNS_LOAD || w->op == TURNS_STORE) {
        if (!model_access(m, t, w))
            return false;
    } else if (w->op == TURNS_NAP) {
        if (m->now + (uint64_t)w->number > t->ready)
            t->ready = m->now + (uint64_t)w->number;
    } else if (w->op == TURNS_SET) {
        t->x[w->d] = (uint64_t)(int64_t)w->number;
    } else if (w->op == TURNS_END) {
        t->over = true;
    } else {
        uint64_t v = model_value(w, t);
        bool taken = w->condition == 0    ? false
                     : w->condition == 30 ? v == 0
                     : w->condition == 31 ? v != 0
                                          : v & UINT64_C(1) << (w->condition - 1);
        t->x[w->d] = v;
        if (taken)
            next = w->target;
    }
    t->pc = next;
    m->executed[at]++;
    return true;
}

/* All that a unit does; false: one of its threads stops. */
static bool model_unit(struct model *m) {
    m->now = m->free = m->idle = m->issued = m->accesses = 0;
    for (uint32_t i = 0; i < TURNS_LOCKS; i++)
        m->has[i] = -1;
    for (m->count = 0; m->unit + m->count * UNITS < m->k->workers; m->count++) {
        uint32_t worker = m->unit + m->count * UNITS;
        m->t[m->count] = (struct model_thread){.worker = worker, .wants = -1, .left = WATCHDOG};
        m->t[m->count].x[1] = m->base;
        m->t[m->count].x[38] = m->k->workers;
        m->t[m->count].x[39] = worker;
    }
    for (uint32_t idle = 0;; m->now++) {
        struct model_thread *next = NULL;
        bool alive = false, waits = false;
        for (uint32_t i = 0; i < m->count; i++) {
            struct model_thread *t = &m->t[i];
            waits |= t->wants >= 0;
            alive |= !t->over && t->wants < 0;
            if (!t->over && t->wants < 0 && t->ready <= m->now && (!next || t->ready < next->ready))
                next = t;
        }
        if (!alive && waits) {
            for (next = m->t; next->wants < 0; next++) {
            }
            model_fault(m, next, "waits for a lock, as all others do");
            return false;
        }
        if (!alive) {
            m->cycles = m->now > m->free ? m->now : m->free;
            return true;
        }
        idle = !next;
        m->idle += idle;
        m->issued += !idle;
        if (next && !model_word(m, next))
            return false;
    }
}

/* ---- both ---- */

struct result {
    uint64_t ps, counters[2], locks, executed[MOST_WORDS];
    struct control_unit_counter units[3];
};

static void add_unit(struct result *r, unsigned which, uint64_t value) {
    struct control_unit_counter *c = &r->units[which];
    c->sum += value;
    c->least = value < c->least ? value : c->least;
    c->most = value > c->most ? value : c->most;
}

static bool model_launch(struct model *m, struct result *r) {
    uint64_t most = 0;
    for (unsigned i = 0; i < 3; i++)
        r->units[i].least = UINT64_MAX;
    for (m->unit = 0; m->unit < UNITS; m->unit++) {
        if (!model_unit(m))
            return false;
        most = m->cycles > most ? m->cycles : most;
        add_unit(r, 0, m->cycles);
        add_unit(r, 1, m->idle);
        add_unit(r, 2, m->accesses);
    }
    r->ps = most;
    return true;
}

/* `pc 3, .*unit 1, thread 2 why`: the part behind the pc begins with the file or line. */
static void says(const char *said, const char *wanted) {
    const char *dots = strstr(wanted, ".*");
    char pc[40];
    snprintf(pc, sizeof pc, "%.*s", (int)(dots - wanted), wanted);
    if (!strstr(said, pc) || !strstr(said, dots + 2))
        fail_msg("'%s', not '%s'", said, wanted);
}

static void compare(struct opened *m, const struct model *model, const struct result *r) {
    const struct control_stats *s = control_stats(m->control);
    size_t count;
    const struct control_kernel_stats *k = control_kernels(m->control, &count);
    assert_int_equal(count, 1);
    assert_int_equal(k->time_ps, r->ps * m->target->datapath_ps);
    assert_int_equal(s->counters[0], 0);
    assert_int_equal(s->counters[1], model->locks);
    for (uint32_t i = 0; i < model->k->count; i++)
        assert_int_equal(k->places[i].executed, model->executed[i]);
    assert_int_equal(control_tables(m->control)->unit_counter_count, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(s->unit_counters[i].sum, r->units[i].sum);
        assert_int_equal(s->unit_counters[i].least, r->units[i].least);
        assert_int_equal(s->unit_counters[i].most, r->units[i].most);
    }
}

static void ignore(void *context, const struct dp_event *e) {
    (void)context, (void)e;
}

static void run_way(const char *text, unsigned threads, bool watched, struct model *model,
                    const uint64_t *before, struct result *r, bool *fine) {
    struct opened m;
    uint64_t address, after[ELEMENTS], y[ELEMENTS];
    struct diag *d = diag_new(NULL, NULL);
    machine_open_on(&m, TURNS, text);
    struct turns_keys *keys = m.target->own;
    keys->stored.watchdog = WATCHDOG;
    assert_true(m.dp->ops->mem_alloc(m.dp, ELEMENTS * 8, &address, d));
    assert_true(m.dp->ops->mem_put(m.dp, address, before, ELEMENTS * 8, d));
    if (watched)
        m.dp->ops->observe(m.dp, ignore, NULL);
    machine_run(&m,
                &(struct control_config){.buffers = &address, .threads = threads, .part_ps = 1});
    assert_true(m.dp->ops->mem_get(m.dp, address, after, ELEMENTS * 8, d));
    memcpy(y, before, sizeof y);
    *r = (struct result){.ps = 0};
    model->keys = keys;
    model->base = address;
    model->y = y;
    model->locks = 0;
    memset(model->executed, 0, sizeof model->executed);
    model->fault[0] = 0;
    *fine = model_launch(model, r);
    if (*fine)
        compare(&m, model, r);
    assert_int_equal(m.end, *fine ? CONTROL_DONE : CONTROL_STOPPED);
    if (!*fine)
        says(control_message(m.control), model->fault);
    assert_memory_equal(after, y, sizeof y);
    machine_close(&m);
    diag_free(d);
}

static void kernels(void **state) {
    static const char *const faults[] = {"no 8 bytes",    "not aligned", "no end",
                                         "does not have", "has that",    "as all others"};
    unsigned seen[6] = {0}, stopped = 0;
    struct model *model = calloc(1, sizeof *model);
    struct kernel *k = calloc(1, sizeof *k);
    (void)state;
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        uint64_t s = seed, before[ELEMENTS];
        struct str text = {0};
        struct result r;
        bool fine = true;
        random_kernel(&s, k);
        write_text(k, &text);
        model->k = k;
        for (uint32_t i = 0; i < ELEMENTS; i++)
            before[i] = splitmix64(&s) >> draw(&s, 64);
        for (unsigned way = 0; way < 3; way++) /* the last is watched */
            run_way(str_text(&text), 1 + (way == 1), way == 2, model, before, &r, &fine);
        stopped += !fine;
        for (unsigned i = 0; !fine && i < 6; i++)
            seen[i] += strstr(model->fault, faults[i]) != NULL;
        str_free(&text);
    }
    for (unsigned i = 0; i < 6; i++)
        if (!seen[i] && KERNELS >= 200)
            fail_msg("nobody met '%s'", faults[i]);
    assert_true(stopped > KERNELS / 20 && stopped < KERNELS / 10 * 9);
    free(model);
    free(k);
}

/* ---- more threads than there are ---- */

static void too_many(void **state) {
    struct opened m;
    uint64_t none = 0;
    (void)state;
    machine_open_on(&m, TURNS,
                    "        .kernel work turns(n: u64)\n        end\n        .endkernel\n"
                    "main:   RECIPE work<<<193>>>(1)\n        HALT\n");
    machine_run(&m, &(struct control_config){.buffers = &none});
    assert_int_equal(m.end, CONTROL_STOPPED);
    assert_string_equal(control_message(m.control),
                        "kernel 'work', pc 0, test.s:2: unit 0, thread 192 is more than the 24 "
                        "threads of a core (instruction 0: RECIPE work<<<193>>>(1))");
    machine_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms),   cmocka_unit_test(edges),    cmocka_unit_test(runs),
        cmocka_unit_test(kernels), cmocka_unit_test(too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
