/* SPDX-License-Identifier: MIT
 * Random kernels against NumPy.  random_kernels.py makes them, runs them under NumPy, and writes
 * an archive (archive.py says of what) to a pipe; here they are compiled and run, and types, shapes
 * and bytes are compared.  A kernel that fails is made smaller: the script proposes, this side says
 * whether it still fails. */
#include "tests/draws.h"
#include "ezpim/np/np.h"
#include "linker/linker.h"
#include "runtime/include/mpu/mpu.h"
#include "support/ieee.h"
#include "support/vec.h"
#include "tests/ezpim/build.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define KERNELS draws(DRAWS_NP_KERNELS)
#define FLOATS  draws(DRAWS_NP_FLOATS)
#define OUTSIDE draws(DRAWS_NP_OUTSIDE)
/* Elements of the largest array that the machines run; golden runs all. */
enum { MOST_SLOW = 1100 };
/* Far more than kernels that end take. */
#define MOST_CYCLES UINT64_C(10000000000)

/* ---- the archive ---- */

struct ndarray {
    char name[64];
    mpu_array a;
    size_t bytes;
};
struct kernel {
    unsigned long long number;
    char *source;
    size_t size;
    bool raises; /* NumPy refuses it */
    VEC(struct ndarray) in, after, out;
};

static void *read_bytes(FILE *f, size_t n) {
    char *data = calloc(n + 1, 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, n, f), n);
    assert_int_equal(fgetc(f), '\n');
    return data;
}

static const char *const type_names[] = {
    [MPU_BOOL] = "bool",  [MPU_U8] = "uint8",    [MPU_U16] = "uint16",  [MPU_U32] = "uint32",
    [MPU_U64] = "uint64", [MPU_I8] = "int8",     [MPU_I16] = "int16",   [MPU_I32] = "int32",
    [MPU_I64] = "int64",  [MPU_F16] = "float16", [MPU_F32] = "float32", [MPU_F64] = "float64"};
enum { TYPES = sizeof type_names / sizeof *type_names };

static mpu_type type_of(const char *name) {
    for (int i = 0; i < TYPES; i++)
        if (type_names[i] && strcmp(type_names[i], name) == 0)
            return (mpu_type)i;
    fail_msg("type %s in the archive", name);
    return MPU_BOOL;
}

/* " TYPE NDIM EXTENT.. BYTES" of a line, and its bytes. */
static struct ndarray read_array(FILE *f, const char *name) {
    struct ndarray x = {0};
    char type[16];
    snprintf(x.name, sizeof x.name, "%s", name);
    assert_int_equal(fscanf(f, "%15s %u", type, &x.a.ndim), 2);
    assert_true(x.a.ndim <= MPU_MAX_DIMS);
    for (uint32_t d = 0; d < x.a.ndim; d++)
        assert_int_equal(fscanf(f, "%lu", &x.a.shape[d]), 1);
    assert_int_equal(fscanf(f, "%zu", &x.bytes), 1);
    assert_int_equal(fgetc(f), '\n');
    x.a.type = type_of(type);
    x.a.data = read_bytes(f, x.bytes);
    return x;
}

/* False at the end of the archive. */
static bool read_kernel(FILE *f, struct kernel *k) {
    char word[16], name[64];
    *k = (struct kernel){0};
    if (fscanf(f, " kernel %llu %zu", &k->number, &k->size) != 2)
        return false;
    assert_int_equal(fgetc(f), '\n');
    k->source = read_bytes(f, k->size);
    while (fscanf(f, " %15s %63s", word, name) == 2) {
        if (strcmp(word, "in") == 0)
            vec_push(&k->in, read_array(f, name));
        else if (strcmp(word, "after") == 0)
            vec_push(&k->after, read_array(f, name));
        else if (strcmp(word, "out") == 0)
            vec_push(&k->out, read_array(f, name));
        else
            k->raises |= strcmp(word, "raises") == 0;
        if (strcmp(word, "end") == 0) {
            assert_int_equal(fscanf(f, "%*d"), 0);
            return true;
        }
        if (strcmp(word, "raises") == 0)
            assert_int_equal(fscanf(f, "%*d"), 0);
    }
    fail_msg("the archive ends in kernel %llu", k->number);
    return false;
}

