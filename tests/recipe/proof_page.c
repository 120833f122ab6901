/* SPDX-License-Identifier: MIT
 * The page of proofs: which targets, and which forms. */
#include "proof_page.h"

#include "recipe/prove/prove.h"
#include "recipe/set/set.h"
#include "recipe/technology/plane_target.h"
#include "support/vec.h"

#include <stdlib.h>
#include <string.h>

struct opened {
    struct target *target;
    struct recipe_set *set;
};

/* False for targets without static recipes, and after an error. */
static bool open_one(struct opened *opened, const char *name, struct diag *diag) {
    *opened = (struct opened){.target = target_open(name, NULL, 0, diag)};
    if (opened->target && opened->target->kind == &technology_target_kind)
        opened->set = recipe_set_open(opened->target, diag);
    return opened->set != NULL;
}

static void close_one(struct opened *opened) {
    recipe_set_free(opened->set);
    target_free(opened->target);
}

static size_t count_proofs(const struct recipe_set *set) {
    struct prove_tasks tasks = {0};
    prove_plan(set, PROVE_FULL, true, &tasks);
    size_t count = tasks.len;
    vec_free(&tasks);
    return count;
}

/* "racer,3008,<fingerprint>" and the end of the line. */
static void print_record(const struct recipe_set *set, struct str *out) {
    char hash[65];
    prove_fingerprint(set, hash);
    str_printf(out, "%s,%zu,%s\n", set->target->name, count_proofs(set), hash);
}

/* The line of a target among the records, or NULL. */
static const char *find_record(const char *records, const char *target) {
    size_t n = strlen(target);
    for (const char *at = records; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, target, n) == 0 && at[n] == ',')
            return at;
    }
    return NULL;
}

static void write_target(const char *records, const struct recipe_set *set, struct str *out) {
    struct str now = {0};
    const char *name = set->target->name, *record = find_record(records, name);
    print_record(set, &now);
    if (!record)
        str_printf(out, "| %s | not proved | |\n", name);
    else if (strncmp(record, str_text(&now), now.len) != 0)
        str_printf(out, "| %s | not proved: its recipes were others | |\n", name);
    else
        str_printf(out, "| %s | proved | %zu |\n", name, count_proofs(set));
    str_free(&now);
}

void proof_page_row(const char *records, const char *target, struct str *out, struct diag *diag) {
    struct opened o;
    if (open_one(&o, target, diag))
        write_target(records, o.set, out);
    close_one(&o);
}

static bool write_targets(const char *records, struct str *out, struct diag *diag) {
    size_t count;
    const char *const *names = target_names(&count);
    for (size_t i = 0; i < count; i++)
        proof_page_row(records, names[i], out, diag);
    return diag_errors(diag) == 0;
}

bool proof_page_write(const char *records, struct str *out, struct diag *diag) {
    struct opened o;
    str_append(out,
               "# What is proved\n\n"
               "A solver has decided, for the targets that stand here as proved, that the "
               "micro-ops of each\nform below keep the contract (`computes`) for all operands "
               "and change nothing else that is\nvisible. [recipes.md](recipes.md), \"Tested "
               "and proved\", says how. What is not in the tables is\ntested, not proved.\n\n"
               "`./dev prove` does it again and writes this page: a proof is kept by the hash "
               "of all that it says.\nA target whose recipes have changed since stands here as "
               "not proved until then.\n\n"
               "| Target | | Proofs |\n|---|---|---|\n");
    bool fine = write_targets(records, out, diag) && open_one(&o, "racer", diag);
    if (fine) {
        prove_document(o.set, out);
        close_one(&o);
    }
    return fine;
}

bool proof_page_note(const char *records, const char *target, struct str *out, struct diag *diag) {
    struct opened o;
    const char *old = find_record(records, target), *end = old ? strchr(old, '\n') : NULL;
    str_append_n(out, records, old ? (size_t)(old - records) : strlen(records));
    bool fine = open_one(&o, target, diag);
    if (fine)
        print_record(o.set, out);
    close_one(&o);
    str_append(out, end ? end + 1 : "");
    return fine;
}
