/* SPDX-License-Identifier: MIT
 * Reads and maps whole files; what is opened is a regular file or a pipe, never a folder. */
#include "support/file.h"

#include "support/alloc.h"
#include "support/file_parts.h"
#include "support/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* One read that is repeated when a signal interrupts it. */
static ssize_t read_some(int fd, void *to, size_t size) {
    ssize_t got;
    do
        got = read(fd, to, size);
    while (got < 0 && errno == EINTR);
    return got;
}

/* Everything that fd has, at most `most` bytes; `hint` is the expected size. */
static char *read_all(int fd, size_t hint, size_t most, size_t *size) {
    size_t cap = hint + 1, len = 0; /* one byte more shows the end without growing */
    char *data = xmalloc(cap + 1);
    for (;;) {
        ssize_t got = read_some(fd, data + len, cap - len);
        if (got < 0)
            break;
        len += (size_t)got;
        if (len > most) {
            errno = EFBIG;
            break;
        }
        if (got == 0) {
            data[len] = '\0';
            *size = len;
            return data;
        }
        if (len == cap) {
            cap = cap < 4096 ? 8192 : cap > most / 2 ? most + 1 : cap * 2;
            data = xreallocarray(data, cap + 1, 1);
        }
    }
    free(data);
    return NULL;
}

/* How a file is read. */
struct read_wish {
    size_t most;
    bool map;     /* if it is large */
    bool regular; /* nothing but a regular file */
};

/* The size that a file says it has, 0 where it says none; false with errno set. */
static bool size_of(int fd, const struct read_wish *wish, size_t *size) {
    struct stat st;
    *size = 0;
    if (fstat(fd, &st))
        return false;
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (wish->regular && !S_ISREG(st.st_mode)) {
        errno = ENOTSUP;
        return false;
    }
    bool sized = S_ISREG(st.st_mode) && st.st_size > 0;
    if (sized && (uintmax_t)st.st_size > wish->most) {
        errno = EFBIG;
        return false;
    }
    *size = sized ? (size_t)st.st_size : 0;
    return true;
}

static bool read_fd(int fd, size_t said, size_t most, struct file_view *view) {
    view->bytes = read_all(fd, said ? said : 4095, most, &view->size);
    return view->bytes;
}

/* Smaller files are read faster than their pages are mapped. */
#define MAPPED_FROM ((size_t)1 << 18)

/* All pages at once: each of them will be read. */
static bool map_fd(int fd, size_t size, struct file_view *view) {
    void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (p == MAP_FAILED)
        return false;
    *view = (struct file_view){p, size, true};
    return true;
}

static bool view_fd(int fd, const struct read_wish *wish, struct file_view *view) {
    size_t size;
    return size_of(fd, wish, &size) &&
           ((wish->map && size >= MAPPED_FROM && map_fd(fd, size, view)) ||
            read_fd(fd, size, wish->most, view));
}

/* Without O_NONBLOCK opening a pipe would wait for its writer; a regular file does not mind. */
static bool view(const char *path, const struct read_wish *wish, struct file_view *view) {
    *view = (struct file_view){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | (wish->regular ? O_NONBLOCK | O_NOCTTY : 0));
    if (fd < 0)
        return false;
    bool ok = view_fd(fd, wish, view);
    close_quietly(fd);
    return ok;
}

bool file_view_open(const char *path, struct file_view *file_view) {
    const struct read_wish all = {.most = UINT32_MAX, .map = true};
    *file_view = (struct file_view){0};
    if (strcmp(path, "-") == 0)
        return view_fd(STDIN_FILENO, &(struct read_wish){.most = UINT32_MAX}, file_view);
    return view(path, &all, file_view);
}

void file_view_close(struct file_view *view) {
    if (view->mapped)
        munmap(view->bytes, view->size);
    else
        free(view->bytes);
    *view = (struct file_view){0};
}

char *file_read_most(const char *path, size_t most, size_t *size) {
    const struct read_wish bounded = {.most = most};
    struct file_view v = {0};
    bool ok =
        strcmp(path, "-") == 0 ? view_fd(STDIN_FILENO, &bounded, &v) : view(path, &bounded, &v);
    *size = v.size;
    return ok ? v.bytes : NULL;
}

char *file_read(const char *path, size_t *size) {
    return file_read_most(path, UINT32_MAX, size);
}

