/* SPDX-License-Identifier: MIT
 * What has held is not tried again: what check found out where everything held is kept, by a hash
 * of all that it follows from.  What did not hold is tried each time, for its messages. */
#include "support/cache.h"
#include "tools/mpu-recipe/checking.h"

#include "check_sources.h" /* generated: CHECK_SOURCES_HASH */

#include <inttypes.h>
#include <string.h>

/* The file's name is among what counts: recipes are told from the tools' own by it. */
static struct cache_key key_of(const struct checking *checking) {
    const struct recipe_job *j = checking->job;
    const struct form_choice *f = &j->o->forms;
    struct str text = {0};
    str_printf(&text, "%s %s %s ops", CHECK_SOURCES_HASH, checking->source->target->hash,
               recipe_set_hash(checking->source->recipes));
    for (size_t i = 0; i < f->ops.len; i++)
        str_printf(&text, " %u", (unsigned)f->ops.data[i]);
    str_append(&text, " widths");
    for (size_t i = 0; i < checking->width_count; i++)
        str_printf(&text, " %u", checking->widths[i]);
    str_printf(&text, " of %s", j->file.text ? j->file.name : "");
    struct cache_key key = cache_key_of("check", text.text, text.len);
    str_free(&text);
    return key;
}

#define FIGURES 5

/* What is kept: decimal numbers, each with a line end. */
static void list_figures(struct checking *checking, uint64_t *figures[FIGURES], uint64_t sizes[2]) {
    sizes[0] = checking->held;
    sizes[1] = checking->own;
    figures[0] = &sizes[0];
    figures[1] = &sizes[1];
    figures[2] = &checking->forms.run;
    figures[3] = &checking->forms.masked;
    figures[4] = &checking->forms.aliased;
}

static bool read_figures(const struct str *text, uint64_t *const figures[FIGURES]) {
    const char *at = str_text(text);
    for (unsigned i = 0; i < FIGURES; i++) {
        size_t n = strcspn(at, "\n");
        if (!at[n] || !number_parse_u64(at, n, figures[i]))
            return false;
        at += n + 1;
    }
    return *at == '\0';
}

bool command_check_recall(struct checking *checking) {
    struct checking found = *checking;
    uint64_t *figures[FIGURES], sizes[2];
    struct str text = {0};
    if (!checking->job->cache)
        return false;
    const struct cache_key key = key_of(checking);
    list_figures(&found, figures, sizes);
    bool known = cache_get(checking->job->cache, &key, &text) && read_figures(&text, figures);
    if (known) {
        *checking = found;
        checking->held = (size_t)sizes[0];
        checking->own = (size_t)sizes[1];
        tool_say(&checking->job->o->cl, "target '%s': held before, and is not tried again",
                 checking->source->target->name);
    }
    str_free(&text);
    return known;
}

void command_check_keep(struct checking *checking) {
    uint64_t *figures[FIGURES], sizes[2];
    struct str text = {0};
    if (!checking->job->cache)
        return;
    const struct cache_key key = key_of(checking);
    list_figures(checking, figures, sizes);
    for (unsigned i = 0; i < FIGURES; i++)
        str_printf(&text, "%" PRIu64 "\n", *figures[i]);
    cache_put(checking->job->cache, &key, str_text(&text), text.len);
    str_free(&text);
}
