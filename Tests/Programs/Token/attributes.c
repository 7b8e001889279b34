/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attributes SLOT PIN
 *
 * Rules for applications that read attributes and make keys: an unknown attribute spoils no other, points and
 * signatures of elliptic curves have one form, GOST templates name their parameters where they like, and templates are
 * given and read as arrays. Names every broken rule; the exit status is their number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../program.h"

static CK_SESSION_HANDLE session;
static CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
static CK_BYTE label[] = "attributes";

/* R15: every attribute is answered, regardless of the others. */
static void unknown_attributes(CK_OBJECT_HANDLE key) {
    CK_BYTE first[64], last[4], value[8];
    CK_ATTRIBUTE template[] = {
        {CKA_LABEL, first, sizeof first}, {0x7FFFFFF0, value, sizeof value}, {CKA_VALUE, value, sizeof value},
        {CKA_ID, last, sizeof last}, {CKA_LABEL, value, 1}, {CKA_TOKEN, NULL, 0},
    };
    CK_RV code = C_GetAttributeValue(session, key, template, COUNT(template));
    require(code == CKR_ATTRIBUTE_TYPE_INVALID || code == CKR_ATTRIBUTE_SENSITIVE || code == CKR_BUFFER_TOO_SMALL,
            "R15: no error for attributes that cannot be read");
    require(template[0].ulValueLen == sizeof label - 1 && !memcmp(first, label, sizeof label - 1),
            "R15: the attribute before an unknown one is not filled");
    require(template[1].ulValueLen == (CK_ULONG)-1, "R15: an unknown attribute has a length");
    require(template[2].ulValueLen == (CK_ULONG)-1, "R15: a private key's value has a length");
    require(template[3].ulValueLen == 1 && last[0] == 7, "R15: the attribute after an unknown one is not filled");
    require(template[4].ulValueLen == (CK_ULONG)-1, "R15: what does not fit has a length");
    require(template[5].ulValueLen == 1, "R15: no length for an attribute without a buffer");
    expect(C_GetAttributeValue(session, key, NULL, 0), CKR_OK, "no attributes");
    expect(C_GetAttributeValue(session, key, NULL, 1), CKR_ARGUMENTS_BAD, "attributes that are not there");
    expect(C_SetOperationState(session, NULL, 0, 0, 0), CKR_ARGUMENTS_BAD, "no state");
    CK_OBJECT_CLASS feature = CKO_HW_FEATURE;
    CK_ATTRIBUTE features = {CKA_CLASS, &feature, sizeof feature};
    CK_OBJECT_HANDLE made;
    expect(C_CreateObject(session, &features, 1, &made), CKR_ATTRIBUTE_READ_ONLY, "a hardware feature");
    expect(C_GetAttributeValue(session, key, template + 1, 1), CKR_ATTRIBUTE_TYPE_INVALID, "R15: an unknown attribute");
    expect(C_GetAttributeValue(session, key, template + 2, 1), CKR_ATTRIBUTE_SENSITIVE, "R15: a private key's value");
}

/* R16: a point is an OCTET STRING in DER, a signature is r and s. */
static void elliptic_curves(void) {
    static CK_BYTE p256[] = {0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07}, id[] = {7};
    CK_ATTRIBUTE public_key[] = {
        {CKA_EC_PARAMS, p256, sizeof p256}, {CKA_TOKEN, &yes, 1}, {CKA_LABEL, label, sizeof label - 1},
    };
    CK_ATTRIBUTE private_key[] = {
        {CKA_TOKEN, &yes, 1}, {CKA_LABEL, label, sizeof label - 1}, {CKA_ID, id, sizeof id},
    };
    CK_MECHANISM generation = {CKM_EC_KEY_PAIR_GEN, NULL, 0}, signing = {CKM_ECDSA, NULL, 0};
    CK_OBJECT_HANDLE verifier = 0, signer = 0;
    expect(C_GenerateKeyPair(session, &generation, public_key, COUNT(public_key), private_key, COUNT(private_key),
                             &verifier, &signer),
           CKR_OK, "R16: C_GenerateKeyPair");
    CK_BYTE point[100], digest[32] = {1}, signature[100];
    CK_ATTRIBUTE value = {CKA_EC_POINT, point, sizeof point};
    expect(C_GetAttributeValue(session, verifier, &value, 1), CKR_OK, "R16: CKA_EC_POINT");
    require(value.ulValueLen == 67 && point[0] == 0x04 && point[1] == 65 && point[2] == 0x04,
            "R16: CKA_EC_POINT is no point in an OCTET STRING");
    CK_ULONG length = sizeof signature;
    expect(C_SignInit(session, &signing, signer), CKR_OK, "R16: C_SignInit");
    expect(C_Sign(session, digest, sizeof digest, signature, &length), CKR_OK, "R16: C_Sign");
    require(length == 64, "R16: a signature is not r and s");
    unknown_attributes(signer);
    expect(C_DestroyObject(session, verifier), CKR_OK, "C_DestroyObject");
    expect(C_DestroyObject(session, signer), CKR_OK, "C_DestroyObject");
}