size_t file_mark(const char *text, size_t size) {
    return size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

bool file_is_utf16(const char *text, size_t size) {
    if (size < 2)
        return false;
    bool marked = memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0;
    bool low = text[0] == '\0', high = text[1] == '\0';
    return marked || (size >= 4 && size % 2 == 0 && low != high && low == (text[2] == '\0') &&
                      high == (text[3] == '\0'));
}

/* Returns the size that is left. */
static size_t end_lines(char *text, size_t size) {
    char *first = memchr(text, '\r', size), *to = first;
    for (const char *at = first, *end = text + size; first && at < end; at++) {
        bool pair = *at == '\r' && at + 1 < end && at[1] == '\n';
        if (!pair)
            *to++ = *at == '\r' ? '\n' : *at;
    }
    return first ? (size_t)(to - text) : size;
}

bool file_settle_text(char *text, size_t *size) {
    if (file_is_utf16(text, *size)) {
        errno = EILSEQ;
        return false;
    }
    size_t mark = file_mark(text, *size);
    if (mark)
        memmove(text, text + mark, *size - mark);
    *size = end_lines(text, *size - mark);
    text[*size] = '\0';
    return true;
}

char *file_read_named(const char *path, size_t most, size_t *size) {
    const struct read_wish named = {.most = most, .regular = true};
    struct file_view v;
    if (!view(path, &named, &v))
        return NULL;
    *size = v.size;
    return v.bytes;
}

const char *file_problem(int error) {
    return error == ENOTSUP  ? "Not a regular file"
           : error == EILSEQ ? "The text is in UTF-16, and texts are read in UTF-8"
                             : strerror(error);
}

void file_identity(const char *path, struct str *identity) {
    struct stat st;
    if (stat(path, &st) == 0)
        str_printf(identity, "//%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
    else
        str_append(identity, path);
}

size_t file_list_piece(const char *list) {
    const size_t first = strcspn(list, ",");
    for (size_t n = strlen(list); n > first; n--) {
        if (list[n] && list[n] != ',')
            continue;
        struct str path = {0};
        str_append_n(&path, list, n);
        bool there = access(path.text, F_OK) == 0;
        str_free(&path);
        if (there)
            return n;
    }
    return first;
}

/* NULL, with errno set, for what is NULL or cannot be settled. */
static char *settled(char *text, size_t *size) {
    if (!text || file_settle_text(text, size))
        return text;
    free(text);
    errno = EILSEQ;
    return NULL;
}

char *file_read_text(const char *path, size_t most, size_t *size) {
    return settled(file_read_most(path, most, size), size);
}

char *file_read_named_text(const char *path, size_t most, size_t *size) {
    return settled(file_read_named(path, most, size), size);
}

/* "dir/file" beside `beside`, or in a folder. */
static char *join(const char *folder, size_t length, const char *path) {
    struct str s = {0};
    str_append_n(&s, folder, length);
    if (length && folder[length - 1] != '/')
        str_char(&s, '/');
    str_append(&s, path);
    return s.text;
}

char *file_read_beside(const char *path, const char *from, const char *const *folders, size_t count,
                       size_t most, char **name, size_t *size) {
    bool absolute = path[0] == '/';
    *name = absolute ? xstrdup(path) : join(from, folder_length(from), path);
    char *text = file_read_named_text(*name, most, size);
    for (size_t i = 0; !text && errno == ENOENT && !absolute && i < count; i++) {
        free(*name);
        *name = join(folders[i], strlen(folders[i]), path);
        text = file_read_named_text(*name, most, size);
    }
    return text;
}

static bool begins(const void *data, size_t size, const char *magic) {
    size_t n = strlen(magic);
    return size >= n && memcmp(data, magic, n) == 0;
}

const char *file_kind(const void *data, size_t size) {
    const unsigned char *b = data;
    if (size == 0)
        return "an empty file";
    if (begins(data, size, "\x93NUMPY"))
        return "a NumPy array";
    if (begins(data, size,
               "\x7f"
               "ELF"))
        return "an ELF file";
    if (size > 2 && b[0] == 'P' && b[1] >= '1' && b[1] <= '7' && strchr(" \t\r\n", b[2]) && b[2])
        return "a picture";
    return memchr(data, '\0', size) ? "a binary file" : "text";
}