static void kernel_free(struct kernel *k) {
    for (size_t i = 0; i < k->in.len; i++)
        free(k->in.data[i].a.data);
    for (size_t i = 0; i < k->after.len; i++)
        free(k->after.data[i].a.data);
    for (size_t i = 0; i < k->out.len; i++)
        free(k->out.data[i].a.data);
    vec_free(&k->in);
    vec_free(&k->after);
    vec_free(&k->out);
    free(k->source);
}

/* ---- the script ---- */

struct script {
    pid_t pid;
    FILE *from, *to;
};

static void become_script(const char *const *words, const int *in, const int *out) {
    char *argv[8] = {"/usr/bin/python3", "-B", MPU_SOURCE_DIR "/tests/np/random_kernels.py"};
    for (size_t i = 0; words[i]; i++)
        argv[3 + i] = (char *)(uintptr_t)words[i];
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    close(in[1]);
    close(out[0]);
    execv(argv[0], argv);
    _exit(127);
}

static struct script start_script(const char *const *words) {
    struct script s;
    int in[2], out[2];
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    s.pid = fork();
    if (s.pid == 0)
        become_script(words, in, out);
    close(in[0]);
    close(out[1]);
    s.to = fdopen(in[1], "w");
    s.from = fdopen(out[0], "r");
    assert_true(s.pid > 0 && s.to && s.from);
    return s;
}

static int end_script(struct script *s) {
    int status = -1;
    fclose(s->to);
    fclose(s->from);
    waitpid(s->pid, &status, 0);
    return status;
}

/* ---- compiling ---- */

/* A compiled kernel: the program, and its outputs in their order. */
struct output {
    char name[64];
    bool changed; /* a parameter */
};
struct compiled {
    mpu_program *program;
    VEC(struct output) outputs;
};

static void note_outputs(const struct object *o, struct compiled *c) {
    for (size_t i = 0; i < o->vars.len; i++) {
        const struct variable *v = &o->vars.data[i];
        struct output x = {.changed = v->direction & VAR_IN};
        if (!(v->direction & VAR_OUT) || !v->name)
            continue;
        snprintf(x.name, sizeof x.name, "%s", v->name);
        vec_push(&c->outputs, x);
    }
}

static mpu_program *load(const struct object *o, struct str *why) {
    struct str bytes = {0};
    mpu_error *e = NULL;
    object_write(o, &bytes);
    mpu_program *p = mpu_program_load(bytes.text, bytes.len, &e);
    if (!p)
        str_printf(why, "loading: %s\n", e ? mpu_error_text(e) : "no message");
    mpu_error_free(e);
    str_free(&bytes);
    return p;
}

/* False when it is refused, with the messages. */
static bool compile(const struct kernel *k, int level, struct compiled *c, struct str *why) {
    const struct ez_options options = {.optimize = level, .debug = true};
    const struct link_options linking = {0};
    struct diag *d = diag_new(collect_messages, why);
    struct object *o = np_compile("kernel.py", k->source, k->size, &options, d);
    assert_int_equal(o == NULL, diag_errors(d) > 0);
    const struct object *inputs[] = {o};
    struct object *linked = o ? link_objects(inputs, 1, &linking, d) : NULL;
    *c = (struct compiled){.program = linked ? load(linked, why) : NULL};
    if (o)
        note_outputs(o, c);
    object_free(o);
    object_free(linked);
    diag_free(d);
    return c->program != NULL;
}

static void compiled_free(struct compiled *c) {
    mpu_program_free(c->program);
    vec_free(&c->outputs);
}

/* ---- running ---- */

struct setup {
    mpu_target *target;
    int level;
    const char *batch, *init, *place;
};

static bool report(struct str *why, const char *what, mpu_error *e) {
    str_printf(why, "%s: %s\n", what, e ? mpu_error_text(e) : "failed without a message");
    mpu_error_free(e);
    return false;
}

