/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COPENSSL_LIBCRYPTO_H
#define COPENSSL_LIBCRYPTO_H

/* Answers of COpenSSL_version without a libcrypto. */
enum {
    /* No libcrypto was found, or it cannot be loaded now. */
    COPENSSL_ABSENT = 0,
    /* Each libcrypto lacks a function of the list. */
    COPENSSL_INCOMPLETE = -1,
    /* The process has changed its root directory, and nothing is loaded from the new one. */
    COPENSSL_ROOT_CHANGED = -2,
};

/* The number in the name of the libcrypto that is used, 4 or 3. It is loaded now, if it was not. */
int COpenSSL_version(void);

#endif
