/* SPDX-License-Identifier: MIT
 * What an option's value is called in the table says what is offered for it: files, folders,
 * targets, warnings, words, or nothing. */
#include "tools/man-gen/completion.h"

#include "support/options_table.h"
#include "target/target.h"

#include <string.h>

enum value_kind {
    VALUE_NONE,
    VALUE_ANY,
    VALUE_FILE,
    VALUE_FOLDER,
    VALUE_TARGETS,
    VALUE_WARNING,
    VALUE_CHOICE,
};

static enum value_kind value_of(const struct option *option) {
    if (option->arg == ARG_NONE)
        return VALUE_NONE;
    if (option->id == OPTION_WARNING)
        return VALUE_WARNING;
    if (option_has_choices(option))
        return VALUE_CHOICE;
    if (strcmp(option->metavar, "DIR") == 0)
        return VALUE_FOLDER;
    if (option->metavar[0] == 'T' && (!option->metavar[1] || option->metavar[1] == '['))
        return VALUE_TARGETS;
    return strstr(option->metavar, "FILE") ? VALUE_FILE : VALUE_ANY;
}

/* Calls `put` for each option that the tool shows in its help. */
typedef void put_option(struct str *out, const struct tool *tool, const struct option *option);
static void each_option(struct str *out, const struct tool *tool, put_option *put) {
    const struct option *o;
    for (size_t i = 0; (o = option_at(tool, i)); i++)
        if (!option_is_hidden(tool, o))
            put(out, tool, o);
}

/* Steps through an option's names, without those that another option has. */
static bool next_name(const struct tool *tool, const struct option *option, const char **rest,
                      struct option_name *name) {
    while (option_next_name(rest, name))
        if (!option_name_is_taken(tool, option, *name))
            return true;
    return false;
}

static void put_targets(struct str *out, const char *between) {
    size_t count;
    const char *const *names = target_names(&count);
    for (size_t i = 0; i < count; i++)
        str_printf(out, "%s%s", i ? between : "", names[i]);
}

/* The words that an option's value may be, each with `before` in front. */
static void put_choices(struct str *out, const struct option *option, struct option_name before) {
    struct option_name c;
    bool some = false;
    for (const char *rest = option->metavar; option_next_choice(&rest, &c); some = true)
        str_printf(out, "%s%.*s%.*s", some ? " " : "", (int)before.len, before.text, (int)c.len,
                   c.text);
}

/* What stands behind -W, each with `before` in front. */
static void put_warnings(struct str *out, const struct tool *tool, const char *before) {
    static const char *const forms[] = {"", "no-", "error="};
    str_printf(out, "%sall %serror", before, before);
    for (int w = 0; w < WARNING_COUNT; w++)
        for (size_t i = 0; i < 3 && diag_warning_table[w].tools & tool->warner; i++)
            str_printf(out, " %s%s%s", before, forms[i], diag_warning_table[w].name);
}

/* Words with which lines of the synopsis begin: commands of the tool. */
static void put_commands(struct str *out, const struct tool *tool) {
    bool some = false;
    for (const char *line = tool->synopsis; line;) {
        size_t n = strspn(line, "abcdefghijklmnopqrstuvwxyz");
        if (n && line[n] == ' ') {
            str_printf(out, "%s%.*s", some ? " " : "", (int)n, line);
            some = true;
        }
        const char *end = strchr(line, '\n');
        line = end ? end + 1 : NULL;
    }
}

static bool has_commands(const struct tool *tool) {
    struct str s = {0};
    put_commands(&s, tool);
    bool some = s.len;
    str_free(&s);
    return some;
}

/* The first line of an option's help, with a backslash before what is special. */
static void put_help(struct str *out, const struct option *option, const char *special) {
    size_t n = strcspn(option->help, "\n");
    if (n && option->help[n - 1] == '.')
        n--;
    for (const char *p = option->help; p < option->help + n; p++) {
        if (strchr(special, *p))
            str_char(out, '\\');
        str_char(out, *p);
    }
}

/* ---- bash ---- */

static void put_names(struct str *out, const struct tool *tool, const struct option *option,
                      bool *some) {
    struct option_name n;
    for (const char *rest = option->names; next_name(tool, option, &rest, &n); *some = true)
        str_printf(out, "%s%.*s", *some ? " | " : "    ", (int)n.len, n.text);
}

/* A pattern of `case`: the names whose values are of the kind. */
static bool put_pattern(struct str *out, const struct tool *tool, enum value_kind kind) {
    const struct option *o;
    bool some = false;
    for (size_t i = 0; (o = option_at(tool, i)); i++)
        if (!option_is_hidden(tool, o) && value_of(o) == kind && o->arg == ARG_REQUIRED)
            put_names(out, tool, o, &some);
    return some;
}

