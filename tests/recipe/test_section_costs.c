/* SPDX-License-Identifier: MIT
 * What the number of sections costs: the table and the plot of docs/sections.md, made of racer's
 * pipeline on 1 to 64 tiles.  Every form is verified on the way.  MPU_WRITE_PAGE=1
 * test_section_costs writes both. */
#include "made_up.h"
#include "support/svg.h"
#include "tests/examples/page.h"

#include "machines/plane/verify/verify.h"

#define PLOT   MPU_SOURCE_DIR "/docs/sections.svg"
#define PAGE   MPU_SOURCE_DIR "/docs/sections.md"
#define TALL   MPU_SOURCE_DIR "/examples/technology/racer-tall.yaml"
#define WRITER "test_section_costs"
#define WIDTH  32

static const char *const sections[] = {"1", "2", "4", "8", "16", "32", "64"};
static const enum isa_op ops[] = {OP_ADD, OP_MUL, OP_POPC, OP_FADD};
#define SECTIONS (sizeof sections / sizeof *sections)
#define OPS      (sizeof ops / sizeof *ops)

/* ns from the first micro-op to the last, and from one instruction's start to the next one's; pJ of
 * a VRF. */
struct cost {
    unsigned latency_ns, interval_ns, energy_pj;
};
static struct cost costs[OPS][SECTIONS];

static void verify(const struct recipe_set *s, enum isa_op op) {
    struct diag *d = diag_new(NULL, NULL);
    const struct verify_options o = {.effort = VERIFY_LIGHT, .op = op, .width = WIDTH, .seed = 1};
    struct verify_plane plane;
    struct verify_count count;
    bool fine = verify_matrix(plane_verify(&plane, s->target, s), &o, &count, d);
    diag_flush(d);
    if (!fine)
        fail_msg("%u sections: %s", plane_target(s->target)->sections, diag_first(d));
    diag_free(d);
}

static struct cost cost_of(const struct recipe_set *s, enum isa_op op) {
    const struct insn insn = recipe_usual_insn(op, WIDTH);
    struct uop_list list = {0};
    struct recipe_count n;
    const char *error;
    assert_true(recipe_expand(s, &insn, false, &list, NULL));
    assert_true(recipe_count_list(s->target, &list, &n, &error));
    vec_free(&list);
    const uint64_t ps = s->target->datapath_ps;
    return (struct cost){(unsigned)(n.latency_cycles * ps / 1000),
                         (unsigned)(n.interval_cycles * ps / 1000), (unsigned)(n.energy_fj / 1000)};
}

static void fill(size_t column) {
    struct diag *d = diag_new(NULL, NULL);
    const struct target_override set = {"array.sections", sections[column]};
    struct target *t = target_open(TALL, &set, 1, d);
    struct recipe_set *s = t ? recipe_set_open(t, d) : NULL;
    diag_flush(d);
    if (!s)
        fail_msg("%s", diag_first(d));
    for (size_t i = 0; i < OPS; i++) {
        verify(s, ops[i]);
        costs[i][column] = cost_of(s, ops[i]);
    }
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

/* --- the table --- */

static void write_table(struct str *table) {
    str_append(table, "| sections |");
    for (size_t i = 0; i < OPS; i++)
        str_printf(table, " %s.%d |", isa_info(ops[i])->name, WIDTH);
    str_append(table, "\n|---|---|---|---|---|\n");
    for (size_t k = 0; k < SECTIONS; k++) {
        str_printf(table, "| %s |", sections[k]);
        for (size_t i = 0; i < OPS; i++)
            str_printf(table, " %u / %u / %u |", costs[i][k].latency_ns, costs[i][k].interval_ns,
                       costs[i][k].energy_pj);
        str_char(table, '\n');
    }
}

/* --- the plot: 8 to 2^18 in seventeen octaves --- */

enum { LEFT = 60, TOP = 26, WIDE = 210, HIGH = 225, PANEL = 290, LOWEST = 3, OCTAVES = 15 };

static int across(size_t column) {
    return 10 * (int)(column * WIDE / (SECTIONS - 1));
}

static int height(unsigned value) {
    return 10 * HIGH - (svg_logarithm(value) - 1000 * LOWEST) * HIGH / (100 * OCTAVES);
}

static unsigned value_of(const struct cost *cost, unsigned panel) {
    return panel == 0 ? cost->latency_ns : panel == 1 ? cost->interval_ns : cost->energy_pj;
}

static void put_axes(struct str *svg, const char *title) {
    char label[12];
    svg_label(svg, (struct svg_point){5 * WIDE, -100}, SVG_MIDDLE, title);
    for (unsigned octave = LOWEST; octave <= LOWEST + OCTAVES; octave += 3) {
        int y = height(1u << octave);
        snprintf(label, sizeof label, "%u", 1u << octave);
        svg_line(svg, (struct svg_point){0, y}, (struct svg_point){10 * WIDE, y}, false);
        svg_label(svg, (struct svg_point){-40, y + 40}, SVG_END, label);
    }
    for (size_t k = 0; k < SECTIONS; k++)
        svg_label(svg, (struct svg_point){across(k), 10 * HIGH + 160}, SVG_MIDDLE, sections[k]);
}

static void put_panel(struct str *svg, unsigned panel, const char *title) {
    svg_group(svg, 10 * (LEFT + (int)panel * PANEL), 10 * TOP);
    put_axes(svg, title);
    for (size_t i = 0; i < OPS; i++) {
        struct svg_point points[SECTIONS];
        for (size_t k = 0; k < SECTIONS; k++)
            points[k] = (struct svg_point){across(k), height(value_of(&costs[i][k], panel))};
        svg_curve(svg, points, SECTIONS, (unsigned)i);
    }
    svg_group_end(svg);
}

static void write_plot(struct str *svg) {
    static const char *const titles[] = {"latency, ns", "from start to start, ns",
                                         "energy of a VRF, pJ"};
    static const struct svg_about about = {
        "sections", 3 * PANEL + 10, TOP + HIGH + 50, "Instructions by sections",
        "Latency, interval and energy of instructions over the number of sections"};
    char name[32];
    svg_begin(svg, &about);
    for (unsigned panel = 0; panel < 3; panel++)
        put_panel(svg, panel, titles[panel]);
    for (size_t i = 0; i < OPS; i++) {
        int x = 10 * (LEFT + (int)i * 110), y = 10 * (TOP + HIGH + 34);
        snprintf(name, sizeof name, "%s.%d", isa_info(ops[i])->name, WIDTH);
        svg_curve(svg, (const struct svg_point[]){{x, y}, {x + 240, y}}, 2, (unsigned)i);
        svg_label(svg, (struct svg_point){x + 300, y + 40}, SVG_START, name);
    }
    svg_end(svg);
}

static void check_plot(const struct str *svg) {
    char *text;
    size_t size;
    if (getenv("MPU_WRITE_PAGE"))
        assert_true(file_write(PLOT, str_text(svg), svg->len));
    text = file_read(PLOT, &size);
    if (!text || size != svg->len || memcmp(text, str_text(svg), size) != 0)
        fail_msg("docs/sections.svg is out of date: MPU_WRITE_PAGE=1 " WRITER);
    free(text);
}

static void test_page(void **state) {
    struct str table = {0}, svg = {0};
    (void)state;
    for (size_t k = 0; k < SECTIONS; k++)
        fill(k);
    write_table(&table);
    write_plot(&svg);
    page_check(PAGE, "sections", &table, WRITER);
    check_plot(&svg);
    str_free(&table);
    str_free(&svg);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_page)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
