/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources of a PIN, in this order: "pin-value" and "pin-source" of the URI, the PIN of the settings, the token's own
 * authentication, and the user, by the program's user interface. The engine opens no terminal by itself: without any
 * source it returns an error.
 *
 * The PIN of the settings is for the token with their serial number. Without a number, it is for the token that the
 * program itself names by serial number or label, or for the only token. A key file may come from a stranger, and
 * chooses no token for the PIN.
 */
#define _GNU_SOURCE
#include "keys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The reason to refuse a file with a PIN; NULL if it is good. The service manager grants access to a credential by an
 * access control list, and the mode shows this as a right of the group.
 */
static const char *refusal(int file, const char *path) {
    const char *credentials = secure_getenv("CREDENTIALS_DIRECTORY");
    size_t length = credentials ? strlen(credentials) : 0;
    bool is_credential = length > 1 && strncmp(path, credentials, length) == 0 && path[length] == '/'
        && !strchr(path + length + 1, '/');
    struct stat status;

    if (fstat(file, &status) != 0)
        return strerror(errno);
    if (!S_ISREG(status.st_mode))
        return "it is not a regular file";
    if (status.st_nlink > 1)
        return "it has several hard links; remove all but one";
    if (status.st_uid != 0 && status.st_uid != geteuid())
        return "it belongs to another user; give it to the user who runs the program (chown)";
    if (status.st_mode & (is_credential ? 037 : 077))
        return "group or others have access; remove it (chmod 600), and change the PIN if others may have read it";
    return NULL;
}

/* Decodes the bytes of a URI (RFC 3986, 2.1) in place. False for a malformed one, and for a zero byte. */
static bool decode_percent(char *text) {
    char *to = text;

    for (; *text; text++) {
        int high, low;
        if (*text != '%') {
            *to++ = *text;
            continue;
        }
        high = OPENSSL_hexchar2int((unsigned char)text[1]);
        low = high < 0 ? -1 : OPENSSL_hexchar2int((unsigned char)text[2]);
        if (low < 0 || (high == 0 && low == 0))
            return false;
        *to++ = (char)(high << 4 | low);
        text += 2;
    }
    *to = 0;
    return true;
}

/* The path of a file on this machine, which may be written as a URI (RFC 8089). NULL with an error. */
static char *source_path(const char *source) {
    static const char local[] = "localhost";
    bool is_uri = OPENSSL_strncasecmp(source, "file:", 5) == 0;
    const char *path = is_uri ? source + 5 : source;
    char *copy;

    if (is_uri && strncmp(path, "//", 2) == 0) {
        path += 2;
        if (OPENSSL_strncasecmp(path, local, sizeof local - 1) == 0)
            path += sizeof local - 1;
    }
    if (path[0] != '/') {
        FAIL(
            REASON_PIN, "pin-source %s has to be a path that begins with /, or the URI of one on this machine: file:/PATH, "
            "file:///PATH or file://localhost/PATH", source);
        return NULL;
    }
    copy = OPENSSL_strdup(path);
    if (!copy) {
        NO_MEMORY();
    } else if (is_uri && !decode_percent(copy)) {
        FAIL(REASON_PIN, "pin-source %s: in a URI two hexadecimal digits follow each %%", source);
        OPENSSL_free(copy);
        copy = NULL;
    }
    return copy;
}

/* Reads the first line of a file that only its owner can access. */
static int read_file(struct secret **pin, const char *source) {
    unsigned char octets[258];
    const char *reason;
    size_t length = 0;
    ssize_t count;
    int file;

    file = open(source, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0)
        return FAIL(
            REASON_PIN, "pin-source %s: %s", source,
            errno == ELOOP ? "it is a link; name the file itself" : strerror(errno));
    reason = refusal(file, source);
    if (reason) {
        close(file);
        return FAIL(REASON_PIN, "pin-source %s: %s", source, reason);
    }
    do {
        count = read(file, octets + length, sizeof octets - length);
        if (count > 0)
            length += (size_t)count;
    } while ((count > 0 && length < sizeof octets) || (count < 0 && errno == EINTR));
    close(file);
    for (size_t i = 0; i < length; i++)
        if (octets[i] == '\n' || octets[i] == '\r')
            length = i;
    *pin = count < 0 || length == 0 ? NULL : secret_new(octets, length);
    OPENSSL_cleanse(octets, sizeof octets);
    return *pin ? 1 : FAIL(REASON_PIN, "pin-source %s has no PIN of 1 to 256 bytes in its first line", source);
}

