/* SPDX-License-Identifier: MIT
 * The gate schema on technologies of all kinds: tied and fixed operands, latches, rows
 * that are activated together, masks, sets; and what is said about every mistake. */
#include "made_up.h"

#include "recipe/technology/read_plane.h"
#include "recipe/technology/where.h"
#include "support/file.h"
#include "support/str.h"

static char folder[] = MPU_BINARY_DIR "/tests/schema-XXXXXX";

static int set_up(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static const char *path_of(const char *name) {
    static char path[sizeof folder + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int tear_down(void **state) {
    static const char *const names[] = {"t.yaml", "a.yaml", "b.yaml", "c.yaml"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(path_of(names[i]));
    return rmdir(folder);
}

static const char *source_of(const char *name) {
    static char path[1024];
    return made_up_path(path, name);
}

static struct target *open_with(const char *path, const struct target_override *o, size_t n) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open(path, o, n, d);
    if (!t)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    return t;
}

static struct target *open_named(const char *name) {
    return open_with(source_of(name), NULL, 0);
}

static uint32_t op_named(const struct target *t, const char *name) {
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++)
        if (strcmp(plane_target(t)->ops[i].name, name) == 0)
            return i;
    fail_msg("no micro-op %s", name);
    return 0;
}

static uint32_t class_named(const struct target *t, const char *name) {
    for (uint32_t i = 0; i < plane_target(t)->row_class_count; i++)
        if (strcmp(plane_target(t)->row_classes[i].name, name) == 0)
            return i;
    fail_msg("no class %s", name);
    return 0;
}

static const struct row_class *row_named(const struct target *t, const char *name) {
    return &plane_target(t)->row_classes[class_named(t, name)];
}

/* --- what the files say --- */

static void test_imply(void **state) {
    (void)state;
    struct target *t = open_named("imply");
    const struct target_op *imply = &plane_target(t)->ops[op_named(t, "IMPLY")];
    assert_true(imply->reads_old);
    assert_int_equal(imply->truth[0], 0xd); /* !a | q over (a, q) */
    assert_int_equal(imply->tied[0], 0);
    assert_int_equal(imply->preset, 0);
    assert_int_equal(plane_target(t)->register_rows, 1022 - 272);
    assert_int_equal(plane_target(t)->scratch_rows, 272);
    assert_int_equal(technology_rows_there(t), 1022);
    assert_int_equal(plane_target(t)->register_rows, 1022 - 272);
    assert_int_equal(technology_state_rows(t), 3);
    assert_int_equal(target_class_of_m(t), 0);
    target_free(t);
}

static void test_latched(void **state) {
    (void)state;
    struct target *t = open_named("latched");
    const struct target_op *add = &plane_target(t)->ops[op_named(t, "FADD")];
    uint32_t carry = class_named(t, "carry"), tag = class_named(t, "tag");
    assert_int_equal(add->nsrc, 3);
    assert_int_equal(add->ndst, 2);
    assert_false(add->reads_old);
    assert_int_equal(add->truth[0], 0x96);
    assert_int_equal(add->truth[1], 0xe8);
    assert_int_equal(add->tied[0], 0);
    assert_int_equal(add->tied[1], 3);
    const uint8_t fixed[5] = {0, 0, (uint8_t)(carry + 1), 0, (uint8_t)(carry + 1)};
    assert_memory_equal(add->fixed, fixed, sizeof fixed);
    assert_true(plane_target(t)->row_classes[carry].latch &&
                plane_target(t)->row_classes[carry].compute);
    assert_int_equal(row_named(t, "scratch")->first_scratch, 0);
    assert_int_equal(row_named(t, "scratch")->scratch_rows, 350);
    assert_int_equal(plane_target(t)->row_classes[carry].first_scratch, 350);
    assert_int_equal(plane_target(t)->row_classes[tag].first_scratch, 351);
    assert_int_equal(plane_target(t)->scratch_rows, 352);
    assert_int_equal(plane_target(t)->register_rows, 160);
    assert_int_equal(plane_target(t)->mask_by, MASK_LATCH);
    assert_int_equal(plane_target(t)->mask_latch, tag);
    assert_int_equal(plane_target(t)->mask_and, 1 + op_named(t, "ANDT"));
    assert_int_equal(plane_target(t)->mask_load, 1 + op_named(t, "LDT"));
    target_free(t);
}

/* An address: a row of the data class (a group of one that is no group), or a group. */
static bool share_a_row(const struct row_group *a, const struct row_group *b) {
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned k = 0; k < b->count; k++)
            if (a->class[i] == b->class[k] && a->class[i] > 0)
                return true;
    return false;
}

/* What the bit lines take from the first address. */
static bool bit_line(const struct row_group *first, unsigned values) {
    unsigned ones = 0;
    for (unsigned i = 0; i < first->count; i++)
        ones += (values >> i & 1) != first->inverted[i];
    return ones * 2 > first->count;
}

static void check_truths(const struct target_op *op, const struct row_group *first,
                         const struct row_group *second) {
    unsigned tied = first->count > 1 ? first->count : 0;
    assert_int_equal(op->nsrc, first->count);
    assert_int_equal(op->ndst, tied + (second ? second->count : 0));
    for (unsigned v = 0; v < 1u << first->count; v++)
        for (unsigned k = 0; k < op->ndst; k++) {
            bool inverted = k < tied ? first->inverted[k] : second->inverted[k - tied];
            assert_int_equal(op->truth[k] >> v & 1, bit_line(first, v) != inverted);
            assert_int_equal(op->tied[k], k < tied ? k + 1 : 0);
        }
}

static bool rows_fit(const struct target_op *op, const struct row_group *first,
                     const struct row_group *second) {
    struct where_place places[OP_MAX_SOURCES + OP_MAX_DESTS] = {0};
    for (unsigned i = 0; i < op->nsrc; i++)
        places[i].class = first->class[i];
    for (unsigned i = 0; i < op->ndst; i++) {
        unsigned tied = op->ndst - (second ? second->count : 0);
        places[op->nsrc + i].class = i < tied ? first->class[i] : second->class[i - tied];
    }
    return technology_where_holds(op->where, places, 0);
}

static unsigned check_activation(const struct target *t, uint32_t op, const struct row_group *first,
                                 const struct row_group *second) {
    int i = technology_activation(t, op, first, second);
    bool alone = !second, odd = first->count % 2 && !(alone && first->count == 1);
    if (!odd) {
        assert_int_equal(i, -1);
        return 0;
    }
    if (second && share_a_row(first, second)) {
        if (i >= 0 && first->count > 1)
            assert_false(rows_fit(&plane_target(t)->ops[i], first, second));
        return 0;
    }
    assert_true(i >= 0);
    check_truths(&plane_target(t)->ops[i], first, second);
    assert_true(rows_fit(&plane_target(t)->ops[i], first, second));
    return 1;
}

static void test_ambit(void **state) {
    (void)state;
    struct target *t = open_named("ambit");
    uint32_t aap = op_named(t, "AAP"), ap = op_named(t, "AP");
    struct row_group list[40] = {{.name = "data", .count = 1}};
    unsigned count = 1, fine = 0;
    for (uint32_t i = 0; i < plane_target(t)->group_count; i++)
        list[count++] = plane_target(t)->groups[i];
    for (uint32_t i = 1; i < plane_target(t)->row_class_count; i++)
        if (plane_target(t)->row_classes[i].compute)
            list[count++] = (struct row_group){.count = 1, .class = {(uint16_t)i}};
    for (unsigned i = 0; i < count; i++) {
        fine += check_activation(t, ap, &list[i], NULL);
        for (unsigned k = 0; k < count; k++)
            fine += check_activation(t, aap, &list[i], &list[k]);
    }
    assert_int_equal(plane_target(t)->groups[2].class[0],
                     class_named(t, "T0")); /* the negated one last */
    assert_true(plane_target(t)->groups[2].inverted[1]);
    assert_int_equal(fine, 147);
    assert_int_equal(plane_target(t)->ops[ap].class, OPCLASS_LOGIC);
    assert_int_equal(plane_target(t)->ops[aap].class, OPCLASS_COPY);
    assert_int_equal(plane_target(t)->mask_by, MASK_SELECT);
    assert_int_equal(plane_target(t)->register_class, 0);
    target_free(t);
}

/* A register may lie in either class, so a condition on one of them holds for neither. */
static void test_registers_apart(void **state) {
    (void)state;
    struct target *t = open_named("halves");
    const struct plane_target *p = plane_target(t);
    int upper = (int)class_named(t, "upper"), lower = (int)class_named(t, "lower");
    int comp = (int)class_named(t, "comp");
    assert_int_equal(p->register_class, upper);
    assert_int_equal(p->row_classes[upper].more_registers, lower);
    assert_int_equal(p->row_classes[lower].more_registers, 0);
    assert_int_equal(p->register_rows, 400 + 300);
    assert_int_equal(technology_rows_there(t), 400 + 300);
    static const struct {
        const char *where;
        bool register_in, compute_in; /* the operand's place, with a register in the other */
    } cases[] = {
        {"class(x) == upper", false, false},
        {"class(x) == lower", false, false},
        {"class(x) == upper || class(x) == lower", true, false},
        {"class(x) != comp", true, false},
        {"class(x) == class(d)", false, false},
        {"class(x) != upper || class(d) != lower", false, true},
        {"class(x) == comp", false, true},
        {"section(x) == 0", true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct diag *d = diag_new(NULL, NULL);
        struct notation_parser parser;
        const struct op_names names = {.names = {"x", "d"}, .nsrc = 1, .ndst = 1};
        struct where_place in[2] = {{upper, 0}, {upper, 0}}, mixed[2] = {{comp, 0}, {upper, 0}};
        notation_start(&parser, cases[i].where, strlen(cases[i].where), NO_SPAN, false, &arena, d);
        const struct where_expr *where =
            technology_where_compile(&parser, &names, p->row_classes, p->row_class_count);
        assert_non_null(where);
        assert_int_equal(technology_where_holds(where, in, 0), cases[i].register_in);
        assert_int_equal(technology_where_holds(where, mixed, 0), cases[i].compute_in);
        mixed[1].class = CLASS_UNKNOWN;
        assert_int_equal(technology_where_decided(where, mixed, 0) == 1, cases[i].compute_in);
        diag_free(d);
        arena_free(&arena);
    }
    target_free(t);
}

/* Constant rows come first alone; groups are no other rows. */
static void test_ambit_where(void **state) {
    (void)state;
    struct target *t = open_named("ambit");
    uint32_t aap = op_named(t, "AAP");
    uint16_t c0 = (uint16_t)class_named(t, "C0"), t0 = (uint16_t)class_named(t, "T0"),
             t1 = (uint16_t)class_named(t, "T1"), t3 = (uint16_t)class_named(t, "T3");
    struct row_group row = {.count = 1}, zero = {.count = 1, .class = {c0}};
    struct row_group wrong = {.count = 3, .class = {t0, t1, t3}};
    int copy = technology_activation(t, aap, &zero, &row),
        all = technology_activation(t, aap, &zero, &wrong);
    assert_true(copy >= 0 && all >= 0);
    assert_true(rows_fit(&plane_target(t)->ops[copy], &zero, &row));
    assert_false(rows_fit(&plane_target(t)->ops[copy], &row, &zero));
    assert_false(rows_fit(&plane_target(t)->ops[all], &zero, &wrong));
    const struct where_place latch = {CLASS_C, -1};
    assert_false(technology_where_holds(plane_target(t)->ops[copy].where,
                                        (struct where_place[]){latch, {0, 0}}, 0));
    struct row_group four = {.count = 4, .class = {t0, t1, t3, 1}};
    assert_int_equal(technology_activation(t, aap, &four, &row), -1);
    assert_int_equal(technology_activation(t, aap, &row, &four), -1);
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++)
        assert_int_equal(plane_target(t)->ops[i].first_variant,
                         strcmp(plane_target(t)->ops[i].name, "AP") == 0 ? op_named(t, "AP")
                                                                         : op_named(t, "AAP"));
    target_free(t);
}

/* An output whose function is 0 wherever its old value is 1. */
static void test_old_value(void **state) {
    (void)state;
    static const char text[] = "schema: 1\nname: own\nextends: racer\nops:\n"
                               "  ODD: { in: [a], out: [d, e], fn: { d: \"a & !d\", e: \"a\" },\n"
                               "         energy: e_column }\n"
                               "  TRA: { in: [x, y, z], out: [z, x, y], fn: \"maj(x, y, z)\",\n"
                               "         energy: e_column }\n";
    assert_true(file_write(path_of("t.yaml"), text, strlen(text)));
    struct target *t = open_with(path_of("t.yaml"), NULL, 0);
    const struct target_op *odd = &plane_target(t)->ops[op_named(t, "ODD")],
                           *tra = &plane_target(t)->ops[op_named(t, "TRA")];
    assert_int_equal(odd->truth[0], 0x2); /* over (a, old) */
    assert_int_equal(odd->truth[1], 0xa);
    for (unsigned k = 0; k < 3; k++)
        assert_int_equal(tra->truth[k], 0xe8);
    const uint8_t tied[3] = {3, 1, 2};
    assert_memory_equal(tra->tied, tied, sizeof tied);
    target_free(t);
}

/* Every file is printed as a file of the same content, variants, groups and sets included. */
static void test_print(void **state) {
    (void)state;
    static const char *const names[] = {"mtj", "imply", "ambit", "latched"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct target *t = open_named(names[i]), *again;
        struct str text = {0};
        target_print(t, &text);
        assert_true(file_write(path_of("t.yaml"), str_text(&text), text.len));
        again = open_with(path_of("t.yaml"), NULL, 0);
        assert_int_equal(again->key_count, t->key_count);
        for (size_t k = 0; k < t->key_count; k++) {
            assert_string_equal(again->keys[k].path, t->keys[k].path);
            assert_string_equal(again->keys[k].value, t->keys[k].value);
        }
        assert_int_equal(plane_target(again)->op_count, plane_target(t)->op_count);
        for (uint32_t k = 0; k < plane_target(t)->op_count; k++)
            assert_memory_equal(plane_target(again)->ops[k].truth, plane_target(t)->ops[k].truth,
                                sizeof plane_target(t)->ops[k].truth);
        assert_int_equal(plane_target(again)->group_count, plane_target(t)->group_count);
        str_free(&text);
        target_free(t);
        target_free(again);
    }
}

/* --- sets --- */

static const struct target_key *key_of(const struct target *t, const char *path) {
    for (size_t i = 0; i < t->key_count; i++)
        if (strcmp(t->keys[i].path, path) == 0)
            return &t->keys[i];
    fail_msg("no key %s", path);
    return NULL;
}

static void test_sets(void **state) {
    (void)state;
    struct target *plain = open_named("mtj");
    assert_int_equal(plain->datapath_ps, 3000);
    assert_string_equal(key_of(plain, "set")->value, "none");
    struct target_override both[] = {{"t_gate", "1500"}, {"set", "fast+cool"}};
    struct target *t = open_with(source_of("mtj"), both, 2);
    const struct target_op *nand = &plane_target(t)->ops[op_named(t, "NAND")];
    assert_int_equal(t->datapath_ps, 1000);
    assert_int_equal(nand->time_ps, 1500); /* --set of a number beats a set's */
    assert_int_equal(nand->energy, 4);
    assert_int_equal(t->host_fj_per_bit, 1000);
    assert_string_equal(key_of(t, "host.fj_per_bit")->source, "set cool: a data sheet");
    assert_string_equal(key_of(t, "clocks.datapath_ps")->source,
                        "assumed: a third of the time (set fast)");
    assert_string_equal(key_of(t, "energy.e_gate")->source, "assumed (set cool)");
    assert_true(key_of(t, "set")->overridden);
    assert_int_equal(t->assumed, plain->assumed - 2); /* t_gate and the link */
    assert_string_not_equal(t->hash, plain->hash);
    struct str keys = {0};
    target_list_keys(t, &keys);
    assert_non_null(strstr(str_text(&keys), "set                          fast+cool "));
    assert_non_null(strstr(str_text(&keys), "\nset=fast "));
    assert_non_null(
        strstr(str_text(&keys), " clocks.datapath_ps=1000 time.t_gate=1000 (assumed: "));
    str_free(&keys);
    target_free(plain);
    target_free(t);
}

/* What extends a target has its sets and may choose one. */
static void test_inherited_set(void **state) {
    (void)state;
    struct str text = {0};
    str_printf(&text,
               "schema: 1\nname: own\nextends: %s\nset: fast\n"
               "sets: { fast: { time.t_write: 7 }, other: { mpus: 4 } }\n",
               source_of("mtj"));
    char *bad = strstr(str_text(&text), ", other");
    assert_true(file_write(path_of("t.yaml"), str_text(&text), text.len));
    struct diag *d = diag_new(NULL, NULL);
    assert_null(target_open(path_of("t.yaml"), NULL, 0, d));
    assert_non_null(strstr(diag_first(d), "sets.other: 'mpus' is no key of this target"));
    diag_free(d);
    memcpy(bad, " }\n#", 4);
    assert_true(file_write(path_of("t.yaml"), str_text(&text), text.len));
    struct target *t = open_with(path_of("t.yaml"), NULL, 0);
    assert_int_equal(t->datapath_ps, 1000);
    assert_int_equal(plane_target(t)->ops[op_named(t, "SET0")].time_ps, 7);
    target_free(t);
    struct target_override none = {"set", "none"};
    t = open_with(path_of("t.yaml"), &none, 1);
    assert_int_equal(t->datapath_ps, 3000);
    target_free(t);
    str_free(&text);
}

static void want_error(const char *path, const char *key, const char *value, const char *words) {
    struct target_override o = {key, value};
    struct diag *d = diag_new(NULL, NULL);
    assert_null(target_open(path, &o, 1, d));
    diag_flush(d);
    if (!diag_first(d) || !strstr(diag_first(d), words))
        fail_msg("expected '%s', got '%s'", words, diag_first(d) ? diag_first(d) : "");
    diag_free(d);
}

static void test_wrong_sets(void **state) {
    (void)state;
    const char *mtj = source_of("mtj");
    want_error(mtj, "set", "fats", "--set set=fats: this target has no set called 'fats'");
    want_error(mtj, "set", "fast+", "no set called ''");
    want_error(mtj, "set", "fast+fast", "sets.fast: 'clocks.datapath_ps' stands here twice");
    want_error(mtj, "set", "", "no set called ''");
    want_error("golden", "set", "fast", "target 'golden' has no key 'set' that --set may change");
}

/* --- mistakes --- */

struct slip {
    const char *file, *old, *new, *place, *words;
};

static bool refuses(const struct slip *s, const char *text) {
    struct diag *d = diag_new(NULL, NULL);
    assert_true(file_write(path_of("t.yaml"), text, strlen(text)));
    struct target *t = target_open(path_of("t.yaml"), NULL, 0, d);
    diag_flush(d);
    const char *first = diag_first(d);
    char expected[64];
    snprintf(expected, sizeof expected, "t.yaml:%s:", s->place);
    bool fine = !t && first && strstr(first, expected) && strstr(first, s->words);
    if (!fine)
        print_error("'%s': expected %s ...%s..., got %s\n", s->new, expected, s->words,
                    t       ? "a target"
                    : first ? first
                            : "no message");
    target_free(t);
    diag_free(d);
    return fine;
}

static char *substitute(const struct slip *s) {
    size_t size;
    char *text = file_read(source_of(s->file), &size);
    assert_non_null(text);
    without_comments(text);
    const char *at = strstr(text, s->old);
    if (!at)
        fail_msg("'%s' is not in %s", s->old, s->file);
    struct str out = {0};
    str_printf(&out, "%.*s%s%s", (int)(at - text), text, s->new, at + strlen(s->old));
    free(text);
    char *made = strdup(str_text(&out));
    str_free(&out);
    return made;
}

static const struct slip slips[] = {
    /* rows */
    {"latched", "carry:     { latch: true }", "carry:     { latch: true, row: 3 }", "10:29",
     "a latch is one bit per lane beside the array"},
    {"latched", "carry:     { latch: true }", "carry:     { latch: yes }", "10:23",
     "expected true or false"},
    {"latched", "carry:     { latch: true }", "carry:     { latch: false }", "10:3",
     "either 'range' or 'row', or is a 'latch'"},
    {"latched", "carry:     {", "C:         {", "10:3", "'C' means something else"},
    {"latched", "carry:     {", "my-row:    {", "10:3", "the name of a class of rows is a word"},
    {"latched", "use: registers", "use: register", "8:38", "expected use: registers, scratch"},
    {"latched", "\"0..159\", use: registers", "\"0..159\", use: scratch", "7:1",
     "no class of rows holds registers"},
    {"latched", "zero:      { row: 510", "zero:      { row: 200", "12:3", "row 200 belongs to two"},
    {"latched", "zero:      { row: 510, value: 0", "zero:      { row: 510, value: 0, use: compute",
     "12:36", "a constant row has no other use"},
    {"latched", "row: 511", "row: 512", "13:21", "512 is outside 0 .. 511"},
    {"latched", "use: registers }", "use: registers, scratch: 4 }", "8:49",
     "use: registers leaves no row for scratch"},
    {"imply", "scratch: 272", "scratch: 1022", "8:39", "1022 is outside 0 .. 1021"},
    {"mtj", "odd:  { range: \"1..2043:2\"", "odd:  { range: \"1..2043:2\", scratch: 4", "9:31",
     "only the class that holds registers"},
    /* groups */
    {"ambit", "compute }\n  T3:   { row: 1009, use: compute }",
     "registers }\n  T3:   { row: 1009, use: registers }", "12:3",
     "and two say that they hold them"},
    {"ambit", "B10: [T2, T3]", "B10: [T2, T4]", "22:13", "'T4' is no class of rows"},
    {"ambit", "B10: [T2, T3]", "B10: [T2, data]", "22:13", "'data' has several rows"},
    {"ambit", "B10: [T2, T3]", "B10: [T2, C0]", "22:13", "'C0' is a constant row"},
    {"ambit", "B10: [T2, T3]", "B10: [T2, \"!T2\"]", "22:14", "'!T2' stands in this group twice"},
    {"ambit", "B10: [T2, T3]", "B10: T2", "22:8", "expected a list of rows"},
    {"ambit", "B10: [T2, T3]", "B10: []", "22:8", "expected a list of rows"},
    {"ambit", "B10: [T2, T3]", "B10: [T0, T1, T2, T3, DCC0, DCC1]", "22:31", "at most five rows"},
    {"ambit", "B10: [T2, T3]", "T1: [T2, T3]", "22:3", "a class of rows has this name"},
    {"ambit", "B10: [T2, T3]", "M: [T2, T3]", "22:3", "'M' means something else"},
    /* commands that activate */
    {"ambit", "activate: 1,", "activate: 3,", "30:20", "3 is outside 1 .. 2"},
    {"ambit", "activate: 1,", "activate: 1, out: d,", "30:23", "'activate' stands instead of"},
    {"ambit", "activate: 1,", "activate: 1, where: \"rows > 5\",", "30:31",
     "'where' holds for no rows that the groups have"},
    {"ambit", "activate: 1,", "activate: 1, where: \"class(second) == T0\",", "30:37",
     "no operand of this op is called 'second'"},
    {"ambit", "activate: 1,", "activate: 1, where: [T0],", "30:30", "'where' is an expression"},
    {"ambit", "AP:  {", "T1:  {", "30:3", "a class or group of rows has this name"},
    {"ambit", "AP:  {", "B12: {", "30:3", "a class or group of rows has this name"},
    /* operands and functions */
    {"latched", "[a, b, carry], out: [d, carry]", "[a, b, carry], out: [d, carry, d]", "17:47",
     "two operands of one name"},
    {"latched", "[a, b, carry], out: [d, carry]", "[a, b, scratch], out: [d, carry]", "17:23",
     "this class has several rows"},
    {"latched", "out: [d, carry]", "out: [zero, carry]", "17:37", "a constant row cannot be"},
    {"latched", "out: [d, carry]", "out: [d, M]", "17:40", "no operand can have this name"},
    {"latched", "out: [d, carry]", "out: [d, 1]", "17:40",
     "the name of an operand, which is a word"},
    {"latched", "carry: \"maj(a, b, carry)\"", "cary: \"maj(a, b, carry)\"", "18:38",
     "'fn' names an output that this micro-op does not have"},
    {"latched", ", carry: \"maj(a, b, carry)\"", "", "18:16", "no expression for output 'carry'"},
    {"latched", "carry: \"maj(a, b, carry)\"", "carry: \"maj(a, b, d)\"", "18:56",
     "fn may use the old value of its own output, not of 'd'"},
    {"imply", "in: [a], out: q, fn: \"!a | q\"", "in: [a, b, c, e, f], out: q, fn: \"!a | q\"",
     "13:51", "the old value counts as one"},
    {"imply", "fn: \"!a | q\"", "fn: \"!a | q\", preset: included", "13:51",
     "which an included preset overwrites"},
    {"imply", "in: [a], out: q, fn: \"!a | q\"",
     "in: [a, q], out: q, fn: \"!a | q\", preset: { q: 0, by: FALSE }", "13:54",
     "the preset would destroy a source"},
    {"imply", "in: [a], out: q, fn: \"!a | q\"",
     "in: [a], out: [p, q], fn: { p: \"0\", q: \"!a | q\" }, preset: { p: 1, q: 0, by: FALSE }",
     "13:82", "one micro-op sets all outputs to one value"},
    {"imply", "in: [a], out: q, fn: \"!a | q\"",
     "in: [a], out: [a, q], fn: { a: \"0\", q: \"!a | q\" }, preset: { a: 0, by: FALSE }", "13:71",
     "the preset would destroy a source"},
    {"imply", "fn: \"!a | q\"", "fn: \"!a | q\", preset: { q: 0, by: IMPLY }", "13:63",
     "a preset comes from a micro-op that reads nothing"},
    {"imply", "fn: \"!a | q\"", "fn: \"!a | q\", preset: { q: 1, by: FALSE }", "13:63",
     "does not set its one destination"},
    {"imply", "fn: \"!a | q\"", "fn: \"!a | q\", preset: { p: 0, by: FALSE }", "13:53",
     "unknown key 'p' of a preset"},
    {"latched", "in: [a], out: d, fn: \"a\", class: copy,",
     "in: [a], out: d, fn: \"a | d\", preset: { d: 1, by: SETC },", "16:62",
     "always writes another place"},
    {"latched", "class(a) != carry &&", "class(a) == zero && class(d) == zero &&", "15:56",
     "'where' holds for no places"},
    {"latched", "class(a) != carry &&", "section(d) == here + 1 &&", "15:56",
     "'where' holds for no places"},
    {"latched", "energy: e_op }\n  COPY:", "energy: e_op }\n  FREE: null\n  COPY:", "16:9",
     "null takes away what an extended target has; none has 'FREE'"},
    {"imply", "scratch: 272", "scratch: 1019", "8:3", "no row is left for registers: 1019 of 1022"},
    /* masks */
    {"latched", "latch: tag,", "latch: tga,", "22:30", "no row class of this name is a latch"},
    {"latched", "latch: tag,", "latch: scratch,", "22:30", "no row class of this name is a latch"},
    {"latched", ", load: LDT", "", "22:10", "mask.load: is missing"},
    {"latched", "and: ANDT", "and: AND", "22:40", "there is no micro-op of this name"},
    {"latched", "and: ANDT", "and: LDT", "22:40", "does not and its one source into the latch"},
    {"latched", "and: ANDT", "and: FADD", "22:40", "does not and its one source into the latch"},
    {"latched", "load: LDT", "load: SETC", "22:52", "does not load its one source"},
    {"latched", "by: latch,", "by: select,", "22:31", "goes with mask by latch alone"},
    {"ambit", "by: select", "by: select, ops: 0", "31:29", "goes with mask by gate alone"},
    {"ambit", "by: select", "by: chance", "31:16", "expected one of: gate latch select"},
    /* sets */
    {"mtj", "clocks.datapath_ps: 1000,", "clocks.datapath: 1000,", "27:11",
     "'clocks.datapath' is no key of this target that a set may change"},
    {"mtj", "clocks.datapath_ps: 1000,", "clocks.datapath_ps: 0,", "27:31", "0 is outside 1 .."},
    {"mtj", "clocks.datapath_ps: 1000,", "ops.NAND.fn: a,", "27:11", "is no key of this target"},
    {"mtj", "clocks.datapath_ps: 1000,", "time: { t_gate: 5 },", "27:32", "stands here twice"},
    {"mtj", "cool: {", "none: {", "28:3", "the name of a set"},
    {"mtj", "sets:", "set: slow\nsets:", "26:6", "this target has no set called 'slow'"},
    {"imply", "front_end: mpu-paper", "front_end: mpu-paper\nset: x", "21:6",
     "this target has no sets"},
    {"imply", "front_end: mpu-paper", "front_end: mpu-paper\nsets: x", "21:7", "expected blocks"},
    {"imply", "front_end: mpu-paper", "front_end: mpu-paper\nclocks.datapath_ps: 5", "21:1",
     "unknown key 'clocks.datapath_ps'"},
    {"imply", "t_pulse: 2000", "t_pulse: 2000, \"t p\": 5", "16:28", "name of a value is a word"},
    {"imply", "lanes: 128, ", "", "5:1", "'array.lanes' is missing"},
    {"imply", "mask:    { by: gate, ops: 0 }\n", "", "1:1", "'mask' is missing"},
};

static void test_mistakes(void **state) {
    (void)state;
    bool fine = true;
    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
        char *text = substitute(&slips[i]);
        fine &= refuses(&slips[i], text);
        free(text);
    }
    assert_true(fine);
}

