/* SPDX-License-Identifier: Apache-2.0 */
/* Errors in OpenSSL's queue, with the reason and a text that names the cause; and notes for the user. */
#include "keys.h"

#include <stdarg.h>
#include <stdio.h>

static ERR_STRING_DATA library_name[] = {{0, "kanal"}, {0, NULL}};
static ERR_STRING_DATA reasons[] = {
    {ERR_PACK(0, 0, REASON_NAME), "the name of the key or certificate cannot be read"},
    {ERR_PACK(0, 0, REASON_MODULE), "the PKCS #11 module cannot be used"},
    {ERR_PACK(0, 0, REASON_TOKEN), "no such token"},
    {ERR_PACK(0, 0, REASON_OBJECT), "no such object on the token"},
    {ERR_PACK(0, 0, REASON_SEVERAL), "the name means more than one"},
    {ERR_PACK(0, 0, REASON_PIN), "no PIN"},
    {ERR_PACK(0, 0, REASON_PIN_INCORRECT), "the PIN is wrong"},
    {ERR_PACK(0, 0, REASON_PIN_LOCKED), "the PIN is locked"},
    {ERR_PACK(0, 0, REASON_FUNCTION), "the token or its module refuses"},
    {ERR_PACK(0, 0, REASON_PUBLIC), "the key has no usable public half"},
    {ERR_PACK(0, 0, REASON_GOST), "the engine gost is missing"},
    {ERR_PACK(0, 0, REASON_INPUT), "wrong input"},
    {ERR_PACK(0, 0, REASON_UNSUPPORTED), "not supported"},
    {ERR_PACK(0, 0, REASON_CONTROL), "wrong control command"},
    {ERR_PACK(0, 0, REASON_MEMORY), "no memory"},
    {0, NULL},
};

static int library;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void) {
    library = ERR_get_next_error_library();
    library_name[0].error = ERR_PACK(library, 0, 0);
    ERR_load_strings(library, library_name);
    ERR_load_strings(library, reasons);
}

void errors_load(void) { pthread_once(&loaded, load); }

static int verbose;

void note_set_verbose(int level) {
    if (level < 0)
        __atomic_add_fetch(&verbose, 1, __ATOMIC_RELAXED);
    else
        __atomic_store_n(&verbose, level, __ATOMIC_RELAXED);
}

void note(const char *format, ...) {
    struct text text = {0}, printable = {0};
    va_list arguments;

    if (__atomic_load_n(&verbose, __ATOMIC_RELAXED) == 0)
        return;
    va_start(arguments, format);
    text_add_list(&text, format, arguments);
    va_end(arguments);
    text_add_printable(&printable, text.characters);
    fprintf(stderr, "kanal: %s\n", printable.characters);
}

int error_put(int line, const char *file, const char *function, enum reason reason, const char *format, ...) {
    struct text text = {0}, printable = {0};
    va_list arguments;

    va_start(arguments, format);
    text_add_list(&text, format, arguments);
    va_end(arguments);
    text_add_printable(&printable, text.characters);
    ERR_new();
    ERR_set_debug(file, line, function);
    ERR_set_error(library, (int)reason, "%s", printable.characters);
    /* OpenSSL drops errors of files that it cannot read. */
    note("error: %s", text.characters);
    return 0;
}

