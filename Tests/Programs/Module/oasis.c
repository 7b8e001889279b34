/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pkcs11.h of OASIS as rtpkcs11.h finds it: another guard, and names that p11-kit's lacks. The layout must be the
 * same.
 */
#include <p11-kit-1/p11-kit/pkcs11.h>

#undef PKCS11_H
#undef CRYPTOKI_COMPAT
#undef CK_SPEC
#define _PKCS11_H_ 1

typedef CK_ULONG CK_EC_KDF_TYPE;

typedef struct CK_GOSTR3410_DERIVE_PARAMS {
    CK_EC_KDF_TYPE kdf;
    CK_BYTE_PTR pPublicData;
    CK_ULONG ulPublicDataLen;
    CK_BYTE_PTR pUKM;
    CK_ULONG ulUKMLen;
} CK_GOSTR3410_DERIVE_PARAMS;

typedef struct CK_GOSTR3410_KEY_WRAP_PARAMS {
    CK_BYTE_PTR pWrapOID;
    CK_ULONG ulWrapOIDLen;
    CK_BYTE_PTR pUKM;
    CK_ULONG ulUKMLen;
    CK_OBJECT_HANDLE hKey;
} CK_GOSTR3410_KEY_WRAP_PARAMS;

#include "layout.c"