static int read_source(struct secret **pin, const char *source) {
    char *path = source_path(source);
    int done = path && read_file(pin, path);

    OPENSSL_free(path);
    return done;
}

/* The reason not to present the PIN of the settings to this token; empty if it is for this token. */
static void check_settings(const struct wanted_token *token, struct text *reason) {
    const CK_TOKEN_INFO *info = &token->info,
                        *named = token->name->uri ? p11_kit_uri_get_token_info(token->name->uri) : NULL;
    int length = (int)p11_kit_space_strlen(info->serialNumber, sizeof info->serialNumber);
    const char *serial = (const char *)info->serialNumber;

    switch (settings_serial(info)) {
    case SERIAL_SAME: break;
    case SERIAL_OTHER:
        text_add(reason, "the PIN of the settings is for the token in SERIAL, and this token is %.*s", length, serial);
        break;
    case SERIAL_NONE:
        if (token->name->is_of_file)
            text_add(
                reason, "the PIN of the settings is not presented to a token that a file names: if this token is yours, "
                "add SERIAL = %.*s to the settings", length, serial);
        else if (!token->is_only && !(named && (named->serialNumber[0] || named->label[0])))
            text_add(
                reason, "the PIN of the settings is for one of several tokens: name the token by serial= in the URI, or "
                "add SERIAL to the settings; this token is %.*s", length, serial);
    }
}

/* The reason not to present the PIN of the settings may be empty. */
static int fail_asked(const struct text *reason) {
    return FAIL(
        REASON_PIN, "the user was asked and entered none%s%s", reason->length ? "; " : "", reason->characters);
}

static int ask(
    struct secret **pin, const CK_TOKEN_INFO *info, const struct asking *asking, const struct text *reason) {
    struct asking chosen = asking->method || asking->answer ? *asking : settings_asking();
    char buffer[257] = "", *prompt = NULL;
    struct text label = {0}, printable = {0};
    UI *ui = NULL;

    if (!chosen.method && !chosen.answer && reason->length)
        return FAIL(REASON_PIN, "%s", reason->characters);
    if (!chosen.method && !chosen.answer)
        return FAIL(REASON_PIN, "give it by pin-value or pin-source in the URI, or by PIN in OpenSSL's configuration");
    text_add(&label, "%.*s", (int)p11_kit_space_strlen(info->label, sizeof info->label), info->label);
    text_add_printable(&printable, label.length ? label.characters : "token");
    if (chosen.answer) {
        size_t length = chosen.answer(chosen.data, printable.characters, buffer, sizeof buffer - 1);
        *pin = length > 0 && length < sizeof buffer ? secret_new(buffer, length) : NULL;
        OPENSSL_cleanse(buffer, sizeof buffer);
        return *pin ? 1 : fail_asked(reason);
    }
    ui = UI_new_method(chosen.method);
    if (!ui)
        return NO_MEMORY();
    if (chosen.data)
        UI_add_user_data(ui, chosen.data);
    prompt = UI_construct_prompt(ui, "PIN", printable.characters);
    if (prompt && UI_dup_input_string(ui, prompt, UI_INPUT_FLAG_DEFAULT_PWD, buffer, 1, sizeof buffer - 1) > 0
        && UI_process(ui) == 0 && buffer[0])
        *pin = secret_new(buffer, strlen(buffer));
    OPENSSL_cleanse(buffer, sizeof buffer);
    OPENSSL_free(prompt);
    UI_free(ui);
    return *pin ? 1 : fail_asked(reason);
}

int pin_find(struct secret **pin, const struct wanted_token *token, const struct asking *asking) {
    const struct name *name = token->name;
    struct text reason = {0};
    const char *value = name->uri ? p11_kit_uri_get_pin_value(name->uri) : NULL;
    const char *source = name->uri ? p11_kit_uri_get_pin_source(name->uri) : NULL;

    *pin = NULL;
    if (value) {
        *pin = value[0] ? secret_new(value, strlen(value)) : NULL;
        return *pin ? 1 : FAIL(REASON_PIN, "pin-value has no PIN of 1 to 256 bytes");
    }
    if (source)
        return read_source(pin, source);
    *pin = settings_pin();
    if (*pin)
        check_settings(token, &reason);
    if (reason.length) {
        note("%s", reason.characters);
        secret_free(*pin);
        *pin = NULL;
    }
    if (*pin || token->info.flags & CKF_PROTECTED_AUTHENTICATION_PATH)
        return 1;
    return ask(pin, &token->info, asking, &reason);
}