/* Shapes of groups multiply: a hundred such commands are more than there may be. */
static void test_too_many_variants(void **state) {
    (void)state;
    struct str commands = {0};
    for (unsigned i = 0; i < 100; i++)
        str_printf(&commands, "  A%u: { activate: 2, energy: e_ap }\n", i);
    str_append(&commands, "  AP:  {");
    const struct slip s = {.file = "ambit",
                           .old = "  AP:  {",
                           .new = str_text(&commands),
                           .place = "97:3",
                           .words = "the groups give it too many variants"};
    char *text = substitute(&s);
    assert_true(refuses(&s, text));
    free(text);
    str_free(&commands);
}

/* Over 64 sections: what is said of them alone, and with classes. */
static bool accepts_where(const char *where) {
    char text[2000];
    snprintf(
        text, sizeof text,
        "schema: 1\nname: own\nextends: racer\nops: { X: { in: [a, b], out: d, fn: \"a & b\",\n"
        "  where: \"%s\", energy: e_column } }\n",
        where);
    struct diag *d = diag_new(NULL, NULL);
    assert_true(file_write(path_of("t.yaml"), text, strlen(text)));
    struct target *t = target_open(path_of("t.yaml"), NULL, 0, d);
    diag_flush(d);
    if (!t)
        assert_non_null(strstr(diag_first(d), "t.yaml:5:11: ops.X: 'where' holds for no places"));
    bool accepted = t != NULL;
    target_free(t);
    diag_free(d);
    return accepted;
}

