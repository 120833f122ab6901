/* SPDX-License-Identifier: MIT
 * Names of places: a variable, or a bare register "RFH0.VRF3.r5" with an MPU before and a type
 * behind it. */
#include "runtime/place.h"
#include "runtime/session.h"
#include "runtime/transfer.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* "RFH12" and a dot, or the end: reads the number and moves on. */
static bool part(const char **at, const char *prefix, char end, uint32_t *value) {
    size_t n = strlen(prefix), digits;
    uint64_t x;
    if (strncasecmp(*at, prefix, n) != 0)
        return false;
    digits = strspn(*at + n, "0123456789");
    if (digits == 0 || digits > 9 || (*at)[n + digits] != end ||
        !number_parse_u64(*at + n, digits, &x))
        return false;
    *value = (uint32_t)x;
    *at += n + digits + (end != '\0');
    return true;
}

/* The place without its type; a register beyond r63 is left to the caller, as *reg. */
static bool parse_bare(const char *text, struct place_name *out, uint32_t *reg) {
    const char *at = text;
    out->mpu = NO_INDEX;
    (void)part(&at, "MPU", '.', &out->mpu);
    if (!part(&at, "RFH", '.', &out->rfh) || !part(&at, "VRF", '.', &out->vrf) ||
        !part(&at, "r", '\0', reg))
        return false;
    out->reg = (uint8_t)*reg;
    out->bare = true;
    return true;
}

static bool parse_typed_bare(const char *name, struct place_name *out, struct diag *diag,
                             bool *reported) {
    const char *colon = strchr(name, ':');
    char *place = colon ? xstrndup(name, (size_t)(colon - name)) : xstrdup(name);
    uint32_t reg;
    bool ok = parse_bare(place, out, &reg);
    free(place);
    if (ok && reg > 63) {
        diag_error(diag, NO_SPAN, "'%s' names no register: a VRF has r0 to r63", name);
        *reported = true;
        return false;
    }
    if (!ok || !colon)
        return ok;
    out->typed = object_type_parse(colon + 1, strlen(colon + 1), &out->type);
    if (!out->typed) {
        diag_error(
            diag, NO_SPAN,
            "unknown type '%s' of register '%.*s': bool, u1..u64, i2..i64, f16, f32, f64 or bf16",
            colon + 1, (int)(colon - name), name);
        *reported = true;
    }
    return out->typed;
}

enum { SHOWN_NAMES = 20 };

void session_note_names(const char *what, const char *const *names, size_t count,
                        struct diag *diag) {
    struct str list = {0};
    for (size_t i = 0; i < count && i < SHOWN_NAMES; i++)
        str_printf(&list, "%s%s", i ? ", " : "", names[i]);
    if (count > SHOWN_NAMES)
        str_append(&list, ", ...");
    if (count)
        diag_note(diag, NO_SPAN, "its %ss are: %s", what, str_text(&list));
    else
        diag_note(diag, NO_SPAN, "it has no %ss", what);
    str_free(&list);
}

static void not_there(const struct object *object, const char *name, struct diag *diag) {
    diag_error(diag, NO_SPAN,
               "'%s' is a link-time value: it stands in the text, and in no register", name);
    diag_note(diag,
              object_span(object, object->values.data[object_find_value(object, name)].place, diag),
              "'%s' is declared here", name);
}

static void unknown(const mpu_session *session, const char *name, struct diag *diag) {
    const struct object *object = session->object;
    size_t count = 0;
    if (object_find_value(object, name) != NO_INDEX) {
        not_there(object, name, diag);
        return;
    }
    const char **names = xcalloc(object->vars.len + object->buffers.len + 1, sizeof *names);
    for (size_t i = 0; session->buffers.launches && i < object->buffers.len; i++)
        names[count++] = object->buffers.data[i].name;
    for (uint32_t i = 0; i < object->vars.len; i++)
        if (!session_stands_for_buffer(session, i))
            names[count++] = object->vars.data[i].name;
    diag_error(diag, NO_SPAN, "the program has no variable '%s'", name);
    diag_suggest(diag, NO_SPAN, name, names, count);
    session_note_names("variable", names, count, diag);
    if (count == 0)
        diag_note(diag, NO_SPAN, "registers are named RFH0.VRF3.r5");
    free(names);
}

/* A buffer that is there, else a variable. */
static bool find_named(const mpu_session *session, const char *name, struct place_name *out) {
    uint32_t buffer =
        session->buffers.launches ? object_find_buffer(session->object, name) : NO_INDEX;
    *out = (struct place_name){
        .memory = buffer != NO_INDEX,
        .variable = buffer != NO_INDEX ? buffer : object_find_variable(session->object, name)};
    return out->variable != NO_INDEX;
}

bool session_place_parse(const mpu_session *session, const char *name, struct place_name *out,
                         struct diag *diag) {
    bool reported = false;
    if (find_named(session, name, out))
        return true;
    if (parse_typed_bare(name, out, diag, &reported))
        return true;
    if (!reported && !session->buffers.launches &&
        object_find_buffer(session->object, name) != NO_INDEX)
        diag_error(
            diag, NO_SPAN,
            "buffer '%s' is not there: target '%s' launches none of the program's kernels, and "
            "no variable has its name",
            name, session->target->t->name);
    else if (!reported)
        unknown(session, name, diag);
    return false;
}
