/* SPDX-License-Identifier: MIT
 * Report pages: statistics as JSON, and source lines from their files, as emu/page/ wants them. */
#include "runtime/public.h"

#include "emu/page/pages.h"
#include "support/line_file.h"
#include "support/map.h"

#include <string.h>

/* Source files that were asked for, by name, and the lines that the page shows. */
struct source_files {
    struct map names;
    VEC(struct line_file) files;
    struct arena lines;
};

static const char *source_line(void *context, const char *file, uint64_t line, size_t *size) {
    struct source_files *s = context;
    uint32_t number = map_number(&s->names, file, strlen(file));
    struct str text = {0};
    if (number == s->files.len)
        vec_push(&s->files, ((struct line_file){.tried = false}));
    bool there =
        line <= UINT32_MAX && line_file_put(&s->files.data[number], file, (uint32_t)line, &text);
    const char *shown = there ? arena_strdup(&s->lines, str_text(&text) + strlen("; ")) : NULL;
    *size = shown ? strlen(shown) : 0;
    str_free(&text);
    return shown;
}

static void close_sources(struct source_files *sources) {
    for (size_t i = 0; i < sources->files.len; i++)
        line_file_free(&sources->files.data[i]);
    vec_free(&sources->files);
    map_free(&sources->names);
    arena_free(&sources->lines);
}

static const struct json_value *read_text(const char *name, const char *text, struct arena *arena,
                                          struct diag *diag) {
    size_t size = strlen(text);
    return json_read(text, size, diag_source(diag, name, text, size), arena, diag);
}

/* The page, or the picture of that name. */
static mpu_result make(const char *statistics, const mpu_report_config *config, const char *name,
                       struct str *out, struct diag *diag) {
    struct arena arena = {0};
    struct source_files sources = {.names = {0}};
    mpu_result r = MPU_OK;
    struct page_input input = {.text = statistics,
                               .size = strlen(statistics),
                               .timeline_text = config ? config->timeline : NULL,
                               .base = config ? config->base : NULL,
                               .line = source_line,
                               .context = &sources};
    input.figures = read_text("statistics", statistics, &arena, diag);
    if (input.figures && input.timeline_text)
        input.timeline = read_text("timeline", input.timeline_text, &arena, diag);
    const char *why = input.figures ? page_refuses(&input) : NULL;
    if (!input.figures || (input.timeline_text && !input.timeline)) {
        r = MPU_REJECTED;
    } else if (why) {
        diag_error(diag, NO_SPAN, "no report: %s", why);
        r = input.base ? MPU_USAGE : MPU_REJECTED;
    } else if (!name) {
        page_report(&input, out);
    } else if (!page_plot(&input, name, out)) {
        diag_error(diag, NO_SPAN, "these statistics have nothing to show in a picture '%s'", name);
        r = MPU_USAGE;
    }
    close_sources(&sources);
    arena_free(&arena);
    return r;
}

static char *report(const char *statistics, const mpu_report_config *config, const char *name,
                    mpu_error **error) {
    struct public_call c;
    struct str text = {0};
    mpu_result r = MPU_USAGE;
    public_call_begin(&c, config ? config->messages : NULL, error);
    if (config && config->size != sizeof *config)
        diag_error(c.d, NO_SPAN, "mpu_report_config.size must be sizeof(mpu_report_config)");
    else
        r = make(statistics, config, name, &text, c.d);
    if (public_call_end(&c, r) == MPU_OK)
        return public_text_out(&text);
    str_free(&text);
    return NULL;
}

char *mpu_report(const char *statistics, const mpu_report_config *config, mpu_error **error) {
    PUBLIC_ENTRY(error, NULL);
    return report(statistics, config, NULL, error);
}

char *mpu_report_plot(const char *statistics, const mpu_report_config *config, const char *name,
                      mpu_error **error) {
    PUBLIC_ENTRY(error, NULL);
    return report(statistics, config, name, error);
}

const char *mpu_report_plot_name(size_t i) {
    return page_plot_name(i);
}

char *mpu_session_report(mpu_session *session, const mpu_report_config *config, mpu_error **error) {
    PUBLIC_ENTRY(error, NULL);
    char *statistics = mpu_session_stats(session, "json", error);
    char *page = statistics ? report(statistics, config, NULL, error) : NULL;
    mpu_string_free(statistics);
    return page;
}
