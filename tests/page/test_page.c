/* SPDX-License-Identifier: MIT
 * Report pages: well-formed, of the figures and of nothing else, bounded, and with every name of a
 * stranger's as text. */
#include "tests/draws.h"
#include "tests/runtime/run_words.h"

#include "emu/observe/timeline.h"
#include "emu/page/pages.h"
#include "emu/report/units.h"
#include "support/bits.h"
#include "support/file.h"
#include "machines/datapath.h"
#include <mpu/mpu.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define DAMAGES draws(DRAWS_PAGE_DAMAGES)

/* ---- XML, strictly: elements within one another, attributes in quotes, entities that exist ----
 */

#define MOST_DEPTH 64

static const char *entity_end(const char *at) {
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(at, known[i], strlen(known[i])) == 0)
            return at + strlen(known[i]);
    fail_msg("no entity: %.20s", at);
    return NULL;
}

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == ':';
}

/* Behind the attributes of an element, at ">" or "/>". */
static const char *skip_attributes(const char *at) {
    while (*at == ' ' || *at == '\n') {
        at++;
        while (is_name(*at))
            at++;
        if (at[0] != '=' || at[1] != '"')
            fail_msg("an attribute without a value: %.30s", at);
        for (at += 2; *at != '"';) {
            assert_true(*at && *at != '<');
            at = *at == '&' ? entity_end(at) : at + 1;
        }
        at++;
    }
    return at;
}

struct open_elements {
    const char *name[MOST_DEPTH];
    size_t length[MOST_DEPTH], depth;
};

/* At "<"; returns what follows ">". */
static const char *take_tag(const char *at, struct open_elements *open) {
    bool is_end = at[1] == '/';
    const char *name = at + 1 + is_end, *end = name;
    while (is_name(*end))
        end++;
    size_t n = (size_t)(end - name);
    assert_true(n > 0);
    if (is_end) {
        assert_true(open->depth > 0);
        open->depth--;
        if (open->length[open->depth] != n || memcmp(open->name[open->depth], name, n) != 0)
            fail_msg("</%.*s> ends <%.*s>", (int)n, name, (int)open->length[open->depth],
                     open->name[open->depth]);
        assert_int_equal(*end, '>');
        return end + 1;
    }
    end = skip_attributes(end);
    if (end[0] == '/' && end[1] == '>')
        return end + 2;
    assert_int_equal(*end, '>');
    assert_true(open->depth < MOST_DEPTH);
    open->name[open->depth] = name;
    open->length[open->depth++] = n;
    return end + 1;
}

static void check_xml(const char *text) {
    struct open_elements open = {.depth = 0};
    static const char type[] = "<!DOCTYPE html>\n";
    if (strncmp(text, type, strlen(type)) == 0)
        text += strlen(type);
    size_t roots = 0;
    while (*text) {
        assert_true((unsigned char)*text >= 0x20 || *text == '\n' || *text == '\t');
        roots += open.depth == 0 && *text == '<';
        if (*text == '<')
            text = take_tag(text, &open);
        else if (*text == '&')
            text = entity_end(text);
        else
            text++;
    }
    assert_int_equal(open.depth, 0);
    assert_int_equal(roots, 1);
}

/* No script that runs, no event, nothing that is fetched. */
static void check_quiet(const char *text) {
    static const char *const loud[] = {
        "<script>", "onload=", "onclick=", " src=", "<link", "<iframe", "@import", "url(http"};
    for (size_t i = 0; i < sizeof loud / sizeof *loud; i++)
        if (strstr(text, loud[i]))
            fail_msg("the page has %s", loud[i]);
    for (const char *at = text; (at = strstr(at, "<script")); at++)
        assert_true(strncmp(at, "<script type=\"application/json\"", 31) == 0);
}

/* ---- numbers ---- */

