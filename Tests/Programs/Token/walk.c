/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk SLOT PIN
 *
 * Calls every function that the library exports with each of its arguments wrong in turn, every creating function with
 * every attribute in wrong sizes and with templates that end early, and every beginning of an operation with every
 * mechanism, parameters that it cannot have and keys of all kinds. Names each answer that the standard does not allow
 * for the mistake; the exit status shows whether there was one. Nothing may crash, and the token's content stays.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kanal.h>
#include <pkcs11v3.h>

#include "../Module/functions.h"

enum { ARGUMENTS = 11, ROOM = 8192 };

static int wrong, calls;
static CK_SLOT_ID slot;
static CK_SESSION_HANDLE session;
static CK_OBJECT_HANDLE secret, private_key, public_key, private_rsa_key, public_rsa_key;
static CK_BYTE pin[32], buffer[ROOM], zeros[ROOM];
static CK_ULONG pin_length, room, places[2], structure[64] = {208}, user = CKU_USER, bits = 1024;
static CK_RUTOKEN_INIT_PARAM format = {sizeof format, 0, pin, 8, pin, 8, 3, 6, 6, 10, 10, NULL, 0, 0};
static char *names[] = {"CN", "Walk"};
static CK_MECHANISM digest = {CKM_GOSTR3411_12_256, NULL, 0}, sign = {CKM_GOSTR3410_WITH_GOSTR3411_12_256, NULL, 0},
                    cipher = {CKM_GOST28147, NULL, 0}, make = {CKM_GOST28147_KEY_GEN, NULL, 0},
                    make_pair = {CKM_GOSTR3410_KEY_PAIR_GEN, NULL, 0}, wrap = {CKM_GOST28147_KEY_WRAP, zeros, 8},
                    derive = {CKM_CONCATENATE_BASE_AND_KEY, &secret, sizeof secret}, recover = {CKM_RSA_PKCS, NULL, 0},
                    make_rsa = {CKM_RSA_PKCS_KEY_PAIR_GEN, NULL, 0};
static CK_BYTE id[] = {0x57, 0x41, 0x4C};
static CK_ATTRIBUTE template[] = {{CKA_ID, id, sizeof id}};

/* The codes that a mistake can have, ended by CKR_OK, which is not one. */
static const CK_RV in_session[] = {CKR_SESSION_HANDLE_INVALID, CKR_FUNCTION_NOT_PARALLEL, 0},
                   in_slot[] = {CKR_SLOT_ID_INVALID, 0}, in_pointer[] = {CKR_ARGUMENTS_BAD, 0},
                   in_key[] = {CKR_KEY_HANDLE_INVALID, CKR_OBJECT_HANDLE_INVALID, 0},
                   in_wrapping[] = {CKR_WRAPPING_KEY_HANDLE_INVALID, CKR_UNWRAPPING_KEY_HANDLE_INVALID, 0},
                   in_mechanism[] = {CKR_MECHANISM_INVALID, 0}, in_parameter[] = {CKR_MECHANISM_PARAM_INVALID, 0};

static int is_in(CK_RV code, const CK_RV *codes) {
    for (; *codes != CKR_OK; codes++)
        if (code == *codes)
            return 1;
    return 0;
}

static void begin_digest(void) { C_DigestInit(session, &digest); }
static void begin_sign(void) { C_SignInit(session, &sign, private_key); }
static void begin_verify(void) { C_VerifyInit(session, &sign, public_key); }
static void begin_sign_recover(void) { C_SignRecoverInit(session, &recover, private_rsa_key); }
static void begin_verify_recover(void) { C_VerifyRecoverInit(session, &recover, public_rsa_key); }
static void begin_search(void) { C_FindObjectsInit(session, NULL, 0); }

static void begin_ciphers(void) {
    C_EncryptInit(session, &cipher, secret);
    C_DecryptInit(session, &cipher, secret);
    begin_digest();
    begin_sign();
    begin_verify();
}

#include "arguments.h"

/* The arguments of a call without a mistake. */
static void arguments(const struct entry *entry, CK_ULONG *values) {
    const char *kind;
    CK_ULONG *next = places;
    for (kind = entry->arguments; *kind; kind++, values++)
        switch (*kind) {
        case 's': *values = slot; break;
        case 'h': *values = session; break;
        case 'k': case 'w': *values = *entry->key; break;
        case 'm': *values = (CK_ULONG)entry->mechanism; break;
        case 'd': *values = (CK_ULONG)pin; break;
        case 'l': *values = pin_length; break;
        case 't': *values = (CK_ULONG)template; break;
        case 'c': *values = 1; break;
        case 'D': case 'B': *values = (CK_ULONG)buffer; break;
        case 'L': *values = (CK_ULONG)&room; break;
        case 'P': *values = (CK_ULONG)places; break;
        case 'O': *values = (CK_ULONG)next++; break;
        case 'i': *values = (CK_ULONG)&format; break;
        case 'x': *values = (CK_ULONG)structure; break;
        case 'U': *values = (CK_ULONG)&user; break;
        case 'N': *values = (CK_ULONG)names; break;
        case '1': case '2': case '3': case '4': case '7': *values = *kind - '0'; break;
        default: *values = 0;
        }
}

