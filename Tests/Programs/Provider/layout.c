/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout
 *
 * Registers digests and ciphers as the provider "kanal" does, where OpenSSL's own begin with a member more (LAYOUT_digest,
 * LAYOUT_cipher), or as they do. Ends with 0 if OpenSSL finds them by number, and with 1 and the error otherwise.
 */
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

/* The structure of OpenSSL's own, behind another member. */
static const void *moved(const void *own) {
    static unsigned char memory[2][1024];
    static int count;
    unsigned char *place = memory[count++ % 2];

    memcpy(place + 8, own, 64);
    return place;
}

#ifdef LAYOUT_digest
#define EVP_sha512() ((const EVP_MD *)moved((EVP_sha512)()))
#endif
#ifdef LAYOUT_cipher
#define EVP_aes_128_cbc() ((const EVP_CIPHER *)moved((EVP_aes_128_cbc)()))
#endif
#include "Messages/registered.c"

int main(void) {
    (void)moved;
    errors_load();
    if (!registered_add()) {
        ERR_print_errors_fp(stdout);
        return 1;
    }
    return !EVP_get_digestbynid(NID_id_GostR3411_2012_256) || !EVP_get_cipherbynid(NID_kuznyechik_ctr_acpkm);
}
