/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside
 *
 * A program that has OpenSSL inside, while the system's libcrypto is loaded, too, loads the provider "kanal" and computes a
 * digest by it. Ends with 0, or with 1 and the error.
 */
#include <dlfcn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>

int main(void) {
    unsigned char digest[64];
    size_t length;

    if (!dlopen("libcrypto.so.3", RTLD_NOW | RTLD_GLOBAL) && !dlopen("libcrypto.so.4", RTLD_NOW | RTLD_GLOBAL)) {
        fputs("there is no other libcrypto\n", stderr);
        return 2;
    }
    if (OSSL_PROVIDER_load(NULL, "kanal") && EVP_Q_digest(NULL, "md_gost12_256", NULL, "", 0, digest, &length))
        return 0;
    ERR_print_errors_fp(stderr);
    return 1;
}
