/* SPDX-License-Identifier: MIT
 * Memory and growing texts of the generator; without memory it ends, for nobody can go on. */
#include "isa-spec/gen/gen.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct pool_block {
    struct pool_block *next;
    max_align_t data[];
};

void *gen_alloc(struct gen_pool *pool, size_t size) {
    struct pool_block *b = calloc(1, sizeof *b + size);
    if (!b) {
        fprintf(stderr, "isa-gen: out of memory\n");
        exit(3);
    }
    b->next = pool->blocks;
    pool->blocks = b;
    return b->data;
}

char *gen_strndup(struct gen_pool *pool, const char *text, size_t n) {
    char *copy = gen_alloc(pool, n + 1);
    memcpy(copy, text, n);
    return copy;
}

char *gen_printf(struct gen_pool *pool, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *s = gen_alloc(pool, (size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    return s;
}

void gen_pool_free(struct gen_pool *pool) {
    while (pool->blocks) {
        struct pool_block *b = pool->blocks;
        pool->blocks = b->next;
        free(b);
    }
}

void gen_text_add_n(struct gen_text *out, const char *text, size_t n) {
    if (out->len + n + 1 > out->cap) {
        size_t cap = 2 * (out->len + n + 512);
        char *data = gen_alloc(out->pool, cap);
        if (out->len)
            memcpy(data, out->data, out->len);
        out->data = data;
        out->cap = cap;
    }
    memcpy(out->data + out->len, text, n);
    out->len += n;
    out->data[out->len] = '\0';
}

void gen_text_add(struct gen_text *out, const char *text) {
    gen_text_add_n(out, text, strlen(text));
}

void gen_text_printf(struct gen_text *out, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *s = gen_alloc(out->pool, (size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    gen_text_add_n(out, s, (size_t)n);
}

static bool failed(const char *path) {
    fprintf(stderr, "isa-gen: error: %s: %s\n", path, strerror(errno));
    return false;
}

/* Makes the folders of a path that are not there; what cannot be made shows at fopen. */
static void make_folders(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

bool gen_text_write(const struct gen_text *out, const char *dir, const char *name) {
    char *path = gen_printf(out->pool, "%s/%s", dir, name);
    char *fresh = gen_printf(out->pool, "%s.new", path);
    make_folders(fresh);
    FILE *f = fopen(fresh, "wb");
    if (!f)
        return failed(fresh);
    bool ok = fwrite(out->data ? out->data : "", 1, out->len, f) == out->len;
    ok = fclose(f) == 0 && ok;
    if (!ok || rename(fresh, path) != 0) {
        failed(path);
        remove(fresh);
        return false;
    }
    return true;
}

char *gen_read_file(struct gen_pool *pool, const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f) {
        failed(path);
        return NULL;
    }
    struct gen_text t = {.pool = pool};
    char part[4096];
    size_t n;
    gen_text_add(&t, "");
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        gen_text_add_n(&t, part, n);
    bool ok = !ferror(f);
    fclose(f);
    if (!ok) {
        failed(path);
        return NULL;
    }
    *size = t.len;
    return t.data;
}