static void test_possible(void **state) {
    (void)state;
    assert_true(accepts_where("here == 63"));
    assert_true(accepts_where("section(a) == 63 && here == 62 && section(d) == here + 1"));
    assert_true(accepts_where("section(a) == -1 && section(b) == section(d)"));
    assert_true(accepts_where("class(a) == valid && class(d) == M"));
    assert_true(accepts_where("class(a) == one && class(b) == zero && class(d) == scratch"));
    assert_false(accepts_where("here == 64"));
    assert_false(accepts_where("section(a) == 64"));
    assert_false(accepts_where("section(a) == here && section(a) == here + 1"));
    assert_false(accepts_where("class(d) == valid"));
    assert_false(accepts_where("class(d) == zero || class(d) == one"));
    assert_false(accepts_where("class(a) == class(b) && class(a) == C && class(b) != C"));
    assert_false(accepts_where("0"));
    char chain[1600] = "class(a) == class(b) + 2000"; /* each part is looked at once */
    for (int i = 0; i < 40; i++)
        strcat(chain, " || class(a) == class(d) + 2000");
    assert_false(accepts_where(chain));
}

/* --- energies and rows of commands --- */

static struct target *open_text(const char *text, struct diag *d) {
    assert_true(file_write(path_of("t.yaml"), text, strlen(text)));
    return target_open(path_of("t.yaml"), NULL, 0, d);
}