/* Calls with one argument changed. */
static CK_RV call(const struct entry *entry, int position, CK_ULONG value) {
    CK_ULONG v[ARGUMENTS] = {0};

    arguments(entry, v);
    v[position] = value;
    room = ROOM;
    places[0] = places[1] = 0x5555;
    if (entry->begin)
        entry->begin();
    calls++;
    return entry->call(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10]);
}

/* The mistake that is looked for is not always the first that is found. */
static void mistake(const struct entry *entry, int position, CK_ULONG value, const CK_RV *answers) {
    CK_RV code = call(entry, position, value);

    if (!is_in(code, answers) && code != CKR_FUNCTION_NOT_SUPPORTED)
        wrong++, printf("%s, argument %d is 0x%lX: 0x%lX\n", entry->name, position + 1, value, code);
    if (places[0] != 0x5555 || places[1] != 0x5555)
        wrong++, printf("%s, argument %d is 0x%lX: a result\n", entry->name, position + 1, value);
    C_SessionCancel(session, ~0UL);
}

/* A number that may be right. */
static void number(const struct entry *entry, int position, CK_ULONG value) {
    CK_RV code = call(entry, position, value);

    if (code == CKR_GENERAL_ERROR || code == CKR_DEVICE_ERROR)
        wrong++, printf("%s, argument %d is 0x%lX: 0x%lX\n", entry->name, position + 1, value, code);
    C_SessionCancel(session, ~0UL);
    if (code == CKR_OK && strchr(entry->arguments, 'O'))
        C_DestroyObject(session, places[0]), C_DestroyObject(session, places[1]);
    if (code == CKR_OK && entry->call == (function)C_OpenSession)
        C_CloseSession(places[0]);
}

static void mechanisms(const struct entry *entry, int position) {
    CK_MECHANISM unknown = {CKM_VENDOR_DEFINED | 0x7777, NULL, 0}, nothing = *entry->mechanism,
                 odd = *entry->mechanism, endless = *entry->mechanism;
    nothing.pParameter = NULL;
    nothing.ulParameterLen = 8;
    odd.pParameter = zeros;
    odd.ulParameterLen = 5;
    endless.pParameter = zeros;
    endless.ulParameterLen = ~0UL;
    mistake(entry, position, 0, in_pointer);
    mistake(entry, position, (CK_ULONG)&unknown, in_mechanism);
    /* These have no parameter, and what is in its place is not read: calls.c. */
    if (entry->mechanism == &make || entry->mechanism == &make_pair || entry->mechanism == &make_rsa
        || entry->mechanism == &recover)
        return;
    mistake(entry, position, (CK_ULONG)&nothing, in_parameter);
    mistake(entry, position, (CK_ULONG)&odd, in_parameter);
    mistake(entry, position, (CK_ULONG)&endless, in_parameter);
}

static void walk(const struct entry *entry) {
    int i;
    for (i = 0; entry->arguments[i]; i++)
        switch (entry->arguments[i]) {
        case 's': mistake(entry, i, 999, in_slot); mistake(entry, i, ~0UL, in_slot); break;
        case 'h': mistake(entry, i, 0, in_session); mistake(entry, i, ~0UL, in_session); break;
        case 'k': mistake(entry, i, 0, in_key); mistake(entry, i, ~0UL, in_key); break;
        case 'w': mistake(entry, i, 0, in_wrapping); mistake(entry, i, ~0UL, in_wrapping); break;
        case 'm': mechanisms(entry, i); break;
        case 'c': case 'l': number(entry, i, 0); /* fall through */
        case 'z': mistake(entry, i, ~0UL, in_pointer); break;
        case '0': mistake(entry, i, 1, in_pointer); break;
        case '-': break;
        case 'D': number(entry, i, 0); break;
        case '1': case '2': case '3': case '4': case '7': number(entry, i, 0); number(entry, i, ~0UL); break;
        default: mistake(entry, i, 0, in_pointer);
        }
}

