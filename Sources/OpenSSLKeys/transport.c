/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What GOST keys of a token agree on: VKO with a UKM of 8 octets (RFC 7836, 4.3; RFC 4357, 5.2), KEG with 32 (RFC
 * 9189, 8.3.1), as the engine gost distinguishes them. And what they decrypt, which begins with an agreement: the
 * transport of keys in CMS and old suites of TLS (RFC 4490, 4.2), and that of the suites with Magma and Kuznyechik.
 * Unwrapping is the module's, too.
 */
#include "engine.h"

#include <openssl/asn1t.h>
#include <string.h>

/* GostR3410-KeyTransport of RFC 4490, 4.2. */
typedef struct {
    ASN1_OCTET_STRING *encrypted, *mask, *mac;
} ENCRYPTED_KEY;
typedef struct {
    ASN1_OBJECT *cipher;
    X509_PUBKEY *ephemeral;
    ASN1_OCTET_STRING *ukm;
} PARAMETERS;
typedef struct {
    ENCRYPTED_KEY *key;
    PARAMETERS *parameters;
} TRANSPORT;
/* PSKeyTransport of RFC 9189, 4.2.4.1. */
typedef struct {
    ASN1_OCTET_STRING *wrapped;
    X509_PUBKEY *ephemeral;
    ASN1_OCTET_STRING *ukm;
} TRANSPORT_2018;

ASN1_SEQUENCE(ENCRYPTED_KEY) = {
    ASN1_SIMPLE(ENCRYPTED_KEY, encrypted, ASN1_OCTET_STRING),
    ASN1_IMP_OPT(ENCRYPTED_KEY, mask, ASN1_OCTET_STRING, 0),
    ASN1_SIMPLE(ENCRYPTED_KEY, mac, ASN1_OCTET_STRING),
} static_ASN1_SEQUENCE_END(ENCRYPTED_KEY)
ASN1_SEQUENCE(PARAMETERS) = {
    ASN1_SIMPLE(PARAMETERS, cipher, ASN1_OBJECT),
    ASN1_IMP_OPT(PARAMETERS, ephemeral, X509_PUBKEY, 0),
    ASN1_SIMPLE(PARAMETERS, ukm, ASN1_OCTET_STRING),
} static_ASN1_SEQUENCE_END(PARAMETERS)
ASN1_SEQUENCE(TRANSPORT) = {
    ASN1_SIMPLE(TRANSPORT, key, ENCRYPTED_KEY),
    ASN1_IMP(TRANSPORT, parameters, PARAMETERS, 0),
} static_ASN1_SEQUENCE_END(TRANSPORT)
ASN1_SEQUENCE(TRANSPORT_2018) = {
    ASN1_SIMPLE(TRANSPORT_2018, wrapped, ASN1_OCTET_STRING),
    ASN1_SIMPLE(TRANSPORT_2018, ephemeral, X509_PUBKEY),
    ASN1_OPT(TRANSPORT_2018, ukm, ASN1_OCTET_STRING),
} static_ASN1_SEQUENCE_END(TRANSPORT_2018)

enum { SECRET = 32, TWIN = 64, UKM = 8, LONG_UKM = 32 };

/* CK_GOSTR3410_DERIVE_PARAMS of PKCS #11 2.40, which p11-kit's header lacks. */
struct vko_parameters {
    CK_ULONG kdf;
    CK_BYTE_PTR public_key;
    CK_ULONG public_length;
    CK_BYTE_PTR ukm;
    CK_ULONG ukm_length;
};

/* The other side's coordinates. */
static int read_point(EVP_PKEY *peer, int type, unsigned char point[128], size_t *length) {
    if (!peer)
        return FAIL(REASON_INPUT, "the other side's public key is missing");
    if (EVP_PKEY_get_base_id(peer) != type)
        return FAIL(REASON_INPUT, "the other side's public key is of another type");
    return public_point(peer, point, length) || FAIL(REASON_INPUT, "the other side's public key cannot be read");
}

static CK_MECHANISM_TYPE agreement_mechanism(int type) {
    return type == NID_id_GostR3410_2001 ? CKM_GOSTR3410_DERIVE : CKM_GOSTR3410_12_DERIVE;
}