static const struct ndarray *named(const struct ndarray *items, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(items[i].name, name) == 0)
            return &items[i];
    return NULL;
}

static void print_shape(const mpu_array *a, struct str *why) {
    str_printf(why, "%s (", type_names[a->type]);
    for (uint32_t d = 0; d < a->ndim; d++)
        str_printf(why, "%llu,", (unsigned long long)a->shape[d]);
    str_append(why, ")");
}

static bool same_form(const mpu_array *a, const mpu_array *b) {
    return a->type == b->type && a->ndim == b->ndim &&
           memcmp(a->shape, b->shape, a->ndim * sizeof *a->shape) == 0;
}

/* Bytes; what is no number is the same as what is none. */
static bool same_element(mpu_type type, const unsigned char *x, const unsigned char *y,
                         size_t width) {
    const struct ieee_format format = ieee_binary((unsigned)width * 8);
    uint64_t a = 0, b = 0;
    memcpy(&a, x, width);
    memcpy(&b, y, width);
    bool real = type == MPU_F16 || type == MPU_F32 || type == MPU_F64;
    return a == b || (real && ieee_is_nan(format, a) && ieee_is_nan(format, b));
}

static bool compare(const char *name, const mpu_array *got, const struct ndarray *want,
                    struct str *why) {
    size_t elements = 1, i = 0;
    if (!same_form(got, &want->a)) {
        str_printf(why, "`%s` is ", name);
        print_shape(got, why);
        str_append(why, ", NumPy gives ");
        print_shape(&want->a, why);
        str_append(why, "\n");
        return false;
    }
    for (uint32_t d = 0; d < got->ndim; d++)
        elements *= got->shape[d];
    size_t width = elements ? want->bytes / elements : 1;
    const unsigned char *x = got->data, *y = want->a.data;
    while (i < elements && same_element(got->type, x + i * width, y + i * width, width))
        i++;
    if (i == elements)
        return true;
    unsigned long long a = 0, b = 0;
    memcpy(&a, x + i * width, width);
    memcpy(&b, y + i * width, width);
    str_printf(why, "element %zu of `%s` is 0x%llx, NumPy gives 0x%llx\n", i, name, a, b);
    return false;
}

/* Results in their order, changed parameters by their names. */
static const struct ndarray *expected(const struct kernel *k, const struct output *x,
                                      size_t *next) {
    if (x->changed)
        return named(k->after.data, k->after.len, x->name);
    return *next < k->out.len ? &k->out.data[(*next)++] : NULL;
}

/* What NumPy changes is an output. */
static bool has_changes(const struct kernel *k, const struct compiled *c, struct str *why) {
    for (size_t i = 0; i < k->after.len; i++) {
        const struct ndarray *x = &k->after.data[i], *old = named(k->in.data, k->in.len, x->name);
        bool found = memcmp(x->a.data, old->a.data, x->bytes) == 0;
        for (size_t n = 0; n < c->outputs.len; n++)
            found |= c->outputs.data[n].changed && strcmp(c->outputs.data[n].name, x->name) == 0;
        if (!found) {
            str_printf(why, "NumPy changes `%s`\n", x->name);
            return false;
        }
    }
    return true;
}

static bool compare_all(const struct kernel *k, const struct compiled *c, mpu_session *s,
                        struct str *why) {
    size_t next = 0;
    for (size_t i = 0; i < c->outputs.len; i++) {
        const struct output *x = &c->outputs.data[i];
        const struct ndarray *want = expected(k, x, &next);
        mpu_array got = {0};
        mpu_error *e = NULL;
        if (mpu_session_get(s, x->name, &got, &e) != MPU_OK)
            return report(why, x->name, e);
        bool same = want && compare(x->name, &got, want, why);
        if (!want)
            str_printf(why, "`%s` is more than NumPy gives\n", x->name);
        mpu_array_free(&got);
        if (!same)
            return false;
    }
    if (next < k->out.len)
        str_append(why, "NumPy gives more results\n");
    return next == k->out.len && has_changes(k, c, why);
}