/* A member, or an element by its number. */
static const struct json_value *step(const struct json_value *value, const char *name, size_t n) {
    const struct json_value *v = value->first;
    if (value->kind == JSON_ARRAY)
        for (unsigned long i = strtoul(name, NULL, 10); v && i; i--)
            v = v->next;
    else
        while (v && (strlen(v->key) != n || memcmp(v->key, name, n) != 0))
            v = v->next;
    return v;
}

static const struct json_value *find(const struct json_value *value, const char *path, size_t n) {
    while (value && n) {
        size_t part = 0;
        while (part < n && path[part] != '.')
            part++;
        value = step(value, path, part);
        part += part < n;
        path += part;
        n -= part;
    }
    return value;
}

static size_t check_numbers(const char *page, const struct json_value *figures) {
    static const char begin[] = "<data value=\"", middle[] = "\" data-path=\"";
    size_t count = 0;
    for (const char *at = page; (at = strstr(at, begin)); count++) {
        const char *value = at + strlen(begin), *path = strstr(value, middle) + strlen(middle);
        const char *end = strstr(path, "\">"), *shown = end + 2;
        const struct json_value *v = find(figures, path, (size_t)(end - path));
        if (!v || v->kind != JSON_NUMBER || strncmp(v->text, value, strlen(v->text)) != 0 ||
            value[strlen(v->text)] != '"')
            fail_msg("the page says %.20s of %.*s", value, (int)(end - path), path);
        struct str text = {0};
        report_unit_text(v->key, v->number, &text);
        assert_true(strncmp(shown, str_text(&text), text.len) == 0 && shown[text.len] == '<');
        str_free(&text);
        at = shown;
    }
    return count;
}

/* ---- pages ---- */

struct made {
    struct str page;
    struct arena arena;
    const struct json_value *figures;
    size_t numbers;
};

static const char *no_line(void *context, const char *file, uint64_t line, size_t *size) {
    static const char text[] = "x = \"<&>\";\x01\xff";
    (void)context;
    (void)file;
    (void)line;
    *size = sizeof text - 1;
    return text;
}

static void make(const char *json, const char *timeline, struct made *made) {
    struct diag *diag = diag_new(NULL, NULL);
    *made = (struct made){.numbers = 0};
    made->figures = json_read(json, strlen(json), 0, &made->arena, diag);
    assert_non_null(made->figures);
    struct page_input input = {.figures = made->figures,
                               .text = json,
                               .size = strlen(json),
                               .timeline_text = timeline,
                               .line = no_line};
    if (timeline)
        input.timeline = json_read(timeline, strlen(timeline), 0, &made->arena, diag);
    assert_null(page_refuses(&input));
    page_report(&input, &made->page);
    struct str again = {0};
    page_report(&input, &again);
    assert_string_equal(str_text(&again), str_text(&made->page));
    str_free(&again);
    for (size_t i = 0; page_plot_name(i); i++) {
        struct str plot = {0};
        if (page_plot(&input, page_plot_name(i), &plot))
            check_xml(str_text(&plot));
        else
            assert_int_equal(plot.len, 0);
        str_free(&plot);
    }
    diag_free(diag);
    check_xml(str_text(&made->page));
    check_quiet(str_text(&made->page));
    assert_true(made->page.len <= PAGE_MOST_BYTES);
    made->numbers = check_numbers(str_text(&made->page), made->figures);
}

static void release(struct made *made) {
    str_free(&made->page);
    arena_free(&made->arena);
}

static char *file_text(const char *name) {
    size_t size;
    char *text = file_read(name, &size);
    assert_non_null(text);
    return text;
}

/* ---- what runs ---- */

#define AXPY                                                                                       \
    "size n;\n"                                                                                    \
    "group g[n];\n"                                                                                \
    "in x, y: i32 @ g;\n"                                                                          \
    "out z: i32 @ g;\n"                                                                            \
    "main {\n"                                                                                     \
    "    compute g { z = 5 * x + y; }\n"                                                           \
    "    move z[i] = z[i + 64] clip;\n"                                                            \
    "}\n"
