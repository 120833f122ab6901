/* SPDX-License-Identifier: MIT
 * Lists of elements: "y[77],a[3, 5],RFH0.VRF1[12]". */
#include "runtime/place.h"
#include "runtime/session.h"
#include "runtime/transfer.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

static bool refuse(const char *text, size_t n, const char *why, struct diag *diag) {
    diag_error(diag, NO_SPAN, "element '%.*s' %s", (int)n, text, why);
    return false;
}

/* "[3, 5]" at text[0..n): returns how many, 0 if it is something else. */
static uint32_t parse_index(const char *text, size_t n, uint64_t index[ELEMENT_MAX_DIMS]) {
    uint32_t dims = 0;
    const char *end = text + n - 1;
    if (n < 3 || *text != '[' || *end != ']')
        return 0;
    for (const char *at = text + 1;; at++) {
        at += strspn(at, " ");
        size_t digits = strspn(at, "0123456789");
        if (dims == ELEMENT_MAX_DIMS || !number_parse_u64(at, digits, &index[dims++]))
            return 0;
        at += digits;
        at += strspn(at, " ");
        if (at == end)
            return dims;
        if (*at != ',')
            return 0;
    }
}

/* The group of a variable or group of that name; NO_INDEX after reporting. */
static uint32_t find_group(const struct object *object, const char *name, struct diag *diag) {
    VEC(const char *) names = {0};
    uint32_t group = NO_INDEX;
    for (uint32_t i = 0; i < object->groups.len; i++) {
        vec_push(&names, object->groups.data[i].name);
        if (strcmp(vec_last(&names), name) == 0)
            group = i;
    }
    for (size_t i = 0; i < object->vars.len && group == NO_INDEX; i++) {
        if (object->vars.data[i].group == NO_INDEX)
            continue;
        vec_push(&names, object->vars.data[i].name);
        if (strcmp(vec_last(&names), name) == 0)
            group = object->vars.data[i].group;
    }
    if (group == NO_INDEX) {
        const char *nearest = nearest_name(name, names.data, names.len);
        diag_error(diag, NO_SPAN, "no group, and no variable of one, is called '%s'", name);
        if (nearest)
            diag_note(diag, NO_SPAN, "did you mean '%s'?", nearest);
    }
    vec_free(&names);
    return group;
}

static bool find_in_group(const mpu_session *session, const char *text, size_t n, size_t name,
                          struct value_spot *out, struct diag *diag) {
    uint64_t index[ELEMENT_MAX_DIMS], axes[ELEMENT_MAX_DIMS], number = 0;
    char *word = xstrndup(text, name);
    out->group = find_group(session->object, word, diag);
    free(word);
    if (out->group == NO_INDEX)
        return false;
    uint32_t given = parse_index(text + name, n - name, index);
    uint32_t dims = package_group_axes(session->package, session->object, out->group, axes);
    if (given != dims) {
        diag_error(diag, NO_SPAN, "element '%.*s' wants %u ind%s in brackets, one for each axis",
                   (int)n, text, (unsigned)dims, dims == 1 ? "ex" : "ices");
        return false;
    }
    for (uint32_t i = 0; i < dims; i++) {
        if (index[i] >= axes[i])
            return refuse(text, n, "lies outside of its array", diag);
        number = number * axes[i] + index[i];
    }
    out->number = number;
    return true;
}

static bool find_in_vrf(mpu_session *session, const char *text, size_t n, size_t name,
                        struct value_spot *out, struct diag *diag) {
    uint64_t lane[ELEMENT_MAX_DIMS];
    struct place_name place;
    struct str word = {0};
    str_printf(&word, "%.*s.r0", (int)name, text);
    bool ok = session_place_parse(session, word.text, &place, diag);
    out->group = NO_INDEX;
    out->vrf = ok ? session_bare_vrf(session, &place, word.text, diag) : NO_INDEX;
    str_free(&word);
    if (out->vrf == NO_INDEX)
        return false;
    if (parse_index(text + name, n - name, lane) != 1 || lane[0] >= session->package->lanes)
        return refuse(text, n, "names no lane: a lane in brackets is wanted, as in RFH0.VRF1[12]",
                      diag);
    out->number = lane[0];
    return true;
}

static bool find_element(mpu_session *session, const char *text, size_t n, struct arena *names,
                         struct value_spot *out, struct diag *diag) {
    size_t name = 0;
    while (name < n && text[name] != '[')
        name++;
    out->name = arena_strndup(names, text, n);
    return memchr(text, '.', name) ? find_in_vrf(session, text, n, name, out, diag)
                                   : find_in_group(session, text, n, name, out, diag);
}

static void first_elements(mpu_session *session, struct value_spots *out) {
    for (uint32_t g = 0; g < session->object->groups.len && out->count < VALUE_SPOTS; g++) {
        struct str name = {0};
        str_append(&name, session->object->groups.data[g].name);
        package_element_text(session->package, session->object, g, 0, 1, &name);
        out->list[out->count++] =
            (struct value_spot){.name = arena_strdup(&out->names, str_text(&name)), .group = g};
        str_free(&name);
    }
}

bool session_elements_parse(mpu_session *session, const char *text, struct value_spots *out,
                            struct diag *diag) {
    if (!text)
        first_elements(session, out);
    if (!text)
        return true;
    for (const char *at = text;; at++) {
        size_t n = 0;
        at += strspn(at, " ");
        for (unsigned depth = 0; at[n] && (depth || at[n] != ','); n++)
            depth = at[n] == '[' ? 1 : at[n] == ']' ? 0 : depth;
        if (!n)
            return refuse(text, strlen(text), "is followed by nothing", diag);
        if (out->count == VALUE_SPOTS) {
            diag_error(diag, NO_SPAN, "a log shows %d elements at most", VALUE_SPOTS);
            return false;
        }
        if (!find_element(session, at, n, &out->names, &out->list[out->count++], diag))
            return false;
        at += n;
        if (!*at)
            return true;
    }
}