static bool put_all(const struct kernel *k, mpu_session *s, struct str *why) {
    for (size_t i = 0; i < k->in.len; i++) {
        mpu_error *e = NULL;
        if (mpu_session_put(s, k->in.data[i].name, &k->in.data[i].a, &e) != MPU_OK)
            return report(why, k->in.data[i].name, e);
    }
    return true;
}

static bool run_on(const struct kernel *k, const struct compiled *c, const struct setup *setup,
                   struct str *why) {
    mpu_error *e = NULL;
    mpu_config config = {.size = sizeof config,
                         .batch = setup->batch,
                         .init = setup->init,
                         .place = setup->place,
                         .threads = 1,
                         .unhashed = 1,
                         .max_cycles = MOST_CYCLES};
    mpu_session *s = mpu_session_new(c->program, setup->target, &config, &e);
    if (!s)
        return report(why, "session", e);
    bool good = put_all(k, s, why);
    if (good && mpu_session_run(s, &e) != MPU_OK)
        good = report(why, "run", e);
    good = good && compare_all(k, c, s, why);
    if (!good)
        str_printf(why, "on %s, -O%d, batch %s, init %s\n", mpu_target_name(setup->target),
                   setup->level, setup->batch, setup->init);
    mpu_session_free(s);
    return good;
}

/* ---- verdicts ---- */

enum verdict { SAME, DIFFERS, REFUSED, CRASHED };

static const char *const target_names[] = {"golden",        "racer", "mimdram",
                                           "duality-cache", "upmem", "simt"};
enum { TARGETS = sizeof target_names / sizeof *target_names };

struct tester {
    mpu_target *targets[TARGETS];
    bool outside;     /* kernels just outside of the language */
    bool goes_on;     /* after a kernel that fails */
    bool all_targets; /* for each kernel */
    unsigned failed;
    unsigned long long now; /* the kernel at hand */
    struct str messages;    /* of the last refusal, or what differs */
};

static uint64_t largest(const struct kernel *k) {
    uint64_t most = 1;
    for (size_t i = 0; i < k->in.len; i++) {
        uint64_t n = 1;
        for (uint32_t d = 0; d < k->in.data[i].a.ndim; d++)
            n *= k->in.data[i].a.shape[d];
        most = n > most ? n : most;
    }
    return most;
}

/* Golden at every level; the other targets at one level, which depends on the kernel: one of them
 * where time is short, else all. */
static bool is_tried(const struct tester *t, const struct kernel *k, unsigned target, int level) {
    if (target == 0)
        return true;
    if (largest(k) > MOST_SLOW || (!t->all_targets && k->number % (TARGETS - 1) + 1 != target))
        return false;
    return (k->number / 3 + target) % 3 == (unsigned)level;
}

static enum verdict try_level(struct tester *t, const struct kernel *k, int level) {
    static const char *const batches[] = {"target", "one", "all"};
    static const char *const inits[] = {"zero", "random:5"};
    static const char *const places[] = {"packed", "spread", "auto"}; /* auto takes time */
    struct compiled c;
    enum verdict v = SAME;
    if (!compile(k, level, &c, &t->messages)) {
        compiled_free(&c);
        return REFUSED;
    }
    if (k->raises) {
        str_append(&t->messages, "NumPy refuses it, and it is compiled\n");
        v = DIFFERS;
    }
    for (unsigned i = 0; i < TARGETS && v == SAME; i++) {
        const struct setup s = {t->targets[i], level, batches[k->number / 3 % 3],
                                inits[(k->number + i) % 2], places[(k->number + i) % 8 % 3]};
        if (is_tried(t, k, i, level) && !run_on(k, &c, &s, &t->messages))
            v = DIFFERS;
    }
    compiled_free(&c);
    return v;
}

/* Whether a kernel is refused is the same at every level, but for room in registers. */
static enum verdict try_kernel(struct tester *t, const struct kernel *k) {
    enum verdict v = SAME;
    str_clear(&t->messages);
    for (int level = 0; level < 3 && v == SAME; level++)
        v = try_level(t, k, level);
    return v;
}

/* ---- refusals ---- */

/* Refusals that the language allows, by a piece of their message; of 1,000 kernels at most so
 * many. */
