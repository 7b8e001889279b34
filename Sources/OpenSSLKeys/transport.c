/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Key agreement by GOST keys of a token: VKO with a UKM of 8 bytes (RFC 7836, 4.3; RFC 4357, 5.2), KEG with 32 (RFC
 * 9189, 8.3.1), as in the engine gost. Decryption begins with an agreement: key transport of CMS and old suites of TLS
 * (RFC 4490, 4.2), and of the suites with Magma and Kuznyechik. The module unwraps, too.
 */
#include "keys.h"

#include <string.h>

enum { SECRET = TRANSPORTED_KEY, TWIN = 64, UKM = 8, LONG_UKM = 32 };

/* CK_GOSTR3410_DERIVE_PARAMS of PKCS #11 2.40, which p11-kit's header lacks. */
struct vko_parameters {
    CK_ULONG kdf;
    CK_BYTE_PTR public_key;
    CK_ULONG public_length;
    CK_BYTE_PTR ukm;
    CK_ULONG ukm_length;
};

int transport_point(const struct info *peer, enum kind kind, unsigned char point[128], size_t *length) {
    if (!peer)
        return FAIL(REASON_INPUT, "the other side's public key is missing");
    if (peer->kind != kind)
        return FAIL(REASON_INPUT, "the other side's public key is not of the key's type");
    memcpy(point, peer->key.bytes, peer->key.length);
    *length = peer->key.length;
    return 1;
}

/* The same for a key in a message: the content of a SubjectPublicKeyInfo, under its own tag or another. */
static int read_ephemeral(struct der info, enum kind kind, unsigned char point[128], size_t *length) {
    unsigned char octets[512];
    struct info peer;

    if (info.length > sizeof octets)
        return FAIL(REASON_INPUT, "the ephemeral public key has %zu bytes", info.length);
    memcpy(octets, info.bytes, info.length);
    octets[0] = 0x30;
    return info_read(octets, info.length, &peer) ? transport_point(&peer, kind, point, length)
                                                 : FAIL(REASON_INPUT, "the ephemeral public key cannot be read");
}

/* A module may not check points; its answers to points of other curves, or of small orders, reveal the private key. */
static int check_point(point_check accepts, const struct info *own, const unsigned char *point, size_t length) {
    return accepts(own->curve, point, length)
        || FAIL(REASON_INPUT, "the other side's public key is not a point of the curve");
}

static CK_MECHANISM_TYPE agreement_mechanism(enum kind kind) {
    return kind == KIND_GOST_2001 ? CKM_GOSTR3410_DERIVE : CKM_GOSTR3410_12_DERIVE;
}

size_t transport_secret_size(enum kind kind, const struct agreement *agreement) {
    if (agreement->ukm_length != UKM && agreement->ukm_length != LONG_UKM)
        return (size_t)FAIL(REASON_INPUT, "UKM has %zu bytes; it needs 8 or 32", agreement->ukm_length);
    if (agreement->ukm_length == LONG_UKM && kind == KIND_GOST_2001)
        return (size_t)FAIL(REASON_UNSUPPORTED, "KEG with a key of GOST R 34.10-2001");
    return agreement->ukm_length == LONG_UKM ? TWIN : SECRET;
}

int transport_derive(
    struct key *key, const struct info *own, const struct agreement *agreement, const struct info *peer, point_check accepts,
    unsigned char *secret, size_t *length) {
    enum kind kind = own->kind;
    unsigned char point[128], ukm[LONG_UKM];
    struct vko_parameters vko = {CKD_NULL, point, 0, ukm, UKM};
    CK_ECDH1_DERIVE_PARAMS keg = {CKD_NULL, LONG_UKM, ukm, 0, point};
    bool is_keg = agreement->ukm_length == LONG_UKM;
    CK_MECHANISM mechanism = {agreement_mechanism(kind), &vko, sizeof vko};
    size_t size = transport_secret_size(kind, agreement), point_length;

    if (!size)
        return 0;
    if (!secret) {
        *length = size;
        return 1;
    }
    if (*length < size)
        return FAIL(REASON_INPUT, "the secret has %zu bytes, and there is room for %zu", size, *length);
    if (!transport_point(peer, kind, point, &point_length) || !check_point(accepts, own, point, point_length))
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
    const unsigned char *cipher;
    size_t cipher_length;
    CK_MECHANISM mechanism;
    const unsigned char *data;
    size_t length;
    unsigned char *secret;
};

