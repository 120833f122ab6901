/* SPDX-License-Identifier: MIT
 * Logic of tables in the cache, and its name there and in packages. */
#include "recipe/lut/lut.h"

#include "recipe_sources.h" /* generated: RECIPE_SOURCES_HASH */

#include <inttypes.h>

/* Whatever changes what the mapping makes is in its sources. */
struct cache_key lut_key(const struct recipe_set *set, const struct insn *insn) {
    const struct isa_lut *table = insn->table;
    unsigned inputs = table->index_bits < insn->width ? table->index_bits : insn->width;
    struct str text = {0};
    str_printf(&text, "%s %s %s %u %u ", RECIPE_SOURCES_HASH, set->target->hash,
               set->hash, inputs, (unsigned)insn->width);
    for (size_t i = 0; i < (size_t)1 << inputs; i++)
        str_printf(&text, "%" PRIx64 " ", table->entries[i]);
    struct cache_key key = cache_key_of("table", text.text, text.len);
    str_free(&text);
    return key;
}

static bool take(struct recipe_set *set, const struct insn *insn, lut_expand_fn *expand) {
    struct cache_key key = lut_key(set, insn);
    struct str text = {0};
    bool found = cache_get(set->cache, &key, &text) &&
                 lut_recipe_take(set, insn, expand, str_text(&text), text.len);
    str_free(&text);
    return found;
}

static void keep(const struct recipe_set *set, const struct insn *insn) {
    struct cache_key key = lut_key(set, insn);
    struct str text = {0};
    if (lut_recipe_print(set, insn, &text))
        cache_put(set->cache, &key, text.text, text.len);
    str_free(&text);
}

const struct recipe *lut_recipe_kept(struct recipe_set *set, const struct insn *insn,
                                     lut_expand_fn *expand, struct diag *diag) {
    bool asks = set->cache && insn->table && !lut_recipe_is_known(set->luts, insn);
    bool found = asks && take(set, insn, expand);
    const struct recipe *c = lut_recipe_of(set, insn, expand, diag);
    if (c && asks && !found)
        keep(set, insn);
    return c;
}
