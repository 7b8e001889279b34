/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts for people. Labels of tokens and objects are foreign input: characters that command a terminal, or hide or turn
 * the rest of a line, are shown as in a URI, %1B for an escape.
 */
#include "keys.h"

#include <stdarg.h>
#include <stdio.h>

void text_add(struct text *text, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    text_add_list(text, format, arguments);
    va_end(arguments);
}

void text_add_list(struct text *text, const char *format, va_list arguments) {
    size_t left = sizeof text->characters - text->length;
    int length = vsnprintf(text->characters + text->length, left, format, arguments);

    if (length > 0)
        text->length += (size_t)length < left ? (size_t)length : left - 1;
}

/* The number of bytes of the first character of a text in UTF-8; 0 if it may not be shown. */
static size_t shown_length(const char *text) {
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = bytes[0] < 0x80 ? 1
        : bytes[0] < 0xC2           ? 0
        : bytes[0] < 0xE0           ? 2
        : bytes[0] < 0xF0           ? 3
        : bytes[0] < 0xF5           ? 4
                                    : 0;
    unsigned long character = length == 1 ? bytes[0] : bytes[0] & (0x7FU >> length);

    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        character = character << 6 | (bytes[i] & 0x3F);
    }
    /* Controls, and invalid UTF-8. */
    if (character < 0x20 || (character >= 0x7F && character < 0xA0) || (length == 3 && character < 0x800)
        || (character >= 0xD800 && character < 0xE000) || (length == 4 && character < 0x10000) || character > 0x10FFFF)
        return 0;
    /* Characters without width, ends of lines, and changes of direction. */
    if (character == 0xAD || character == 0x61C || (character >= 0x200B && character <= 0x200F)
        || (character >= 0x2028 && character <= 0x202E) || (character >= 0x2060 && character <= 0x206F)
        || character == 0xFEFF || (character >= 0xFFF9 && character <= 0xFFFB) || character >= 0xE0000)
        return 0;
    return length;
}

void text_add_printable(struct text *text, const char *other) {
    while (*other) {
        size_t length = shown_length(other);
        if (length)
            text_add(text, "%.*s", (int)length, other);
        else
            text_add(text, "%%%02X", (unsigned char)*other);
        other += length ? length : 1;
    }
}