/* R21: CKA_GOSTR3410_PARAMS are in either template or in both, and the key type can be left out. */
static void gost_templates(void) {
    static CK_BYTE set_a[] = {0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x23, 0x01};
    static CK_BYTE set_512[] = {0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x01, 0x02, 0x01};
    static const struct {
        CK_MECHANISM_TYPE mechanism;
        CK_KEY_TYPE type;
        CK_BYTE *set;
        CK_ULONG length;
    } kinds[] = {
        {CKM_GOSTR3410_KEY_PAIR_GEN, CKK_GOSTR3410, set_a, sizeof set_a},
        {CKM_GOSTR3410_512_KEY_PAIR_GEN, CKK_GOSTR3410_512, set_512, sizeof set_512},
    };
    for (size_t kind = 0; kind < COUNT(kinds); kind++)
        for (int places = 0; places < 8; places++) {
            CK_KEY_TYPE type = kinds[kind].type, found = 0;
            CK_ATTRIBUTE templates[2][3];
            CK_ULONG counts[2];
            for (int half = 0; half < 2; half++) {
                CK_ULONG count = 0;
                templates[half][count++] = (CK_ATTRIBUTE){CKA_TOKEN, places & 4 ? &yes : &no, 1};
                if (places & 1 << half)
                    templates[half][count++] =
                        (CK_ATTRIBUTE){CKA_GOSTR3410_PARAMS, kinds[kind].set, kinds[kind].length};
                else
                    templates[half][count++] = (CK_ATTRIBUTE){CKA_KEY_TYPE, &type, sizeof type};
                counts[half] = count;
            }
            CK_MECHANISM generation = {kinds[kind].mechanism, NULL, 0};
            CK_OBJECT_HANDLE keys[2];
            expect(C_GenerateKeyPair(session, &generation, templates[0], counts[0], templates[1], counts[1], &keys[0],
                                     &keys[1]),
                   CKR_OK, "R21: C_GenerateKeyPair");
            for (int half = 0; half < 2; half++) {
                CK_BYTE set[16];
                CK_ATTRIBUTE value[] = {
                    {CKA_GOSTR3410_PARAMS, set, sizeof set}, {CKA_KEY_TYPE, &found, sizeof found},
                };
                expect(C_GetAttributeValue(session, keys[half], value, COUNT(value)), CKR_OK, "R21: its attributes");
                require(value[0].ulValueLen == kinds[kind].length && !memcmp(set, kinds[kind].set, value[0].ulValueLen),
                        "R21: other parameters than those that the template names");
                require(found == type, "R21: another key type");
                expect(C_DestroyObject(session, keys[half]), CKR_OK, "C_DestroyObject");
            }
        }
}

