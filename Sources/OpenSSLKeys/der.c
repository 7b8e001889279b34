/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of DER, read from input that may be hostile, and written. */
#include "keys.h"

#include <string.h>

/* The tag and length in front of an element's content; false if they are not DER, or the content is cut off. */
static bool read_header(const struct der *rest, unsigned char tag, size_t *header, size_t *length) {
    size_t count;

    if (rest->length < 2 || rest->bytes[0] != tag)
        return false;
    *length = rest->bytes[1];
    *header = 2;
    if (*length >= 0x80) {
        count = *length - 0x80;
        if (count == 0 || count > 3 || rest->length < 2 + count || rest->bytes[2] == 0)
            return false;
        *length = 0;
        for (size_t i = 0; i < count; i++)
            *length = *length << 8 | rest->bytes[2 + i];
        if (*length < 0x80)
            return false;
        *header += count;
    }
    return *length <= rest->length - *header;
}

static bool take(struct der *rest, unsigned char tag, struct der *element, bool is_whole) {
    size_t header, length;

    if (!read_header(rest, tag, &header, &length))
        return false;
    *element = is_whole ? (struct der){rest->bytes, header + length} : (struct der){rest->bytes + header, length};
    rest->bytes += header + length;
    rest->length -= header + length;
    return true;
}
bool der_take(struct der *rest, unsigned char tag, struct der *content) { return take(rest, tag, content, false); }
bool der_take_whole(struct der *rest, unsigned char tag, struct der *element) { return take(rest, tag, element, true); }

bool der_has(const struct der *rest, unsigned char tag) { return rest->length > 0 && rest->bytes[0] == tag; }

bool der_equal(struct der one, struct der other) {
    return one.length == other.length && (one.length == 0 || memcmp(one.bytes, other.bytes, one.length) == 0);
}

struct der der_number(struct der octets) {
    while (octets.length > 0 && octets.bytes[0] == 0) {
        octets.bytes++;
        octets.length--;
    }
    return octets;
}

/* Written from the end to the front, so that lengths are known. */
bool der_begin(struct der_writer *writer, size_t room) {
    writer->memory = OPENSSL_malloc(room);
    writer->room = writer->front = room;
    return writer->memory != NULL;
}

void der_prepend(struct der_writer *writer, struct der octets) {
    if (octets.length > writer->front) {
        writer->is_full = true;
        return;
    }
    writer->front -= octets.length;
    if (octets.length)
        memcpy(writer->memory + writer->front, octets.bytes, octets.length);
}

void der_wrap(struct der_writer *writer, unsigned char tag, size_t end) {
    size_t length = end - writer->front;
    unsigned char header[5] = {tag};
    size_t count = 0;

    for (size_t rest = length; length >= 0x80 && rest; rest >>= 8)
        count++;
    header[1] = (unsigned char)(count ? 0x80 | count : length);
    for (size_t i = 0; i < count && i < 3; i++)
        header[2 + i] = (unsigned char)(length >> 8 * (count - 1 - i));
    der_prepend(writer, (struct der){header, 2 + count});
    if (count > 3)
        writer->is_full = true;
}

void der_prepend_number(struct der_writer *writer, struct der number) {
    static const unsigned char zero[] = {0x00};
    size_t end = writer->front;

    number = der_number(number);
    der_prepend(writer, number);
    if (number.length == 0 || number.bytes[0] & 0x80)
        der_prepend(writer, (struct der){zero, sizeof zero});
    der_wrap(writer, 0x02, end);
}

/* Moves the element to the front of its memory, which the caller frees by OPENSSL_free. */
unsigned char *der_end(struct der_writer *writer, size_t *length) {
    if (writer->is_full) {
        OPENSSL_clear_free(writer->memory, writer->room);
        return NULL;
    }
    *length = writer->room - writer->front;
    memmove(writer->memory, writer->memory + writer->front, *length);
    return writer->memory;
}