static CK_RV unwrap(struct use *use, void *data) {
    struct unwrapping *unwrapping = data;
    CK_OBJECT_CLASS object_class = CKO_SECRET_KEY;
    CK_KEY_TYPE type = unwrapping->cipher ? CKK_GOST28147 : CKK_GENERIC_SECRET;
    CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
    CK_ATTRIBUTE unwrapper[] = {
        {CKA_CLASS, &object_class, sizeof object_class},
        {CKA_KEY_TYPE, &unwrapping->unwrapper, sizeof unwrapping->unwrapper},
        {CKA_TOKEN, &no, sizeof no},
        {CKA_UNWRAP, &yes, sizeof yes},
        {CKA_GOST28147_PARAMS, (void *)unwrapping->cipher, (CK_ULONG)unwrapping->cipher_length},
    };
    CK_ATTRIBUTE wanted[] = {
        {CKA_CLASS, &object_class, sizeof object_class},     {CKA_KEY_TYPE, &type, sizeof type}, {CKA_TOKEN, &no, sizeof no},
        {CKA_SENSITIVE, &no, sizeof no},     {CKA_EXTRACTABLE, &yes, sizeof yes},
        {CKA_GOST28147_PARAMS, (void *)unwrapping->cipher, (CK_ULONG)unwrapping->cipher_length},
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

/* GostR3410-KeyTransport of RFC 4490, 4.2. */
struct transport {
    struct der encrypted, mac, cipher, ephemeral, ukm;
    bool has_mask;
};
/* PSKeyTransport of RFC 9189, 4.2.4.1. */
struct transport_2018 {
    struct der wrapped, ephemeral, ukm;
};

static bool read_transport(struct der data, struct transport *transport) {
    struct der whole, key, parameters, mask;

    *transport = (struct transport){0};
    if (!der_take(&data, 0x30, &whole) || data.length || !der_take(&whole, 0x30, &key)
        || !der_take(&whole, 0xA0, &parameters) || whole.length || !der_take(&key, 0x04, &transport->encrypted))
        return false;
    if (der_has(&key, 0x80)) {
        transport->has_mask = true;
        if (!der_take(&key, 0x80, &mask))
            return false;
    }
    if (!der_take(&key, 0x04, &transport->mac) || key.length
        || !der_take_whole(&parameters, 0x06, &transport->cipher))
        return false;
    if (der_has(&parameters, 0xA0) && !der_take_whole(&parameters, 0xA0, &transport->ephemeral))
        return false;
    return der_take(&parameters, 0x04, &transport->ukm) && parameters.length == 0;
}

static bool read_transport_2018(struct der data, struct transport_2018 *transport) {
    struct der whole;

    *transport = (struct transport_2018){0};
    if (!der_take(&data, 0x30, &whole) || data.length || !der_take(&whole, 0x04, &transport->wrapped)
        || !der_take_whole(&whole, 0x30, &transport->ephemeral))
        return false;
    return whole.length == 0 || (der_take(&whole, 0x04, &transport->ukm) && whole.length == 0);
}

/* The key that CMS and suites before 2018 transport. */
static int take_2001(
    enum kind kind, const struct info *peer, const struct transport *transport, struct transported *transported) {
    if (transport->encrypted.length != SECRET || transport->has_mask || transport->mac.length != 4
        || transport->ukm.length != UKM)
        return FAIL(REASON_INPUT, "the transported key, its code or UKM has a wrong length");
    transported->cipher = transport->cipher;
    memcpy(transported->ukm, transport->ukm.bytes, UKM);
    memcpy(transported->wrapped, transport->encrypted.bytes, SECRET);
    memcpy(transported->wrapped + SECRET, transport->mac.bytes, 4);
    transported->wrapped_length = SECRET + 4;
    return transport->ephemeral.bytes
        ? read_ephemeral(transport->ephemeral, kind, transported->point, &transported->point_length)
        : transport_point(peer, kind, transported->point, &transported->point_length);
}

/* The key that the suites of 2018 transport, and CMS with KExp15. The length of its code determines the cipher. */
static int take_2018(
    enum kind kind, const struct agreement *agreement, const struct transport_2018 *transport,
    struct transported *transported) {
    if (kind == KIND_GOST_2001)
        return FAIL(REASON_UNSUPPORTED, "KEG with a key of GOST R 34.10-2001");
    transported->has_keg = true;
    if (transport->ukm.length == LONG_UKM)
        memcpy(transported->ukm, transport->ukm.bytes, LONG_UKM);
    else if (agreement->ukm_length == LONG_UKM)
        memcpy(transported->ukm, agreement->ukm, LONG_UKM);
    else
        return FAIL(REASON_INPUT, "UKM of 32 bytes is missing");
    if (transport->wrapped.length != SECRET + 8 && transport->wrapped.length != SECRET + 16)
        return FAIL(REASON_INPUT, "the transported key has %zu bytes", transport->wrapped.length);
    transported->wrapped_length = transport->wrapped.length;
    memcpy(transported->wrapped, transport->wrapped.bytes, transport->wrapped.length);
    return read_ephemeral(transport->ephemeral, kind, transported->point, &transported->point_length);
}

int transport_read(
    enum kind kind, const struct agreement *agreement, const struct info *peer, const unsigned char *data, size_t length,
    struct transported *transported) {
    struct transport_2018 transport_2018;
    struct transport transport;

    *transported = (struct transported){0};
    if (length == 0 || length > 1 << 16)
        return FAIL(REASON_INPUT, "%zu bytes are not a transported key", length);
    if (read_transport((struct der){data, length}, &transport))
        return take_2001(kind, peer, &transport, transported);
    if (read_transport_2018((struct der){data, length}, &transport_2018))
        return take_2018(kind, agreement, &transport_2018, transported);
    return FAIL(REASON_INPUT, "the transported key cannot be read");
}

static int open_2001(struct key *key, enum kind kind, struct transported *transported, unsigned char *secret) {
    struct vko_parameters vko = {
        CKD_CPDIVERSIFY_KDF, transported->point, transported->point_length, transported->ukm, UKM};
    struct unwrapping unwrapping = {
        .agreement = {agreement_mechanism(kind), &vko, sizeof vko},
        .unwrapper = CKK_GOST28147,
        .cipher = transported->cipher.bytes,
        .cipher_length = transported->cipher.length,
        .mechanism = {CKM_GOST28147_KEY_WRAP, transported->ukm, UKM},
        .data = transported->wrapped,
        .length = transported->wrapped_length,
        .secret = secret,
    };

    return key_perform(key, unwrap, &unwrapping);
}

static int open_2018(struct key *key, struct transported *transported, unsigned char *secret) {
    CK_ECDH1_DERIVE_PARAMS keg = {
        CKD_NULL, LONG_UKM, transported->ukm, transported->point_length, transported->point};
    bool is_magma = transported->wrapped_length == SECRET + 8;
    struct unwrapping unwrapping = {
        .agreement = {CKM_GOST_KEG, &keg, sizeof keg},
        .unwrapper = is_magma ? CKK_MAGMA_TWIN_KEY : CKK_KUZNYECHIK_TWIN_KEY,
        .mechanism = {
            is_magma ? CKM_MAGMA_KEXP_15_WRAP : CKM_KUZNYECHIK_KEXP_15_WRAP, transported->ukm + 24, is_magma ? 4 : 8},
        .data = transported->wrapped,
        .length = transported->wrapped_length,
        .secret = secret,
    };

    return key_perform(key, unwrap, &unwrapping);
}

int transport_decrypt(
    struct key *key, const struct info *own, const struct agreement *agreement, const struct info *peer, point_check accepts,
    const unsigned char *data, size_t data_length, unsigned char *secret, size_t *length) {
    enum kind kind = own->kind;
    struct transported transported;

    if (!secret) {
        *length = SECRET;
        return 1;
    }
    if (*length < SECRET)
        return FAIL(REASON_INPUT, "the key has %d bytes, and there is room for %zu", SECRET, *length);
    if (!key_can_agree(key) || !transport_read(kind, agreement, peer, data, data_length, &transported)
        || !check_point(accepts, own, transported.point, transported.point_length)
        || !(transported.has_keg ? open_2018(key, &transported, secret) : open_2001(key, kind, &transported, secret)))
        return 0;
    *length = SECRET;
    return 1;
}