#define DATA " --in x=iota --in y=random:1 "

static int set_up(void **state) {
    (void)state;
    if (chdir(MPU_BINARY_DIR "/tests") != 0)
        return -1;
    write_words("page_axpy.ez", AXPY);
    return 0;
}

/* The picture of a run has the totals of its statistics, each number is a figure, and the page that
 * mpu-run writes is the one that is made of the same JSON. */
static void test_run(void **state) {
    static const char *const targets[] = {"racer",     "mimdram",     "duality-cache", "pypim",
                                          "pluto-gmc", "upmem-dappa", "simt",          "golden"};
    (void)state;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct str words = {0};
        struct made made;
        str_printf(&words,
                   "--target %s page_axpy.ez --size n=1000" DATA
                   "--stats json:page_run.json --report page_run.html --plot time:page_time.svg",
                   targets[i]);
        if (strcmp(targets[i], "golden") == 0) { /* which has no times */
            str_clear(&words);
            str_append(&words, "--target golden page_axpy.ez --size n=1000" DATA
                               "--stats json:page_run.json --report page_run.html");
        }
        words_end_with(str_text(&words), 0, "");
        char *json = file_text("page_run.json"), *page = file_text("page_run.html");
        make(json, NULL, &made);
        if (made.numbers <= (strcmp(targets[i], "golden") == 0 ? 2 : 15))
            fail_msg("%s: %zu numbers", targets[i], made.numbers);
        check_xml(page);
        check_quiet(page);
        assert_int_equal(check_numbers(page, made.figures), made.numbers);
        assert_int_equal(strstr(page, ">Writes of rows<") != NULL, i < 4); /* which have planes */
        assert_int_equal(strstr(page, "Units over time") != NULL,
                         strcmp(targets[i], "golden") != 0);
        release(&made);
        free(json);
        free(page);
        str_free(&words);
    }
}

/* What only some programs have: messages between MPUs, kernels by name and line with their
 * roofline, stages of pipelines, rows of chips at one area. */
