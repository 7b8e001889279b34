/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of secrets: locked pages, which a core dump leaves out. */
#define _GNU_SOURCE
#include "keys.h"

#include <string.h>
#include <sys/mman.h>

struct secret *secret_new(const void *octets, size_t length) {
    struct secret *secret;

    if (length > sizeof secret->octets)
        return NULL;
    secret = mmap(NULL, sizeof *secret, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (secret == MAP_FAILED)
        return NULL;
    secret_lock(secret);
    (void)madvise(secret, sizeof *secret, MADV_DONTDUMP);
    secret->length = length;
    memcpy(secret->octets, octets, length);
    return secret;
}

/* The system may refuse; the PIN is used nevertheless. */
void secret_lock(struct secret *secret) {
    if (secret)
        (void)mlock(secret, sizeof *secret);
}

struct secret *secret_copy(const struct secret *secret) { return secret_new(secret->octets, secret->length); }

bool secret_equal(const struct secret *one, const struct secret *other) {
    return one && other && one->length == other->length && CRYPTO_memcmp(one->octets, other->octets, one->length) == 0;
}

void secret_free(struct secret *secret) {
    if (!secret)
        return;
    OPENSSL_cleanse(secret, sizeof *secret);
    munmap(secret, sizeof *secret);
}
