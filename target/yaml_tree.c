/* SPDX-License-Identifier: MIT */
#include "target/yaml_tree.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define MAX_NESTING 16
#define MAX_KEYS    500 /* of one map: keys are searched one by one */
#define MAX_SIZE    (64u << 10)

struct yaml_reader {
    yaml_parser_t yaml;
    yaml_event_t event;
    bool has_event, failed;
    struct arena *arena;
    struct diag *diag;
    uint32_t source;
    const char *text;
    size_t size;
    /* The last mark asked for and its byte: marks come in ascending order, or nearly so. */
    size_t line, column, byte;
};

/* libyaml counts lines and characters; spans count bytes. */
static uint32_t byte_of(struct yaml_reader *r, yaml_mark_t mark) {
    if (mark.line < r->line || (mark.line == r->line && mark.column < r->column))
        r->line = r->column = r->byte = 0;
    while (r->byte < r->size && (r->line < mark.line || r->column < mark.column)) {
        bool ends_line = r->text[r->byte++] == '\n';
        if (ends_line && r->line == mark.line) {
            r->byte--; /* a mark behind the end of its line */
            break;
        }
        while (r->byte < r->size && ((unsigned char)r->text[r->byte] & 0xc0) == 0x80)
            r->byte++;
        r->column = ends_line ? 0 : r->column + 1;
        r->line += ends_line;
    }
    return (uint32_t)r->byte;
}

static struct span event_span(struct yaml_reader *r) {
    struct span at = {r->source, byte_of(r, r->event.start_mark), 0};
    at.end = byte_of(r, r->event.end_mark);
    if (at.end < at.begin)
        at.end = at.begin;
    return at;
}

static void fail(struct yaml_reader *r, struct span at, const char *text) {
    if (!r->failed)
        diag_error(r->diag, at, "%s", text);
    r->failed = true;
}

static bool next_event(struct yaml_reader *r) {
    if (r->has_event)
        yaml_event_delete(&r->event);
    r->has_event = yaml_parser_parse(&r->yaml, &r->event) != 0;
    if (!r->has_event) {
        uint32_t at = byte_of(r, r->yaml.problem_mark);
        const char *problem = r->yaml.problem ? r->yaml.problem : "not readable as YAML";
        fail(r, (struct span){r->source, at, at}, problem);
    }
    return r->has_event;
}

static struct yaml_node *new_node(struct yaml_reader *r, enum yaml_node_kind kind) {
    struct yaml_node *n = ARENA_NEW(r->arena, struct yaml_node);
    n->kind = kind;
    n->at = event_span(r);
    return n;
}

static struct yaml_node *read_node(struct yaml_reader *r, unsigned depth);

static struct yaml_node *read_scalar(struct yaml_reader *r) {
    struct yaml_node *n = new_node(r, NODE_SCALAR);
    size_t length = r->event.data.scalar.length;
    n->text = arena_strndup(r->arena, (const char *)r->event.data.scalar.value, length);
    if (strlen(n->text) != length)
        fail(r, n->at, "a NUL character in a value");
    if (r->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE && n->at.end >= n->at.begin + 2) {
        n->at.begin++;
        n->at.end--;
    }
    n->exact =
        n->at.end - n->at.begin == length && memcmp(r->text + n->at.begin, n->text, length) == 0;
    return n;
}

static bool read_key(struct yaml_reader *r, struct yaml_node *map, const char **key,
                     struct span *at) {
    if (r->event.type != YAML_SCALAR_EVENT) {
        fail(r, event_span(r), "a key must be a word");
        return false;
    }
    struct yaml_node *n = read_scalar(r);
    *key = n->text;
    *at = n->at;
    struct yaml_node *twin = target_node_find(map, n->text);
    if (twin && !r->failed) {
        diag_error(r->diag, n->at, "'%s' stands here twice", n->text);
        diag_note(r->diag, twin->key_at, "the first one");
        r->failed = true;
    }
    return !r->failed;
}

