/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL looks digests of signatures up by number, in a table of the process that no provider can fill: verifying a
 * request or a certificate, and signing a message, would end with "unknown message digest algorithm". EVP_add_digest()
 * fills it with structures that only name the digest to fetch. OpenSSL 4 has no function that makes such a structure.
 * So it is made here, of the five members of OpenSSL's own structures, after a comparison with OpenSSL's SHA-256;
 * nothing is registered if they differ.
 */
#include "provider.h"

#include <openssl/objects.h>
#include <string.h>

struct beginning {
    int type, signature_type, size;
    unsigned long flags;
    int origin;
};
/* The structure is larger; its other members are zero, and are never freed. */
union digest {
    struct beginning beginning;
    unsigned char room[1024];
};
/* OpenSSL's value for its static digests. */
enum { ORIGIN_GLOBAL = 1 };

#define DIGEST(type, size) \
    {.beginning = {type, NID_undef, size, EVP_MD_FLAG_DIGALGID_ABSENT, ORIGIN_GLOBAL}}
/* Nothing is written when they are registered: two threads may do so at once. */
static const union digest digests[] = {
    DIGEST(NID_id_GostR3411_2012_256, 32), DIGEST(NID_id_GostR3411_2012_512, 64), DIGEST(NID_id_GostR3411_94, 32)};

/* Whether this libcrypto has the members at the expected offsets. */
static bool is_layout_known(void) {
    const EVP_MD *known[] = {EVP_sha256(), EVP_sha512()};
    struct beginning beginning;

    for (int i = 0; i < 2; i++) {
        if (!known[i])
            return false;
        memcpy(&beginning, known[i], sizeof beginning);
        if (beginning.type != EVP_MD_get_type(known[i]) || beginning.signature_type != EVP_MD_get_pkey_type(known[i])
            || beginning.size != EVP_MD_get_size(known[i]) || beginning.flags != EVP_MD_get_flags(known[i])
            || beginning.origin != ORIGIN_GLOBAL)
            return false;
    }
    return true;
}

static int add(const union digest *made) {
    const struct beginning *beginning = &made->beginning;
    const EVP_MD *digest = (const EVP_MD *)made;
    const char *name = OBJ_nid2sn(beginning->type);

    if (!name || OBJ_NAME_get(name, OBJ_NAME_TYPE_MD_METH))
        return 1;
    if (EVP_MD_get_type(digest) != beginning->type || EVP_MD_get_size(digest) != beginning->size
        || EVP_MD_get_flags(digest) != beginning->flags || EVP_MD_get0_provider(digest))
        return FAIL(REASON_UNSUPPORTED, "the digests of this libcrypto have an unknown layout; use a newer version of Kanal");
    return EVP_add_digest(digest) || NO_MEMORY();
}

/* The same for ciphers, which messages name by number. */
struct cipher_beginning {
    int type, block_size, key_length, iv_length;
    unsigned long flags;
    int origin;
};
union cipher {
    struct cipher_beginning beginning;
    unsigned char room[1024];
};
#define CIPHER(type, iv_length, flags) {.beginning = {type, 1, 32, iv_length, flags, ORIGIN_GLOBAL}}
static const union cipher ciphers[] = {
    CIPHER(NID_id_Gost28147_89, 8, EVP_CIPH_CFB_MODE), CIPHER(NID_magma_ctr_acpkm, 4, EVP_CIPH_CTR_MODE),
    CIPHER(NID_kuznyechik_ctr_acpkm, 8, EVP_CIPH_CTR_MODE)};

static bool is_cipher_layout_known(void) {
    const EVP_CIPHER *known[] = {EVP_aes_256_ctr(), EVP_aes_128_cbc()};
    struct cipher_beginning beginning;

    for (int i = 0; i < 2; i++) {
        if (!known[i])
            return false;
        memcpy(&beginning, known[i], sizeof beginning);
        if (beginning.type != EVP_CIPHER_get_nid(known[i]) || beginning.block_size != EVP_CIPHER_get_block_size(known[i])
            || beginning.key_length != EVP_CIPHER_get_key_length(known[i])
            || beginning.iv_length != EVP_CIPHER_get_iv_length(known[i])
            || beginning.flags != EVP_CIPHER_get_flags(known[i]) || beginning.origin != ORIGIN_GLOBAL)
            return false;
    }
    return true;
}

static int add_cipher(const union cipher *made) {
    const struct cipher_beginning *beginning = &made->beginning;
    const EVP_CIPHER *cipher = (const EVP_CIPHER *)made;
    const char *name = OBJ_nid2sn(beginning->type);

    if (!name || OBJ_NAME_get(name, OBJ_NAME_TYPE_CIPHER_METH))
        return 1;
    if (EVP_CIPHER_get_nid(cipher) != beginning->type || EVP_CIPHER_get_key_length(cipher) != beginning->key_length
        || EVP_CIPHER_get_flags(cipher) != beginning->flags || EVP_CIPHER_get0_provider(cipher))
        return FAIL(REASON_UNSUPPORTED, "the ciphers of this libcrypto have an unknown layout; use a newer version of Kanal");
    return EVP_add_cipher(cipher) || NO_MEMORY();
}

int registered_add(void) {
    int done = 1;

    if (!is_layout_known() || !is_cipher_layout_known())
        return FAIL(
            REASON_UNSUPPORTED, "the digests or ciphers of this libcrypto have an unknown layout; use a newer version of Kanal");
    for (size_t i = 0; i < sizeof digests / sizeof *digests; i++)
        done = done && add(&digests[i]);
    for (size_t i = 0; i < sizeof ciphers / sizeof *ciphers; i++)
        done = done && add_cipher(&ciphers[i]);
    return done;
}
