/* SPDX-License-Identifier: MIT
 * Bugs are caught: every kind of recipe is damaged in many ways, as text and as an expanded list.
 * The reader (names, places, widths, scratch), the check on 64 lanes, `expect`, or the
 * verification matrix must refuse each; and none of them what is not damaged. */
#include "damage.h"

#include "machines/plane/verify/verify.h"
#include "support/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#ifdef MPU_SANITIZED
#define EFFORT VERIFY_LIGHT
#else
#define EFFORT VERIFY_FULL
#endif

/* Who refused, in the order of their work. */
enum catcher { BY_TARGET, BY_READER, BY_LANES, BY_EXPECT, BY_MATRIX, BY_LIST, NOBODY };
static const char *const catcher_names[] = {
    "target file", "reader", "check on 64 lanes", "expect", "matrix", "list", "NOBODY"};

struct verdict {
    enum catcher by;
    char message[240];
};

static void note(struct verdict *v, enum catcher by, struct diag *d) {
    diag_flush(d);
    v->by = by;
    snprintf(v->message, sizeof v->message, "%s", diag_first(d) ? diag_first(d) : "");
}

/* --- texts --- */

static char *substitute(const char *text, const struct damage *x) {
    const char *at = strstr(text, x->from);
    if (!at)
        return NULL;
    size_t before = (size_t)(at - text), from = strlen(x->from), to = strlen(x->to);
    size_t size = strlen(text) - from + to + 1;
    char *out = malloc(size);
    snprintf(out, size, "%.*s%s%s", (int)before, text, x->to, at + from);
    return out;
}

static struct target *open_target(const char *text, struct diag *d) {
    char path[64];
    if (!text)
        return target_open("racer", NULL, 0, d);
    snprintf(path, sizeof path, "damage-%ld.yaml", (long)getpid());
    assert_true(file_write(path, text, strlen(text)));
    struct target *t = target_open(path, NULL, 0, d);
    remove(path);
    return t;
}

static enum catcher who_refused(const char *message) {
    if (strstr(message, "but the ISA says"))
        return BY_LANES;
    return strstr(message, "this is ") && strstr(message, ", expected ") ? BY_EXPECT : BY_READER;
}

static void judge_set(const struct target *t, const struct verify_options *o, const char *text,
                      struct verdict *v, struct diag *d) {
    struct recipe_set *s = recipe_set_open_with(t, "x.recipe", text, strlen(text), d);
    struct verify_plane plane;
    struct verify_count count;
    if (!s) {
        note(v, BY_READER, d);
        v->by = who_refused(v->message);
    } else if (!verify_matrix(plane_verify(&plane, t, s), o, &count, d)) {
        note(v, BY_MATRIX, d);
    }
    recipe_set_free(s);
}

static struct verdict judge_text(const struct damaged_kind *k, const char *target_text,
                                 const char *text, enum verify_effort effort) {
    struct verify_options o = {.effort = effort, .op = k->op, .seed = 5};
    struct verdict v = {.by = NOBODY};
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_target(target_text, d);
    if (t)
        judge_set(t, &o, text, &v, d);
    else
        note(&v, BY_TARGET, d);
    target_free(t);
    diag_free(d);
    return v;
}

static struct verdict judge_damage(const struct damaged_kind *k, const struct damage *x) {
    char *text = substitute(k->text, x);
    char *target_text = !text && k->target ? substitute(k->target, x) : NULL;
    if (!text && !target_text)
        fail_msg("%s: '%s' is not in the text", k->name, x->from);
    struct verdict v =
        judge_text(k, target_text ? target_text : k->target, text ? text : k->text, VERIFY_FULL);
    free(text);
    free(target_text);
    return v;
}

static const struct damaged_kind *kind_at(size_t i) {
    return i < damaged_kind_count ? &damaged_kinds[i]
                                  : &damaged_array_kinds[i - damaged_kind_count];
}

static size_t kinds(void) {
    return damaged_kind_count + damaged_array_kind_count;
}

static void test_texts(void **state) {
    (void)state;
    unsigned survivors = 0, by[NOBODY + 1] = {0};
    for (size_t i = 0; i < kinds(); i++) {
        const struct damaged_kind *k = kind_at(i);
        struct verdict whole = judge_text(k, k->target, k->text, EFFORT);
        if (whole.by != NOBODY)
            fail_msg("%s: refused without any damage: %s", k->name, whole.message);
        assert_true(k->count >= 10);
        for (size_t n = 0; n < k->count; n++) {
            struct verdict v = judge_damage(k, &k->damages[n]);
            by[v.by]++;
            survivors += v.by == NOBODY;
            print_message("%-11s %-36s %-17s %s\n", k->name, k->damages[n].what,
                          catcher_names[v.by], v.message);
        }
    }
    for (unsigned i = 0; i < NOBODY; i++)
        print_message("%s %u%s", catcher_names[i], by[i], i + 1 < NOBODY ? ", " : "\n");
    assert_int_equal(survivors, 0);
}

/* --- lists --- */

struct list_trial {
    struct list_case c;
    const struct damaged_kind *kind;
    struct insn insn;
    bool masked;
    struct uop_list whole;
};

