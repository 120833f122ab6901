/* SPDX-License-Identifier: MIT
 * One message as the consumer of a sink sees it. */
#include "runtime/message.h"

#include "support/alloc.h"
#include "support/diag_place.h"
#include "support/str.h"

#include <stdlib.h>
#include <string.h>

struct mpu_message {
    const struct diag *d;
    const struct message *m;
    const struct mpu_message *notes; /* [m->note_count] */
};

void message_tell(mpu_message_function *consumer, void *context, const struct diag *d,
                  const struct message *m) {
    struct mpu_message *notes = xcalloc(m->note_count + 1, sizeof *notes);
    for (size_t i = 0; i < m->note_count; i++)
        notes[i] = (struct mpu_message){d, &m->notes[i], NULL};
    const struct mpu_message message = {d, m, notes};
    consumer(context, &message);
    free(notes);
}

mpu_severity mpu_message_severity(const mpu_message *m) {
    static const mpu_severity severities[] = {
        [SEVERITY_NOTE] = MPU_NOTE, [SEVERITY_WARNING] = MPU_WARNING, [SEVERITY_ERROR] = MPU_ERROR};
    return severities[m->m->severity];
}

const char *mpu_message_text(const mpu_message *m) {
    return m->m->text;
}

const char *mpu_message_warning(const mpu_message *m) {
    return m->m->warning >= 0 ? diag_warning_table[m->m->warning].name : NULL;
}

const char *mpu_message_file(const mpu_message *m) {
    return diag_place(m->d, m->m->at).name;
}

uint32_t mpu_message_line(const mpu_message *m) {
    return diag_place(m->d, m->m->at).line;
}

uint32_t mpu_message_column(const mpu_message *m) {
    return diag_place(m->d, m->m->at).column;
}

size_t mpu_message_note_count(const mpu_message *m) {
    return m->m->note_count;
}

const mpu_message *mpu_message_note(const mpu_message *m, size_t i) {
    return &m->notes[i];
}

char *mpu_message_format(const mpu_message *m, const char *form, const char *prefix) {
    const struct diag_printer how = {.format = strcmp(form, "json") == 0 ? DIAG_JSON : DIAG_TEXT,
                                     .color = strcmp(form, "color") == 0,
                                     .prefix = prefix};
    struct str s = {0};
    diag_format(&how, m->d, m->m, &s);
    return s.text;
}