static CK_ULONG objects(void) {
    CK_OBJECT_HANDLE found[256];
    CK_ULONG count = 0;
    if (C_FindObjectsInit(session, NULL, 0) != CKR_OK || C_FindObjects(session, found, 256, &count) != CKR_OK
        || C_FindObjectsFinal(session) != CKR_OK)
        wrong++, puts("a search fails");
    return count;
}

/* ---- Templates ---- */

static const CK_RV in_template[] = {
    CKR_ATTRIBUTE_TYPE_INVALID, CKR_ATTRIBUTE_VALUE_INVALID, CKR_ATTRIBUTE_READ_ONLY, CKR_TEMPLATE_INCOMPLETE,
    CKR_TEMPLATE_INCONSISTENT, CKR_DOMAIN_PARAMS_INVALID, CKR_KEY_SIZE_RANGE, CKR_ARGUMENTS_BAD,
    CKR_WRAPPED_KEY_INVALID, CKR_WRAPPED_KEY_LEN_RANGE, CKR_ACTION_PROHIBITED, CKR_CURVE_NOT_SUPPORTED, 0};

static CK_RV create(int kind, CK_ATTRIBUTE *attributes, CK_ULONG count, CK_OBJECT_HANDLE *made) {
    switch (kind) {
    case 0: return C_CreateObject(session, attributes, count, made);
    case 1: return C_CopyObject(session, secret, attributes, count, made);
    case 2: return C_GenerateKey(session, &make, attributes, count, made);
    case 3: return C_GenerateKeyPair(session, &make_pair, attributes, count, NULL, 0, made, made + 1);
    case 4: return C_GenerateKeyPair(session, &make_pair, NULL, 0, attributes, count, made, made + 1);
    case 5: return C_UnwrapKey(session, &wrap, secret, zeros, 44, attributes, count, made);
    case 6: return C_DeriveKey(session, &derive, secret, attributes, count, made);
    default: return C_FindObjectsInit(session, attributes, count);
    }
}

/* One attribute beside the class: values of any size only fail or make an object. */
static void attribute(CK_ATTRIBUTE_TYPE type, CK_VOID_PTR value, CK_ULONG length) {
    static CK_OBJECT_CLASS classes[] = {CKO_DATA, CKO_CERTIFICATE, CKO_PUBLIC_KEY, CKO_PRIVATE_KEY, CKO_SECRET_KEY};
    int kind, i;

    for (kind = 0; kind < 8; kind++)
        for (i = 0; i < (kind == 0 ? 5 : 1); i++) {
            CK_ATTRIBUTE attributes[] = {{type, value, length}, {CKA_CLASS, &classes[i], sizeof *classes}};
            CK_OBJECT_HANDLE made[] = {0, 0};
            CK_RV code = create(kind, attributes, kind == 0 ? 2 : 1, made);
            calls++;
            if (code == CKR_OK) {
                C_SessionCancel(session, ~0UL);
                C_DestroyObject(session, made[0]);
                C_DestroyObject(session, made[1]);
            } else if (!is_in(code, in_template) || made[0] != 0)
                wrong++, printf("attribute 0x%lX of %ld bytes, way %d: 0x%lX\n", type, (long)length, kind, code);
        }
}

static void attributes(void) {
    static const CK_ATTRIBUTE_TYPE types[] = {
        CKA_CLASS, CKA_TOKEN, CKA_PRIVATE, CKA_LABEL, CKA_APPLICATION, CKA_VALUE, CKA_OBJECT_ID, CKA_CERTIFICATE_TYPE,
        CKA_ISSUER, CKA_SERIAL_NUMBER, CKA_TRUSTED, CKA_CERTIFICATE_CATEGORY, CKA_KEY_TYPE, CKA_SUBJECT, CKA_ID,
        CKA_SENSITIVE, CKA_ENCRYPT, CKA_WRAP, CKA_SIGN, CKA_DERIVE, CKA_START_DATE, CKA_END_DATE, CKA_MODULUS,
        CKA_MODULUS_BITS, CKA_PUBLIC_EXPONENT, CKA_PRIVATE_EXPONENT, CKA_PRIME_1, CKA_VALUE_LEN, CKA_EXTRACTABLE,
        CKA_LOCAL, CKA_KEY_GEN_MECHANISM, CKA_MODIFIABLE, CKA_COPYABLE, CKA_EC_PARAMS, CKA_EC_POINT,
        CKA_ALWAYS_AUTHENTICATE, CKA_WRAP_TEMPLATE, CKA_UNWRAP_TEMPLATE, CKA_ALLOWED_MECHANISMS, CKA_GOSTR3410_PARAMS,
        CKA_GOSTR3411_PARAMS, CKA_GOST28147_PARAMS, CKA_HW_FEATURE_TYPE, CKA_VENDOR_DEFINED | 0x77, ~0UL};
    static const CK_ULONG sizes[] = {0, 1, 3, 7, 8, 9, 24, 300, 5000, 1UL << 25, ~0UL};
    size_t i, j;

    for (i = 0; i < sizeof types / sizeof *types; i++) {
        for (j = 0; j < sizeof sizes / sizeof *sizes; j++)
            attribute(types[i], zeros, sizes[j]);
        attribute(types[i], NULL, 8);
    }
}