#define BY_NUMBER(rows)                                                                            \
    "schema: 1\nname: own\nextends: racer\nrows:\n  scratch: { range: \"64..100\" }\n" rows        \
    "ops:\n  X: { in: [a], out: d, fn: \"a\", energy: e_column,\n"                                 \
    "       where: \"class(a) == comp && row(d) == row(a) + 2\" }\n"

/* Rows for computing that conditions tell apart by their numbers. */
static void test_rows_by_number(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_text(BY_NUMBER("  comp: { range: \"101..107:2\", use: compute }\n"), d);
    assert_non_null(t);
    const struct target_op *x = &plane_target(t)->ops[op_named(t, "X")];
    int comp[4], scratch = -1;
    for (int i = 0; i < 4; i++) {
        char name[] = {'c', 'o', 'm', 'p', (char)('0' + i), 0};
        comp[i] = technology_row_named(t, name);
        assert_int_equal(plane_target(t)->row_classes[comp[i]].first, 101 + 2 * i);
    }
    for (uint32_t i = 0; i < plane_target(t)->row_class_count; i++)
        if (strcmp(plane_target(t)->row_classes[i].name, "scratch") == 0)
            scratch = (int)i;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            struct where_place at[] = {{comp[i], 0}, {comp[k], 0}};
            assert_int_equal(technology_where_holds(x->where, at, 0), k == i + 1);
        }
    struct where_place from[] = {{scratch, 0}, {comp[1], 0}}, to[] = {{comp[0], 0}, {scratch, 0}};
    assert_false(technology_where_holds(x->where, from, 0));
    assert_false(technology_where_holds(x->where, to, 0));
    target_free(t);
    assert_null(open_text(BY_NUMBER("  comp: { range: \"101..117\", use: compute }\n"), d));
    diag_flush(d);
    assert_non_null(strstr(diag_first(d), "t.yaml:6:3: rows.comp: conditions that ask for row(x)"));
    diag_free(d);
    d = diag_new(NULL, NULL);
    assert_null(open_text(BY_NUMBER("  comp: { range: \"101..104\", use: compute }\n"
                                    "  comp2: { row: 110 }\n"),
                          d));
    diag_flush(d);
    assert_non_null(strstr(diag_first(d), "two rows are called 'comp2'"));
    diag_free(d);
}

