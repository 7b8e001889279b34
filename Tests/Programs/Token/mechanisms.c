/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mechanisms SLOT PIN
 *
 * Uses every mechanism that C_GetMechanismList names in each way that its flags claim, with keys of the session and
 * with keys of the token, and those that wrap keys although no flag claims it. Names each failure; the exit status is
 * their number.
 */
#include "mechanisms.h"

static CK_MECHANISM mechanism(const struct use *use) {
    return (CK_MECHANISM){use->type, use->parameter, use->length};
}

/* No number that it begins reaches a modulus. */
static CK_BYTE text[200] = {0, 1, 2, 3};

static void encrypt_and_decrypt(const struct use *use) {
    CK_MECHANISM cipher = mechanism(use);
    CK_BYTE encrypted[300], decrypted[300];
    CK_ULONG encrypted_length = sizeof encrypted, length = sizeof decrypted, room = 0;
    if (succeeds(C_EncryptInit(session, &cipher, keys[place][use->kind].public_key), "C_EncryptInit")
        && succeeds(C_Encrypt(session, text, use->text, encrypted, &encrypted_length), "C_Encrypt")
        && succeeds(C_DecryptInit(session, &cipher, keys[place][use->kind].private_key), "C_DecryptInit")
        && succeeds(C_Decrypt(session, encrypted, encrypted_length, NULL, &room), "C_Decrypt for the length")
        && succeeds(C_Decrypt(session, encrypted, encrypted_length, decrypted, &length), "C_Decrypt")) {
        require(room == length, "another length was told");
        require(memcmp(encrypted, text, use->text) != 0, "the text is not encrypted");
        require(length == use->text && !memcmp(decrypted, text, length), "decrypted to another text");
    }
}

static void sign_and_verify(const struct use *use) {
    CK_MECHANISM signing = mechanism(use);
    CK_BYTE signature[300];
    CK_ULONG length = sizeof signature;
    CK_OBJECT_HANDLE verifier = keys[place][use->kind].public_key;
    if (succeeds(C_SignInit(session, &signing, keys[place][use->kind].private_key), "C_SignInit")
        && succeeds(C_Sign(session, text, use->text, signature, &length), "C_Sign")
        && succeeds(C_VerifyInit(session, &signing, verifier), "C_VerifyInit")
        && succeeds(C_Verify(session, text, use->text, signature, length), "C_Verify")
        && succeeds(C_VerifyInit(session, &signing, verifier), "C_VerifyInit")) {
        signature[length - 1] ^= 1;
        require(C_Verify(session, text, use->text, signature, length) == CKR_SIGNATURE_INVALID,
                "a wrong signature is not refused");
    }
}

static void digest(const struct use *use) {
    CK_MECHANISM hash = mechanism(use);
    CK_BYTE whole[64], parts[64];
    CK_ULONG length = sizeof whole, parts_length = sizeof parts;
    if (succeeds(C_DigestInit(session, &hash), "C_DigestInit")
        && succeeds(C_Digest(session, text, sizeof text, whole, &length), "C_Digest")
        && succeeds(C_DigestInit(session, &hash), "C_DigestInit")
        && succeeds(C_DigestUpdate(session, text, 77), "C_DigestUpdate")
        && succeeds(C_DigestUpdate(session, text + 77, sizeof text - 77), "C_DigestUpdate")
        && succeeds(C_DigestFinal(session, parts, &parts_length), "C_DigestFinal"))
        require(length == parts_length && !memcmp(whole, parts, length), "the digest depends on the parts");
}

static void generate(const struct use *use) {
    CK_OBJECT_HANDLE key;
    if (make_secret(use->type, place, &key)) succeeds(C_DestroyObject(session, key), "C_DestroyObject");
}

static void generate_pair(const struct use *use) {
    CK_OBJECT_HANDLE public_key, private_key;
    if (!make_pair(use->type, place, &public_key, &private_key)) return;
    succeeds(C_DestroyObject(session, public_key), "C_DestroyObject");
    succeeds(C_DestroyObject(session, private_key), "C_DestroyObject");
}

/* ---- Keys out of keys ---- */