/* A complete template. Each prefix makes an object, or is refused as incomplete. */
static void truncated(const char *what, CK_ATTRIBUTE *attributes, CK_ULONG count, CK_ULONG needed) {
    CK_ULONG length;

    for (length = 0; length <= count; length++) {
        CK_OBJECT_HANDLE made = 0;
        CK_RV code = C_CreateObject(session, attributes, length, &made);
        calls++;
        if (code != (length < needed ? CKR_TEMPLATE_INCOMPLETE : CKR_OK) || (code == CKR_OK) == (made == 0))
            wrong++, printf("%s, %lu of %lu attributes: 0x%lX\n", what, length, count, code);
        C_DestroyObject(session, made);
    }
}

static void templates(void) {
    static CK_BYTE point[64], oid[] = {6, 7, 0x2A, 0x85, 3, 2, 2, 0x23, 1}, no = CK_FALSE;
    static CK_OBJECT_CLASS data = CKO_DATA, public = CKO_PUBLIC_KEY, private = CKO_PRIVATE_KEY, key = CKO_SECRET_KEY;
    static CK_KEY_TYPE gost = CKK_GOSTR3410, aes = CKK_AES;
    CK_ATTRIBUTE value = {CKA_VALUE, point, sizeof point};
    CK_ATTRIBUTE of_point[] = {{CKA_CLASS, &public, sizeof public}, {CKA_KEY_TYPE, &gost, sizeof gost},
                               {CKA_GOSTR3410_PARAMS, oid, sizeof oid}, {CKA_VALUE, point, sizeof point},
                               {CKA_PRIVATE, &no, sizeof no}};
    CK_ATTRIBUTE of_scalar[] = {{CKA_CLASS, &private, sizeof private}, {CKA_KEY_TYPE, &gost, sizeof gost},
                                {CKA_GOSTR3410_PARAMS, oid, sizeof oid}, {CKA_VALUE, pin, sizeof pin},
                                {CKA_SENSITIVE, &no, sizeof no}};
    CK_ATTRIBUTE of_secret[] = {{CKA_CLASS, &key, sizeof key}, {CKA_KEY_TYPE, &aes, sizeof aes},
                                {CKA_VALUE, pin, sizeof pin}, {CKA_SENSITIVE, &no, sizeof no}};
    CK_ATTRIBUTE of_data[] = {{CKA_CLASS, &data, sizeof data}, value, {CKA_PRIVATE, &no, sizeof no}};
    CK_ULONG length = sizeof point;

    if (C_GetAttributeValue(session, public_key, &value, 1) != CKR_OK || value.ulValueLen != length)
        wrong++, puts("the public key has no value");
    truncated("public key", of_point, 5, 4);
    truncated("private key", of_scalar, 5, 4);
    truncated("secret key", of_secret, 4, 3);
    truncated("data", of_data, 3, 1);
}

/* ---- Mechanisms ---- */

static const CK_RV in_beginning[] = {
    CKR_MECHANISM_INVALID, CKR_MECHANISM_PARAM_INVALID, CKR_KEY_HANDLE_INVALID, CKR_KEY_TYPE_INCONSISTENT,
    CKR_KEY_FUNCTION_NOT_PERMITTED, CKR_KEY_SIZE_RANGE, CKR_KEY_NOT_WRAPPABLE, CKR_TEMPLATE_INCOMPLETE,
    CKR_TEMPLATE_INCONSISTENT, CKR_WRAPPING_KEY_HANDLE_INVALID, CKR_WRAPPING_KEY_TYPE_INCONSISTENT,
    CKR_UNWRAPPING_KEY_HANDLE_INVALID, CKR_UNWRAPPING_KEY_TYPE_INCONSISTENT, CKR_WRAPPED_KEY_INVALID,
    CKR_WRAPPED_KEY_LEN_RANGE, CKR_DOMAIN_PARAMS_INVALID, CKR_DATA_LEN_RANGE, CKR_FUNCTION_NOT_SUPPORTED, 0};

