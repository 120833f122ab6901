/* SPDX-License-Identifier: MIT
 * The routines of PyPIM's driver: words of each kind in `arith: compat` as published, what `exact`
 * and `serial` take, and the page that has them beside each other. */
#include "text.h"

#include "machines/plane/link/host_words.h"
#include "recipe/set/set.h"
#include "support/file.h"
#include "tests/examples/page.h"

#include <stdio.h>

#define PUBLISHED MPU_SOURCE_DIR "/docs/pypim-routines.csv"
#define PAGE      MPU_SOURCE_DIR "/docs/pypim-published.md"
#define WRITER    "test_recipe_routines"
#define ROUTINES  23
#define WIDTH     32

enum { KINDS = 4 };
static const char *const kinds[KINDS] = {"INIT0", "INIT1", "NOT", "NOR"};

struct counts {
    unsigned words, gates, kinds[KINDS], single, crossing;
};

struct routine {
    char name[16], instruction[8];
    struct counts published;
    unsigned theory; /* 0: not published */
    char sha256[65];
};

struct fixture {
    struct routine routines[ROUTINES];
    struct diag *diag;
    struct target *targets[TARGET_ARITHS];
    struct recipe_set *sets[TARGET_ARITHS]; /* of exact, compat and serial */
};

/* ---- published figures ---- */

static void read_routine(char *line, struct routine *r) {
    char *fields[13], *at = line;
    for (int i = 0; i < 13; i++) {
        assert_non_null(at);
        fields[i] = at;
        at = strchr(at, ',');
        if (at)
            *at++ = '\0';
    }
    snprintf(r->name, sizeof r->name, "%s", fields[0]);
    snprintf(r->instruction, sizeof r->instruction, "%s", fields[1]);
    unsigned n[8];
    for (int i = 0; i < 8; i++)
        n[i] = (unsigned)strtoul(fields[2 + i], NULL, 10);
    r->published = (struct counts){n[0], n[1], {n[2], n[3], n[4], n[5]}, n[6], n[7]};
    r->theory = (unsigned)strtoul(fields[11], NULL, 10);
    snprintf(r->sha256, sizeof r->sha256, "%s", fields[12]);
}

static void read_routines(struct routine *routines) {
    char *text = file_read(PUBLISHED, &(size_t){0}), *rest = NULL;
    unsigned count = 0;
    assert_non_null(text);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (*line == '#' || strncmp(line, "routine,", 8) == 0)
            continue;
        assert_true(count < ROUTINES);
        read_routine(line, &routines[count++]);
    }
    assert_int_equal(count, ROUTINES);
    free(text);
}

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    f->diag = diag_new(NULL, NULL);
    read_routines(f->routines);
    for (unsigned a = 0; a < TARGET_ARITHS; a++) {
        struct target_override set = {"arith", target_arith_word((enum target_arith)a)};
        if (a == ARITH_FLUSH)
            continue;
        f->targets[a] = target_open("pypim", &set, 1, f->diag);
        f->sets[a] = f->targets[a] ? recipe_set_open(f->targets[a], f->diag) : NULL;
        if (!f->sets[a])
            fail_msg("%s", diag_first(f->diag));
    }
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    for (unsigned a = 0; a < TARGET_ARITHS; a++) {
        recipe_set_free(f->sets[a]);
        target_free(f->targets[a]);
    }
    diag_free(f->diag);
    free(f);
    return 0;
}

/* ---- ours ---- */

static const struct routine *find(const struct fixture *f, const char *name) {
    for (unsigned i = 0; i < ROUTINES; i++)
        if (strcmp(f->routines[i].name, name) == 0)
            return &f->routines[i];
    fail_msg("no routine '%s'", name);
    return NULL;
}

static struct insn insn_of(const struct routine *r) {
    return (struct insn){.op = isa_find(r->instruction, strlen(r->instruction)),
                         .width = WIDTH,
                         .rs = 1,
                         .rt = 2,
                         .rd = 3};
}

/* Is there a recipe of the published routine?  Bitwise ones need none of their own. */
static bool is_compat(const struct fixture *f, const struct routine *r) {
    const char *origin = recipe_origin(f->sets[ARITH_COMPAT], insn_of(r).op);
    return strstr(origin, "compat") || r->published.words <= 10;
}

static void expand(const struct fixture *f, enum target_arith arith, const struct routine *r,
                   struct uop_list *list) {
    struct insn insn = insn_of(r);
    if (!recipe_expand(f->sets[arith], &insn, false, list, f->diag))
        fail_msg("%s: %s", r->name, diag_first(f->diag));
}

static unsigned kind_of(const struct fixture *f, enum target_arith arith, const struct uop *uop) {
    const char *name = plane_target(f->targets[arith])->ops[uop->kind].name;
    for (unsigned k = 0; k < KINDS; k++)
        if (strcmp(name, kinds[k]) == 0)
            return k;
    fail_msg("a gate '%s'", name);
    return 0;
}

static unsigned partition_of(uint32_t place) {
    return PLANE_CLASS(place) == PLANE_REGISTER ? (place & 63) : PLANE_SECTION(place);
}

