/* SPDX-License-Identifier: MIT */
#include "json_schema.h"

#include <string.h>

struct check {
    const struct json_value *root;
    const struct schema_file *other;
    struct str path, *why;
};

static bool wrong(struct check *c, const char *what, const char *which) {
    str_printf(c->why, "%s: %s%s%s", c->path.len ? str_text(&c->path) : "the whole", what,
               which ? " " : "", which ? which : "");
    return false;
}

/* ---- values ---- */

static bool is_type(const struct json_value *v, const char *type) {
    static const struct {
        const char *name;
        enum json_kind kind;
    } types[] = {{"null", JSON_NULL},     {"string", JSON_STRING}, {"array", JSON_ARRAY},
                 {"object", JSON_OBJECT}, {"number", JSON_NUMBER}, {"boolean", JSON_TRUE},
                 {"boolean", JSON_FALSE}};
    if (strcmp(type, "integer") == 0)
        return v->kind == JSON_NUMBER && v->whole;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i].name) == 0 && v->kind == types[i].kind)
            return true;
    return false;
}

static bool same(const struct json_value *a, const struct json_value *b) {
    bool text = a->kind == JSON_STRING || a->kind == JSON_NUMBER;
    return a->kind == b->kind && (!text || strcmp(a->text, b->text) == 0);
}

static bool has_type(struct check *c, const struct json_value *keyword,
                     const struct json_value *v) {
    if (keyword->kind == JSON_STRING)
        return is_type(v, keyword->text) || wrong(c, "is not of type", keyword->text);
    for (const struct json_value *x = keyword->first; x; x = x->next)
        if (is_type(v, x->text))
            return true;
    return wrong(c, "is of none of the types", NULL);
}

static bool is_among(struct check *c, const struct json_value *list, const struct json_value *v) {
    for (const struct json_value *x = list->first; x; x = x->next)
        if (same(x, v))
            return true;
    return wrong(c, "is none of the values of enum", NULL);
}

static bool in_bounds(struct check *c, const struct json_value *keyword,
                      const struct json_value *v) {
    bool length = strstr(keyword->key, "Length") != NULL, lower = keyword->key[1] == 'i';
    if (v->kind != (length ? JSON_STRING : JSON_NUMBER))
        return true;
    uint64_t value = length ? strlen(v->text) : v->number;
    return (lower ? value >= keyword->number : value <= keyword->number) ||
           wrong(c, "is out of bounds:", keyword->key);
}

/* ---- objects and arrays ---- */

static bool accepts(struct check *c, const struct json_value *schema, const struct json_value *v);

static bool inside(struct check *c, const struct json_value *schema, const struct json_value *v,
                   size_t place) {
    size_t len = c->path.len;
    if (v->key)
        str_printf(&c->path, ".%s", v->key);
    else
        str_printf(&c->path, ".%zu", place);
    bool ok = accepts(c, schema, v);
    c->path.text[len] = '\0';
    c->path.len = len;
    return ok;
}

static bool members(struct check *c, const struct json_value *schema, const struct json_value *v) {
    const struct json_value *known = json_member(schema, "properties");
    const struct json_value *more = json_member(schema, "additionalProperties");
    for (const struct json_value *x = v->kind == JSON_OBJECT ? v->first : NULL; x; x = x->next) {
        const struct json_value *of = json_member(known, x->key);
        if (!of && more && more->kind == JSON_FALSE)
            return wrong(c, "has a key that the schema does not know:", x->key);
        if (!of && more && more->kind == JSON_OBJECT)
            of = more;
        if (of && !inside(c, of, x, 0))
            return false;
    }
    return true;
}

static bool has_required(struct check *c, const struct json_value *list,
                         const struct json_value *v) {
    for (const struct json_value *x = v->kind == JSON_OBJECT ? list->first : NULL; x; x = x->next)
        if (!json_member(v, x->text))
            return wrong(c, "lacks the key", x->text);
    return true;
}

static bool elements(struct check *c, const struct json_value *schema, const struct json_value *v) {
    size_t place = 0;
    for (const struct json_value *x = v->kind == JSON_ARRAY ? v->first : NULL; x; x = x->next)
        if (!inside(c, schema, x, place++))
            return false;
    return true;
}

/* ---- keywords ---- */