static CK_RV begin(int way, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key, CK_OBJECT_HANDLE *made) {
    room = ROOM;
    switch (way) {
    case 0: return C_EncryptInit(session, mechanism, key);
    case 1: return C_DecryptInit(session, mechanism, key);
    case 2: return C_SignInit(session, mechanism, key);
    case 3: return C_VerifyInit(session, mechanism, key);
    case 4: return C_SignRecoverInit(session, mechanism, key);
    case 5: return C_VerifyRecoverInit(session, mechanism, key);
    case 6: return C_DigestInit(session, mechanism);
    case 7: return C_WrapKey(session, mechanism, key, secret, buffer, &room);
    case 8: return C_UnwrapKey(session, mechanism, key, zeros, 44, template, 1, made);
    case 9: return C_DeriveKey(session, mechanism, key, template, 1, made);
    default: return C_GenerateKey(session, mechanism, template, 1, made);
    }
}

static void mechanism(CK_MECHANISM_TYPE type) {
    static const CK_ULONG sizes[] = {0, 1, 7, 8, 16, 24, 40, 48, 200, 1UL << 25, ~0UL};
    CK_OBJECT_HANDLE keys[4];
    size_t size, key;
    int way;

    keys[0] = secret, keys[1] = private_key, keys[2] = public_key, keys[3] = ~0UL;
    for (size = 0; size <= sizeof sizes / sizeof *sizes; size++)
        for (key = 0; key < 4; key++)
            for (way = 0; way < 11; way++) {
                CK_MECHANISM mechanism = {type, zeros, 8};
                CK_OBJECT_HANDLE made[] = {0, 0};
                CK_RV code;
                if (size < sizeof sizes / sizeof *sizes)
                    mechanism.ulParameterLen = sizes[size];
                else
                    mechanism.pParameter = NULL;
                code = begin(way, &mechanism, keys[key], made);
                calls++;
                if (code == CKR_OK) {
                    C_SessionCancel(session, ~0UL);
                    C_DestroyObject(session, made[0]);
                } else if (!is_in(code, in_beginning) || made[0] != 0)
                    wrong++, printf("mechanism 0x%lX, parameter %ld, key %d, way %d: 0x%lX\n", type,
                                    (long)mechanism.ulParameterLen, (int)key, way, code);
            }
}

/* The table above has all that the library exports. */
static void find(const char *name) {
    size_t i;
    for (i = 0; i < sizeof entries / sizeof *entries; i++)
        if (strcmp(entries[i].name, name) == 0)
            return;
    wrong++, printf("%s is not called\n", name);
}
#define FIND(name, number) find(#name);

int main(int argc, char **argv) {
    CK_MECHANISM_TYPE types[128];
    CK_ULONG count = 128, before, i;
    CK_BBOOL yes = CK_TRUE;
    CK_ATTRIBUTE readable[] = {{CKA_EXTRACTABLE, &yes, 1}}, modulus[] = {{CKA_MODULUS_BITS, &bits, sizeof bits}};

    if (argc != 3 || strlen(argv[2]) > sizeof pin)
        return 100;
    slot = strtoul(argv[1], NULL, 10);
    pin_length = strlen(argv[2]);
    memcpy(pin, argv[2], pin_length);
    if (C_Initialize(NULL) != CKR_OK || C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session)
        || C_Login(session, CKU_USER, pin, pin_length) || C_GenerateKey(session, &make, readable, 1, &secret)
        || C_GenerateKeyPair(session, &make_pair, NULL, 0, NULL, 0, &public_key, &private_key)
        || C_GenerateKeyPair(session, &make_rsa, modulus, 1, NULL, 0, &public_rsa_key, &private_rsa_key)
        || C_GetMechanismList(slot, types, &count))
        return 101;
    STANDARD_FUNCTIONS(FIND)
    FUNCTIONS_OF_3_0(FIND)
    EXTENDED_FUNCTIONS(FIND)
    KANAL_FUNCTIONS(FIND)
    before = objects();
    for (i = 0; i < sizeof entries / sizeof *entries; i++)
        walk(&entries[i]);
    attributes();
    templates();
    for (i = 0; i < count; i++)
        mechanism(types[i]);
    mechanism(CKM_SHA256_HMAC);
    mechanism(CKM_AES_KEY_GEN);
    mechanism(~0UL);
    if (objects() != before)
        wrong++, puts("an object came or went");
    if (C_Logout(session) || C_Login(session, CKU_USER, pin, pin_length) || C_Finalize(NULL))
        wrong++, puts("the token is not what it was");
    printf("%d calls, %d wrong\n", calls, wrong);
    return wrong != 0;
}