static void bash_case(struct str *out, const struct tool *tool, enum value_kind kind,
                      const char *what) {
    if (put_pattern(out, tool, kind))
        str_printf(out, ")\n        %s\n        return ;;\n", what);
}

/* Of several with commas the last one. */
static void bash_choice(struct str *out, const struct tool *tool, const struct option *option) {
    bool some = false, list = option_takes_list(option);
    if (value_of(option) != VALUE_CHOICE)
        return;
    put_names(out, tool, option, &some);
    str_append(out, ")\n        ");
    if (list)
        str_append(out, "[[ $cur == *,* ]] && list=${cur%,*},\n        ");
    str_append(out, "mapfile -t COMPREPLY < <(compgen -P \"$list\" -W \"");
    put_choices(out, option, (struct option_name){"", 0});
    str_printf(out, "\" -- \"%s\")\n        return ;;\n", list ? "${cur##*,}" : "$cur");
}

/* "-O2": name and value in one word. */
static void bash_joined(struct str *out, const struct tool *tool, const struct option *option) {
    struct option_name n;
    if (value_of(option) != VALUE_CHOICE)
        return;
    for (const char *rest = option->names; next_name(tool, option, &rest, &n);) {
        if (!is_short_name(n))
            continue;
        str_printf(out, "    %.*s*)\n        mapfile -t COMPREPLY < <(compgen -W \"", (int)n.len,
                   n.text);
        put_choices(out, option, n);
        str_append(out, "\" -- \"$cur\") ;;\n");
    }
}

static void bash_name(struct str *out, const struct tool *tool, const struct option *option) {
    struct option_name n;
    for (const char *rest = option->names; next_name(tool, option, &rest, &n);)
        str_printf(out, "%s%.*s", out->text[out->len - 1] == '"' ? "" : " ", (int)n.len, n.text);
}

/* The word at the cursor, and the option before it: bash takes '=' for a word of its own. */
static void bash_head(struct str *out, const struct tool *tool, const char *function) {
    str_printf(out,
               "# Completion of %s for bash; made from its table of options.\n"
               "%s() {\n"
               "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} list=\n"
               "    if [[ $cur == '=' ]]; then\n        cur=\n"
               "    elif [[ $prev == '=' && $COMP_CWORD -gt 2 ]]; then\n"
               "        prev=${COMP_WORDS[COMP_CWORD-2]}\n    fi\n",
               tool->name, function);
}

/* Values of the option before the cursor. */
static void bash_values(struct str *out, const struct tool *tool) {
    struct str targets = {0};
    str_append(&targets, "[[ $cur == *,* ]] && list=${cur%,*},\n"
                         "        mapfile -t COMPREPLY < <(compgen -P \"$list\" -W \"");
    put_targets(&targets, " ");
    str_append(&targets, "\" -- \"${cur##*,}\"; compgen -f -X '!*.yaml' -- \"$cur\")");
    str_append(out, "    case $prev in\n");
    bash_case(out, tool, VALUE_FILE, "mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")");
    bash_case(out, tool, VALUE_FOLDER, "mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")");
    bash_case(out, tool, VALUE_TARGETS, str_text(&targets));
    bash_case(out, tool, VALUE_ANY, "COMPREPLY=()");
    each_option(out, tool, bash_choice);
    str_append(out, "    esac\n");
    str_free(&targets);
}

static const char bash_words_begin[] = "        mapfile -t COMPREPLY < <(compgen -W \"";
static const char bash_words_end[] = "\" -- \"$cur\") ;;\n";

/* Options, and operands: commands and files. */
static void bash_words(struct str *out, const struct tool *tool) {
    str_printf(out, "    case $cur in\n    -W*)\n%s", bash_words_begin);
    put_warnings(out, tool, "-W");
    str_append(out, bash_words_end);
    each_option(out, tool, bash_joined);
    str_printf(out, "    -*)\n%s", bash_words_begin);
    each_option(out, tool, bash_name);
    str_printf(out, "%s    *)\n%s", bash_words_end, bash_words_begin);
    put_commands(out, tool);
    str_append(out, "\" -- \"$cur\"; compgen -f -- \"$cur\") ;;\n    esac\n}\n");
}

static void bash(struct str *out, const struct tool *tool) {
    char function[64];
    const char *dash = strchr(tool->name, '-');
    snprintf(function, sizeof function, "_mpu_complete_%s", dash ? dash + 1 : tool->name);
    bash_head(out, tool, function);
    bash_values(out, tool);
    bash_words(out, tool);
    str_printf(out, "complete -o filenames -F %s %s\n", function, tool->name);
}

/* ---- zsh ---- */