int transport_derive(
    struct key *key, int type, const struct agreement *agreement, EVP_PKEY *peer, unsigned char *secret,
    size_t *length) {
    unsigned char point[128], ukm[LONG_UKM];
    struct vko_parameters vko = {CKD_NULL, point, 0, ukm, UKM};
    CK_ECDH1_DERIVE_PARAMS keg = {CKD_NULL, LONG_UKM, ukm, 0, point};
    bool is_keg = agreement->ukm_length == LONG_UKM;
    CK_MECHANISM mechanism = {agreement_mechanism(type), &vko, sizeof vko};
    size_t size = is_keg ? TWIN : SECRET, point_length;

    if (agreement->ukm_length != UKM && !is_keg)
        return FAIL(REASON_INPUT, "UKM has to have 8 or 32 octets, not %zu", agreement->ukm_length);
    if (is_keg && type == NID_id_GostR3410_2001)
        return FAIL(REASON_UNSUPPORTED, "KEG with a key of GOST R 34.10-2001");
    if (!secret) {
        *length = size;
        return 1;
    }
    if (*length < size)
        return FAIL(REASON_INPUT, "the secret has %zu octets, and there is room for %zu", size, *length);
    if (!read_point(peer, type, point, &point_length))
        return 0;
    memcpy(ukm, agreement->ukm, agreement->ukm_length);
    vko.public_length = keg.ulPublicDataLen = point_length;
    if (is_keg)
        mechanism = (CK_MECHANISM){CKM_GOST_KEG, &keg, sizeof keg};
    if (!key_derive(key, &mechanism, secret, size))
        return 0;
    *length = size;
    return 1;
}

/* An agreement on a key that unwraps another one. */
struct unwrapping {
    CK_MECHANISM agreement;
    CK_KEY_TYPE unwrapper;
    /* The substitution of an unwrapper of GOST 28147-89, in DER, or none. */
    unsigned char *cipher;
    int cipher_length;
    CK_MECHANISM mechanism;
    const unsigned char *data;
    size_t length;
    unsigned char *secret;
};

static CK_RV unwrap(struct use *use, void *data) {
    struct unwrapping *unwrapping = data;
    CK_OBJECT_CLASS kind = CKO_SECRET_KEY;
    CK_KEY_TYPE type = unwrapping->cipher ? CKK_GOST28147 : CKK_GENERIC_SECRET;
    CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
    CK_ATTRIBUTE unwrapper[] = {
        {CKA_CLASS, &kind, sizeof kind},
        {CKA_KEY_TYPE, &unwrapping->unwrapper, sizeof unwrapping->unwrapper},
        {CKA_TOKEN, &no, sizeof no},
        {CKA_UNWRAP, &yes, sizeof yes},
        {CKA_GOST28147_PARAMS, unwrapping->cipher, (CK_ULONG)unwrapping->cipher_length},
    };
    CK_ATTRIBUTE wanted[] = {
        {CKA_CLASS, &kind, sizeof kind},     {CKA_KEY_TYPE, &type, sizeof type}, {CKA_TOKEN, &no, sizeof no},
        {CKA_SENSITIVE, &no, sizeof no},     {CKA_EXTRACTABLE, &yes, sizeof yes},
        {CKA_GOST28147_PARAMS, unwrapping->cipher, (CK_ULONG)unwrapping->cipher_length},
    };
    CK_ULONG without_cipher = unwrapping->cipher ? 0 : 1;
    struct module *module = use->key->token->module;
    CK_OBJECT_HANDLE agreed = 0, secret = 0;
    CK_RV code;

    use->called = "C_DeriveKey";
    code = CALL(
        module, C_DeriveKey, use->session, &unwrapping->agreement, use->handle, unwrapper, 5 - without_cipher, &agreed);
    if (code != CKR_OK)
        return code;
    use->called = "C_UnwrapKey";
    code = CALL(
        module, C_UnwrapKey, use->session, &unwrapping->mechanism, agreed, (CK_BYTE_PTR)unwrapping->data,
        (CK_ULONG)unwrapping->length, wanted, 6 - without_cipher, &secret);
    CALL(module, C_DestroyObject, use->session, agreed);
    if (code != CKR_OK)
        return code;
    use->called = "C_GetAttributeValue of the unwrapped key";
    return key_read_secret(use, secret, unwrapping->secret, SECRET);
}

/* The key that CMS and suites before 2018 transport. Without an ephemeral key the sender's own counts. */
static int decrypt_2001(struct key *key, int type, EVP_PKEY *peer, const TRANSPORT *transport, unsigned char *secret) {
    unsigned char point[128], ukm[UKM], wrapped[SECRET + 4];
    struct vko_parameters vko = {CKD_CPDIVERSIFY_KDF, point, 0, ukm, sizeof ukm};
    struct unwrapping unwrapping = {
        .agreement = {agreement_mechanism(type), &vko, sizeof vko},
        .unwrapper = CKK_GOST28147,
        .mechanism = {CKM_GOST28147_KEY_WRAP, ukm, sizeof ukm},
        .data = wrapped,
        .length = sizeof wrapped,
        .secret = secret,
    };
    X509_PUBKEY *ephemeral = transport->parameters->ephemeral;
    size_t point_length;
    int done;

    if (ASN1_STRING_length(transport->key->encrypted) != SECRET || transport->key->mask
        || ASN1_STRING_length(transport->key->mac) != 4 || ASN1_STRING_length(transport->parameters->ukm) != UKM)
        return FAIL(REASON_INPUT, "the transported key, its code or UKM has a wrong length");
    if (!read_point(ephemeral ? X509_PUBKEY_get0(ephemeral) : peer, type, point, &point_length))
        return 0;
    vko.public_length = point_length;
    memcpy(ukm, ASN1_STRING_get0_data(transport->parameters->ukm), UKM);
    memcpy(wrapped, ASN1_STRING_get0_data(transport->key->encrypted), SECRET);
    memcpy(wrapped + SECRET, ASN1_STRING_get0_data(transport->key->mac), 4);
    unwrapping.cipher_length = i2d_ASN1_OBJECT(transport->parameters->cipher, &unwrapping.cipher);
    done = unwrapping.cipher_length > 0 ? key_perform(key, unwrap, &unwrapping) : NO_MEMORY();
    OPENSSL_free(unwrapping.cipher);
    return done;
}

