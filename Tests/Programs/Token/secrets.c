/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secrets SLOT PIN
 *
 * Makes keys of a session whose values it knows, uses and reads them, destroys them, and then looks for the values in
 * everything that the process can write to: nothing but the application's own copies, which it wipes, may have them.
 *
 * Exit status: 0 nothing found; 1 a value was found; 2 something else failed.
 */
#include <rtpkcs11.h>

#include "memory.h"

/* Few other allocations have the size of the longer one, so that freed memory stays untouched. */
enum { VALUE = 32, LONG_VALUE = 250 };

static CK_SESSION_HANDLE session;
static CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
static int wrong;

static void expect(CK_RV code, CK_RV wanted, const char *what) {
    if (code != wanted) {
        wrong = 2;
        printf("%s: 0x%lX instead of 0x%lX\n", what, code, wanted);
    }
}

/* Checks that none of the values is left. */
static void gone(const char *where) {
    int found = scan();
    if (found) {
        wrong = wrong ? wrong : found;
        printf("%s has left a value\n", where);
    }
}

/* A refused call leaves no trace either. */
static void refuse(CK_ATTRIBUTE *template, CK_ULONG count) {
    CK_OBJECT_HANDLE object;
    template[0].pValue = &(CK_OBJECT_CLASS){CKO_SECRET_KEY};
    template[1].pValue = &(CK_KEY_TYPE){CKK_EC};
    expect(C_CreateObject(session, template, count, &object), CKR_TEMPLATE_INCONSISTENT, "C_CreateObject of no type");
}

static void read_value(CK_OBJECT_HANDLE object) {
    CK_BYTE value[LONG_VALUE];
    CK_ATTRIBUTE attribute = {CKA_VALUE, value, sizeof value};
    expect(C_GetAttributeValue(session, object, &attribute, 1), CKR_OK, "C_GetAttributeValue");
    explicit_bzero(value, sizeof value);
}

/* A key with the value of this number. */
static CK_OBJECT_HANDLE make(int index, CK_OBJECT_CLASS class, CK_KEY_TYPE type, CK_BYTE *parameters) {
    static CK_BYTE value[LONGEST + 1];
    CK_ATTRIBUTE template[] = {
        {CKA_CLASS, &class, sizeof class}, {CKA_KEY_TYPE, &type, sizeof type}, {CKA_VALUE, value, lengths[index]},
        {CKA_SENSITIVE, &no, sizeof no}, {CKA_EXTRACTABLE, &yes, sizeof yes},
        {type == CKK_EC ? CKA_EC_PARAMS : CKA_GOSTR3410_PARAMS, parameters, parameters ? parameters[1] + 2 : 0},
    };
    CK_OBJECT_HANDLE object = 0, copy;
    CK_ULONG count = parameters ? 6 : 5;
    reveal(index, value);
    expect(C_CreateObject(session, template, count, &object), CKR_OK, "C_CreateObject");
    refuse(template, 5);
    explicit_bzero(value, sizeof value);
    expect(C_CopyObject(session, object, NULL, 0, &copy), CKR_OK, "C_CopyObject");
    expect(C_DestroyObject(session, object), CKR_OK, "C_DestroyObject");
    return copy;
}

