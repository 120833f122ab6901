/* SPDX-License-Identifier: MIT
 * JSON Schema (draft 2020-12) as far as the schemas in docs/ use it: type, const, enum, minimum,
 * maximum, minLength, maxLength, properties, required, additionalProperties, items, anyOf, $ref to
 * #/$defs and to another schema by its file name. */
#ifndef TESTS_REPORT_JSON_SCHEMA_H
#define TESTS_REPORT_JSON_SCHEMA_H

#include "support/json_read.h"
#include "support/str.h"

/* What "$ref": "NAME.json" leads to. */
struct schema_file {
    const char *name;
    const struct json_value *root;
};

/* False with the path and what is wrong appended; a keyword that is none of the above is wrong,
 * too. */
bool schema_accepts(const struct json_value *root, const struct schema_file *other,
                    const struct json_value *value, struct str *why);
/* Every key is described, required, of an open map or "Only where ..." by its description, and no
 * other key is allowed. */
bool schema_is_complete(const struct json_value *root, struct str *why);

#endif
