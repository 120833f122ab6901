/* SPDX-License-Identifier: MIT */
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include <cmath>
#include <string>
#include <vector>

extern "C" {
#include "support/json.h"
#include "support/str.h"
}

struct json {
    std::string text;
    llvm::raw_string_ostream stream;
    llvm::json::OStream out;
    std::vector<bool> keyed; /* of each open object or array: it is the value of a key */
    explicit json(unsigned indent) : stream(text), out(stream, indent) {}
};

/* Strings from files may hold any bytes; JSON is UTF-8, so bad ones become U+FFFD. */
static std::string utf8(const char *s) {
    return llvm::json::isUTF8(s) ? s : llvm::json::fixUTF8(s);
}

template <typename Body> static void emit(struct json *j, const char *key, Body body) {
    if (key)
        j->out.attributeBegin(utf8(key));
    body();
    if (key)
        j->out.attributeEnd();
}

static void emit_raw(struct json *j, const char *key, llvm::StringRef text) {
    emit(j, key, [&] { j->out.rawValue(text); });
}

/* The attribute of an object or array stays open until that ends. */
static void open_value(struct json *j, const char *key) {
    if (key)
        j->out.attributeBegin(utf8(key));
    j->keyed.push_back(key != nullptr);
}

static void close_value(struct json *j) {
    if (j->keyed.back())
        j->out.attributeEnd();
    j->keyed.pop_back();
}

extern "C" {
struct json *json_new(void) {
    return new json(2);
}

struct json *json_new_line(void) {
    return new json(0);
}

void json_finish(struct json *j, struct str *out) {
    j->out.flush();
    j->stream.flush();
    str_append_n(out, j->text.data(), j->text.size());
    str_char(out, '\n');
    delete j;
}

void json_object_begin(struct json *j, const char *key) {
    open_value(j, key);
    j->out.objectBegin();
}

void json_object_end(struct json *j) {
    j->out.objectEnd();
    close_value(j);
}

void json_array_begin(struct json *j, const char *key) {
    open_value(j, key);
    j->out.arrayBegin();
}

void json_array_end(struct json *j) {
    j->out.arrayEnd();
    close_value(j);
}

void json_string(struct json *j, const char *key, const char *value) {
    emit(j, key, [&] { j->out.value(utf8(value)); });
}

void json_u64(struct json *j, const char *key, uint64_t value) {
    emit_raw(j, key, std::to_string(value));
}

void json_i64(struct json *j, const char *key, int64_t value) {
    emit_raw(j, key, std::to_string(value));
}

void json_double(struct json *j, const char *key, double value) {
    if (!std::isfinite(value)) {
        json_null(j, key);
        return;
    }
    struct str text = {};
    str_double(&text, value);
    emit_raw(j, key, str_text(&text));
    str_free(&text);
}

void json_bool(struct json *j, const char *key, bool value) {
    emit_raw(j, key, value ? "true" : "false");
}

void json_null(struct json *j, const char *key) {
    emit_raw(j, key, "null");
}
}