/* A command's own condition, on each row of the two addresses and on how many there are. */
static void test_own_where(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct target *all = target_open("mimdram", NULL, 0, d);
    struct target *t = open_text("schema: 1\nname: own\nextends: mimdram\nops:\n"
                                 "  AAP: { where: \"rows <= 4 && class(second) != T3\" }\n",
                                 d);
    assert_non_null(t);
    assert_in_range(plane_target(t)->op_count, 1, plane_target(all)->op_count - 1);
    int t0 = technology_row_named(t, "T0"), t3 = technology_row_named(t, "T3");
    unsigned copies = 0;
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++) {
        const struct target_op *op = &plane_target(t)->ops[i];
        if (strcmp(op->name, "AAP") != 0)
            continue;
        assert_in_range(op->first_rows + op->second_rows, 2, 4);
        struct where_place to[2][2] = {{{t0, 0}, {t0, 0}}, {{t0, 0}, {t3, 0}}};
        if (op->first_rows != 1 || op->second_rows != 1 || op->first_inverted)
            continue;
        to[0][0].class = to[1][0].class = (int)plane_target(t)->register_class;
        copies += !op->second_inverted;
        assert_true(op->second_inverted || technology_where_holds(op->where, to[0], 0));
        assert_false(technology_where_holds(op->where, to[1], 0));
    }
    assert_int_equal(copies, 1);
    target_free(t);
    target_free(all);
    diag_free(d);
}