static void use_secret(CK_OBJECT_HANDLE key, CK_OBJECT_HANDLE twin) {
    CK_BYTE iv[8] = {1}, wrapped[300], text[64] = {1};
    CK_MECHANISM wrap = {CKM_GOST28147_KEY_WRAP, iv, sizeof iv}, hmac = {CKM_SHA256_HMAC, NULL, 0};
    CK_MECHANISM digest = {CKM_GOSTR3411_12_256, NULL, 0}, cipher = {CKM_GOST28147, iv, sizeof iv};
    CK_MECHANISM concatenation = {CKM_CONCATENATE_BASE_AND_KEY, &twin, sizeof twin};
    CK_ULONG length = sizeof wrapped;
    CK_OBJECT_HANDLE made;
    expect(C_WrapKey(session, &wrap, key, key, wrapped, &length), CKR_OK, "C_WrapKey");
    expect(C_UnwrapKey(session, &wrap, key, wrapped, length, NULL, 0, &made), CKR_OK, "C_UnwrapKey");
    expect(C_DestroyObject(session, made), CKR_OK, "C_DestroyObject");
    expect(C_DeriveKey(session, &concatenation, key, NULL, 0, &made), CKR_OK, "C_DeriveKey");
    expect(C_DestroyObject(session, made), CKR_OK, "C_DestroyObject");
    length = sizeof wrapped;
    expect(C_SignInit(session, &hmac, key), CKR_OK, "C_SignInit");
    expect(C_Sign(session, text, sizeof text, wrapped, &length), CKR_OK, "C_Sign");
    length = sizeof wrapped;
    expect(C_EncryptInit(session, &cipher, key), CKR_OK, "C_EncryptInit");
    expect(C_Encrypt(session, text, sizeof text, wrapped, &length), CKR_OK, "C_Encrypt");
    length = sizeof wrapped;
    expect(C_DigestInit(session, &digest), CKR_OK, "C_DigestInit");
    expect(C_DigestKey(session, key), CKR_OK, "C_DigestKey");
    expect(C_DigestFinal(session, wrapped, &length), CKR_OK, "C_DigestFinal");
}

static void sign(CK_OBJECT_HANDLE key, CK_MECHANISM_TYPE type) {
    CK_MECHANISM mechanism = {type, NULL, 0};
    CK_BYTE digest[32] = {1}, signature[64];
    CK_ULONG length = sizeof signature;
    expect(C_SignInit(session, &mechanism, key), CKR_OK, "C_SignInit");
    expect(C_Sign(session, digest, sizeof digest, signature, &length), CKR_OK, "C_Sign");
}

/* The attributes that make up a private key of RSA, first the modulus and the exponent, which are public. */
enum { NUMBERS = 8, PUBLIC_NUMBERS = 2 };
static const CK_ATTRIBUTE_TYPE numbers[NUMBERS] = {
    CKA_MODULUS, CKA_PUBLIC_EXPONENT, CKA_PRIVATE_EXPONENT, CKA_PRIME_1, CKA_PRIME_2, CKA_EXPONENT_1, CKA_EXPONENT_2,
    CKA_COEFFICIENT};

/* Makes a key of RSA, and enters its numbers from `count` on. */
static void generate(void) {
    CK_ULONG bits = 1024;
    CK_ATTRIBUTE public_key[] = {{CKA_MODULUS_BITS, &bits, sizeof bits}};
    CK_ATTRIBUTE private_key[] = {{CKA_SENSITIVE, &no, sizeof no}, {CKA_EXTRACTABLE, &yes, sizeof yes}};
    CK_MECHANISM generation = {CKM_RSA_PKCS_KEY_PAIR_GEN, NULL, 0};
    CK_OBJECT_HANDLE verifier, signer;
    CK_BYTE value[LONGEST];
    expect(C_GenerateKeyPair(session, &generation, public_key, 1, private_key, 2, &verifier, &signer), CKR_OK,
           "C_GenerateKeyPair");
    for (int i = 0; i < NUMBERS; i++) {
        CK_ATTRIBUTE number = {numbers[i], value, sizeof value};
        expect(C_GetAttributeValue(session, signer, &number, 1), CKR_OK, "C_GetAttributeValue");
        lengths[SECRETS - NUMBERS + i] = number.ulValueLen;
        for (CK_ULONG j = 0; j < number.ulValueLen; j++)
            secrets[SECRETS - NUMBERS + i][j] = ~value[j];
        explicit_bzero(value, sizeof value);
    }
    expect(C_DestroyObject(session, signer), CKR_OK, "C_DestroyObject");
}

