/* SPDX-License-Identifier: MIT
 * The logic of tables in packages; docs/formats.md, "Logic of tables", shows every byte. */
#include "machines/plane/link/plane.h"
#include "object/bytes.h"

#include "support/alloc.h"
#include "support/hash_table.h"

#include <stdlib.h>
#include <string.h>

#define NAME_BYTES (sizeof((struct recipe_logic_name *)0)->text - 1)

static const struct plane_logic *find(const struct plane_logic_list *list,
                                      const struct recipe_logic_name *name) {
    for (size_t i = 0; i < list->len; i++)
        if (memcmp(list->data[i].name.text, name->text, NAME_BYTES) == 0)
            return &list->data[i];
    return NULL;
}

static void add_one(struct plane_logic_list *list, struct recipe_set *recipes,
                    const struct insn *insn) {
    struct plane_logic logic = {.name = recipe_logic_name(recipes, insn)};
    if (!find(list, &logic.name) && recipe_logic_print(recipes, insn, &logic.text))
        vec_push(list, logic);
    else
        str_free(&logic.text);
}

/* A table at a width; without padding, since keys are compared as bytes. */
struct lut_key {
    const struct isa_lut *table;
    uint64_t width;
};

/* Calls `one` for the first LUT of each table and width. */
static void each_table(const struct insn *insns, size_t count,
                       void (*one)(struct plane_logic_list *list, struct recipe_set *recipes,
                                   const struct insn *insn),
                       struct plane_logic_list *list, struct recipe_set *recipes) {
    HASH_TABLE(struct lut_key, bool) seen = {0};
    for (size_t i = 0; i < count; i++) {
        const struct lut_key key = {insns[i].table, insns[i].width};
        if (insns[i].op != OP_LUT || !key.table)
            continue;
        bool *before = hash_table_put(&seen, &key);
        if (!*before)
            one(list, recipes, &insns[i]);
        *before = true;
    }
    hash_table_free(&seen);
}

void plane_logic_add(struct plane_logic_list *list, struct recipe_set *recipes,
                     const struct insn *insns, size_t count) {
    each_table(insns, count, add_one, list, recipes);
}

static void take_one(struct plane_logic_list *list, struct recipe_set *recipes,
                     const struct insn *insn) {
    const struct recipe_logic_name name = recipe_logic_name(recipes, insn);
    const struct plane_logic *logic = find(list, &name);
    if (logic)
        recipe_logic_take(recipes, insn, str_text(&logic->text), logic->text.len);
}

void plane_logic_take(struct plane_logic_list *list, struct recipe_set *recipes,
                      const struct insn *insns, size_t count) {
    if (list->len)
        each_table(insns, count, take_one, list, recipes);
}

void plane_logic_free(struct plane_logic_list *list) {
    for (size_t i = 0; i < list->len; i++)
        str_free(&list->data[i].text);
    vec_free(list);
}

/* --- bytes --- */

void plane_logic_write(const struct plane_logic_list *list, struct str *out) {
    for (size_t i = 0; i < list->len; i++) {
        const struct plane_logic *logic = &list->data[i];
        str_append_n(out, logic->name.text, NAME_BYTES);
        put_u32(out, (uint32_t)logic->text.len);
        str_append_n(out, str_text(&logic->text), logic->text.len);
    }
}

bool plane_logic_read(struct plane_logic_list *list, const void *bytes, size_t size,
                      const char **problem) {
    const unsigned char *at = bytes;
    while (size) {
        struct plane_logic logic = {.text = {0}};
        size_t head = NAME_BYTES + 4, length = size < head ? 0 : get_u32(at + NAME_BYTES);
        if (size < head || length > size - head) {
            *problem = "the logic of its tables is truncated";
            return false;
        }
        memcpy(logic.name.text, at, NAME_BYTES);
        str_append_n(&logic.text, (const char *)at + head, length);
        vec_push(list, logic);
        at += head + length;
        size -= head + length;
    }
    return true;
}