static struct yaml_node *read_map(struct yaml_reader *r, unsigned depth) {
    struct yaml_node *map = new_node(r, NODE_MAP), **tail = &map->first;
    for (unsigned keys = 0; next_event(r) && r->event.type != YAML_MAPPING_END_EVENT; keys++) {
        if (keys == MAX_KEYS)
            fail(r, event_span(r), "more than 500 keys in one map");
        const char *key;
        struct span at;
        if (!read_key(r, map, &key, &at) || !next_event(r))
            return NULL;
        struct yaml_node *value = read_node(r, depth + 1);
        if (!value)
            return NULL;
        value->key = key;
        value->key_at = at;
        *tail = value;
        tail = &value->next;
    }
    return r->failed ? NULL : map;
}

static struct yaml_node *read_list(struct yaml_reader *r, unsigned depth) {
    struct yaml_node *list = new_node(r, NODE_LIST), **tail = &list->first;
    while (next_event(r) && r->event.type != YAML_SEQUENCE_END_EVENT) {
        struct yaml_node *value = read_node(r, depth + 1);
        if (!value)
            return NULL;
        *tail = value;
        tail = &value->next;
    }
    return r->failed ? NULL : list;
}

static bool has_anchor_or_tag(const yaml_event_t *e) {
    switch (e->type) {
    case YAML_SCALAR_EVENT:
        return e->data.scalar.anchor || e->data.scalar.tag;
    case YAML_MAPPING_START_EVENT:
        return e->data.mapping_start.anchor || e->data.mapping_start.tag;
    case YAML_SEQUENCE_START_EVENT:
        return e->data.sequence_start.anchor || e->data.sequence_start.tag;
    default:
        return e->type == YAML_ALIAS_EVENT;
    }
}

/* The node that begins with the current event. */
static struct yaml_node *read_node(struct yaml_reader *r, unsigned depth) {
    if (depth > MAX_NESTING)
        fail(r, event_span(r), "nested too deep");
    else if (has_anchor_or_tag(&r->event))
        fail(r, event_span(r), "anchors, aliases and tags have no place in a target file");
    if (r->failed)
        return NULL;
    if (r->event.type == YAML_MAPPING_START_EVENT)
        return read_map(r, depth);
    if (r->event.type == YAML_SEQUENCE_START_EVENT)
        return read_list(r, depth);
    return read_scalar(r);
}

/* After the one document. */
static void want_end(struct yaml_reader *r) {
    if (next_event(r) && r->event.type == YAML_DOCUMENT_END_EVENT && next_event(r) &&
        r->event.type != YAML_STREAM_END_EVENT)
        fail(r, event_span(r), "a second document in one file");
}

static struct yaml_node *read_document(struct yaml_reader *r) {
    while (next_event(r) &&
           (r->event.type == YAML_STREAM_START_EVENT || r->event.type == YAML_DOCUMENT_START_EVENT))
        continue;
    if (r->failed)
        return NULL;
    if (r->event.type != YAML_MAPPING_START_EVENT) {
        fail(r, event_span(r), "a target file is a map of keys");
        return NULL;
    }
    struct yaml_node *n = read_node(r, 0);
    if (n)
        want_end(r);
    return r->failed ? NULL : n;
}

struct yaml_node *target_yaml_parse(struct arena *a, uint32_t source, const char *text, size_t size,
                                    struct diag *d) {
    struct yaml_reader r = {.arena = a, .diag = d, .source = source, .text = text, .size = size};
    if (size > MAX_SIZE) {
        diag_error(d, (struct span){source, 0, 0}, "larger than 64 KiB");
        return NULL;
    }
    if (!yaml_parser_initialize(&r.yaml)) {
        diag_error(d, (struct span){source, 0, 0}, "out of memory");
        return NULL;
    }
    yaml_parser_set_input_string(&r.yaml, (const unsigned char *)text, size);
    yaml_parser_set_encoding(&r.yaml, YAML_UTF8_ENCODING);
    struct yaml_node *n = read_document(&r);
    if (r.has_event)
        yaml_event_delete(&r.event);
    yaml_parser_delete(&r.yaml);
    return n;
}

struct yaml_node *target_node_find(const struct yaml_node *map, const char *key) {
    for (struct yaml_node *n = map->first; n; n = n->next)
        if (n->key && strcmp(n->key, key) == 0)
            return n;
    return NULL;
}

void target_node_append(struct yaml_node *parent, struct yaml_node *child) {
    struct yaml_node **tail = &parent->first;
    while (*tail)
        tail = &(*tail)->next;
    *tail = child;
    child->next = NULL;
}
