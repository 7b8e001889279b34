/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operations SLOT PIN
 *
 * The answers that end an operation and those that do not (PKCS #11 v2.40, 5.8 to 5.14): every function with every
 * error that its arguments or its data can have. Names every broken rule; the exit status is their number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rtpkcs11.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int wrong;
static CK_SESSION_HANDLE session;
static CK_OBJECT_HANDLE rsa_public, rsa_private, gost_public, gost_private, secret, data_object;
static CK_BYTE text[64] = {0, 1, 2, 3}, out[600];
static CK_ULONG length;
/* More than any buffer can have, as from a negative number. */
#define ENDLESS (~0UL - 7)

static void expect(CK_RV code, CK_RV wanted, const char *what, const char *more) {
    if (code != wanted) {
        wrong++;
        printf("%s: %s: 0x%lX instead of 0x%lX\n", what, more, code, wanted);
    }
}

/* ---- Operations ---- */

enum operation { ENCRYPT, DECRYPT, DIGEST, SIGN, SIGN_CODE, VERIFY, VERIFY_CODE, SIGN_RECOVER, VERIFY_RECOVER };

static CK_RV begin(enum operation operation) {
    CK_MECHANISM ecb = {CKM_MAGMA_ECB, NULL, 0}, hash = {CKM_GOSTR3411_12_256, NULL, 0}, rsa = {CKM_RSA_PKCS, NULL, 0},
                 gost = {CKM_GOSTR3410, NULL, 0}, code = {CKM_MAGMA_MAC, NULL, 0};
    switch (operation) {
    case ENCRYPT: return C_EncryptInit(session, &ecb, secret);
    case DECRYPT: return C_DecryptInit(session, &ecb, secret);
    case DIGEST: return C_DigestInit(session, &hash);
    case SIGN: return C_SignInit(session, &gost, gost_private);
    case SIGN_CODE: return C_SignInit(session, &code, secret);
    case VERIFY: return C_VerifyInit(session, &gost, gost_public);
    case VERIFY_CODE: return C_VerifyInit(session, &code, secret);
    case SIGN_RECOVER: return C_SignRecoverInit(session, &rsa, rsa_private);
    case VERIFY_RECOVER: return C_VerifyRecoverInit(session, &rsa, rsa_public);
    }
    return CKR_GENERAL_ERROR;
}

/* Whether the operation is active: its end then answers other than "not initialised". Ends it. */
static int is_active(enum operation operation) {
    CK_RV code = CKR_GENERAL_ERROR;
    CK_BYTE no[600] = {0};
    length = sizeof no;
    switch (operation) {
    case ENCRYPT: code = C_EncryptFinal(session, no, &length); break;
    case DECRYPT: code = C_DecryptFinal(session, no, &length); break;
    case DIGEST: code = C_DigestFinal(session, no, &length); break;
    case SIGN: case SIGN_CODE: code = C_SignFinal(session, no, &length); break;
    case VERIFY: case VERIFY_CODE: code = C_VerifyFinal(session, no, 64); break;
    case SIGN_RECOVER: code = C_SignRecover(session, text, 3, no, &length); break;
    case VERIFY_RECOVER: code = C_VerifyRecover(session, no, 3, no, &length); break;
    }
    return code != CKR_OPERATION_NOT_INITIALIZED;
}

/* ---- Functions of the three shapes that there are ---- */

typedef CK_RV (*in_out)(CK_SESSION_HANDLE, CK_BYTE_PTR, CK_ULONG, CK_BYTE_PTR, CK_ULONG_PTR);
typedef CK_RV (*in)(CK_SESSION_HANDLE, CK_BYTE_PTR, CK_ULONG);
typedef CK_RV (*only_out)(CK_SESSION_HANDLE, CK_BYTE_PTR, CK_ULONG_PTR);

/* Data and a result. `good` bytes give `result`; `bad` bytes are too many or too few, if there is such a length. */
static const struct in_out_case {
    const char *name;
    enum operation operation, second;
    in_out call;
    CK_ULONG good, result, bad;
    CK_RV error;
    int ends;
} in_out_cases[] = {
    {"C_Encrypt", ENCRYPT, ENCRYPT, C_Encrypt, 16, 16, 15, CKR_DATA_LEN_RANGE, 1},
    {"C_EncryptUpdate", ENCRYPT, ENCRYPT, C_EncryptUpdate, 16, 16, 0, CKR_OK, 0},
    {"C_Decrypt", DECRYPT, DECRYPT, C_Decrypt, 16, 16, 15, CKR_ENCRYPTED_DATA_LEN_RANGE, 1},
    {"C_DecryptUpdate", DECRYPT, DECRYPT, C_DecryptUpdate, 16, 16, 0, CKR_OK, 0},
    {"C_Digest", DIGEST, DIGEST, C_Digest, 16, 32, 0, CKR_OK, 1},
    {"C_Sign", SIGN, SIGN, C_Sign, 32, 64, 31, CKR_DATA_LEN_RANGE, 1},
    {"C_Sign with a code", SIGN_CODE, SIGN_CODE, C_Sign, 32, 8, 0, CKR_OK, 1},
    {"C_SignRecover", SIGN_RECOVER, SIGN_RECOVER, C_SignRecover, 32, 128, 0, CKR_OK, 1},
    {"C_DigestEncryptUpdate", ENCRYPT, DIGEST, C_DigestEncryptUpdate, 16, 16, 0, CKR_OK, 0},
    {"C_DecryptDigestUpdate", DECRYPT, DIGEST, C_DecryptDigestUpdate, 16, 16, 0, CKR_OK, 0},
    {"C_SignEncryptUpdate", ENCRYPT, SIGN, C_SignEncryptUpdate, 16, 16, 48, CKR_DATA_LEN_RANGE, 0},
    {"C_DecryptVerifyUpdate", DECRYPT, VERIFY, C_DecryptVerifyUpdate, 16, 16, 48, CKR_DATA_LEN_RANGE, 0},
};

static void begin_both(const struct in_out_case *at) {
    expect(begin(at->operation), CKR_OK, at->name, "the operation begins");
    if (at->second != at->operation)
        expect(begin(at->second), CKR_OK, at->name, "the second operation begins");
}

static void active(const struct in_out_case *at, int wanted, const char *when) {
    int is = is_active(at->operation), second = is_active(at->second);
    if (is != wanted || (at->second != at->operation && second != wanted)) {
        wrong++;
        printf("%s: %s: %s\n", at->name, when, wanted ? "ends the operation" : "leaves an operation active");
    }
}

static void data_and_result(const struct in_out_case *at) {
    CK_ULONG some = 16;
    expect((length = sizeof out, at->call(session, text, at->good, out, &length)), CKR_OPERATION_NOT_INITIALIZED,
           at->name, "nothing is active");
    expect(at->call(session, NULL, 5, NULL, NULL), CKR_OPERATION_NOT_INITIALIZED, at->name,
           "nothing is active, and the arguments are bad");

    begin_both(at);
    expect((length = 0, at->call(session, text, at->good, NULL, &length)), CKR_OK, at->name, "the length");
    if (length != at->result)
        wrong++, printf("%s: the length is %lu\n", at->name, length);
    expect((length = at->result - 1, at->call(session, text, at->good, out, &length)), CKR_BUFFER_TOO_SMALL, at->name,
           "a short buffer");
    expect((length = sizeof out, at->call(session, text, at->good, out, &length)), CKR_OK, at->name,
           "after the length and a short buffer");
    active(at, !at->ends, "success");

    begin_both(at);
    expect((length = sizeof out, at->call(session, NULL, 5, out, &length)), CKR_ARGUMENTS_BAD, at->name, "NULL data");
    active(at, 0, "NULL data");
    begin_both(at);
    expect((length = sizeof out, at->call(session, text, ENDLESS, out, &length)), CKR_ARGUMENTS_BAD, at->name,
           "endless data");
    active(at, 0, "endless data");
    begin_both(at);
    expect(at->call(session, text, at->good, out, NULL), CKR_ARGUMENTS_BAD, at->name, "no place for the length");
    active(at, 0, "no place for the length");
    if (at->error != CKR_OK) {
        begin_both(at);
        expect((length = sizeof out, at->call(session, text, at->bad, out, &length)), at->error, at->name, "bad data");
        active(at, 0, "bad data");
    }
    if (at->second != at->operation) {
        /* If one of two required operations is active, it stays. */
        expect(begin(at->operation), CKR_OK, at->name, "alone");
        expect((length = sizeof out, at->call(session, text, some, out, &length)), CKR_OPERATION_NOT_INITIALIZED,
               at->name, "without the second");
        if (!is_active(at->operation))
            wrong++, printf("%s: without the second: ends the first\n", at->name);
        expect(begin(at->second), CKR_OK, at->name, "the second alone");
        expect((length = sizeof out, at->call(session, text, some, out, &length)), CKR_OPERATION_NOT_INITIALIZED,
               at->name, "without the first");
        if (!is_active(at->second))
            wrong++, printf("%s: without the first: ends the second\n", at->name);
    }
}

/* Data without a result. */
static const struct in_case {
    const char *name;
    enum operation operation;
    in call;
    CK_ULONG good, bad;
    CK_RV error;
} in_cases[] = {
    {"C_DigestUpdate", DIGEST, C_DigestUpdate, 16, 0, CKR_OK},
    {"C_SignUpdate", SIGN, C_SignUpdate, 16, 48, CKR_DATA_LEN_RANGE},
    {"C_SignUpdate of a code", SIGN_CODE, C_SignUpdate, 16, 0, CKR_OK},
    {"C_VerifyUpdate", VERIFY, C_VerifyUpdate, 16, 48, CKR_DATA_LEN_RANGE},
    {"C_VerifyUpdate of a code", VERIFY_CODE, C_VerifyUpdate, 16, 0, CKR_OK},
};

static void only_data(const struct in_case *at) {
    const struct in_out_case as = {at->name, at->operation, at->operation, NULL, 0, 0, 0, CKR_OK, 0};
    expect(at->call(session, NULL, 5), CKR_OPERATION_NOT_INITIALIZED, at->name, "nothing is active");
    begin_both(&as);
    expect(at->call(session, text, at->good), CKR_OK, at->name, "data");
    active(&as, 1, "data");
    begin_both(&as);
    expect(at->call(session, NULL, 5), CKR_ARGUMENTS_BAD, at->name, "NULL data");
    active(&as, 0, "NULL data");
    begin_both(&as);
    expect(at->call(session, text, ENDLESS), CKR_ARGUMENTS_BAD, at->name, "endless data");
    active(&as, 0, "endless data");
    if (at->error == CKR_OK)
        return;
    begin_both(&as);
    expect(at->call(session, text, at->bad), at->error, at->name, "bad data");
    active(&as, 0, "bad data");
}

/* A result without data. */
static const struct out_case {
    const char *name;
    enum operation operation;
    only_out call;
    /* The call before, so that there is a result, or none. */
    in before;
    CK_ULONG given, result;
    CK_RV error;
} out_cases[] = {
    {"C_DigestFinal", DIGEST, C_DigestFinal, C_DigestUpdate, 16, 32, CKR_OK},
    {"C_SignFinal", SIGN, C_SignFinal, C_SignUpdate, 32, 64, CKR_OK},
    {"C_SignFinal of too little", SIGN, C_SignFinal, C_SignUpdate, 16, 64, CKR_DATA_LEN_RANGE},
    {"C_SignFinal of a code", SIGN_CODE, C_SignFinal, C_SignUpdate, 16, 8, CKR_OK},
    {"C_EncryptFinal", ENCRYPT, C_EncryptFinal, NULL, 0, 0, CKR_OK},
    {"C_DecryptFinal", DECRYPT, C_DecryptFinal, NULL, 0, 0, CKR_OK},
};

static void only_result(const struct out_case *at) {
    const struct in_out_case as = {at->name, at->operation, at->operation, NULL, 0, 0, 0, CKR_OK, 1};
    expect(at->call(session, NULL, NULL), CKR_OPERATION_NOT_INITIALIZED, at->name, "nothing is active");
    begin_both(&as);
    if (at->before)
        expect(at->before(session, text, at->given), CKR_OK, at->name, "data");
    expect((length = 0, at->call(session, NULL, &length)), CKR_OK, at->name, "the length");
    if (length != at->result)
        wrong++, printf("%s: the length is %lu\n", at->name, length);
    if (at->result > 0)
        expect((length = at->result - 1, at->call(session, out, &length)), CKR_BUFFER_TOO_SMALL, at->name,
               "a short buffer");
    expect((length = sizeof out, at->call(session, out, &length)), at->error, at->name, "the result");
    active(&as, 0, "the result");
    begin_both(&as);
    expect(at->call(session, out, NULL), CKR_ARGUMENTS_BAD, at->name, "no place for the length");
    active(&as, 0, "no place for the length");
}

/* ---- Functions with a signature of their own ---- */

static void verification(void) {
    const struct in_out_case verify = {"C_Verify", VERIFY, VERIFY, NULL, 0, 0, 0, CKR_OK, 1},
                             final = {"C_VerifyFinal", VERIFY, VERIFY, NULL, 0, 0, 0, CKR_OK, 1};
    static const struct { const char *what; int data, signature; CK_ULONG length, signature_length; CK_RV code; } bad[] = {
        {"NULL data", 0, 1, 32, 64, CKR_ARGUMENTS_BAD}, {"NULL signature", 1, 0, 32, 64, CKR_ARGUMENTS_BAD},
        {"endless data", 1, 1, ENDLESS, 64, CKR_ARGUMENTS_BAD},
        {"endless signature", 1, 1, 32, ENDLESS, CKR_ARGUMENTS_BAD},
        {"a short signature", 1, 1, 32, 63, CKR_SIGNATURE_LEN_RANGE}, {"bad data", 1, 1, 31, 64, CKR_DATA_LEN_RANGE},
        {"a wrong signature", 1, 1, 32, 64, CKR_SIGNATURE_INVALID},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        expect(C_Verify(session, bad[i].data ? text : NULL, bad[i].length, bad[i].signature ? out : NULL,
                        bad[i].signature_length), CKR_OPERATION_NOT_INITIALIZED, "C_Verify", "nothing is active");
        begin_both(&verify);
        expect(C_Verify(session, bad[i].data ? text : NULL, bad[i].length, bad[i].signature ? out : NULL,
                        bad[i].signature_length), bad[i].code, "C_Verify", bad[i].what);
        active(&verify, 0, bad[i].what);
        if (!bad[i].data || bad[i].length != 32)
            continue;
        begin_both(&final);
        expect(C_VerifyUpdate(session, text, 32), CKR_OK, "C_VerifyFinal", "data");
        expect(C_VerifyFinal(session, bad[i].signature ? out : NULL, bad[i].signature_length), bad[i].code,
               "C_VerifyFinal", bad[i].what);
        active(&final, 0, bad[i].what);
    }
}

static void recovery(void) {
    const struct in_out_case as = {"C_VerifyRecover", VERIFY_RECOVER, VERIFY_RECOVER, NULL, 0, 0, 0, CKR_OK, 1};
    CK_BYTE signature[128];
    CK_ULONG signature_length = sizeof signature;
    expect(begin(SIGN_RECOVER), CKR_OK, as.name, "begin");
    expect(C_SignRecover(session, text, 32, signature, &signature_length), CKR_OK, as.name, "a signature");
    begin_both(&as);
    expect((length = 0, C_VerifyRecover(session, signature, 128, NULL, &length)), CKR_OK, as.name, "the length");
    expect((length = 31, C_VerifyRecover(session, signature, 128, out, &length)), CKR_BUFFER_TOO_SMALL, as.name,
           "a short buffer");
    expect((length = 32, C_VerifyRecover(session, signature, 128, out, &length)), CKR_OK, as.name, "the data");
    active(&as, 0, "success");
    begin_both(&as);
    expect((length = 32, C_VerifyRecover(session, NULL, 128, out, &length)), CKR_ARGUMENTS_BAD, as.name, "NULL");
    active(&as, 0, "NULL");
    begin_both(&as);
    expect(C_VerifyRecover(session, signature, 128, out, NULL), CKR_ARGUMENTS_BAD, as.name, "no place for the length");
    active(&as, 0, "no place for the length");
    begin_both(&as);
    expect((length = 32, C_VerifyRecover(session, signature, ENDLESS, out, &length)), CKR_ARGUMENTS_BAD, as.name,
           "an endless signature");
    active(&as, 0, "an endless signature");
    begin_both(&as);
    expect((length = 32, C_VerifyRecover(session, signature, 127, out, &length)), CKR_SIGNATURE_LEN_RANGE, as.name,
           "a short signature");
    active(&as, 0, "a short signature");
}

/* A function for data in one part must not end an operation whose data came in parts, nor does C_DigestKey with a key
 * that cannot be digested, nor a second beginning. */
static void what_stays(void) {
    CK_MECHANISM hash = {CKM_GOSTR3411_12_256, NULL, 0};
    expect(begin(DIGEST), CKR_OK, "C_DigestKey", "begin");
    expect(C_DigestKey(session, 12345), CKR_KEY_HANDLE_INVALID, "C_DigestKey", "no key");
    expect(C_DigestKey(session, gost_private), CKR_KEY_INDIGESTIBLE, "C_DigestKey", "a private key");
    expect(C_DigestInit(session, &hash), CKR_OPERATION_ACTIVE, "C_DigestInit", "again");
    expect(C_DigestUpdate(session, text, 5), CKR_OK, "C_DigestUpdate", "afterwards");
    expect((length = sizeof out, C_Digest(session, text, 5, out, &length)), CKR_OPERATION_ACTIVE, "C_Digest",
           "after a part");
    expect((length = sizeof out, C_DigestFinal(session, out, &length)), CKR_OK, "C_DigestFinal", "afterwards");
    expect(begin(ENCRYPT), CKR_OK, "C_Encrypt", "begin");
    expect((length = sizeof out, C_EncryptUpdate(session, text, 8, out, &length)), CKR_OK, "C_EncryptUpdate", "a part");
    expect((length = sizeof out, C_Encrypt(session, text, 8, out, &length)), CKR_OPERATION_ACTIVE, "C_Encrypt",
           "after a part");
    expect((length = sizeof out, C_EncryptFinal(session, out, &length)), CKR_OK, "C_EncryptFinal", "afterwards");
}

/* ---- Keys of the wrong kind ---- */

static void kinds(void) {
    CK_MECHANISM rsa = {CKM_RSA_PKCS, NULL, 0}, gost = {CKM_GOSTR3410, NULL, 0}, code = {CKM_MAGMA_MAC, NULL, 0},
                 ecb = {CKM_MAGMA_ECB, NULL, 0};
    CK_OBJECT_HANDLE *all[] = {&rsa_public, &rsa_private, &gost_public, &gost_private, &secret, &data_object, NULL};
    const struct { const char *name; CK_RV (*call)(CK_SESSION_HANDLE, CK_MECHANISM_PTR, CK_OBJECT_HANDLE);
                   CK_MECHANISM_PTR mechanism; CK_OBJECT_HANDLE *good; } cases[] = {
        {"C_SignInit, RSA", C_SignInit, &rsa, &rsa_private}, {"C_SignInit, GOST", C_SignInit, &gost, &gost_private},
        {"C_SignInit, a code", C_SignInit, &code, &secret}, {"C_VerifyInit, RSA", C_VerifyInit, &rsa, &rsa_public},
        {"C_VerifyInit, GOST", C_VerifyInit, &gost, &gost_public}, {"C_VerifyInit, a code", C_VerifyInit, &code, &secret},
        {"C_EncryptInit, RSA", C_EncryptInit, &rsa, &rsa_public}, {"C_EncryptInit", C_EncryptInit, &ecb, &secret},
        {"C_DecryptInit, RSA", C_DecryptInit, &rsa, &rsa_private}, {"C_DecryptInit", C_DecryptInit, &ecb, &secret},
        {"C_SignRecoverInit", C_SignRecoverInit, &rsa, &rsa_private},
        {"C_VerifyRecoverInit", C_VerifyRecoverInit, &rsa, &rsa_public},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t j = 0; j < COUNT(all); j++) {
            CK_RV code;
            if (all[j] == cases[i].good)
                continue;
            code = cases[i].call(session, cases[i].mechanism, all[j] ? *all[j] : 12345);
            expect(code, !all[j] || all[j] == &data_object ? CKR_KEY_HANDLE_INVALID : CKR_KEY_TYPE_INCONSISTENT,
                   cases[i].name, "a key of another kind");
        }
}

static void make(void) {
    CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
    CK_ULONG bits = 1024;
    CK_OBJECT_CLASS class = CKO_DATA;
    CK_ATTRIBUTE public_key[] = {{CKA_TOKEN, &no, 1}, {CKA_MODULUS_BITS, &bits, sizeof bits}},
                 private_key[] = {{CKA_TOKEN, &no, 1}, {CKA_PRIVATE, &yes, 1}},
                 data[] = {{CKA_CLASS, &class, sizeof class}, {CKA_VALUE, text, 5}};
    CK_MECHANISM rsa = {CKM_RSA_PKCS_KEY_PAIR_GEN, NULL, 0}, gost = {CKM_GOSTR3410_KEY_PAIR_GEN, NULL, 0},
                 magma = {CKM_MAGMA_KEY_GEN, NULL, 0};
    expect(C_GenerateKeyPair(session, &rsa, public_key, 2, private_key, 2, &rsa_public, &rsa_private), CKR_OK, "RSA",
           "keys");
    expect(C_GenerateKeyPair(session, &gost, public_key, 1, private_key, 2, &gost_public, &gost_private), CKR_OK,
           "GOST", "keys");
    expect(C_GenerateKey(session, &magma, NULL, 0, &secret), CKR_OK, "Magma", "a key");
    expect(C_CreateObject(session, data, 2, &data_object), CKR_OK, "data", "an object");
}

int main(int argc, char **argv) {
    if (argc != 3 || C_Initialize(NULL) != CKR_OK
        || C_OpenSession(strtoul(argv[1], NULL, 10), CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session) != CKR_OK
        || C_Login(session, CKU_USER, (CK_UTF8CHAR_PTR)argv[2], strlen(argv[2])) != CKR_OK)
        return puts("no session"), 255;
    make();
    for (size_t i = 0; i < COUNT(in_out_cases); i++)
        data_and_result(&in_out_cases[i]);
    for (size_t i = 0; i < COUNT(in_cases); i++)
        only_data(&in_cases[i]);
    for (size_t i = 0; i < COUNT(out_cases); i++)
        only_result(&out_cases[i]);
    verification();
    recovery();
    what_stays();
    kinds();
    C_Finalize(NULL);
    return wrong > 200 ? 200 : wrong;
}