static CK_ULONG read_value(CK_OBJECT_HANDLE key, CK_ATTRIBUTE_TYPE type, CK_BYTE value[200]) {
    CK_ATTRIBUTE attribute = {type, value, 200};
    succeeds(C_GetAttributeValue(session, key, &attribute, 1), "C_GetAttributeValue");
    return attribute.ulValueLen == (CK_ULONG)-1 ? 0 : attribute.ulValueLen;
}

static void wrap_and_unwrap(const struct use *use) {
    static CK_KEY_TYPE types[] = {
        [RSA] = CKK_MAGMA, [GOST] = CKK_GOST28147, [GOST_512] = CKK_GOST28147, [GOST28147] = CKK_GOST28147,
        [MAGMA_TWIN] = CKK_MAGMA, [KUZNYECHIK_TWIN] = CKK_KUZNECHIK,
    };
    static const enum kind wrapped_kinds[] = {
        [RSA] = MAGMA, [GOST] = GOST28147, [GOST_512] = GOST28147, [GOST28147] = GOST28147, [MAGMA_TWIN] = MAGMA,
        [KUZNYECHIK_TWIN] = KUZNYECHIK,
    };
    CK_OBJECT_HANDLE key = keys[place][wrapped_kinds[use->kind]].private_key, unwrapped;
    CK_MECHANISM wrapping = mechanism(use);
    CK_BYTE wrapped[300], by_pointer[300], value[200], again[200];
    CK_ULONG length = sizeof wrapped, by_pointer_length = sizeof by_pointer;
    CK_ATTRIBUTE template = {CKA_KEY_TYPE, &types[use->kind], sizeof *types};
    if (succeeds(C_WrapKey(session, &wrapping, keys[place][use->kind].public_key, key, wrapped, &length), "C_WrapKey")
        && succeeds(C_UnwrapKey(session, &wrapping, keys[place][use->kind].private_key, wrapped, length, &template, 1,
                                &unwrapped), "C_UnwrapKey")) {
        /* The vendor's .NET binding points to the UKM. */
        CK_KEY_DERIVATION_STRING_DATA ukm = {use->parameter, use->length};
        CK_MECHANISM pointing = {use->type, &ukm, sizeof ukm};
        if (use->type == CKM_GOST28147_KEY_WRAP
            && succeeds(C_WrapKey(session, &pointing, keys[place][use->kind].public_key, key, by_pointer,
                                  &by_pointer_length), "C_WrapKey with a structure"))
            require(length == by_pointer_length && !memcmp(wrapped, by_pointer, length), "wrapped otherwise");
        ukm.ulLen = 9;
        if (use->type == CKM_GOST28147_KEY_WRAP)
            require(C_WrapKey(session, &pointing, keys[place][use->kind].public_key, key, by_pointer,
                              &by_pointer_length) == CKR_MECHANISM_PARAM_INVALID, "a long UKM is not refused");
        CK_ULONG size = read_value(key, CKA_VALUE, value);
        require(size == read_value(unwrapped, CKA_VALUE, again) && !memcmp(value, again, size), "another key");
        wrapped[size / 2] ^= 1;
        require(C_UnwrapKey(session, &wrapping, keys[place][use->kind].private_key, wrapped, length, &template, 1,
                            &unwrapped) != CKR_OK, "a wrong key is not refused");
    }
}

/* Derives a secret of `length` bytes and reads it. */
static int derive_value(CK_MECHANISM *derivation, CK_OBJECT_HANDLE base, CK_ULONG length, CK_BYTE value[200]) {
    CK_KEY_TYPE generic = CKK_GENERIC_SECRET;
    CK_ATTRIBUTE template[] = {{CKA_KEY_TYPE, &generic, sizeof generic}, {CKA_VALUE_LEN, &length, sizeof length}};
    CK_OBJECT_HANDLE secret;
    return succeeds(C_DeriveKey(session, derivation, base, template, COUNT(template), &secret), "C_DeriveKey")
        && require(read_value(secret, CKA_VALUE, value) == length, "the secret has another length");
}

/*
 * The layouts of an agreement's parameters: structures with pointers, numbers of 4 or 8 bytes with the data, and the
 * last with fields of fixed length. KEG has an older number, too.
 */