static bool crosses(const struct uop *uop) {
    bool other = false;
    for (unsigned k = 0; k < uop->nsrc; k++)
        other |= partition_of(uop->src[k]) != partition_of(uop->dst[0]);
    return other;
}

static size_t word_end(const struct uop_list *list, size_t begin) {
    size_t end = begin + 1;
    while (end < list->len && list->data[end].pipelined)
        end++;
    return end;
}

static struct counts count(const struct fixture *f, enum target_arith arith,
                           const struct routine *r) {
    struct uop_list list = {0};
    struct counts n = {0};
    expand(f, arith, r, &list);
    n.gates = (unsigned)list.len;
    for (size_t i = 0, end; i < list.len; i = end) {
        end = word_end(&list, i);
        n.words++;
        n.kinds[kind_of(f, arith, &list.data[i])]++;
        n.single += end == i + 1;
        n.crossing += crosses(&list.data[i]);
    }
    vec_free(&list);
    return n;
}

static void test_compat(void **state) {
    const struct fixture *f = *state;
    for (unsigned i = 0; i < ROUTINES; i++) {
        const struct routine *r = &f->routines[i];
        if (!is_compat(f, r))
            continue;
        struct counts ours = count(f, ARITH_COMPAT, r), want = r->published;
        if (memcmp(&ours, &want, sizeof ours) != 0)
            fail_msg("%s: %u words, %u gates, %u INIT0, %u INIT1, %u NOT, %u NOR, %u single, %u "
                     "crossing; published %u, %u, %u, %u, %u, %u, %u, %u",
                     r->name, ours.words, ours.gates, ours.kinds[0], ours.kinds[1], ours.kinds[2],
                     ours.kinds[3], ours.single, ours.crossing, want.words, want.gates,
                     want.kinds[0], want.kinds[1], want.kinds[2], want.kinds[3], want.single,
                     want.crossing);
    }
}

static bool is_float(const struct routine *r) {
    return strstr(r->name, "_float") != NULL;
}

/* No routine on whole numbers takes more in the default arithmetic. */
static void test_exact(void **state) {
    const struct fixture *f = *state;
    for (unsigned i = 0; i < ROUTINES; i++) {
        const struct routine *r = &f->routines[i];
        bool truth = strcmp(r->instruction, "FSIGN") == 0 || strcmp(r->instruction, "FZERO") == 0;
        if (!is_float(r) && !truth && count(f, ARITH_EXACT, r).words > r->published.words)
            fail_msg("%s takes more words than published", r->name);
    }
}

/* AritPIM's serial sums: 18 n + 1 and 20 n + 1 gates. */
static void test_serial(void **state) {
    const struct fixture *f = *state;
    struct counts sum = count(f, ARITH_SERIAL, find(f, "add_int")),
                  difference = count(f, ARITH_SERIAL, find(f, "sub_int"));
    assert_int_equal(sum.words, 577);
    assert_int_equal(sum.gates, 577);
    assert_int_equal(difference.words, 641);
    assert_int_equal(difference.gates, 641);
}

/* ---- the stream of words ---- */

/* Registers of scratch in the order in which presets begin values: each one does, or those of whole
 * columns alone. */
static const struct scratch {
    const char *routine;
    bool whole;
    uint8_t registers[10];
} scratches[] = {{"neg_int", true, {31, 29, 30, 28, 30, 29, 28, 27, 26}},
                 {"zero_int", false, {30, 29, 31}},
                 {"zero_float", false, {30, 29, 31}}};

/* Registers as the driver has them: x, y, z, then scratch, from the highest one downward where no
 * order of ours is known. */
struct naming {
    uint8_t operands[3];
    const struct scratch *scratch; /* or NULL */
    uint8_t cells[256][WIDTH];     /* by our row and section; 0: not seen */
    unsigned used;
};

static struct naming naming_of(const struct routine *r) {
    struct naming n = {.operands = {0, 1, 2}};
    for (size_t i = 0; i < sizeof scratches / sizeof *scratches; i++)
        if (strcmp(scratches[i].routine, r->name) == 0)
            n.scratch = &scratches[i];
    return n;
}

static bool is_register(uint32_t place) {
    return PLANE_CLASS(place) == PLANE_REGISTER;
}

static uint8_t *cell_of(struct naming *n, uint32_t place) {
    return &n->cells[PLANE_NUMBER(place) & 255][partition_of(place) % WIDTH];
}

static uint32_t register_of(struct naming *n, uint32_t place) {
    return is_register(place) ? n->operands[(PLANE_NUMBER(place) >> 6) - 1] : *cell_of(n, place);
}

/* A preset of these cells, and whether it begins a value. */
static void name_preset(struct naming *n, const struct uop *presets, size_t count) {
    const struct scratch *s = n->scratch;
    if (is_register(presets->dst[0]) ||
        (s && s->whole && count < WIDTH && *cell_of(n, presets->dst[0])))
        return;
    assert_true(!s || n->used < sizeof s->registers);
    uint8_t next = s ? s->registers[n->used] : (uint8_t)(31 - n->used);
    n->used++;
    for (size_t i = 0; i < count; i++)
        *cell_of(n, presets[i].dst[0]) = next;
}

