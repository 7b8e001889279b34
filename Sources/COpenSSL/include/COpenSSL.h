/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COPENSSL_H
#define COPENSSL_H

/* A call of each function of the list goes to a jump of libcrypto.c, under a name of this project: a program that is linked
   with another libcrypto, too, has the names of OpenSSL for itself. */
#define KANAL_PRAGMA(text) _Pragma(#text)
#define FUNCTION(name) KANAL_PRAGMA(redefine_extname name kanal_jump_##name)
#include "libcrypto.inc"
#undef FUNCTION
#undef KANAL_PRAGMA

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_dispatch.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/obj_mac.h>
#include <openssl/param_build.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "libcrypto.h"

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

/* Below 0 if a time is not after another one, above 0 if it is, and 0 for a time in another form than RFC 5280 wants.
   OpenSSL 4 deprecates this function for others that take more forms. */
static inline int COpenSSL_compare_time(const ASN1_TIME *time, time_t other) { return X509_cmp_time(time, &other); }

/* Padding alone, for keys that another device holds. libcrypto has no other names for it than these deprecated ones. */
static inline int COpenSSL_unpad_pkcs1(unsigned char *text, int room, const unsigned char *block, int count) {
    return RSA_padding_check_PKCS1_type_2(text, room, block, count, count);
}

static inline int COpenSSL_unpad_oaep(
    unsigned char *text, int room, const unsigned char *block, int count, const unsigned char *label, int label_count,
    const EVP_MD *hash, const EVP_MD *mask) {
    return RSA_padding_check_PKCS1_OAEP_mgf1(text, room, block, count, count, label, label_count, hash, mask);
}

#pragma clang diagnostic pop

#endif