enum layout { POINTERS, FLAT_4 = 4, FLAT_8 = 8, FIXED, KEG_POINTERS, OLD_KEG_POINTERS, ECDH_POINTERS };

static CK_MECHANISM agreement(enum layout layout, CK_BYTE *point, CK_ULONG point_length, CK_ULONG ukm_length) {
    static CK_GOSTR3410_DERIVE_PARAMS pointers;
    static CK_ECDH1_DERIVE_PARAMS ecdh;
    static CK_VENDOR_GOST_KEG_PARAMS keg;
    static CK_BYTE flat[300], ukm[24] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    pointers = (CK_GOSTR3410_DERIVE_PARAMS){CKD_NULL, point, point_length, ukm, ukm_length};
    ecdh = (CK_ECDH1_DERIVE_PARAMS){CKD_NULL, ukm_length, ukm_length ? ukm : NULL, point_length, point};
    keg = (CK_VENDOR_GOST_KEG_PARAMS){point, point_length, ukm, ukm_length};
    if (layout == POINTERS) return (CK_MECHANISM){current, &pointers, sizeof pointers};
    if (layout == ECDH_POINTERS) return (CK_MECHANISM){current, &ecdh, sizeof ecdh};
    if (layout == KEG_POINTERS) return (CK_MECHANISM){current, &keg, sizeof keg};
    if (layout == OLD_KEG_POINTERS) return (CK_MECHANISM){CKM_VENDOR_GOST_KEG, &keg, sizeof keg};
    CK_ULONG numbers[] = {CKD_NULL, point_length, ukm_length}, width = layout == FIXED ? 8 : layout;
    CK_BYTE *end = flat;
    memset(flat, 0, sizeof flat);
    memcpy(end, &numbers[0], width), end += width;
    memcpy(end, &numbers[1], width), end += width;
    memcpy(end, point, point_length), end += layout == FIXED ? 128 : point_length;
    memcpy(end, &numbers[2], width), end += width;
    memcpy(end, ukm, ukm_length), end += ukm_length;
    return (CK_MECHANISM){current, flat, end - flat};
}

/* Two keys agree with each layout of the parameters. */
static void agree(const struct use *use) {
    static const enum layout gost_layouts[] = {POINTERS, FLAT_4, FLAT_8, FIXED};
    static const enum layout keg_layouts[] = {ECDH_POINTERS, KEG_POINTERS, OLD_KEG_POINTERS};
    const enum layout *layouts = gost_layouts;
    CK_ULONG count = COUNT(gost_layouts), length = 32, ukm_length = 8;
    if (use->type == CKM_GOSTR3410_DERIVE) count = 3;
    if (use->type == CKM_GOST_KEG) layouts = keg_layouts, count = COUNT(keg_layouts), length = 64, ukm_length = 24;
    if (use->type == CKM_VKO_GOSTR3410_2012_512) layouts = keg_layouts, count = 1, length = 64;
    if (use->type == CKM_ECDH1_DERIVE) layouts = keg_layouts, count = 1, ukm_length = 0;
    CK_OBJECT_HANDLE public_key, private_key;
    static const CK_MECHANISM_TYPE generations[] = {
        [GOST] = CKM_GOSTR3410_KEY_PAIR_GEN, [GOST_512] = CKM_GOSTR3410_512_KEY_PAIR_GEN, [EC] = CKM_EC_KEY_PAIR_GEN,
    };
    if (!make_pair(generations[use->kind], 0, &public_key, &private_key)) return;
    CK_ATTRIBUTE_TYPE value = use->kind == EC ? CKA_EC_POINT : CKA_VALUE;
    CK_BYTE own[200], other[200], secret[200], again[200];
    CK_ULONG own_length = read_value(keys[place][use->kind].public_key, value, own);
    CK_ULONG other_length = read_value(public_key, value, other);
    for (CK_ULONG i = 0; i < count; i++) {
        CK_MECHANISM derivation = agreement(layouts[i], other, other_length, ukm_length);
        if (!derive_value(&derivation, keys[place][use->kind].private_key, length, secret)) continue;
        derivation = agreement(layouts[i], own, own_length, ukm_length);
        if (derive_value(&derivation, private_key, length, again))
            require(!memcmp(secret, again, length), "the two sides get different secrets");
    }
}

