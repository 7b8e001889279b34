/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithms of the provider, by operation. */
#include "provider.h"

static const OSSL_ALGORITHM signatures[] = {
    {GOST_256_NAMES, PROPERTIES, gost_signature, "GOST R 34.10-2012, 256 bits"},
    {GOST_512_NAMES, PROPERTIES, gost_signature, "GOST R 34.10-2012, 512 bits"},
    {GOST_2001_NAMES, PROPERTIES, gost_signature, "GOST R 34.10-2001"},
    {RSA_NAMES, PROPERTIES, rsa_signature, "RSA by tokens"},
    {"ECDSA", PROPERTIES, ec_signature, "ECDSA by tokens"},
    {NULL, NULL, NULL, NULL},
};
static const OSSL_ALGORITHM decryptions[] = {
    {GOST_256_NAMES, PROPERTIES, gost_decryption, "transport of keys"},
    {GOST_512_NAMES, PROPERTIES, gost_decryption, "transport of keys"},
    {GOST_2001_NAMES, PROPERTIES, gost_decryption, "transport of keys"},
    {RSA_NAMES, PROPERTIES, rsa_decryption, "RSA by tokens"},
    {NULL, NULL, NULL, NULL},
};
static const OSSL_ALGORITHM agreements[] = {
    {GOST_256_NAMES, PROPERTIES, gost_agreement, "VKO and KEG"},
    {GOST_512_NAMES, PROPERTIES, gost_agreement, "VKO and KEG"},
    {GOST_2001_NAMES, PROPERTIES, gost_agreement, "VKO"},
    {"ECDH", PROPERTIES, ec_agreement, "ECDH by tokens"},
    {NULL, NULL, NULL, NULL},
};

const OSSL_ALGORITHM *algorithms_query(void *provider, int operation, int *no_cache) {
    (void)provider;
    *no_cache = 0;
    switch (operation) {
    case OSSL_OP_DIGEST: return digest_algorithms;
    case OSSL_OP_CIPHER: return cipher_algorithms;
    case OSSL_OP_MAC: return mac_algorithms;
    case OSSL_OP_KDF: return kdf_algorithms;
    case OSSL_OP_KEYMGMT: return keymgmt_algorithms;
    case OSSL_OP_SIGNATURE: return signatures;
    case OSSL_OP_ASYM_CIPHER: return decryptions;
    case OSSL_OP_KEYEXCH: return agreements;
    case OSSL_OP_STORE: return store_algorithms;
    case OSSL_OP_DECODER: return decoder_algorithms;
    case OSSL_OP_ENCODER: return encoder_algorithms;
    default: return NULL;
    }
}
