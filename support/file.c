/* SPDX-License-Identifier: MIT */
#include "support/file.h"

#include "support/alloc.h"
#include "support/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Everything that fd has; `hint` is the expected size. */
static char *read_all(int fd, size_t hint, size_t *size) {
    size_t cap = hint + 1, len = 0; /* one byte more shows the end without growing */
    char *data = xmalloc(cap + 1);
    for (;;) {
        ssize_t got = read_some(fd, data + len, cap - len);
        if (got < 0)
            break;
        len += (size_t)got;
        if (len > UINT32_MAX) {
            errno = EFBIG;
            break;
        }
        if (got == 0) {
            data[len] = '\0';
            *size = len;
            return data;
        }
        if (len == cap) {
            cap = cap < 4096 ? 8192 : cap * 2;
            data = xreallocarray(data, cap + 1, 1);
        }
    }
    free(data);
    return NULL;
}

static char *read_fd(int fd, size_t *size) {
    struct stat st;
    if (fstat(fd, &st))
        return NULL;
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return NULL;
    }
    bool sized = S_ISREG(st.st_mode) && st.st_size > 0;
    if (sized && st.st_size > (off_t)UINT32_MAX) {
        errno = EFBIG;
        return NULL;
    }
    return read_all(fd, sized ? (size_t)st.st_size : 4095, size);
}

/* Closes fd without changing errno. */
static void close_quietly(int fd) {
    int saved = errno;
    close(fd);
    errno = saved;
}

char *file_read(const char *path, size_t *size) {
    if (strcmp(path, "-") == 0)
        return read_fd(STDIN_FILENO, size);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    char *data = read_fd(fd, size);
    close_quietly(fd);
    return data;
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

static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

char *file_read_beside(const char *path, const char *from, const char *const *folders, size_t count,
                       char **name, size_t *size) {
    bool absolute = path[0] == '/';
    *name = absolute ? xstrdup(path) : join(from, folder_length(from), path);
    char *text = file_read(*name, size);
    for (size_t i = 0; !text && errno == ENOENT && !absolute && i < count; i++) {
        free(*name);
        *name = join(folders[i], strlen(folders[i]), path);
        text = file_read(*name, size);
    }
    return text;
}

static bool write_all(int fd, const char *data, size_t size) {
    while (size) {
        ssize_t done = write(fd, data, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        data += done;
        size -= (size_t)done;
    }
    return true;
}

static bool write_stdout(const void *data, size_t size) {
    return fflush(stdout) == 0 && write_all(STDOUT_FILENO, data, size);
}

/* Devices and pipes keep their identity: opened and written. */
static bool write_in_place(const char *path, const void *data, size_t size) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (!write_all(fd, data, size)) {
        close_quietly(fd);
        return false;
    }
    return close(fd) == 0;
}

/* Opens a file that did not exist, in path's folder; its name goes to `name`. */
static int open_beside(const char *path, mode_t mode, struct str *name) {
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    for (unsigned attempt = 0;; attempt++) {
        str_clear(name);
        str_append_n(name, path, folder);
        str_printf(name, ".mpu-%ld-%u.tmp", (long)getpid(), attempt);
        int fd = open(name->text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd >= 0 || errno != EEXIST || attempt == 1000)
            return fd;
    }
}

struct output {
    const char *path;
    const void *data;
    size_t size;
    mode_t mode;          /* of a new file, before the umask */
    mode_t keep_mode;     /* of the file that is replaced, or 0 */
    bool in_place;        /* standard output, a device or a pipe */
    char *real;           /* the replaced file behind its links, or NULL */
    struct str temporary; /* the file beside it that is not renamed yet; empty: none */
};

static bool fill(int fd, const struct output *o) {
    bool ok = write_all(fd, o->data, o->size);
    if (ok && o->keep_mode)
        ok = fchmod(fd, o->keep_mode) == 0;
    if (!ok) {
        close_quietly(fd);
        return false;
    }
    return close(fd) == 0;
}

/* What the path is now: links are followed, a folder or a read-only file is refused. */
static bool resolve(struct output *o) {
    struct stat st;
    o->in_place = strcmp(o->path, "-") == 0;
    if (o->in_place || stat(o->path, &st))
        return true;
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return false;
    }
    o->in_place = !S_ISREG(st.st_mode);
    if (o->in_place)
        return true;
    if (access(o->path, W_OK))
        return false;
    if (o->mode != 0777)
        o->keep_mode = st.st_mode & 07777;
    o->real = realpath(o->path, NULL);
    o->path = o->real;
    return o->real;
}

/* Everything that can fail before the first output appears. */
static bool stage(struct output *o) {
    if (!resolve(o))
        return false;
    if (o->in_place)
        return true;
    int fd = open_beside(o->path, o->mode, &o->temporary);
    if (fd < 0)
        str_clear(&o->temporary);
    return fd >= 0 && fill(fd, o);
}

static bool appear(struct output *o) {
    if (o->in_place)
        return strcmp(o->path, "-") == 0 ? write_stdout(o->data, o->size)
                                         : write_in_place(o->path, o->data, o->size);
    if (rename(o->temporary.text, o->path))
        return false;
    str_clear(&o->temporary);
    return true;
}

/* What is written in place may fail and cannot be taken back, so it comes before the renames. */
static bool write_outputs(struct output *list, size_t count, size_t *failed) {
    for (size_t i = 0; i < count; i++) {
        *failed = i;
        if (!stage(&list[i]))
            return false;
    }
    for (unsigned files = 0; files < 2; files++)
        for (size_t i = 0; i < count; i++) {
            *failed = i;
            if (list[i].in_place == !files && !appear(&list[i]))
                return false;
        }
    return true;
}

/* Without changing errno. */
static void release(struct output *o) {
    int saved = errno;
    if (o->temporary.len)
        unlink(o->temporary.text);
    str_free(&o->temporary);
    free(o->real);
    errno = saved;
}

static bool write_one(const char *path, const void *data, size_t size, mode_t mode) {
    struct output o = {.path = path, .data = data, .size = size, .mode = mode};
    size_t failed;
    bool ok = write_outputs(&o, 1, &failed);
    release(&o);
    return ok;
}

bool file_write(const char *path, const void *data, size_t size) {
    return write_one(path, data, size, 0666);
}

bool file_write_executable(const char *path, const void *data, size_t size) {
    return write_one(path, data, size, 0777);
}

bool file_write_all(const struct file_output *outputs, size_t count, size_t *failed) {
    struct output *list = xcalloc(count + 1, sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = (struct output){.path = outputs[i].path,
                                  .data = outputs[i].data,
                                  .size = outputs[i].size,
                                  .mode = 0666};
    bool ok = write_outputs(list, count, failed);
    for (size_t i = 0; i < count; i++)
        release(&list[i]);
    free(list);
    return ok;
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