/* An array of attributes: each element has a place of its own (PKCS #11 2.40, 5.7.5). */
static void arrays(void) {
    static CK_OBJECT_CLASS class = CKO_SECRET_KEY;
    static CK_KEY_TYPE type = CKK_GENERIC_SECRET;
    CK_ATTRIBUTE inner[] = {{CKA_LABEL, label, 5}, {CKA_CLASS, &class, sizeof class}, {CKA_ID, NULL, 0}};
    CK_ATTRIBUTE nested = {CKA_UNWRAP_TEMPLATE, inner, sizeof inner};
    CK_ATTRIBUTE key[] = {
        {CKA_CLASS, &class, sizeof class}, {CKA_KEY_TYPE, &type, sizeof type}, {CKA_VALUE, label, 10},
        {CKA_WRAP_TEMPLATE, inner, sizeof inner}, {CKA_UNWRAP_TEMPLATE, NULL, 0},
    };
    CK_OBJECT_HANDLE object = 0, other = 0;
    CK_ULONG count = 0;
    expect(C_CreateObject(session, key, COUNT(key), &object), CKR_OK, "a template in a template");

    CK_ATTRIBUTE places[4] = {{0, NULL, 0}};
    CK_ATTRIBUTE value = {CKA_WRAP_TEMPLATE, NULL, 7};
    expect(C_GetAttributeValue(session, object, &value, 1), CKR_OK, "the length of an array");
    require(value.ulValueLen == sizeof inner, "an array of attributes has another length");
    value.pValue = places;
    expect(C_GetAttributeValue(session, object, &value, 1), CKR_OK, "the lengths in an array");
    require(places[0].type == CKA_CLASS && places[0].ulValueLen == sizeof class && places[1].type == CKA_LABEL
                && places[1].ulValueLen == 5 && places[2].type == CKA_ID && places[2].ulValueLen == 0,
            "other types or lengths in an array");
    CK_BYTE text[8] = {0}, short_place[1] = {0x55};
    CK_OBJECT_CLASS found = 0;
    places[0].pValue = &found;
    places[1] = (CK_ATTRIBUTE){0, text, sizeof text};
    places[2] = places[3] = (CK_ATTRIBUTE){99, NULL, 99};
    value.ulValueLen = sizeof places;
    expect(C_GetAttributeValue(session, object, &value, 1), CKR_OK, "an array of attributes");
    require(value.ulValueLen == sizeof inner && found == class && places[1].ulValueLen == 5
                && memcmp(text, label, 5) == 0 && places[3].type == 99 && places[3].ulValueLen == 99,
            "other values in an array");
    places[0] = (CK_ATTRIBUTE){0, short_place, 1};
    places[1] = (CK_ATTRIBUTE){0, text, sizeof text};
    expect(C_GetAttributeValue(session, object, &value, 1), CKR_BUFFER_TOO_SMALL, "a short place in an array");
    require(places[0].ulValueLen == (CK_ULONG)-1 && short_place[0] == 0x55 && places[1].ulValueLen == 5,
            "a short place in an array spoils others");
    value.ulValueLen = sizeof inner - 1;
    expect(C_GetAttributeValue(session, object, &value, 1), CKR_BUFFER_TOO_SMALL, "a short array");
    require(value.ulValueLen == (CK_ULONG)-1, "a short array has a length");
    value = (CK_ATTRIBUTE){CKA_UNWRAP_TEMPLATE, places, sizeof places};
    expect(C_GetAttributeValue(session, object, &value, 1), CKR_OK, "an empty array");
    require(value.ulValueLen == 0, "an empty array has a length");

    key[3] = nested, nested.type = CKA_WRAP_TEMPLATE;
    expect(C_FindObjectsInit(session, &nested, 1), CKR_OK, "a search for an array");
    expect(C_FindObjects(session, &other, 1, &count), CKR_OK, "a search for an array");
    require(count == 1 && other == object, "an array is not found");
    expect(C_FindObjectsFinal(session), CKR_OK, "a search for an array");
    inner[1].type = CKA_DERIVE_TEMPLATE;
    expect(C_CreateObject(session, key, 4, &other), CKR_ATTRIBUTE_VALUE_INVALID, "a template three deep");
    inner[1] = (CK_ATTRIBUTE){CKA_CLASS, NULL, sizeof class};
    expect(C_CreateObject(session, key, 4, &other), CKR_ATTRIBUTE_VALUE_INVALID, "nothing in an array");
    inner[1] = (CK_ATTRIBUTE){CKA_CLASS, &class, ~0UL};
    expect(C_CreateObject(session, key, 4, &other), CKR_ATTRIBUTE_VALUE_INVALID, "a wild length in an array");
    inner[1] = (CK_ATTRIBUTE){CKA_LABEL, label, 4};
    expect(C_CreateObject(session, key, 4, &other), CKR_ATTRIBUTE_VALUE_INVALID, "two labels in an array");
    key[3].ulValueLen = sizeof inner - 1;
    expect(C_CreateObject(session, key, 4, &other), CKR_ATTRIBUTE_VALUE_INVALID, "half an attribute in an array");
    key[3].ulValueLen = 1000 * sizeof *inner;
    expect(C_CreateObject(session, key, 4, &other), CKR_ATTRIBUTE_VALUE_INVALID, "an endless array");
    expect(C_DestroyObject(session, object), CKR_OK, "C_DestroyObject");
}

int main(int argc, char **argv) {
    if (argc != 3) return fprintf(stderr, "usage: %s SLOT PIN\n", argv[0]), 64;
    expect(C_Initialize(NULL), CKR_OK, "C_Initialize");
    CK_SLOT_ID slot = strtoul(argv[1], NULL, 0);
    expect(C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session), CKR_OK, "C_OpenSession");
    expect(C_Login(session, CKU_USER, (CK_UTF8CHAR_PTR)argv[2], strlen(argv[2])), CKR_OK, "C_Login");
    elliptic_curves();
    gost_templates();
    arrays();
    expect(C_Finalize(NULL), CKR_OK, "C_Finalize");
    return wrong > 100 ? 100 : wrong;
}