/* Gives the library the numbers that it had made. */
static void import(void) {
    static CK_BYTE values[NUMBERS][LONGEST + 1];
    CK_OBJECT_CLASS class = CKO_PRIVATE_KEY;
    CK_KEY_TYPE type = CKK_RSA;
    CK_ATTRIBUTE template[NUMBERS + 2] = {{CKA_CLASS, &class, sizeof class}, {CKA_KEY_TYPE, &type, sizeof type}};
    CK_MECHANISM signing = {CKM_SHA256_RSA_PKCS, NULL, 0}, decryption = {CKM_RSA_X_509, NULL, 0};
    CK_BYTE text[128] = {0, 1}, result[128];
    CK_ULONG length = sizeof result;
    CK_OBJECT_HANDLE key;
    for (int i = 0; i < NUMBERS; i++) {
        reveal(SECRETS - NUMBERS + i, values[i]);
        template[i + 2] = (CK_ATTRIBUTE){numbers[i], values[i], lengths[SECRETS - NUMBERS + i]};
    }
    expect(C_CreateObject(session, template, NUMBERS + 2, &key), CKR_OK, "C_CreateObject");
    explicit_bzero(values, sizeof values);
    expect(C_SignInit(session, &signing, key), CKR_OK, "C_SignInit");
    expect(C_Sign(session, text, sizeof text, result, &length), CKR_OK, "C_Sign");
    length = sizeof result;
    expect(C_DecryptInit(session, &decryption, key), CKR_OK, "C_DecryptInit");
    expect(C_Decrypt(session, text, sizeof text, result, &length), CKR_OK, "C_Decrypt");
    expect(C_DestroyObject(session, key), CKR_OK, "C_DestroyObject");
}

/* From now on the numbers are looked for, too. */
static void enter(void) {
    for (int i = PUBLIC_NUMBERS; i < NUMBERS; i++, count++) {
        lengths[count] = lengths[SECRETS - NUMBERS + i];
        memcpy(secrets[count], secrets[SECRETS - NUMBERS + i], LONGEST);
    }
}

static void use(CK_SLOT_ID slot, char *pin) {
    static CK_BYTE p256[] = {0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07};
    static CK_BYTE set_a[] = {0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x23, 0x01};
    static const char *rounds[] = {"making keys", "reading them", "using them"};
    CK_OBJECT_HANDLE keys[4];
    expect(C_Initialize(NULL), CKR_OK, "C_Initialize");
    expect(C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session), CKR_OK, "C_OpenSession");
    expect(C_Login(session, CKU_USER, (CK_UTF8CHAR_PTR)pin, strlen(pin)), CKR_OK, "C_Login");
    for (int round = 0; round < 3; round++) {
        keys[0] = make(0, CKO_SECRET_KEY, CKK_GOST28147, NULL);
        keys[1] = make(1, CKO_SECRET_KEY, CKK_GENERIC_SECRET, NULL);
        keys[2] = make(2, CKO_PRIVATE_KEY, CKK_EC, p256);
        keys[3] = make(3, CKO_PRIVATE_KEY, CKK_GOSTR3410, set_a);
        if (round == 1)
            for (int i = 0; i < 4; i++)
                read_value(keys[i]);
        if (round == 2) {
            use_secret(keys[0], keys[1]);
            sign(keys[2], CKM_ECDSA);
            sign(keys[3], CKM_GOSTR3410);
        }
        for (int i = 0; i < 4; i++)
            expect(C_DestroyObject(session, keys[i]), CKR_OK, "C_DestroyObject");
        gone(rounds[round]);
    }
    generate();
    enter();
    gone("making a key of RSA");
    import();
    gone("using a key of RSA");
    expect(C_Finalize(NULL), CKR_OK, "C_Finalize");
    gone("C_Finalize");
}

int main(int argc, char **argv) {
    int random = open("/dev/urandom", O_RDONLY);
    if (argc != 3) return fprintf(stderr, "usage: %s SLOT PIN\n", argv[0]), 2;
    for (count = 0; count < 4; count++) {
        lengths[count] = count == 1 ? LONG_VALUE : VALUE;
        if (read(random, secrets[count], lengths[count]) != (ssize_t)lengths[count]) return 2;
        /* Below each order, from whichever end it is read. */
        secrets[count][0] |= 0x80, secrets[count][lengths[count] - 1] |= 0x80;
    }
    use(strtoul(argv[1], NULL, 0), argv[2]);
    return wrong ? wrong : prove();
}