static const struct json_value *resolve(const struct check *c, const char *ref) {
    if (c->other && strcmp(ref, c->other->name) == 0)
        return c->other->root;
    return strncmp(ref, "#/$defs/", 8) == 0 ? json_member(json_member(c->root, "$defs"), ref + 8)
                                            : NULL;
}

static bool refers(struct check *c, const char *ref, const struct json_value *v) {
    const struct json_value *schema = resolve(c, ref);
    if (!schema)
        return wrong(c, "unknown $ref", ref);
    struct check there = *c;
    bool file = ref[0] != '#';
    there.root = file ? schema : c->root;
    bool ok = accepts(&there, schema, v);
    c->path = there.path;
    return ok;
}

/* What the alternatives say against the value is of no interest. */
static bool any_of(struct check *c, const struct json_value *list, const struct json_value *v) {
    struct str last = {0}, *why = c->why;
    bool ok = false;
    c->why = &last;
    for (const struct json_value *x = list->first; x && !ok; x = x->next) {
        str_clear(&last);
        ok = accepts(c, x, v);
    }
    c->why = why;
    if (!ok)
        str_append(why, str_text(&last));
    str_free(&last);
    return ok;
}

static bool one_keyword(struct check *c, const struct json_value *schema,
                        const struct json_value *k, const struct json_value *v) {
    static const char *const silent[] = {"$schema", "title", "description", "$defs",
                                         "additionalProperties"};
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        if (strcmp(k->key, silent[i]) == 0)
            return true;
    if (strcmp(k->key, "$ref") == 0)
        return refers(c, k->text, v);
    if (strcmp(k->key, "type") == 0)
        return has_type(c, k, v);
    if (strcmp(k->key, "const") == 0)
        return same(k, v) || wrong(c, "is not", k->text);
    if (strcmp(k->key, "enum") == 0)
        return is_among(c, k, v);
    if (strncmp(k->key, "min", 3) == 0 || strncmp(k->key, "max", 3) == 0)
        return in_bounds(c, k, v);
    if (strcmp(k->key, "properties") == 0)
        return members(c, schema, v);
    if (strcmp(k->key, "required") == 0)
        return has_required(c, k, v);
    if (strcmp(k->key, "anyOf") == 0)
        return any_of(c, k, v);
    if (strcmp(k->key, "items") == 0)
        return elements(c, k, v);
    return wrong(c, "the schema has a keyword that is not implemented:", k->key);
}

static bool accepts(struct check *c, const struct json_value *schema, const struct json_value *v) {
    for (const struct json_value *k = schema->first; k; k = k->next)
        if (!one_keyword(c, schema, k, v))
            return false;
    return json_member(schema, "properties") || members(c, schema, v);
}

bool schema_accepts(const struct json_value *root, const struct schema_file *other,
                    const struct json_value *value, struct str *why) {
    struct check c = {.root = root, .other = other, .why = why};
    bool ok = accepts(&c, root, value);
    str_free(&c.path);
    return ok;
}

/* ---- the schema itself ---- */

static bool is_listed(const struct json_value *list, const char *name) {
    for (const struct json_value *x = list ? list->first : NULL; x; x = x->next)
        if (strcmp(x->text, name) == 0)
            return true;
    return false;
}

static bool complete(struct check *c, const struct json_value *schema) {
    const struct json_value *known = json_member(schema, "properties");
    const struct json_value *more = json_member(schema, "additionalProperties");
    /* keys of a machine's own are numbers, and described */
    if (known && (!more || (more->kind != JSON_FALSE && !json_member_text(more, "description"))))
        return wrong(c, "allows other keys", NULL);
    for (const struct json_value *x = known ? known->first : NULL; x; x = x->next) {
        const char *text = json_member_text(x, "description");
        bool constant = json_member(x, "const") != NULL;
        if (!constant && (!text || !text[0]))
            return wrong(c, "does not describe", x->key);
        bool sometimes = text && strncmp(text, "Only where ", strlen("Only where ")) == 0;
        if (!sometimes && !is_listed(json_member(schema, "required"), x->key))
            return wrong(c, "does not require", x->key);
    }
    for (const struct json_value *x = schema->first; x; x = x->next)
        if (x->kind == JSON_OBJECT && !complete(c, x))
            return false;
    return true;
}

bool schema_is_complete(const struct json_value *root, struct str *why) {
    struct check c = {.root = root, .why = why};
    bool ok = complete(&c, root);
    str_free(&c.path);
    return ok;
}
