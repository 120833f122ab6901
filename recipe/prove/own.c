/* SPDX-License-Identifier: MIT
 * Proofs of what recipes of the user's make, while a program is packaged. */
#include "recipe/prove/prove.h"

#include "recipe/prove/solver.h"
#include "recipe/set/set.h"
#include "recipe/verify/try.h"
#include "support/cache.h"

#include "recipe_sources.h" /* generated: RECIPE_SOURCES_HASH */

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

/* All that an answer follows from, the solver among it: another one may decide more. */
static struct cache_key key_of(const struct recipe_set *set, const struct insn *insn, bool masked,
                               const char *solver) {
    struct str text = {0};
    struct stat info = {0};
    stat(solver, &info);
    str_printf(&text, "%s %s %s %u %u %d %u %u %u %u %d %s %lld %lld", RECIPE_SOURCES_HASH,
               set->target->hash, set->hash, (unsigned)insn->op, (unsigned)insn->width,
               (int)insn->imm, (unsigned)insn->rs, (unsigned)insn->rt, (unsigned)insn->rd,
               (unsigned)masked, PROVE_OWN_LIMIT, solver, (long long)info.st_size,
               (long long)info.st_mtime);
    struct cache_key key = cache_key_of("proof", text.text, text.len);
    str_free(&text);
    return key;
}

/* "proved" or "undecided"; what is refuted is asked again, for its operands. */
static enum prove_result known(const struct cache *cache, const struct cache_key *key) {
    struct str text = {0};
    enum prove_result result = PROVE_RESULTS;
    if (cache_get(cache, key, &text)) {
        bool holds = strcmp(str_text(&text), prove_result_text(PROVE_HOLDS)) == 0;
        result = holds ? PROVE_HOLDS : PROVE_UNKNOWN;
    }
    str_free(&text);
    return result;
}

static void keep(const struct cache *cache, const struct cache_key *key, enum prove_result result) {
    const char *text = prove_result_text(result);
    if (result == PROVE_HOLDS || result == PROVE_UNKNOWN)
        cache_put(cache, key, text, strlen(text));
}

/* Why there is no answer is nobody's business here; what refutes it is. */
static enum prove_result ask(const struct recipe_set *set, const struct insn *insn, bool masked,
                             struct diag *diag) {
    const struct prove_options options = {.solver = "cvc5", .limit = PROVE_OWN_LIMIT};
    struct diag *quiet = diag_new(NULL, NULL);
    enum prove_result result = prove_instruction(set, insn, masked, &options, NULL, quiet);
    diag_free(quiet);
    if (result == PROVE_FAILS && diag)
        result = prove_instruction(set, insn, masked, &options, NULL, diag);
    return result == PROVE_HOLDS || result == PROVE_FAILS ? result : PROVE_UNKNOWN;
}

enum prove_result prove_own(const struct recipe_set *set, const struct insn *insn, bool masked,
                            unsigned *undecided, struct diag *diag) {
    char solver[PATH_MAX];
    const struct cache *cache = set->cache;
    struct insn form = recipe_name_registers(insn);
    if (!prove_solver_find("cvc5", solver, sizeof solver))
        return PROVE_NO_SOLVER;
    if (*undecided >= PROVE_OWN_MOST)
        return PROVE_UNKNOWN;
    const struct cache_key key = key_of(set, &form, masked, solver);
    enum prove_result result = known(cache, &key);
    if (result == PROVE_RESULTS) {
        result = ask(set, &form, masked, diag);
        keep(cache, &key, result);
    }
    *undecided += result == PROVE_UNKNOWN;
    return result;
}
