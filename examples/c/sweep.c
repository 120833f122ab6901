/* SPDX-License-Identifier: MIT
 * axpy with two numbers of lanes on two machines: a table, a trace of each run, and a comparison
 * with a file, as mpu-run makes them.  ./a.out axpy.ez DATA-FOLDER OUTPUT-FOLDER */
#include <mpu/mpu.h>

#include <stdio.h>

static void print_message(void *context, const mpu_message *m) {
    char *text = mpu_message_format(m, "text", context);
    fputs(text, stderr);
    mpu_string_free(text);
}

static mpu_result run(mpu_session *s, const char *data, const char *trace) {
    static const char *const names[] = {"a", "x", "y"};
    char path[4096];
    mpu_result r = MPU_OK;
    for (int i = 0; r == MPU_OK && i < 3; i++) {
        snprintf(path, sizeof path, "%s/axpy-%s.npy", data, names[i]);
        r = mpu_session_put_data(s, names[i], path, NULL, NULL);
    }
    snprintf(path, sizeof path, "%s/axpy-z.npy", data);
    r = r ? r : mpu_session_watch(s, MPU_TRACE, NULL, trace, NULL);
    r = r ? r : mpu_session_run(s, NULL);
    return r ? r : mpu_session_expect(s, "z", path, NULL);
}

int main(int argc, char **argv) {
    const char *const targets[] = {"racer", "mimdram", NULL}, *const lanes[] = {"32", "64", NULL};
    mpu_messages *messages = mpu_messages_new(print_message, "sweep");
    mpu_program *p = argc == 4 ? mpu_program_load_file(argv[1], NULL) : NULL;
    mpu_sweep *w = mpu_sweep_new(messages);
    char trace[4096], *table;
    mpu_sweep_add(w, MPU_SWEEP_TARGET, NULL, targets, NULL);
    mpu_sweep_add(w, MPU_SWEEP_SET, "array.lanes", lanes, NULL);
    if (!p || mpu_sweep_begin(w, p, NULL, 0, NULL) != MPU_OK)
        return 2;
    for (uint64_t i = 0; i < mpu_sweep_count(w); i++) {
        mpu_session *s = mpu_sweep_open(w, i, NULL);
        snprintf(trace, sizeof trace, "%s/trace-%d.json", argv[3], (int)i);
        mpu_sweep_close(w, s ? mpu_sweep_take(w, run(s, argv[2], trace), NULL) : MPU_OK);
    }
    fputs(table = mpu_sweep_table(w, "text", NULL), stdout);
    mpu_string_free(table);
    mpu_sweep_free(w);
    mpu_program_free(p);
    int failed = mpu_messages_errors(messages) != 0;
    mpu_messages_free(messages); /* the last message waited for notes */
    return failed;
}
