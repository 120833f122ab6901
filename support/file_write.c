/* SPDX-License-Identifier: MIT
 * Files that appear whole or not at all. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "support/file.h"

#include "support/alloc.h"
#include "support/file_parts.h"
#include "support/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* How a file comes into being under a name that was free: a descriptor or 0; -1 with errno. */
typedef int make_file(void *context, const char *name);

/* Makes a file that did not exist, in path's folder; its name goes to `name`. */
static int make_beside(const char *path, struct str *name, make_file *make, void *context) {
    for (unsigned attempt = 0;; attempt++) {
        str_clear(name);
        str_append_n(name, path, folder_length(path));
        str_printf(name, ".mpu-%ld-%u.tmp", (long)getpid(), attempt);
        int made = make(context, name->text);
        if (made < 0 && errno == EEXIST && attempt < 1000)
            continue;
        if (made < 0)
            str_clear(name);
        return made;
    }
}

static int create(void *context, const char *name) {
    const mode_t *mode = context;
    return open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, *mode);
}

static int open_beside(const char *path, mode_t mode, struct str *name) {
    return make_beside(path, name, create, &mode);
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

/* ---- streams ---- */

struct file_stream {
    struct output o;
    char *path;
    FILE *over;                                                 /* where everything goes, or NULL */
    int (*write)(void *context, const void *data, size_t size); /* likewise */
    void *context;
    int fd;       /* else */
    bool unnamed; /* the file has no name yet: nothing of it is left whatever ends the process */
    int error;    /* errno of the first failure, or 0 */
    size_t used;
    char buffer[1 << 16];
};

/* A file without a name in path's folder; -1 where the file system or /proc has no way to give it
 * one later. */
static int open_unnamed(const char *path, mode_t mode) {
    struct str folder = {0};
    str_append_n(&folder, path, folder_length(path));
    int fd = access("/proc/self/fd", X_OK)
                 ? -1
                 : open(folder.len ? folder.text : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    str_free(&folder);
    return fd;
}

static int give_name(void *context, const char *name) {
    const int *fd = context;
    char file[64];
    snprintf(file, sizeof file, "/proc/self/fd/%d", *fd);
    return linkat(AT_FDCWD, file, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

static int open_for_stream(struct file_stream *s) {
    if (!*s->o.path) { /* a file without a name would be made */
        errno = ENOENT;
        return -1;
    }
    if (!resolve(&s->o))
        return -1;
    if (s->o.in_place)
        return open(s->o.path, O_WRONLY | O_CLOEXEC);
    int fd = open_unnamed(s->o.path, s->o.mode);
    s->unnamed = fd >= 0;
    return fd >= 0 ? fd : open_beside(s->o.path, s->o.mode, &s->o.temporary);
}

static void free_stream(struct file_stream *s) {
    release(&s->o);
    free(s->path);
    free(s);
}

struct file_stream *file_stream_open(const char *path) {
    if (strcmp(path, "-") == 0)
        return file_stream_over(stdout);
    struct file_stream *s = xcalloc(1, sizeof *s);
    s->path = xstrdup(path);
    s->o = (struct output){.path = s->path, .mode = 0666};
    s->fd = open_for_stream(s);
    if (s->fd >= 0)
        return s;
    int saved = errno;
    free_stream(s);
    errno = saved;
    return NULL;
}

struct file_stream *file_stream_over(FILE *f) {
    struct file_stream *s = xcalloc(1, sizeof *s);
    s->over = f;
    s->fd = -1;
    return s;
}

struct file_stream *file_stream_call(int (*write)(void *context, const void *data, size_t size),
                                     void *context) {
    struct file_stream *s = xcalloc(1, sizeof *s);
    s->write = write;
    s->context = context;
    s->fd = -1;
    return s;
}

static bool hand_out(struct file_stream *s, const char *data, size_t size) {
    if (s->write)
        return s->write(s->context, data, size) == 0;
    return s->over ? fwrite(data, 1, size, s->over) == size : write_all(s->fd, data, size);
}

static void put_out(struct file_stream *s, const char *data, size_t size) {
    if (s->error || !size)
        return;
    errno = 0;
    if (!hand_out(s, data, size))
        s->error = errno ? errno : EIO;
}

void file_stream_flush(struct file_stream *s) {
    put_out(s, s->buffer, s->used);
    s->used = 0;
}

void file_stream_write(struct file_stream *s, const void *data, size_t size) {
    if (size > sizeof s->buffer - s->used)
        file_stream_flush(s);
    if (size > sizeof s->buffer) {
        put_out(s, data, size);
        return;
    }
    memcpy(s->buffer + s->used, data, size);
    s->used += size;
}

/* The file is complete and gets its name. */
static bool complete(struct file_stream *s) {
    if (s->o.keep_mode && fchmod(s->fd, s->o.keep_mode))
        return false;
    if (s->unnamed && make_beside(s->o.path, &s->o.temporary, give_name, &s->fd) < 0)
        return false;
    int fd = s->fd;
    s->fd = -1;
    if (close(fd))
        return false;
    if (s->o.in_place)
        return true;
    if (rename(s->o.temporary.text, s->o.path))
        return false;
    str_clear(&s->o.temporary);
    return true;
}

bool file_stream_close(struct file_stream *s) {
    file_stream_flush(s);
    if (!s->error && !s->over && !s->write && !complete(s))
        s->error = errno;
    int error = s->error;
    file_stream_drop(s);
    errno = error;
    return !error;
}

void file_stream_drop(struct file_stream *s) {
    if (!s)
        return;
    if (s->fd >= 0)
        close_quietly(s->fd);
    free_stream(s);
}

bool file_write_parts(const char *path, const void *head, size_t head_size, const void *data,
                      size_t size) {
    struct file_stream *s = file_stream_open(path);
    if (!s)
        return false;
    file_stream_write(s, head, head_size);
    file_stream_write(s, data, size);
    return file_stream_close(s);
}