struct reason {
    const char *text;
    unsigned most, count;
};

static struct reason *reason_of(struct reason *reasons, const char *messages) {
    for (struct reason *r = reasons; r->text; r++)
        if (strstr(messages, r->text))
            return r;
    return NULL;
}

/* Every error has a place. */
static bool has_place(const char *messages) {
    return strstr(messages, ": error: ") && strncmp(messages, "0:0", 3) != 0;
}

/* ---- smaller kernels ---- */

/* The words of the first message, without what depends on the kernel. */
static void first_words(const char *messages, char *out, size_t size) {
    const char *begin = strstr(messages, "error: ");
    begin = begin ? begin + 7 : messages;
    snprintf(out, size, "%.*s", (int)strcspn(begin, "`0123456789\n"), begin);
}

/* The same way as the first time. */
static bool fails_alike(struct tester *t, const struct kernel *k, enum verdict as,
                        const char *reason) {
    char words[100];
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGABRT, SIG_DFL);
        enum verdict v = try_kernel(t, k);
        first_words(str_text(&t->messages), words, sizeof words);
        _exit(v == as && strcmp(words, reason) == 0 ? 0 : 1);
    }
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? as == CRASHED : WEXITSTATUS(status) == 0;
}

/* Prints the smallest kernel that still fails so. */
static void shrink(struct tester *t, const struct kernel *failed, enum verdict as) {
    const char *const words[] = {"shrink", t->outside ? "outside" : "inside", NULL};
    char reason[100];
    struct kernel k;
    first_words(str_text(&t->messages), reason, sizeof reason);
    struct script s = start_script(words);
    fprintf(s.to, "%llu %zu\n%s", failed->number, failed->size, failed->source);
    fflush(s.to);
    while (read_kernel(s.from, &k)) {
        fprintf(s.to, "%d\n", fails_alike(t, &k, as, reason));
        fflush(s.to);
        kernel_free(&k);
    }
    end_script(&s);
}

static void fail_kernel(struct tester *t, const struct kernel *k, enum verdict v) {
    t->failed++;
    fprintf(stderr, "kernel %llu: %s\n%s\n", k->number, str_text(&t->messages),
            t->goes_on ? "" : k->source);
    if (t->goes_on)
        return;
    shrink(t, k, v);
    fail_msg("kernel %llu", k->number);
}

/* ---- a crash ---- */

/* The kernel at hand, for the handler alone. */
static const struct tester *at_hand;