static void test_other_parts(void **state) {
    static const struct {
        const char *words, *parts[4];
    } runs[] = {
        {"--target racer " MPU_SOURCE_DIR
         "/examples/systolic.ez --in a=iota --in b=iota --size m=64",
         {">Messages between MPUs<", NULL}},
        {"--target simt " MPU_SOURCE_DIR "/examples/cuda/saxpy.ptx --launch "
         "saxpy<<<4,128>>>(512,2.0,x,y) --buffer x:f32[512] --buffer y:f32[512] --in x=iota --in "
         "y=iota",
         {"<td>saxpy</td>", "<h2>Kernels by line</h2>", ">Roofline<", NULL}},
        {"--target upmem " MPU_SOURCE_DIR "/examples/dappa/red.ez --size n=1000 --in x=random:1 "
         "--in sum=zeros --out sum=page_sum.npy",
         {">Time by component<", ">transfer_in_ps<", ">kernel_ps<", NULL}},
        {"--target racer,mimdram page_axpy.ez --size n=1000" DATA "--stats text:page_table.txt",
         {"<td>racer, iso-area", ">Energy of the runs<", NULL}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct str words = {0};
        str_printf(&words, "%s --report page_parts.html", runs[i].words);
        words_end_with(str_text(&words), 0, "");
        char *page = file_text("page_parts.html");
        check_xml(page);
        check_quiet(page);
        for (size_t k = 0; runs[i].parts[k]; k++)
            if (!strstr(page, runs[i].parts[k]))
                fail_msg("the page of %s has no %s", runs[i].words, runs[i].parts[k]);
        free(page);
        str_free(&words);
    }
}

/* Figures are the same with a page and without it. */
static void test_nothing_changes(void **state) {
    (void)state;
    words_end_with("--target racer page_axpy.ez --size n=5000" DATA "--stats csv:page_with.csv "
                   "--report page_run.html",
                   0, "");
    words_end_with("--target racer page_axpy.ez --size n=5000" DATA "--stats csv:page_without.csv",
                   0, "");
    char *with = file_text("page_with.csv"), *without = file_text("page_without.csv");
    const char *a = strstr(with, "\nprovenance.program,"),
               *b = strstr(without, "\nprovenance.program,");
    assert_string_equal(a, b);
    free(with);
    free(without);
}

/* Of each row of the timeline the busy times add up, over MPUs too where all have rows. */
static void test_timeline(void **state) {
    (void)state;
    words_end_with("--target racer page_axpy.ez --size n=4096" DATA "--report page_run.html "
                   "--stats json:page_run.json",
                   0, "");
    char *page = file_text("page_run.html");
    const char *at = strstr(page, "id=\"timeline-data\">");
    assert_non_null(at);
    at += strlen("id=\"timeline-data\">");
    struct arena arena = {0};
    struct diag *diag = diag_new(NULL, NULL);
    const struct json_value *t =
        json_read(at, (size_t)(strstr(at, "</script>") - at), 0, &arena, diag);
    assert_non_null(t);
    uint64_t all = 0, each = 0;
    size_t rows = 0;
    for (const struct json_value *r = json_member(t, "rows")->first; r; r = r->next, rows++) {
        if (strcmp(json_member_text(r, "unit"), "batches") != 0)
            continue;
        bool of_all = json_member(r, "mpu")->kind == JSON_NULL;
        for (const struct json_value *b = json_member(r, "busy_ps")->first; b; b = b->next)
            *(of_all ? &all : &each) += b->number;
    }
    assert_true(rows > 4 && all > 0);
    assert_int_equal(all, each); /* eight MPUs, all below TIMELINE_MPUS */
    diag_free(diag);
    arena_free(&arena);
    free(page);
}

static void test_several(void **state) {
    struct made made;
    (void)state;
    words_end_with(
        "--target racer,mimdram,pypim page_axpy.ez --size n=64,1000,3000" DATA
        "--iso-area none --base mimdram --stats json:page_several.json --report page_several.html "
        "--stats csv:page_several.csv --stats text:page_several.txt",
        0, "");
    char *json = file_text("page_several.json"), *page = file_text("page_several.html");
    make(json, NULL, &made);
    assert_non_null(strstr(page, "Ratios are to mimdram"));
    assert_non_null(strstr(page, "Speed-up by size"));
    assert_non_null(strstr(page, "Energy against delay"));
    assert_non_null(strstr(page, "Time against its bounds: pypim"));
    check_xml(page);
    check_numbers(page, made.figures);
    release(&made);
    free(json);
    free(page);
}

/* Ratios of CSV are quotients of its own columns, cut to millionths. */
static void test_ratios(void **state) {
    char *csv = file_text("page_several.csv");
    const char *names = csv;
    unsigned time = 0, ratio = 0, column = 0;
    (void)state;
    for (const char *at = names; *at != '\n';
         at += strcspn(at, ",\n") + (at[strcspn(at, ",\n")] == ','), column++) {
        size_t n = strcspn(at, ",\n");
        if (n == 7 && memcmp(at, "time_ps", n) == 0)
            time = column;
        if (n == 10 && memcmp(at, "time_ratio", n) == 0)
            ratio = column;
    }
    assert_true(time && ratio);
    uint64_t base[3] = {0};
    for (int pass = 0; pass < 2; pass++) {
        unsigned row = 0;
        for (const char *line = strchr(csv, '\n') + 1; *line;
             line = strchr(line, '\n') + 1, row++) {
            const char *t = line, *r = line;
            for (unsigned i = 0; i < time; i++)
                t = strchr(t, ',') + 1;
            for (unsigned i = 0; i < ratio; i++)
                r = strchr(r, ',') + 1;
            uint64_t mine = strtoull(t, NULL, 10);
            if (pass == 0 && strncmp(line, "mimdram,", 8) == 0)
                base[row % 3] = mine;
            if (pass == 0)
                continue;
            char text[32];
            uint64_t millionths = mine * 1000000 / base[row % 3];
            snprintf(text, sizeof text, "%" PRIu64 ".%06" PRIu64, millionths / 1000000,
                     millionths % 1000000);
            assert_true(strncmp(r, text, strlen(text)) == 0);
        }
        assert_true(row >= 9);
    }
    free(csv);
}

/* The hottest lines stand first, whatever their order in the figures. */
static void test_hottest(void **state) {
    struct made made;
    (void)state;
    make("{\"schema\": \"mpu-statistics-2\", \"by_line\": ["
         "{\"file\": \"f.ez\", \"line\": 1, \"busy_time_ps\": 1}, "
         "{\"file\": \"f.ez\", \"line\": 2, \"busy_time_ps\": 5}, "
         "{\"file\": \"f.ez\", \"line\": 3, \"busy_time_ps\": 3}, "
         "{\"file\": \"f.ez\", \"line\": 4, \"busy_time_ps\": 9}, "
         "{\"file\": \"f.ez\", \"line\": 5, \"busy_time_ps\": 2}]}",
         NULL, &made);
    assert_non_null(
        strstr(str_text(&made.page), "f.ez:4 (45.0 %), f.ez:2 (25.0 %), f.ez:3 (15.0 %)<"));
    const char *first = strstr(str_text(&made.page), "<td>f.ez:4</td>"),
               *second = strstr(str_text(&made.page), "<td>f.ez:2</td>");
    assert_true(first && second && first < second);
    release(&made);
}

/* ---- strangers' names ---- */

static void put_hostile_name(struct str *json, size_t size) {
    static const char *const parts[] = {"<script>alert(1)</script>",
                                        "&amp;",
                                        "\\\"",
                                        "'",
                                        "]]>",
                                        "-->",
                                        "\\u0001",
                                        "\\ud83d\\ude00",
                                        "</title>",
                                        "%s%n"};
    for (size_t i = 0; json->len < size; i++)
        str_append(json, parts[i % 10]);
}

static void test_hostile_names(void **state) {
    struct str json = {0}, name = {0};
    struct made made;
    (void)state;
    put_hostile_name(&name, 10240);
    str_printf(
        &json,
        "{\"schema\": \"mpu-statistics-2\", \"end\": \"%s\", \"provenance\": {\"command\": "
        "[\"%s\", \"%s\"], \"program\": \"%s\", \"target\": \"%s\"}, \"total\": {\"time_ps\": "
        "1, \"energy_fj\": 18446744073709551615}, \"by_component\": [{\"component\": \"%s\", "
        "\"time_ps\": 5, \"energy_fj\": 7}], \"by_line\": [{\"file\": \"%s\", \"line\": 3, "
        "\"busy_time_ps\": 2, \"energy_fj\": 1}], \"by_kernel\": [{\"kernel\": \"%s\", "
        "\"time_ps\": 2}]}",
        str_text(&name), str_text(&name), str_text(&name), str_text(&name), str_text(&name),
        str_text(&name), str_text(&name), str_text(&name));
    make(str_text(&json), NULL, &made);
    assert_true(made.page.len < 200000);
    release(&made);
    str_clear(&json);
    str_printf(&json,
               "{\"schema\": \"mpu-comparison-2\", \"program\": \"%s\", \"records\": [{\"target\": "
               "\"%s\", \"set\": {\"a<b\": \"%s\"}, \"size\": {\"<n>\": 5}, \"time_ps\": 3, "
               "\"energy_fj\": 3, \"end_to_end_time_ps\": 4}, {\"target\": \"b\", \"set\": {}, "
               "\"size\": {\"<n>\": 9}, \"time_ps\": 3, \"energy_fj\": 4, \"end_to_end_time_ps\": "
               "4}]}",
               str_text(&name), str_text(&name), str_text(&name));
    make(str_text(&json), NULL, &made);
    release(&made);
    str_free(&json);
    str_free(&name);
}

/* Whatever stands in the JSON, the page is well-formed: bytes of true figures are changed, and what
 * still is JSON is drawn. */
static void test_damaged(void **state) {
    (void)state;
    uint64_t seed = 52;
    char *json = file_text("page_several.json");
    size_t size = strlen(json);
    unsigned drawn = 0;
    for (unsigned i = 0; i < DAMAGES; i++) {
        char *damaged = strdup(json);
        for (int k = 0; k < 3; k++) {
            static const char bytes[] = "0123456789\"{}[],:xn<>&\\-.e";
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            damaged[(seed >> 20) % size] = bytes[(seed >> 56) % (sizeof bytes - 1)];
        }
        struct arena arena = {0};
        struct diag *diag = diag_new(NULL, NULL);
        const struct json_value *figures = json_read(damaged, size, 0, &arena, diag);
        const struct page_input input = {.figures = figures, .text = damaged, .size = size};
        if (figures && !page_refuses(&input)) {
            struct str page = {0};
            page_report(&input, &page);
            check_xml(str_text(&page));
            str_free(&page);
            drawn++;
        }
        diag_free(diag);
        arena_free(&arena);
        free(damaged);
    }
    assert_true(drawn > 0);
    free(json);
}

/* ---- size ---- */

static void test_large(void **state) {
    struct str json = {0};
    struct made made;
    (void)state;
    str_append(&json, "{\"schema\": \"mpu-comparison-2\", \"program\": \"p\", \"records\": [");
    for (unsigned i = 0; i < 10000; i++)
        str_printf(&json,
                   "%s{\"target\": \"t%u\", \"set\": {\"machine.mpus\": \"%u\"}, \"size\": {\"n\": "
                   "%u}, \"elements\": %u, \"time_ps\": %u, \"energy_fj\": %u, "
                   "\"end_to_end_time_ps\": %u, \"end_to_end_energy_fj\": 5, \"end\": \"done\"}",
                   i ? ", " : "", i % 7, i / 70, 10 + i / 7 % 10, i, 1 + i * 17 % 9973,
                   1 + i * 31 % 9967, 3 + i * 17 % 9973);
    str_append(&json, "]}");
    make(str_text(&json), NULL, &made);
    assert_non_null(strstr(str_text(&made.page), "9700 more runs"));
    release(&made);
    str_clear(&json);
    str_append(&json, "{\"schema\": \"mpu-statistics-2\", \"by_line\": [");
    for (unsigned i = 0; i < 100000; i++)
        str_printf(&json,
                   "%s{\"file\": \"f.ez\", \"line\": %u, \"busy_time_ps\": %u, \"energy_fj\": 1, "
                   "\"micro_ops\": 2, \"executed\": 3}",
                   i ? ", " : "", i + 1, i * 7919 % 100003);
    str_append(&json, "]}");
    make(str_text(&json), NULL, &made);
    assert_non_null(strstr(str_text(&made.page), "99800 more lines"));
    release(&made);
    str_free(&json);
}

/* A million spans in any order: the row of all has what they took, in at most so many intervals. */
static void test_million_spans(void **state) {
    const struct dp_tables tables = {.tracks = NULL};
    struct timeline *timeline = observe_timeline_new(&tables);
    uint64_t seed = 7, busy = 0, found = 0;
    (void)state;
    for (unsigned i = 0; i < 1000000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        struct timing_span span = {.mpu = (uint32_t)(seed >> 60) * 3, .unit = UNIT_BATCHES};
        span.start_ps = (seed >> 20) % 1000000007;
        span.end_ps = span.start_ps + (seed >> 50) % 1000;
        busy += span.end_ps - span.start_ps;
        observe_timeline_span(timeline, &span);
    }
    struct str json = {0};
    struct made made;
    struct arena arena = {0};
    struct diag *diag = diag_new(NULL, NULL);
    observe_timeline_json(timeline, &json);
    const struct json_value *t = json_read(str_text(&json), json.len, 0, &arena, diag);
    const struct json_value *all = json_member(json_member(t, "rows")->first, "busy_ps");
    assert_true(all->count <= TIMELINE_INTERVALS && all->count >= TIMELINE_INTERVALS / 2);
    for (const struct json_value *b = all->first; b; b = b->next)
        found += b->number;
    assert_int_equal(found, busy);
    make("{\"schema\": \"mpu-statistics-2\"}", str_text(&json), &made);
    assert_non_null(strstr(str_text(&made.page), "Units over time"));
    size_t bars = 0;
    for (const char *at = str_text(&made.page); (at = strstr(at, "<rect")); at++)
        bars++;
    assert_true(bars <= 2002);
    release(&made);
    diag_free(diag);
    arena_free(&arena);
    str_free(&json);
    observe_timeline_free(timeline);
}

/* The page of a session is that of its statistics. */
static void test_session(void **state) {
    (void)state;
    mpu_error *e = NULL;
    mpu_source *source = mpu_source_new(NULL);
    mpu_source_add_file(source, "page_axpy.ez");
    mpu_program *program = mpu_source_build(source, &e);
    mpu_target *target = mpu_target_open("racer", NULL, &e);
    assert_true(program && target);
    mpu_session *session = mpu_session_new(program, target, NULL, &e);
    assert_non_null(session);
    assert_int_equal(mpu_session_bind_size(session, "n", 100, &e), MPU_OK);
    assert_int_equal(mpu_session_put_data(session, "x", "iota", NULL, &e), MPU_OK);
    assert_int_equal(mpu_session_put_data(session, "y", "random:3", NULL, &e), MPU_OK);
    assert_int_equal(mpu_session_run(session, &e), MPU_OK);
    char *page = mpu_session_report(session, NULL, &e),
         *json = mpu_session_stats(session, "json", &e), *again = mpu_report(json, NULL, &e);
    assert_string_equal(page, again);
    assert_null(mpu_report("{}", NULL, &e));
    assert_int_equal(mpu_error_code(e), MPU_REJECTED);
    mpu_error_free(e);
    mpu_string_free(page);
    mpu_string_free(json);
    mpu_string_free(again);
    mpu_session_free(session);
    mpu_target_close(target);
    mpu_program_free(program);
    mpu_source_free(source);
}

/* ---- the command's mistakes ---- */

static void test_usage(void **state) {
    (void)state;
    words_end_with("--target racer page_axpy.ez --size n=64" DATA "--plot front:page_x.svg", 2,
                   "nothing to show in a picture 'front'");
    words_end_with("--target racer page_axpy.ez --size n=64" DATA "--plot nothing:page_x.svg", 2,
                   "there are: rows-time");
    words_end_with("--target racer page_axpy.ez --size n=64" DATA "--plot time", 2, "NAME:FILE");
    words_end_with("--target racer page_axpy.ez --size n=64" DATA "--base racer", 2,
                   "there is one run");
    words_end_with("--target racer,pypim page_axpy.ez --size n=64" DATA "--base mimdram", 2,
                   "none of the targets");
    words_end_with("--target racer page_axpy.ez --size n=64" DATA "--report no/such/folder.html", 3,
                   "no/such/folder.html");
    words_end_with("--target racer page_axpy.ez --size n=64" DATA
                   "--report page_x.html --stats json:page_x.html",
                   2, "page_x.html");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),      cmocka_unit_test(test_nothing_changes),
        cmocka_unit_test(test_timeline), cmocka_unit_test(test_several),
        cmocka_unit_test(test_ratios),   cmocka_unit_test(test_other_parts),
        cmocka_unit_test(test_hottest),  cmocka_unit_test(test_hostile_names),
        cmocka_unit_test(test_damaged),  cmocka_unit_test(test_large),
        cmocka_unit_test(test_usage),    cmocka_unit_test(test_million_spans),
        cmocka_unit_test(test_session),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