static const struct {
    CK_RV code;
    const char *name;
} codes[] = {
#define CODE(name) {name, #name}
    CODE(CKR_CANCEL), CODE(CKR_HOST_MEMORY), CODE(CKR_SLOT_ID_INVALID), CODE(CKR_GENERAL_ERROR),
    CODE(CKR_FUNCTION_FAILED), CODE(CKR_ARGUMENTS_BAD), CODE(CKR_CANT_LOCK), CODE(CKR_ATTRIBUTE_TYPE_INVALID),
    CODE(CKR_ATTRIBUTE_VALUE_INVALID), CODE(CKR_DATA_INVALID), CODE(CKR_DATA_LEN_RANGE), CODE(CKR_DEVICE_ERROR),
    CODE(CKR_DEVICE_MEMORY), CODE(CKR_DEVICE_REMOVED), CODE(CKR_ENCRYPTED_DATA_INVALID),
    CODE(CKR_ENCRYPTED_DATA_LEN_RANGE), CODE(CKR_FUNCTION_CANCELED), CODE(CKR_FUNCTION_NOT_SUPPORTED),
    CODE(CKR_KEY_HANDLE_INVALID), CODE(CKR_KEY_SIZE_RANGE), CODE(CKR_KEY_TYPE_INCONSISTENT),
    CODE(CKR_KEY_FUNCTION_NOT_PERMITTED), CODE(CKR_MECHANISM_INVALID), CODE(CKR_MECHANISM_PARAM_INVALID),
    CODE(CKR_OBJECT_HANDLE_INVALID), CODE(CKR_OPERATION_ACTIVE), CODE(CKR_OPERATION_NOT_INITIALIZED),
    CODE(CKR_PIN_INCORRECT), CODE(CKR_PIN_INVALID), CODE(CKR_PIN_LEN_RANGE), CODE(CKR_PIN_EXPIRED),
    CODE(CKR_PIN_LOCKED), CODE(CKR_SESSION_CLOSED), CODE(CKR_SESSION_COUNT), CODE(CKR_SESSION_HANDLE_INVALID),
    CODE(CKR_TEMPLATE_INCOMPLETE), CODE(CKR_TEMPLATE_INCONSISTENT), CODE(CKR_TOKEN_NOT_PRESENT),
    CODE(CKR_TOKEN_NOT_RECOGNIZED), CODE(CKR_UNWRAPPING_KEY_TYPE_INCONSISTENT), CODE(CKR_USER_NOT_LOGGED_IN),
    CODE(CKR_USER_PIN_NOT_INITIALIZED), CODE(CKR_USER_ANOTHER_ALREADY_LOGGED_IN), CODE(CKR_WRAPPED_KEY_INVALID),
    CODE(CKR_WRAPPED_KEY_LEN_RANGE), CODE(CKR_DOMAIN_PARAMS_INVALID), CODE(CKR_BUFFER_TOO_SMALL),
    CODE(CKR_CRYPTOKI_NOT_INITIALIZED), CODE(CKR_FUNCTION_REJECTED),
#undef CODE
};

bool is_loss(CK_RV code) {
    switch (code) {
    case CKR_SESSION_HANDLE_INVALID:
    case CKR_SESSION_CLOSED:
    case CKR_DEVICE_REMOVED:
    case CKR_TOKEN_NOT_PRESENT:
    case CKR_CRYPTOKI_NOT_INITIALIZED:
    case CKR_USER_NOT_LOGGED_IN:
    case CKR_KEY_HANDLE_INVALID:
    case CKR_OBJECT_HANDLE_INVALID: return true;
    default: return false;
    }
}

int error_put_code(int line, const char *file, const char *function, const char *called, CK_RV code) {
    enum reason reason = code == CKR_PIN_INCORRECT ? REASON_PIN_INCORRECT
        : code == CKR_PIN_LOCKED                   ? REASON_PIN_LOCKED
        : is_loss(code)                            ? REASON_TOKEN
                                                   : REASON_FUNCTION;

    if (code == CODE_REFUSED_BEFORE)
        return error_put(
            line, file, function, REASON_PIN_INCORRECT,
            "%s: the token has refused this PIN before; it is not presented again", called);
    if (code == CODE_TOO_LONG)
        return error_put(
            line, file, function, REASON_FUNCTION,
            "%s: the module reports more than there is room for; it is faulty, use another version of it", called);
    if (code == CODE_OTHER_LENGTH)
        return error_put(
            line, file, function, REASON_FUNCTION,
            "%s: the result does not have the key's length; the public half, such as a certificate with the key's id, "
            "belongs to another key, or the module is faulty", called);
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i].code == code)
            return error_put(line, file, function, reason, "%s: %s", called, codes[i].name);
    return error_put(line, file, function, reason, "%s: 0x%lX", called, code);
}