static void name_kernel(int signal_number) {
    char text[64] = "crashed in kernel ";
    size_t n = strlen(text);
    unsigned long long v = at_hand->now, scale = 1;
    while (v / scale >= 10)
        scale *= 10;
    for (; scale; scale /= 10)
        text[n++] = (char)('0' + v / scale % 10);
    text[n++] = '\n';
    if (write(STDERR_FILENO, text, n) < 0)
        _exit(1);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* ---- tests ---- */

/* What runs: the suite's kernels, or those of the command line. */
static unsigned long long first_kernel = 0, kernels = 0;
static bool all_kernels = false;

static void open_targets(struct tester *t) {
    for (unsigned i = 0; i < TARGETS; i++)
        assert_non_null(t->targets[i] = mpu_target_open(target_names[i], NULL, NULL));
}

static void close_targets(struct tester *t) {
    for (unsigned i = 0; i < TARGETS; i++)
        mpu_target_close(t->targets[i]);
    str_free(&t->messages);
}

static struct script start_making(const char *what, unsigned long long count) {
    char first[32], number[32];
    const char *const words[] = {what, first, number, NULL};
    snprintf(first, sizeof first, "%llu", first_kernel);
    snprintf(number, sizeof number, "%llu", count);
    return start_script(words);
}

/* Calls `judge` for each kernel; how many there were. */
static unsigned long long each_kernel(struct tester *t, struct script *s,
                                      void (*judge)(struct tester *, const struct kernel *,
                                                    enum verdict, void *),
                                      void *context) {
    unsigned long long n = 0;
    struct kernel k;
    at_hand = t;
    signal(SIGSEGV, name_kernel);
    signal(SIGABRT, name_kernel);
    for (; read_kernel(s->from, &k); n++) {
        t->now = k.number;
        if (kernels == 1 && fails_alike(t, &k, CRASHED, ""))
            fail_kernel(t, &k, CRASHED);
        judge(t, &k, try_kernel(t, &k), context);
        kernel_free(&k);
    }
    return n;
}

static void judge_inside(struct tester *t, const struct kernel *k, enum verdict v, void *context) {
    struct reason *r = v == REFUSED ? reason_of(context, str_text(&t->messages)) : NULL;
    if (r)
        r->count++;
    else if (v != SAME)
        fail_kernel(t, k, v);
}

static void test_kernels(const char *what, unsigned long long count) {
    static const struct reason allowed[] = {
        {"this view is read after its array was written", 50, 0},
        {"this is a view of another array, and writing it", 10, 0},
        {"it depends on the iterations of a loop whether this array has a second name", 130, 0},
        {"an array has at most 3 axes", 25, 0},
        {"an iteration of a loop writes an array here that it has no name for", 10, 0},
        {"the mask is a view of the array that is written", 5, 0},
        {"the lane is too full", 5, 0},
        {"beside what instructions need", 5, 0},
        {"registers are needed here, and a lane has", 5, 0},
        {"a mean of so many elements is not rounded alike", 5, 0},
        {NULL, 0, 0}};
    struct reason reasons[sizeof allowed / sizeof *allowed];
    struct tester t = {.goes_on = all_kernels, .all_targets = kernels > 0};
    memcpy(reasons, allowed, sizeof reasons);
    open_targets(&t);
    struct script s = start_making(what, count);
    assert_int_equal(each_kernel(&t, &s, judge_inside, reasons), count);
    assert_int_equal(end_script(&s), 0);
    for (struct reason *r = reasons; r->text; r++) {
        print_message("%u of %llu refused: %s\n", r->count, count, r->text);
        assert_true(r->count <= 5 + r->most * count / 1000);
    }
    assert_int_equal(t.failed, 0);
    close_targets(&t);
}

static void test_inside(void **state) {
    (void)state;
    test_kernels("make", kernels ? kernels : KERNELS);
}

static void test_floats(void **state) {
    (void)state;
    test_kernels("floats", kernels ? kernels : FLOATS);
}

static void judge_outside(struct tester *t, const struct kernel *k, enum verdict v, void *context) {
    unsigned *refused = context;
    *refused += v == REFUSED;
    if (v == DIFFERS || (v == REFUSED && !has_place(str_text(&t->messages))))
        fail_kernel(t, k, v);
}

static void test_outside(void **state) {
    (void)state;
    struct tester t = {.outside = true, .goes_on = all_kernels, .all_targets = kernels > 0};
    unsigned long long count = kernels ? kernels : OUTSIDE;
    unsigned refused = 0;
    open_targets(&t);
    struct script s = start_making("outside", count);
    assert_int_equal(each_kernel(&t, &s, judge_outside, &refused), count);
    assert_int_equal(end_script(&s), 0);
    print_message("%u of %llu kernels just outside were refused\n", refused, count);
    assert_true(refused > count / 3);
    assert_int_equal(t.failed, 0);
    close_targets(&t);
}

/* [floats] [FIRST COUNT [all]]: kernels with floats in them; other kernels than the suite's, for
 * longer runs; all: every kernel that fails is named, and none made smaller. */
int main(int argc, char **argv) {
    bool floats = argc > 1 && strcmp(argv[1], "floats") == 0;
    argv += floats;
    argc -= floats;
    all_kernels = argc == 4;
    if (argc >= 3) {
        first_kernel = strtoull(argv[1], NULL, 10);
        kernels = strtoull(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_inside),
                                       cmocka_unit_test(test_outside)},
                            of_floats[] = {cmocka_unit_test(test_floats)};
    return floats ? cmocka_run_group_tests(of_floats, NULL, NULL)
                  : cmocka_run_group_tests(tests, NULL, NULL);
}