/* Energies below 1 fJ a lane add up before they are told in fJ; none at all is warned about. */
static void test_small_energies(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_text("schema: 1\nname: own\nextends: racer\n"
                                 "energy: { per: lane, unit: aJ, e_column: 350 }\n",
                                 d);
    assert_non_null(t);
    struct recipe_set *s = recipe_set_open(t, d);
    struct insn insn = {.op = OP_OR, .rs = 1, .rt = 2, .rd = 3, .width = 64};
    struct recipe_count n;
    assert_true(recipe_count(s, &insn, false, &n));
    assert_int_equal(n.energy_fj, 64 * 64 * 350 / 1000);
    diag_flush(d);
    assert_null(diag_first(d));
    recipe_set_free(s);
    target_free(t);
    t = open_text("schema: 1\nname: own\nextends: racer\nenergy: { e_buffer: 0 }\n", d);
    assert_non_null(t);
    assert_true(diag_warnings(d) > 0);
    target_free(t);
    diag_free(d);
    d = diag_new(NULL, NULL);
    assert_null(open_text("schema: 1\nname: own\nextends: racer\nenergy: { unit: pJ }\n", d));
    diag_flush(d);
    assert_non_null(strstr(diag_first(d), "t.yaml:4:17: "));
    diag_free(d);
    d = diag_new(NULL, NULL);
    struct target_override meant = {"set", "mastodon"};
    target_free(target_open("racer", &meant, 1, d));
    assert_int_equal(diag_warnings(d), 0);
    diag_free(d);
}