/* The key that the suites of 2018 transport, and CMS with KExp15. The length of its code tells the cipher. */
static int decrypt_2018(
    struct key *key, int type, const struct agreement *agreement, const TRANSPORT_2018 *transport,
    unsigned char *secret) {
    unsigned char point[128], ukm[LONG_UKM];
    CK_ECDH1_DERIVE_PARAMS keg = {CKD_NULL, LONG_UKM, ukm, 0, point};
    struct unwrapping unwrapping = {
        .agreement = {CKM_GOST_KEG, &keg, sizeof keg},
        .data = ASN1_STRING_get0_data(transport->wrapped),
        .length = (size_t)ASN1_STRING_length(transport->wrapped),
        .secret = secret,
    };
    size_t point_length;

    if (type == NID_id_GostR3410_2001)
        return FAIL(REASON_UNSUPPORTED, "KEG with a key of GOST R 34.10-2001");
    if (transport->ukm && ASN1_STRING_length(transport->ukm) == LONG_UKM)
        memcpy(ukm, ASN1_STRING_get0_data(transport->ukm), LONG_UKM);
    else if (agreement->ukm_length == LONG_UKM)
        memcpy(ukm, agreement->ukm, LONG_UKM);
    else
        return FAIL(REASON_INPUT, "UKM of 32 octets is missing");
    if (unwrapping.length == SECRET + 8) {
        unwrapping.unwrapper = CKK_MAGMA_TWIN_KEY;
        unwrapping.mechanism = (CK_MECHANISM){CKM_MAGMA_KEXP_15_WRAP, ukm + 24, 4};
    } else if (unwrapping.length == SECRET + 16) {
        unwrapping.unwrapper = CKK_KUZNYECHIK_TWIN_KEY;
        unwrapping.mechanism = (CK_MECHANISM){CKM_KUZNYECHIK_KEXP_15_WRAP, ukm + 24, 8};
    } else {
        return FAIL(REASON_INPUT, "the transported key has %zu octets", unwrapping.length);
    }
    if (!read_point(X509_PUBKEY_get0(transport->ephemeral), type, point, &point_length))
        return 0;
    keg.ulPublicDataLen = point_length;
    return key_perform(key, unwrap, &unwrapping);
}

int transport_decrypt(
    struct key *key, int type, const struct agreement *agreement, EVP_PKEY *peer, const unsigned char *data,
    size_t data_length, unsigned char *secret, size_t *length) {
    const unsigned char *rest = data, *again = data;
    TRANSPORT_2018 *transport_2018;
    TRANSPORT *transport;
    int done;

    if (!secret) {
        *length = SECRET;
        return 1;
    }
    if (*length < SECRET)
        return FAIL(REASON_INPUT, "the key has %d octets, and there is room for %zu", SECRET, *length);
    if (data_length == 0 || data_length > 1 << 16)
        return FAIL(REASON_INPUT, "%zu octets are no transport of a key", data_length);
    if (key->always_asks)
        return FAIL(REASON_UNSUPPORTED, "a key that wants the PIN each time cannot agree on a key");
    ERR_set_mark();
    transport = (TRANSPORT *)ASN1_item_d2i(NULL, &rest, (long)data_length, ASN1_ITEM_rptr(TRANSPORT));
    transport_2018 = transport
        ? NULL
        : (TRANSPORT_2018 *)ASN1_item_d2i(NULL, &again, (long)data_length, ASN1_ITEM_rptr(TRANSPORT_2018));
    ERR_pop_to_mark();
    done = transport   ? decrypt_2001(key, type, peer, transport, secret)
        : transport_2018 ? decrypt_2018(key, type, agreement, transport_2018, secret)
                         : FAIL(REASON_INPUT, "the transport of the key cannot be read");
    ASN1_item_free((ASN1_VALUE *)transport, ASN1_ITEM_rptr(TRANSPORT));
    ASN1_item_free((ASN1_VALUE *)transport_2018, ASN1_ITEM_rptr(TRANSPORT_2018));
    if (done)
        *length = SECRET;
    return done;
}
