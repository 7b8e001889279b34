/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys of messages that could not be opened. OpenSSL's core drops the error, continues with a random key, and returns
 * noise to the program, as a defence against oracles of RSA paddings. Transported GOST keys have codes, and so no such
 * oracle. The thread keeps the last error of a GOST key; a cipher that is asked for a random key in decryption copies
 * the error, and refuses this key.
 */
#include "ciphers.h"

#include <string.h>
#include <sys/random.h>

static _Thread_local struct unopened last;

void unopened_note(void) {
    const char *text = NULL;
    int flags = 0;
    unsigned long error = ERR_peek_last_error_all(NULL, NULL, NULL, &text, &flags);

    last = (struct unopened){.is_set = true, .reason = ERR_GET_REASON(error)};
    if (text && flags & ERR_TXT_STRING) {
        size_t length = strnlen(text, sizeof last.text - 1);
        memcpy(last.text, text, length);
    }
}

void unopened_forget(void) { last.is_set = false; }

int unopened_give_key(struct ciphering *ciphering, OSSL_PARAM *value) {
    unsigned char key[gost_key_size];

    if (value->data_type != OSSL_PARAM_OCTET_STRING || !value->data || (value->data_size && value->data_size < gost_key_size))
        return FAIL(REASON_INPUT, "there is no room for a random key of %d bytes", gost_key_size);
    if (getrandom(key, sizeof key, 0) != sizeof key)
        return FAIL(REASON_INPUT, "the system provides no random numbers");
    if (!ciphering->cipher.is_encryption && last.is_set) {
        ciphering->unopened = last;
        memcpy(ciphering->unopened.key, key, sizeof key);
        last.is_set = false;
    }
    /* OpenSSL 3.0 does not pass the room, which is the key's length. */
    memcpy(value->data, key, sizeof key);
    value->return_size = sizeof key;
    OPENSSL_cleanse(key, sizeof key);
    return 1;
}

int unopened_check(const struct ciphering *ciphering, const unsigned char *key) {
    const struct unopened *unopened = &ciphering->unopened;

    if (!unopened->is_set || CRYPTO_memcmp(unopened->key, key, gost_key_size) != 0)
        return 1;
    return FAIL(
        (enum reason)unopened->reason, "the key of the message was not opened: %s",
        unopened->text[0] ? unopened->text : "-debug_decrypt shows why");
}
