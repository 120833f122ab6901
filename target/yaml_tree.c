/* SPDX-License-Identifier: MIT
 * Events of libyaml to a tree with places; depth and number of nodes are bounded. */
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
static uint32_t byte_of(struct yaml_reader *reader, yaml_mark_t mark) {
    if (mark.line < reader->line || (mark.line == reader->line && mark.column < reader->column))
        reader->line = reader->column = reader->byte = 0;
    while (reader->byte < reader->size &&
           (reader->line < mark.line || reader->column < mark.column)) {
        bool ends_line = reader->text[reader->byte++] == '\n';
        if (ends_line && reader->line == mark.line) {
            reader->byte--; /* a mark behind the end of its line */
            break;
        }
        while (reader->byte < reader->size &&
               ((unsigned char)reader->text[reader->byte] & 0xc0) == 0x80)
            reader->byte++;
        reader->column = ends_line ? 0 : reader->column + 1;
        reader->line += ends_line;
    }
    return (uint32_t)reader->byte;
}

static struct span event_span(struct yaml_reader *reader) {
    struct span at = {reader->source, byte_of(reader, reader->event.start_mark), 0};
    at.end = byte_of(reader, reader->event.end_mark);
    if (at.end < at.begin)
        at.end = at.begin;
    return at;
}

static void fail(struct yaml_reader *reader, struct span at, const char *text) {
    if (!reader->failed)
        diag_error(reader->diag, at, "%s", text);
    reader->failed = true;
}

static bool next_event(struct yaml_reader *reader) {
    if (reader->has_event)
        yaml_event_delete(&reader->event);
    reader->has_event = yaml_parser_parse(&reader->yaml, &reader->event) != 0;
    if (!reader->has_event) {
        uint32_t at = byte_of(reader, reader->yaml.problem_mark);
        const char *problem = reader->yaml.problem ? reader->yaml.problem : "not readable as YAML";
        fail(reader, (struct span){reader->source, at, at}, problem);
    }
    return reader->has_event;
}

static struct yaml_node *new_node(struct yaml_reader *reader, enum yaml_node_kind kind) {
    struct yaml_node *n = ARENA_NEW(reader->arena, struct yaml_node);
    n->kind = kind;
    n->at = event_span(reader);
    return n;
}

static struct yaml_node *read_node(struct yaml_reader *reader, unsigned depth);

static struct yaml_node *read_scalar(struct yaml_reader *reader) {
    struct yaml_node *n = new_node(reader, NODE_SCALAR);
    size_t length = reader->event.data.scalar.length;
    n->text = arena_strndup(reader->arena, (const char *)reader->event.data.scalar.value, length);
    if (strlen(n->text) != length)
        fail(reader, n->at, "a NUL character in a value");
    if (reader->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE &&
        n->at.end >= n->at.begin + 2) {
        n->at.begin++;
        n->at.end--;
    }
    n->exact = n->at.end - n->at.begin == length &&
               memcmp(reader->text + n->at.begin, n->text, length) == 0;
    return n;
}

static bool read_key(struct yaml_reader *reader, struct yaml_node *map, const char **key,
                     struct span *at) {
    if (reader->event.type != YAML_SCALAR_EVENT) {
        fail(reader, event_span(reader), "a key must be a word");
        return false;
    }
    struct yaml_node *n = read_scalar(reader);
    *key = n->text;
    *at = n->at;
    struct yaml_node *twin = target_node_find(map, n->text);
    if (twin && !reader->failed) {
        diag_error(reader->diag, n->at, "'%s' stands here twice", n->text);
        diag_note(reader->diag, twin->key_at, "the first one");
        reader->failed = true;
    }
    return !reader->failed;
}

static struct yaml_node *read_map(struct yaml_reader *reader, unsigned depth) {
    struct yaml_node *map = new_node(reader, NODE_MAP), **tail = &map->first;
    for (unsigned keys = 0; next_event(reader) && reader->event.type != YAML_MAPPING_END_EVENT;
         keys++) {
        if (keys == MAX_KEYS)
            fail(reader, event_span(reader), "more than 500 keys in one map");
        const char *key;
        struct span at;
        if (!read_key(reader, map, &key, &at) || !next_event(reader))
            return NULL;
        struct yaml_node *value = read_node(reader, depth + 1);
        if (!value)
            return NULL;
        value->key = key;
        value->key_at = at;
        *tail = value;
        tail = &value->next;
    }
    return reader->failed ? NULL : map;
}

static struct yaml_node *read_list(struct yaml_reader *reader, unsigned depth) {
    struct yaml_node *list = new_node(reader, NODE_LIST), **tail = &list->first;
    while (next_event(reader) && reader->event.type != YAML_SEQUENCE_END_EVENT) {
        struct yaml_node *value = read_node(reader, depth + 1);
        if (!value)
            return NULL;
        *tail = value;
        tail = &value->next;
    }
    return reader->failed ? NULL : list;
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
static struct yaml_node *read_node(struct yaml_reader *reader, unsigned depth) {
    if (depth > MAX_NESTING)
        fail(reader, event_span(reader), "nested too deep");
    else if (has_anchor_or_tag(&reader->event))
        fail(reader, event_span(reader),
             "anchors, aliases and tags have no place in a target file");
    if (reader->failed)
        return NULL;
    if (reader->event.type == YAML_MAPPING_START_EVENT)
        return read_map(reader, depth);
    if (reader->event.type == YAML_SEQUENCE_START_EVENT)
        return read_list(reader, depth);
    return read_scalar(reader);
}

/* After the one document. */
static void want_end(struct yaml_reader *reader) {
    if (next_event(reader) && reader->event.type == YAML_DOCUMENT_END_EVENT && next_event(reader) &&
        reader->event.type != YAML_STREAM_END_EVENT)
        fail(reader, event_span(reader), "a second document in one file");
}

static struct yaml_node *read_document(struct yaml_reader *reader) {
    while (next_event(reader) && (reader->event.type == YAML_STREAM_START_EVENT ||
                                  reader->event.type == YAML_DOCUMENT_START_EVENT))
        continue;
    if (reader->failed)
        return NULL;
    if (reader->event.type != YAML_MAPPING_START_EVENT) {
        fail(reader, event_span(reader), "a target file is a map of keys");
        return NULL;
    }
    struct yaml_node *n = read_node(reader, 0);
    if (n)
        want_end(reader);
    return reader->failed ? NULL : n;
}

struct yaml_node *target_yaml_parse(struct arena *arena, uint32_t source, const char *text,
                                    size_t size, struct diag *diag) {
    struct yaml_reader r = {
        .arena = arena, .diag = diag, .source = source, .text = text, .size = size};
    if (size > MAX_SIZE) {
        diag_error(diag, (struct span){source, 0, 0}, "larger than 64 KiB");
        return NULL;
    }
    if (!yaml_parser_initialize(&r.yaml)) {
        diag_error(diag, (struct span){source, 0, 0}, "out of memory");
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
