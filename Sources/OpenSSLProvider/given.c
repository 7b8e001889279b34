/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of programs' lists of parameters. OpenSSL's functions that read them do not check that a value with a length
 * exists, that a number has a length, or that a text ends with a zero byte; functions that write do not check the room
 * for a number with a point.
 */
#include "provider.h"

#include <string.h>

static bool is_whole(const OSSL_PARAM *value) {
    const void *pointer = NULL;

    switch (value->data_type) {
    case OSSL_PARAM_UTF8_PTR:
    case OSSL_PARAM_OCTET_PTR:
        if (value->data)
            memcpy(&pointer, value->data, sizeof pointer);
        return value->data && (pointer || value->data_size == 0);
    case OSSL_PARAM_UTF8_STRING:
    case OSSL_PARAM_OCTET_STRING: return value->data || value->data_size == 0;
    default: return value->data && value->data_size > 0;
    }
}

int given_check_but(const OSSL_PARAM parameters[], const char *except) {
    for (const OSSL_PARAM *value = parameters; value && value->key; value++)
        if (!is_whole(value) && (!except || strcmp(value->key, except) != 0))
            return FAIL(REASON_INPUT, "the parameter %.40s has a length and no value, or no length", value->key);
    return 1;
}

int given_check(const OSSL_PARAM parameters[]) { return given_check_but(parameters, NULL); }

/* A caller without room asks for the length of an answer. */
int wanted_check(const OSSL_PARAM parameters[]) {
    for (const OSSL_PARAM *value = parameters; value && value->key; value++)
        if (!value->data && value->data_type == OSSL_PARAM_REAL)
            return FAIL(REASON_INPUT, "there is no room for the parameter %.40s", value->key);
    return 1;
}

int given_text(const OSSL_PARAM *value, char *text, size_t room) {
    const char *from = NULL;
    size_t length = 0;

    if (value->data_type == OSSL_PARAM_UTF8_STRING && value->data) {
        from = value->data;
        length = strnlen(from, value->data_size);
    } else if (value->data_type == OSSL_PARAM_UTF8_PTR && value->data) {
        memcpy(&from, value->data, sizeof from);
        length = from ? strlen(from) : 0;
    } else if (value->data_type == OSSL_PARAM_UTF8_STRING) {
        from = "";
    }
    if (!from || length >= room)
        return FAIL(REASON_INPUT, "the parameter %.40s is not a text of less than %zu bytes", value->key, room);
    memcpy(text, from, length);
    text[length] = 0;
    return 1;
}
