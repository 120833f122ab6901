/* SPDX-License-Identifier: MIT
 * The page: head, summary, pictures, tables, and the figures themselves at its end. */
#include "emu/page/page_parts.h"

#include <string.h>

#define MOST_WORDS 100 /* of the command */

/* ---- pictures ---- */

static const struct picture {
    const char *name;
    bool (*draw)(const struct page_input *input, struct str *out);
    bool of_run; /* of one run, else of several */
} pictures[] = {
    {"rows-time", page_draw_rows_time, false},
    {"rows-energy", page_draw_rows_energy, false},
    {"speedup", page_draw_speedup, false},
    {"front", page_draw_front, false},
    {"bounds", page_draw_bounds, false},
    {"time", page_draw_time, true},
    {"energy", page_draw_energy, true},
    {"timeline", page_draw_timeline, true},
    {"network", page_draw_network, true},
    {"roofline", page_draw_roofline, true},
    {"wear", page_draw_wear, true},
    {NULL, page_draw_other_bounds, false}, /* several pictures, of pages alone */
};
enum { PICTURES = sizeof pictures / sizeof *pictures, NAMED = PICTURES - 1 };

const char *page_plot_name(size_t i) {
    return i < NAMED ? pictures[i].name : NULL;
}

bool page_plot(const struct page_input *input, const char *name, struct str *out) {
    for (size_t i = 0; i < NAMED; i++)
        if (strcmp(pictures[i].name, name) == 0)
            return (pictures[i].of_run || page_is_sweep(input)) && pictures[i].draw(input, out);
    return false;
}

/* What stands between two tags of a picture, once more as its caption. */
static void put_caption(const char *picture, const char *from, const char *to, struct str *out) {
    const char *begin = strstr(picture, from);
    const char *end = begin ? strstr(begin, to) : NULL;
    begin = begin ? strchr(begin, '>') : NULL;
    if (begin && end && begin < end)
        str_append_n(out, begin + 1, (size_t)(end - begin - 1));
}

/* One picture or several, each with a caption of its title and its description. */
static void put_figure(const struct str *drawn, struct str *out) {
    static const char end[] = "</svg>\n";
    for (const char *at = str_text(drawn); *at;) {
        size_t n = (size_t)(strstr(at, end) - at) + strlen(end);
        str_append(out, "<figure>\n<figcaption><b>");
        put_caption(at, "<title", "</title>", out);
        str_append(out, "</b>. ");
        put_caption(at, "<desc", "</desc>", out);
        str_append(out, ".</figcaption>\n");
        str_append_n(out, at, n);
        str_append(out, "</figure>\n");
        at += n;
    }
}

static void put_pictures(const struct page_input *input, bool of_run, struct str *out) {
    for (size_t i = 0; i < PICTURES; i++) {
        struct str s = {0};
        if (pictures[i].of_run == of_run && pictures[i].draw(input, &s)) {
            put_figure(&s, out);
        }
        str_free(&s);
    }
}

/* ---- the page ---- */

static const char style[] =
    "<style>\n"
    "body { font: 14px sans-serif; margin: 2em auto; padding: 0 1em; max-width: 72em; color: #111; }\n"
    "table { border-collapse: collapse; margin: 1em 0; display: block; overflow-x: auto; }\n"
    "th, td { padding: 2px 8px; text-align: right; border-bottom: 1px solid #ccc; }\n"
    "th:first-child, td:first-child, .summary td, .source { text-align: left; }\n"
    "td { white-space: nowrap; }\n"
    "code { white-space: pre-wrap; font-family: monospace; }\n"
    ".source code { white-space: pre; }\n"
    "meter { width: 6em; }\n"
    "figure { margin: 1em 0; }\n"
    "@media print { figure, tr { break-inside: avoid; } }\n"
    "</style>\n";

static const char page_end[] = "</body>\n</html>\n";
#define MOST_NOTES 1024 /* what stands behind pictures and tables at least */

static const char *program_of(const struct page_input *input) {
    const char *name = json_member_text(input->figures, "program");
    const struct json_value *p = page_find(input->figures, "provenance.program");
    bool is_run = page_find(input->figures, "provenance") || page_is_sweep(input);
    return name ? name : p && p->text ? p->text : is_run ? "A run" : "A device";
}

static void put_head(const struct page_input *input, struct str *out) {
    str_append(out, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
                    "<head>\n<meta charset=\"utf-8\"/>\n<title>");
    page_text(out, program_of(input));
    str_append(out, ": where time and energy went</title>\n");
    str_append(out, style);
    str_append(out, "</head>\n<body>\n<h1>");
    page_text(out, program_of(input));
    str_append(out, "</h1>\n");
}

/* The words of the command that made the figures. */
static void put_command(const struct page_input *input, struct str *out) {
    const struct json_value *words = json_member(input->figures, "command");
    words = words ? words : page_find(input->figures, "provenance.command");
    if (!words || words->kind != JSON_ARRAY || !words->first)
        return;
    str_append(out, "<p><code>");
    size_t shown = 0;
    for (const struct json_value *w = words->first; w && shown < MOST_WORDS; w = w->next, shown++) {
        page_text(out, w->text);
        str_append(out, w->next ? " " : "");
    }
    str_append(out, shown < words->count ? "...</code></p>\n" : "</code></p>\n");
}

