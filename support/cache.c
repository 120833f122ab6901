/* SPDX-License-Identifier: MIT
 * A file for each entry: a line that says what it is, the hash of its bytes, the bytes.  When it
 * was used last is the time of the file. */
#define _GNU_SOURCE /* utimensat, strdup of folders */
#include "support/cache.h"

#include "support/alloc.h"
#include "support/file.h"
#include "support/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* "mpu-cache 1", the hash and two line ends. */
#define MARK      "mpu-cache 1\n"
#define MARK_SIZE (sizeof MARK - 1)
#define HASH      64
#define HEAD_SIZE (MARK_SIZE + HASH + 1)

/* A file of file_write's that nobody has renamed for so many seconds belongs to a process that is
 * gone. */
#define LEFT_OVER_S 3600

struct cache {
    char *folder;
    uint64_t most_bytes;
};

static bool is_absolute(const char *path) {
    return path && path[0] == '/';
}

char *cache_user_folder(void) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct str folder = {0};
    if (is_absolute(cache))
        str_printf(&folder, "%s/mpu", cache);
    else if (is_absolute(home))
        str_printf(&folder, "%s/.cache/mpu", home);
    return folder.text;
}

struct cache *cache_open(const char *folder, uint64_t most_bytes) {
    struct cache *c = xcalloc(1, sizeof *c);
    c->folder = xstrdup(folder);
    c->most_bytes = most_bytes;
    return c;
}

void cache_close(struct cache *cache) {
    if (!cache)
        return;
    free(cache->folder);
    free(cache);
}

const char *cache_folder(const struct cache *cache) {
    return cache->folder;
}

struct cache_key cache_key_of(const char *kind, const void *text, size_t size) {
    struct cache_key key = {.kind = kind};
    sha256_hex(text, size, key.hash);
    return key;
}

static void path_of(const struct cache *cache, const char *name, struct str *path) {
    str_clear(path);
    str_printf(path, "%s/%s", cache->folder, name);
}

static void entry_path(const struct cache *cache, const struct cache_key *key, struct str *path) {
    str_clear(path);
    str_printf(path, "%s/%s-%s", cache->folder, key->kind, key->hash);
}

/* ---- reading ---- */

static bool is_sound(const char *bytes, size_t size) {
    char hash[HASH + 1];
    if (size < HEAD_SIZE || memcmp(bytes, MARK, MARK_SIZE) != 0 || bytes[HEAD_SIZE - 1] != '\n')
        return false;
    sha256_hex(bytes + HEAD_SIZE, size - HEAD_SIZE, hash);
    return memcmp(bytes + MARK_SIZE, hash, HASH) == 0;
}

bool cache_get(const struct cache *cache, const struct cache_key *key, struct str *out) {
    struct str path = {0};
    size_t size;
    if (!cache)
        return false;
    entry_path(cache, key, &path);
    char *bytes = file_read_named(path.text, FILE_MAX_OBJECT, &size);
    bool sound = bytes && is_sound(bytes, size);
    if (sound) {
        str_append_n(out, bytes + HEAD_SIZE, size - HEAD_SIZE);
        utimensat(AT_FDCWD, path.text, NULL, 0); /* now */
    } else if (bytes) {
        unlink(path.text);
    }
    free(bytes);
    str_free(&path);
    return sound;
}

/* ---- room ---- */

struct entry_file {
    char *name;
    uint64_t bytes;
    struct timespec used;
};
struct entry_files {
    struct entry_file *data;
    size_t len, cap;
};

static bool is_left_over(const char *name, const struct stat *info) {
    return strncmp(name, ".mpu-", 5) == 0 && time(NULL) - info->st_mtime > LEFT_OVER_S;
}

/* What is no file of the cache is not looked at. */
static void list_file(const struct cache *cache, const char *name, struct entry_files *files) {
    struct str path = {0};
    struct stat info;
    path_of(cache, name, &path);
    bool there = lstat(path.text, &info) == 0 && S_ISREG(info.st_mode);
    if (there && is_left_over(name, &info))
        unlink(path.text);
    else if (there && name[0] != '.')
        vec_push(files, ((struct entry_file){xstrdup(name), (uint64_t)info.st_size, info.st_mtim}));
    str_free(&path);
}

static int longest_ago(const void *left, const void *right) {
    const struct entry_file *a = left, *b = right;
    if (a->used.tv_sec != b->used.tv_sec)
        return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
    if (a->used.tv_nsec != b->used.tv_nsec)
        return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Down to three quarters, so that not every entry has to look for room. */
static void drop_oldest(const struct cache *cache, struct entry_files *files, uint64_t bytes) {
    struct str path = {0};
    if (files->len)
        qsort(files->data, files->len, sizeof *files->data, longest_ago);
    for (size_t i = 0; i < files->len && bytes > cache->most_bytes / 4 * 3; i++) {
        path_of(cache, files->data[i].name, &path);
        unlink(path.text);
        bytes -= files->data[i].bytes;
    }
    str_free(&path);
}

static void make_room(const struct cache *cache) {
    struct entry_files files = {0};
    uint64_t bytes = 0;
    DIR *folder = opendir(cache->folder);
    for (struct dirent *d; folder && (d = readdir(folder));)
        list_file(cache, d->d_name, &files);
    for (size_t i = 0; i < files.len; i++)
        bytes += files.data[i].bytes;
    if (bytes > cache->most_bytes)
        drop_oldest(cache, &files, bytes);
    for (size_t i = 0; i < files.len; i++)
        free(files.data[i].name);
    vec_free(&files);
    if (folder)
        closedir(folder);
}

/* ---- writing ---- */

/* With the folders that it lies in, for the user alone. */
static void make_folder(const struct cache *cache) {
    char *path = xstrdup(cache->folder);
    for (char *at = path + 1; *at; at++)
        if (*at == '/') {
            *at = '\0';
            mkdir(path, 0700);
            *at = '/';
        }
    mkdir(path, 0700);
    free(path);
}

void cache_put(const struct cache *cache, const struct cache_key *key, const void *data,
               size_t size) {
    struct str path = {0}, head = {0};
    char hash[HASH + 1];
    if (!cache || size > cache->most_bytes / 4)
        return;
    sha256_hex(data, size, hash);
    str_printf(&head, MARK "%s\n", hash);
    entry_path(cache, key, &path);
    int before = errno;
    make_folder(cache);
    if (file_write_parts(path.text, head.text, head.len, data, size))
        make_room(cache);
    errno = before;
    str_free(&path);
    str_free(&head);
}
