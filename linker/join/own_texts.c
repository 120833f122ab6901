/* SPDX-License-Identifier: MIT
 * Second texts of programs: those that single machines get, of all inputs that have some. */
#include "linker/join/link.h"

#include <string.h>

static bool names(const char *machines, const char *machine, size_t length) {
    for (;; machines++) {
        size_t n = strcspn(machines, ",");
        if (n == length && memcmp(machines, machine, n) == 0)
            return true;
        machines += n;
        if (!*machines)
            return false;
    }
}

/* What of the input runs on the machine. */
static const struct object *text_of(const struct object *input, const char *machine,
                                    size_t length) {
    for (size_t i = 0; i < input->own_texts.len; i++)
        if (names(input->own_texts.data[i].machines, machine, length))
            return input->own_texts.data[i].program;
    return input;
}

/* Objects of which a text is linked, and for which machines. */
struct own_link {
    const struct object **inputs; /* [count] */
    struct str machines;
};
struct own_links {
    VEC(struct own_link) items;
    size_t count;
};

static void take_machine(struct own_links *links, const struct object *const *inputs,
                         const char *machine, size_t length) {
    struct own_link x = {.inputs = xcalloc(links->count + 1, sizeof *x.inputs)};
    size_t bytes = links->count * sizeof *x.inputs;
    for (size_t i = 0; i < links->count; i++)
        x.inputs[i] = text_of(inputs[i], machine, length);
    for (size_t i = 0; i < links->items.len; i++) {
        struct own_link *known = &links->items.data[i];
        bool same = memcmp(known->inputs, x.inputs, bytes) == 0,
             listed = names(str_text(&known->machines), machine, length);
        if (same && !listed)
            str_printf(&known->machines, ",%.*s", (int)length, machine);
        if (same || listed) {
            free(x.inputs);
            return;
        }
    }
    str_append_n(&x.machines, machine, length);
    vec_push(&links->items, x);
}

static void take_texts(struct own_links *links, const struct object *const *inputs, size_t which) {
    for (size_t i = 0; i < inputs[which]->own_texts.len; i++) {
        const char *m = inputs[which]->own_texts.data[i].machines;
        for (size_t n = strcspn(m, ",");; m += n + 1, n = strcspn(m, ",")) {
            take_machine(links, inputs, m, n);
            if (!m[n])
                break;
        }
    }
}

bool link_own_texts(const struct object *const *inputs, size_t count,
                    const struct link_options *options, struct object *out, struct diag *diag) {
    struct own_links links = {.count = count};
    bool good = true;
    for (size_t i = 0; i < count; i++)
        take_texts(&links, inputs, i);
    for (size_t i = 0; i < links.items.len; i++) {
        struct own_link *x = &links.items.data[i];
        struct object *text = good ? link_one_text(x->inputs, count, options, diag) : NULL;
        good &= text != NULL;
        if (text)
            object_add_own_text(out, str_text(&x->machines), text);
        str_free(&x->machines);
        free(x->inputs);
    }
    vec_free(&links.items);
    return good;
}