static void put_rest(const struct page_input *input, const struct page_run *run, struct str *out) {
    if (page_find(run->figures, "utilisation"))
        str_append(out, "<h2>In use</h2>\n");
    page_put_use(run, out);
    page_put_kernels(run, out);
    page_put_lines(input, run, out);
}

/* Details of each run of a sweep that has statistics, folded. */
static void put_details(const struct page_input *input, struct str *out) {
    size_t i = 0, shown = 0;
    for (const struct json_value *row = page_row(input, 0);
         row && shown < page_limits(input)->details; row = row->next, i++) {
        const struct json_value *figures = json_member(row, "statistics");
        struct page_run run = {.figures = figures, .name = json_member_text(row, "target")};
        if (!figures || figures->kind != JSON_OBJECT)
            continue;
        struct str prefix = {0};
        str_printf(&prefix, "records.%zu.statistics.", i);
        memcpy(run.prefix, str_text(&prefix), prefix.len < sizeof run.prefix ? prefix.len + 1 : 0);
        str_free(&prefix);
        str_printf(out, "<details%s>\n<summary>Run %zu: ", shown++ ? "" : " open=\"open\"", i + 1);
        page_text(out, run.name);
        str_append(out, "</summary>\n");
        page_put_summary(&run, out);
        put_rest(input, &run, out);
        str_append(out, "</details>\n");
    }
}

/* JSON within XML and HTML: what may end a script, or begin markup, as escapes of JSON. */
static void put_json(const char *text, size_t size, struct str *out) {
    size_t from = 0;
    for (size_t i = 0; i < size; i++)
        if (text[i] == '<' || text[i] == '>' || text[i] == '&') {
            str_append_n(out, text + from, i - from);
            str_printf(out, "\\u%04x", (unsigned char)text[i]);
            from = i + 1;
        }
    str_append_n(out, text + from, size - from);
}

static void put_data(const char *id, const char *text, size_t size, struct str *out) {
    str_printf(out, "<script type=\"application/json\" id=\"%s\">", id);
    put_json(text, size, out);
    str_append(out, "</script>\n");
}

/* Nothing of what the page shows is left out where there is no room; only its data may be. */
static void put_figures(const struct page_input *input, struct str *out) {
    struct str data = {0};
    put_data("figures", input->text, input->size, &data);
    if (input->timeline)
        put_data("timeline-data", input->timeline_text, strlen(input->timeline_text), &data);
    if (out->len + data.len < PAGE_MOST_BYTES - sizeof page_end)
        str_append_n(out, str_text(&data), data.len);
    else
        str_append(out, "<p>The figures as JSON have no room on this page: --stats json writes "
                        "them.</p>\n");
    str_free(&data);
}

static bool is_a_target(const struct page_input *input, const char *name) {
    for (const struct json_value *r = page_row(input, 0); r; r = r->next)
        if (json_member_text(r, "target") && strcmp(json_member_text(r, "target"), name) == 0)
            return true;
    return false;
}

const char *page_refuses(const struct page_input *input) {
    static const char *const schemas[] = {"mpu-statistics-2", "mpu-comparison-2", "mpu-device-1",
                                          "mpu-pipeline-statistics-1"};
    const char *schema = json_member_text(input->figures, "schema");
    for (size_t i = 0; schema && i < sizeof schemas / sizeof *schemas; i++)
        if (strcmp(schema, schemas[i]) == 0)
            return input->base && !is_a_target(input, input->base)
                       ? "no run is of the base's target"
                       : NULL;
    return "these are no statistics of a run, of several, of a device or of a pipeline";
}

static void put_body(const struct page_input *input, struct str *out) {
    struct page_run run;
    bool several = page_is_sweep(input), any = page_first_run(input, &run);
    put_head(input, out);
    put_command(input, out);
    if (several) {
        page_put_rows(input, out);
        put_pictures(input, false, out);
    } else {
        page_put_summary(&run, out);
    }
    if (any)
        str_append(out, several ? "<h2>Where time and energy of the first run went</h2>\n"
                                : "<h2>Where time and energy went</h2>\n");
    put_pictures(input, true, out);
    if (several)
        put_details(input, out);
    else
        put_rest(input, &run, out);
}

void page_report(const struct page_input *input, struct str *out) {
    struct page_input own = *input;
    struct str body = {0};
    for (own.level = 0; own.level < PAGE_LEVELS; own.level++) {
        str_clear(&body);
        put_body(&own, &body);
        if (body.len < PAGE_MOST_BYTES - MOST_NOTES)
            break;
    }
    put_figures(input, &body);
    str_append(&body, page_end);
    str_append_n(out, str_text(&body), body.len);
    str_free(&body);
}