static void zsh_value(struct str *out, const struct tool *tool, const struct option *option) {
    enum value_kind kind = value_of(option);
    if (kind == VALUE_NONE)
        return;
    str_append(out, option->arg == ARG_OPTIONAL ? "::" : ":");
    for (const char *p = option->metavar; *p; p++)
        str_char(out, *p == ':' ? ' ' : *p);
    str_char(out, ':');
    if (kind == VALUE_FILE)
        str_append(out, "_files");
    else if (kind == VALUE_FOLDER)
        str_append(out, "_files -/");
    else if (kind == VALUE_TARGETS) {
        str_append(out, "_sequence compadd - ");
        put_targets(out, " ");
    } else if (kind == VALUE_CHOICE) {
        str_append(out, option_takes_list(option) ? "_sequence compadd - " : "(");
        put_choices(out, option, (struct option_name){"", 0});
        str_append(out, option_takes_list(option) ? "" : ")");
    } else if (kind == VALUE_WARNING) {
        str_char(out, '(');
        put_warnings(out, tool, "");
        str_char(out, ')');
    } else {
        str_char(out, ' ');
    }
}

static void zsh_option(struct str *out, const struct tool *tool, const struct option *option) {
    struct option_name n;
    for (const char *rest = option->names; next_name(tool, option, &rest, &n);) {
        str_printf(out, " \\\n    '*%.*s", (int)n.len, n.text);
        if (option->arg != ARG_NONE)
            str_append(out, option->id == OPTION_WARNING ? "-" : is_short_name(n) ? "+" : "=");
        str_char(out, '[');
        struct str help = {0};
        put_help(&help, option, "[]\\:");
        for (const char *p = str_text(&help); *p; p++)
            str_append(out, *p == '\'' ? "'\\''" : (char[]){*p, '\0'});
        str_free(&help);
        str_char(out, ']');
        zsh_value(out, tool, option);
        str_char(out, '\'');
    }
}

static void zsh(struct str *out, const struct tool *tool) {
    str_printf(out,
               "#compdef %s\n# Completion for zsh; made from the tool's table of options.\n"
               "_arguments -s",
               tool->name);
    each_option(out, tool, zsh_option);
    if (has_commands(tool)) {
        str_append(out, " \\\n    '1:command:(");
        put_commands(out, tool);
        str_append(out, ")'");
    }
    str_append(out, " \\\n    '*:file:_files'\n");
}

/* ---- fish ---- */

static void fish_value(struct str *out, const struct tool *tool, const struct option *option) {
    enum value_kind kind = value_of(option);
    if (kind == VALUE_FILE || kind == VALUE_FOLDER) {
        str_append(out, kind == VALUE_FILE ? " -r -F" : " -x -a '(__fish_complete_directories)'");
    } else if (kind == VALUE_TARGETS) {
        str_append(out, " -x -a '(__fish_append , ");
        put_targets(out, " ");
        str_append(out, ")'");
    } else if (kind == VALUE_WARNING) {
        str_append(out, " -x -a '");
        put_warnings(out, tool, "");
        str_append(out, "'");
    } else if (kind == VALUE_CHOICE) {
        str_append(out, option_takes_list(option) ? " -x -a '(__fish_append , " : " -x -a '");
        put_choices(out, option, (struct option_name){"", 0});
        str_append(out, option_takes_list(option) ? ")'" : "'");
    } else if (kind == VALUE_ANY) {
        str_append(out, option->arg == ARG_REQUIRED ? " -x" : "");
    }
}

static void fish_option(struct str *out, const struct tool *tool, const struct option *option) {
    struct option_name n;
    str_printf(out, "complete -c %s", tool->name);
    for (const char *rest = option->names; next_name(tool, option, &rest, &n);) {
        size_t dashes = n.text[1] == '-' ? 2 : 1;
        str_printf(out, " -%s %.*s",
                   dashes == 2        ? "l"
                   : is_short_name(n) ? "s"
                                      : "o",
                   (int)(n.len - dashes), n.text + dashes);
    }
    fish_value(out, tool, option);
    str_append(out, " -d '");
    put_help(out, option, "'\\");
    str_append(out, "'\n");
}

static void fish(struct str *out, const struct tool *tool) {
    str_printf(out, "# Completion of %s for fish; made from its table of options.\n", tool->name);
    each_option(out, tool, fish_option);
    if (has_commands(tool)) {
        str_printf(out, "complete -c %s -n __fish_use_subcommand -a '", tool->name);
        put_commands(out, tool);
        str_append(out, "'\n");
    }
}

bool man_completion(struct str *out, const struct tool *tool, const char *shell) {
    static const struct {
        const char *name;
        void (*put)(struct str *out, const struct tool *tool);
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].put(out, tool);
            return true;
        }
    return false;
}
