/* SPDX-License-Identifier: MIT */
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

void *gen_alloc(struct gen_pool *p, size_t size) {
    struct pool_block *b = calloc(1, sizeof *b + size);
    if (!b) {
        fprintf(stderr, "isa-gen: out of memory\n");
        exit(3);
    }
    b->next = p->blocks;
    p->blocks = b;
    return b->data;
}

char *gen_strndup(struct gen_pool *p, const char *s, size_t n) {
    char *copy = gen_alloc(p, n + 1);
    memcpy(copy, s, n);
    return copy;
}

char *gen_printf(struct gen_pool *p, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *s = gen_alloc(p, (size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    return s;
}

void gen_pool_free(struct gen_pool *p) {
    while (p->blocks) {
        struct pool_block *b = p->blocks;
        p->blocks = b->next;
        free(b);
    }
}

void gen_text_add_n(struct gen_text *t, const char *s, size_t n) {
    if (t->len + n + 1 > t->cap) {
        size_t cap = 2 * (t->len + n + 512);
        char *data = gen_alloc(t->pool, cap);
        if (t->len)
            memcpy(data, t->data, t->len);
        t->data = data;
        t->cap = cap;
    }
    memcpy(t->data + t->len, s, n);
    t->len += n;
    t->data[t->len] = '\0';
}

void gen_text_add(struct gen_text *t, const char *s) {
    gen_text_add_n(t, s, strlen(s));
}

void gen_text_printf(struct gen_text *t, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *s = gen_alloc(t->pool, (size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    gen_text_add_n(t, s, (size_t)n);
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

bool gen_text_write(const struct gen_text *t, const char *dir, const char *name) {
    char *path = gen_printf(t->pool, "%s/%s", dir, name);
    char *fresh = gen_printf(t->pool, "%s.new", path);
    make_folders(fresh);
    FILE *f = fopen(fresh, "wb");
    if (!f)
        return failed(fresh);
    bool ok = fwrite(t->data ? t->data : "", 1, t->len, f) == t->len;
    ok = fclose(f) == 0 && ok;
    if (!ok || rename(fresh, path) != 0) {
        failed(path);
        remove(fresh);
        return false;
    }
    return true;
}

char *gen_read_file(struct gen_pool *p, const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f) {
        failed(path);
        return NULL;
    }
    struct gen_text t = {.pool = p};
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