static struct plane_word word_of(const struct fixture *f, struct naming *naming,
                                 const struct uop_list *list, size_t begin, size_t end) {
    const struct uop *u = &list->data[begin];
    struct plane_word w = {.kind = WORD_GATES,
                           .gate = (enum plane_gate)kind_of(f, ARITH_COMPAT, u),
                           .start = partition_of(u->dst[0]),
                           .stop = partition_of(list->data[end - 1].dst[0]),
                           .step = 1};
    if (end > begin + 1)
        w.step = partition_of(list->data[begin + 1].dst[0]) - w.start;
    if (!u->nsrc)
        name_preset(naming, u, end - begin);
    for (unsigned k = 0; k < 2; k++) {
        uint32_t in = u->nsrc ? u->src[k < u->nsrc ? k : 0] : u->dst[0];
        w.in_reg[k] = register_of(naming, in);
        w.in_partition[k] = partition_of(in);
    }
    w.reg = register_of(naming, u->dst[0]);
    return w;
}

/* The driver's choice lies in a register of its own, the first one; SEL has it where its result
 * comes, which its last preset and gate write. */
static void name_choice(struct naming *n, bool last) {
    n->operands[0] = 1;
    n->operands[1] = 2;
    n->operands[2] = last ? 3 : 0;
}

static void stream_hash(const struct fixture *f, const struct plane_crossbar *crossbar,
                        const struct routine *r, char hex[65]) {
    struct uop_list list = {0};
    struct naming naming = naming_of(r);
    struct str text = {0};
    expand(f, ARITH_COMPAT, r, &list);
    for (size_t i = 0, end; i < list.len; i = end) {
        end = word_end(&list, i);
        if (strcmp(r->name, "mux") == 0)
            name_choice(&naming, list.len - i <= 2 * WIDTH);
        struct plane_word w = word_of(f, &naming, &list, i, end);
        str_printf(&text, "%llx\n", (unsigned long long)plane_word_encode(crossbar, &w));
    }
    sha256_hex(text.text, text.len, hex);
    str_free(&text);
    vec_free(&list);
}

static bool is_same(const struct fixture *f, const struct routine *r) {
    struct plane_crossbar crossbar;
    struct str why = {0};
    char hex[65];
    assert_true(plane_crossbar_of(f->targets[ARITH_COMPAT], &crossbar, &why));
    str_free(&why);
    stream_hash(f, &crossbar, r, hex);
    return strcmp(hex, r->sha256) == 0;
}

/* Word by word what the driver sends. */
static void test_streams(void **state) {
    static const char *const same[] = {
        "not",       "or",        "xor",      "and",        "copy",     "mux",       "neg_int",
        "neg_float", "abs_float", "sign_int", "sign_float", "zero_int", "zero_float"};
    const struct fixture *f = *state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (!is_same(f, find(f, same[i])))
            fail_msg("%s: not the published words", same[i]);
}

/* ---- the page ---- */

static void put_share(struct str *out, unsigned part, unsigned whole) {
    if (whole)
        str_printf(out, "%.3f", (double)part / whole);
    else
        str_char(out, '-');
}

static void put_row(const struct fixture *f, const struct routine *r, struct str *out) {
    bool there = is_compat(f, r);
    str_printf(out, "| %s | %s | %u | ", r->name, r->instruction, r->published.words);
    if (r->theory)
        str_printf(out, "%u | ", r->theory);
    else
        str_append(out, "- | ");
    put_share(out, r->published.words, r->theory);
    if (there)
        str_printf(out, " | %u | ", count(f, ARITH_COMPAT, r).words);
    else
        str_append(out, " | - | ");
    str_printf(out, "%u | %s |\n", count(f, ARITH_EXACT, r).words,
               there && is_same(f, r) ? "yes" : "");
}

/* Cycles that are published on the average of the routines whose theory is, and at the worst. */
static void put_mean(const struct fixture *f, struct str *out) {
    double sum = 0, worst = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < ROUTINES; i++) {
        const struct routine *r = &f->routines[i];
        double ratio = r->theory ? (double)r->published.words / r->theory : 0;
        sum += ratio;
        count += r->theory != 0;
        worst = ratio > worst ? ratio : worst;
    }
    assert_true(sum / count <= 1.05 && worst <= 1.16);
    str_printf(out, "\nPublished cycles over theory: %.3f on the average, %.3f at the worst.\n",
               sum / count, worst);
}

static void test_page(void **state) {
    const struct fixture *f = *state;
    struct str table = {0};
    str_append(&table,
               "| routine | instruction | published | theory | published / theory | compat | "
               "exact | same words |\n|---|---|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < ROUTINES; i++)
        put_row(f, &f->routines[i], &table);
    put_mean(f, &table);
    page_check(PAGE, "routines", &table, WRITER);
    str_free(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compat),  cmocka_unit_test(test_exact), cmocka_unit_test(test_serial),
        cmocka_unit_test(test_streams), cmocka_unit_test(test_page),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