static void test_no_majority(void **state) {
    (void)state;
    const struct slip s = {.file = "ambit",
                           .old = "  B12: [T0, T1, T2]\n  B13: [T1, T2, T3]\n"
                                  "  B14: [DCC0, T1, T2]\n  B15: [DCC1, T0, T3]\n",
                           .new = "",
                           .place = "26:20",
                           .words = "no group of three or five rows"};
    char *text = substitute(&s);
    assert_true(refuses(&s, text));
    free(text);
}

/* a extends b extends ./c extends a, named differently each time. */
static void test_cycle(void **state) {
    (void)state;
    static const struct {
        const char *name, *text;
    } files[] = {{"b.yaml", "schema: 1\nname: b\nextends: ./c.yaml\n"},
                 {"c.yaml", "schema: 1\nname: c\nextends: .././"},
                 {"a.yaml", "schema: 1\nname: a\nextends: b.yaml\n"}};
    struct str c = {0};
    str_printf(&c, "%s%s/a.yaml\n", files[1].text, strrchr(folder, '/') + 1);
    assert_true(file_write(path_of("b.yaml"), files[0].text, strlen(files[0].text)));
    assert_true(file_write(path_of("c.yaml"), str_text(&c), c.len));
    assert_true(file_write(path_of("a.yaml"), files[2].text, strlen(files[2].text)));
    struct diag *d = diag_new(NULL, NULL);
    assert_null(target_open(path_of("a.yaml"), NULL, 0, d));
    const char *first = diag_first(d);
    assert_non_null(strstr(first, "c.yaml:3:10: a target cannot extend itself: "));
    const char *a = strstr(first, "a.yaml extends "), *b = a ? strstr(a, "b.yaml extends ") : NULL;
    assert_non_null(b);
    assert_non_null(strstr(b, "c.yaml extends "));
    diag_free(d);
    str_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_imply),
        cmocka_unit_test(test_latched),
        cmocka_unit_test(test_ambit),
        cmocka_unit_test(test_ambit_where),
        cmocka_unit_test(test_registers_apart),
        cmocka_unit_test(test_old_value),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_inherited_set),
        cmocka_unit_test(test_wrong_sets),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_no_majority),
        cmocka_unit_test(test_own_where),
        cmocka_unit_test(test_rows_by_number),
        cmocka_unit_test(test_small_energies),
        cmocka_unit_test(test_possible),
        cmocka_unit_test(test_too_many_variants),
        cmocka_unit_test(test_cycle),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