static struct verdict judge_list(const struct list_trial *x, const struct uop_list *list) {
    struct verdict v = {.by = NOBODY};
    struct diag *d = diag_new(NULL, NULL);
    if (!verify_list(x->c.target, &x->insn, x->masked, list, true, d))
        note(&v, BY_LIST, d);
    else if (!plane_verify_run(x->c.target, &x->insn, x->masked, list, 3, d))
        note(&v, BY_MATRIX, d);
    diag_free(d);
    return v;
}

static bool run_refuses(const struct list_trial *x, const struct uop_list *list) {
    struct diag *d = diag_new(NULL, NULL);
    bool refused = !plane_verify_run(x->c.target, &x->insn, x->masked, list, 3, d);
    diag_free(d);
    return refused;
}

static struct uop_list copy_list(const struct uop_list *l) {
    struct uop_list copy = {0};
    for (size_t i = 0; i < l->len; i++)
        vec_push(&copy, l->data[i]);
    return copy;
}

/* Does the damage at micro-op i; true if it was refused by all that should. */
static bool damage_at(const struct list_trial *x, const struct list_damage *how, size_t i,
                      struct verdict *v) {
    struct uop_list list = copy_list(&x->whole);
    how->apply(&x->c, &list, i);
    *v = judge_list(x, &list);
    /* A run masks by a plane of its own: what happens to a latch that holds M is for the look at
     * the list.  And what an aliased result held before may be right by chance. */
    bool shows = how->shows && !(x->masked && plane_target(x->c.target)->mask_by == MASK_LATCH) &&
                 (x->insn.rd == 0 || x->insn.rd != x->insn.rs);
    bool good = v->by != NOBODY && (!shows || run_refuses(x, &list));
    if (!good && !how->hides)
        print_error("%s%s: '%s' at micro-op %zu of %zu is not refused%s\n", x->kind->name,
                    x->masked ? ", masked" : "", how->what, i, list.len,
                    v->by == NOBODY ? "" : " when it runs");
    vec_free(&list);
    return good;
}

struct list_tally {
    unsigned done, survivors, by_list, by_run, kinds;
};

/* At the first, a middle and the last place where it can be done. */
static void damage_list(const struct list_trial *x, const struct list_damage *how,
                        struct list_tally *tally) {
    VEC(size_t) places = {0};
    for (size_t i = 0; i < x->whole.len; i++)
        if (how->fits(&x->c, &x->whole, i))
            vec_push(&places, i);
    size_t tries = places.len < 3 ? places.len : 3, survivors = 0;
    for (size_t n = 0; n < tries; n++) {
        struct verdict v;
        size_t at = n == 0 ? 0 : n == 1 ? places.len - 1 : places.len / 2;
        survivors += !damage_at(x, how, places.data[at], &v);
        tally->by_list += v.by == BY_LIST;
        tally->by_run += v.by == BY_MATRIX;
        tally->done++;
    }
    tally->survivors += (unsigned)(how->hides && survivors < tries ? 0 : survivors);
    tally->kinds += tries > 0;
    vec_free(&places);
}

static void damage_form(struct list_trial *x, const struct recipe_set *s,
                        struct list_tally *tally) {
    struct diag *d = diag_new(NULL, NULL);
    if (!recipe_expand(s, &x->insn, x->masked, &x->whole, d))
        fail_msg("%s", diag_first(d));
    struct verdict whole = judge_list(x, &x->whole);
    if (whole.by != NOBODY)
        fail_msg("%s: refused without any damage: %s", x->kind->name, whole.message);
    for (size_t i = 0; i < list_damage_count; i++)
        damage_list(x, &list_damages[i], tally);
    vec_free(&x->whole);
    diag_free(d);
}

static struct insn insn_of(const struct damaged_kind *k) {
    uint32_t flags = isa_info(k->op)->flags;
    return (struct insn){.op = k->op,
                         .width = flags & ISA_WIDTH ? 5 : 0,
                         .rs = flags & (READS_RS | WRITES_RS) ? 1 : 0,
                         .rt = flags & (READS_RT | WRITES_RT) ? 2 : 0,
                         .rd = flags & (READS_RD | WRITES_RD) ? 3 : 0,
                         .imm = k->imm};
}

/* The result in the first source's register, where the instruction has both. */
static bool make_alias(struct insn *insn) {
    insn->rd = insn->rd ? insn->rs : 0;
    return insn->rd != 0;
}

static void damage_lists_of(const struct damaged_kind *k, struct list_tally *tally) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_target(k->target, d);
    struct recipe_set *s =
        t ? recipe_set_open_with(t, "x.recipe", k->text, strlen(k->text), d) : NULL;
    if (!s)
        fail_msg("%s", diag_first(d));
    for (unsigned form = 0; form < 4; form++) {
        struct list_trial x = {.kind = k, .insn = insn_of(k), .masked = form % 2};
        x.c = (struct list_case){t, &x.insn};
        if (form < 2 || make_alias(&x.insn))
            damage_form(&x, s, tally);
    }
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

static void test_lists(void **state) {
    (void)state;
    unsigned survivors = 0;
    for (size_t i = 0; i < kinds(); i++) {
        struct list_tally tally = {0};
        damage_lists_of(kind_at(i), &tally);
        print_message("%-11s %3u damages to lists: refused by the look at the list %u, when run "
                      "%u\n",
                      kind_at(i)->name, tally.done, tally.by_list, tally.by_run);
        assert_true(tally.kinds >= 18); /* of all forms; arrays of one section hand nothing on */
        survivors += tally.survivors;
    }
    assert_int_equal(survivors, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