static void derive(const struct use *use) {
    if (use->kind < GOST28147) return agree(use);
    CK_BYTE seed[] = {1, 2, 3, 4}, label[] = {0x26, 0xBD, 0xB8, 0x78}, value[200], first[200], second[200];
    CK_OBJECT_HANDLE base = keys[place][use->kind].private_key;
    CK_KDF_TREE_GOST_PARAMS tree = {sizeof label, label, sizeof seed, seed, 1, 64, 0};
    CK_MECHANISM derivation = {use->type, &tree, sizeof tree};
    if (use->type == CKM_CONCATENATE_BASE_AND_KEY) {
        derivation.pParameter = &keys[place][KUZNYECHIK].private_key;
        derivation.ulParameterLen = sizeof(CK_OBJECT_HANDLE);
    }
    if (!derive_value(&derivation, base, 64, value) || use->type != CKM_CONCATENATE_BASE_AND_KEY) return;
    read_value(base, CKA_VALUE, first);
    read_value(keys[place][KUZNYECHIK].private_key, CKA_VALUE, second);
    require(!memcmp(value, first, 32) && !memcmp(value + 32, second, 32), "the key is not the two keys in turn");
}

/* ---- All of them ---- */

static const struct {
    CK_FLAGS flags;
    void (*work)(const struct use *);
} works[] = {
    {CKF_ENCRYPT | CKF_DECRYPT, encrypt_and_decrypt}, {CKF_SIGN | CKF_VERIFY, sign_and_verify}, {CKF_DIGEST, digest},
    {CKF_GENERATE, generate}, {CKF_GENERATE_KEY_PAIR, generate_pair}, {CKF_WRAP | CKF_UNWRAP, wrap_and_unwrap},
    {CKF_DERIVE, derive},
};

/* Flags that do not name a function. */
static const CK_FLAGS descriptions = CKF_HW | CKF_EC_F_P | CKF_EC_NAMEDCURVE | CKF_EC_UNCOMPRESS;

static void check(CK_SLOT_ID slot, CK_MECHANISM_TYPE type) {
    CK_MECHANISM_INFO information;
    current = type;
    if (!succeeds(C_GetMechanismInfo(slot, type, &information), "C_GetMechanismInfo")) return;
    CK_FLAGS claimed = information.flags & ~descriptions, used = 0;
    /* The vendor's list has it for a mechanism that only makes secret keys. */
    if (type == CKM_GENERIC_SECRET_KEY_GEN) claimed &= ~(CK_FLAGS)(CKF_GENERATE_KEY_PAIR | CKF_DERIVE);
    for (size_t i = 0; i < COUNT(uses); i++)
        for (size_t work = 0; uses[i].type == type && work < COUNT(works); work++)
            if (claimed & works[work].flags) {
                works[work].work(&uses[i]);
                used |= works[work].flags;
            }
    require(claimed != 0 && used == claimed, "its flags claim what nothing here tries");
}

int main(int argc, char **argv) {
    CK_MECHANISM_TYPE types[200];
    CK_ULONG count = COUNT(types);

    if (argc != 3) return fprintf(stderr, "usage: %s SLOT PIN\n", argv[0]), 64;
    CK_SLOT_ID slot = strtoul(argv[1], NULL, 0);
    if (!succeeds(C_Initialize(NULL), "C_Initialize")
        || !succeeds(C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session), "C_OpenSession")
        || !succeeds(C_Login(session, CKU_USER, (CK_UTF8CHAR_PTR)argv[2], strlen(argv[2])), "C_Login")
        || !succeeds(C_GetMechanismList(slot, types, &count), "C_GetMechanismList"))
        return 1;
    require(count > 60, "the list is short");
    for (place = 0; place < 2; place++) {
        make_keys();
        for (CK_ULONG i = 0; i < count; i++) check(slot, types[i]);
        for (size_t i = 0; i < COUNT(unclaimed_wrapping); i++) {
            current = unclaimed_wrapping[i].type;
            wrap_and_unwrap(&unclaimed_wrapping[i]);
        }
    }
    place = 1;
    destroy_keys();
    succeeds(C_Finalize(NULL), "C_Finalize");
    return wrong > 100 ? 100 : wrong;
}
