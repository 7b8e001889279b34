/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RSA keys of a token: the provider makes the paddings; the token signs with the padding of PKCS #1 v1.5, or raw
 * blocks, which PSS and OAEP need.
 */
#include "provider.h"

#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <string.h>

/*
 * A number, and a digest, of the default provider's context. They are read as numbers and names, because OpenSSL's
 * other forms depend on tables that another thread may be filling. NULL if the digest is not set.
 */
static int get_number(EVP_PKEY_CTX *context, const char *name, int *number) {
    OSSL_PARAM wanted[] = {OSSL_PARAM_construct_int(name, number), OSSL_PARAM_construct_end()};

    return EVP_PKEY_CTX_get_params(context, wanted) == 1
        || FAIL(REASON_UNSUPPORTED, "the default provider does not have the parameter %s", name);
}

static int get_digest(struct provider *provider, EVP_PKEY_CTX *context, const char *name, EVP_MD **md) {
    char text[64] = "";
    OSSL_PARAM wanted[] = {
        OSSL_PARAM_construct_utf8_string(name, text, sizeof text), OSSL_PARAM_construct_end()};

    *md = NULL;
    if (EVP_PKEY_CTX_get_params(context, wanted) != 1)
        return FAIL(REASON_UNSUPPORTED, "the default provider does not have the parameter %s", name);
    if (!text[0])
        return 1;
    *md = EVP_MD_fetch(provider->context, text, NULL);
    return *md ? 1 : FAIL(REASON_UNSUPPORTED, "the digest %s", text);
}

/* The last byte of the identifiers 2.16.840.1.101.3.4.2. */
static const struct {
    const char *name;
    unsigned char last;
} nist_digests[] = {
    {"SHA2-256", 1},     {"SHA2-384", 2}, {"SHA2-512", 3}, {"SHA2-224", 4}, {"SHA2-512/224", 5},
    {"SHA2-512/256", 6}, {"SHA3-224", 7}, {"SHA3-256", 8}, {"SHA3-384", 9}, {"SHA3-512", 10},
};

/* The identifier of a digest in DER; none for others. */
static struct der identifier_of(const EVP_MD *md, unsigned char octets[11]) {
    static const unsigned char sha1[] = {0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A};
    static const unsigned char nist[] = {0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02};

    if (EVP_MD_is_a(md, "SHA1"))
        return (struct der){sha1, sizeof sha1};
    for (size_t i = 0; i < sizeof nist_digests / sizeof *nist_digests; i++)
        if (EVP_MD_is_a(md, nist_digests[i].name)) {
            memcpy(octets, nist, sizeof nist);
            octets[10] = nist_digests[i].last;
            return (struct der){octets, 11};
        }
    return (struct der){NULL, 0};
}

/* DigestInfo of RFC 8017, 9.2; for the two digests of TLS 1.0, the data themselves. */
static size_t add_prefix(
    const EVP_MD *md, const unsigned char *digest, size_t length, unsigned char info[EVP_MAX_MD_SIZE + 32]) {
    struct der_writer writer = {.memory = info, .room = EVP_MAX_MD_SIZE + 32, .front = EVP_MAX_MD_SIZE + 32};
    const unsigned char null[] = {0x05, 0x00};
    unsigned char octets[11];
    struct der identifier = identifier_of(md, octets);
    size_t end, done;

    if (EVP_MD_is_a(md, "MD5-SHA1")) {
        memcpy(info, digest, length);
        return length;
    }
    if (!identifier.length)
        return 0;
    der_prepend(&writer, (struct der){digest, length});
    der_wrap(&writer, 0x04, writer.room);
    end = writer.front;
    der_prepend(&writer, (struct der){null, sizeof null});
    der_prepend(&writer, identifier);
    der_wrap(&writer, 0x30, end);
    der_wrap(&writer, 0x30, writer.room);
    return der_end(&writer, &done) ? done : 0;
}

/* Adds MGF1 (RFC 8017, B.2.1) to a block. */
static int add_mask(
    unsigned char *block, size_t length, const unsigned char *seed, size_t seed_length, const EVP_MD *md) {
    EVP_MD_CTX *hashing = EVP_MD_CTX_new();
    unsigned char digest[EVP_MAX_MD_SIZE];
    size_t done = 0;
    int size = EVP_MD_get_size(md), is_good = hashing != NULL && size > 0;

    for (uint32_t counter = 0; is_good && done < length; counter++) {
        unsigned char octets[4] = {
            (unsigned char)(counter >> 24), (unsigned char)(counter >> 16), (unsigned char)(counter >> 8),
            (unsigned char)counter};
        is_good = EVP_DigestInit_ex2(hashing, md, NULL) && EVP_DigestUpdate(hashing, seed, seed_length)
            && EVP_DigestUpdate(hashing, octets, sizeof octets) && EVP_DigestFinal_ex(hashing, digest, NULL);
        for (size_t i = 0; is_good && i < (size_t)size && done < length; i++)
            block[done++] ^= digest[i];
    }
    EVP_MD_CTX_free(hashing);
    return is_good;
}

/* EMSA-PSS-ENCODE of RFC 8017, 9.1.1, into a block of the modulus's length. */
static int encode_pss(
    const struct pkey *pkey, const unsigned char *digest, int salt_length, const EVP_MD *md, const EVP_MD *mask_md,
    unsigned char *block) {
    static const unsigned char zeros[8] = {0};
    int bits = EVP_PKEY_get_bits(pkey->pkey) - 1, size = (bits + 7) / 8, hash = EVP_MD_get_size(md);
    int most = size - hash - 2;
    unsigned char *encoded = block + pkey_size(pkey) - (size_t)size, *salt, *masked;
    EVP_MD_CTX *hashing;
    int is_good;

    if (salt_length == RSA_PSS_SALTLEN_DIGEST)
        salt_length = hash;
    else if (salt_length == RSA_PSS_SALTLEN_AUTO || salt_length == RSA_PSS_SALTLEN_MAX)
        salt_length = most;
    else if (salt_length < 0)
        salt_length = hash < most ? hash : most;
    if (hash <= 0 || most < 0 || salt_length > most)
        return FAIL(REASON_INPUT, "the key is too short for this digest and salt");
    memset(block, 0, pkey_size(pkey));
    salt = encoded + size - hash - 1 - salt_length;
    masked = encoded + size - hash - 1;
    hashing = EVP_MD_CTX_new();
    is_good = hashing && (salt_length == 0 || RAND_bytes_ex(pkey->provider->context, salt, (size_t)salt_length, 0) == 1)
        && EVP_DigestInit_ex2(hashing, md, NULL) && EVP_DigestUpdate(hashing, zeros, sizeof zeros)
        && EVP_DigestUpdate(hashing, digest, (size_t)hash) && EVP_DigestUpdate(hashing, salt, (size_t)salt_length)
        && EVP_DigestFinal_ex(hashing, masked, NULL);
    EVP_MD_CTX_free(hashing);
    if (!is_good)
        return 0;
    salt[-1] = 1;
    if (!add_mask(encoded, (size_t)(size - hash - 1), masked, (size_t)hash, mask_md))
        return 0;
    encoded[0] &= (unsigned char)(0xFF >> (8 * size - bits));
    encoded[size - 1] = 0xBC;
    return 1;
}

static int sign_padded(
    const struct pkey *pkey, int padding, int salt_length, const EVP_MD *md, const EVP_MD *mask_md,
    const unsigned char *digest, size_t length, unsigned char *signature) {
    unsigned char block[LARGEST_RSA], info[EVP_MAX_MD_SIZE + 32];
    size_t size = pkey_size(pkey), info_length;

    if (md && length != (size_t)EVP_MD_get_size(md))
        return FAIL(REASON_INPUT, "the digest has %zu bytes instead of %d", length, EVP_MD_get_size(md));
    switch (padding) {
    case RSA_PKCS1_PADDING:
        if (!md) {
            if (length > size - RSA_PKCS1_PADDING_SIZE)
                return FAIL(REASON_INPUT, "%zu bytes for a key of %zu", length, size);
            return key_sign_rsa(pkey->key, true, digest, length, signature, size);
        }
        info_length = add_prefix(md, digest, length, info);
        if (info_length == 0 || info_length > size - RSA_PKCS1_PADDING_SIZE)
            return FAIL(REASON_UNSUPPORTED, "this digest with a key of %zu bytes", size);
        return key_sign_rsa(pkey->key, true, info, info_length, signature, size);
    case RSA_PKCS1_PSS_PADDING:
        if (!md)
            return FAIL(REASON_INPUT, "PSS needs a digest");
        return encode_pss(pkey, digest, salt_length, md, mask_md ? mask_md : md, block)
            && key_sign_rsa(pkey->key, false, block, size, signature, size);
    case RSA_NO_PADDING:
        return length == size ? key_sign_rsa(pkey->key, false, digest, length, signature, size)
                              : FAIL(REASON_INPUT, "%zu bytes without padding for a key of %zu", length, size);
    default: return FAIL(REASON_UNSUPPORTED, "the padding %d of RSA", padding);
    }
}

int rsa_sign(
    const struct pkey *pkey, EVP_PKEY_CTX *parameters, const unsigned char *digest, size_t length,
    unsigned char *signature, size_t *signature_length) {
    size_t size = pkey_size(pkey);
    EVP_MD *md = NULL, *mask_md = NULL;
    int padding = 0, salt_length = 0;
    int done;

    *signature_length = size;
    if (size > LARGEST_RSA || size <= RSA_PKCS1_PADDING_SIZE)
        return FAIL(REASON_UNSUPPORTED, "a key of RSA with %zu bytes", size);
    done = get_number(parameters, OSSL_SIGNATURE_PARAM_PAD_MODE, &padding)
        && get_digest(pkey->provider, parameters, OSSL_SIGNATURE_PARAM_DIGEST, &md)
        && (padding != RSA_PKCS1_PSS_PADDING
            || (get_number(parameters, OSSL_SIGNATURE_PARAM_PSS_SALTLEN, &salt_length)
                && get_digest(pkey->provider, parameters, OSSL_SIGNATURE_PARAM_MGF1_DIGEST, &mask_md)))
        && sign_padded(pkey, padding, salt_length, md, mask_md, digest, length, signature);
    EVP_MD_free(md);
    EVP_MD_free(mask_md);
    return done;
}

/* ---- Decryption ---- */

struct decryption {
    struct provider *provider;
    struct pkey *pkey;
    EVP_PKEY_CTX *inner;
};

static void *new(void *provider) {
    struct decryption *decryption = OPENSSL_zalloc(sizeof *decryption);

    if (decryption)
        decryption->provider = provider;
    return decryption;
}

static void release(void *context) {
    struct decryption *decryption = context;

    EVP_PKEY_CTX_free(decryption->inner);
    pkey_free(decryption->pkey);
    OPENSSL_free(decryption);
}

static void *duplicate(void *context) {
    struct decryption *decryption = context, *copy = new(decryption->provider);

    if (!copy)
        return NULL;
    copy->pkey = pkey_retain(decryption->pkey);
    if (decryption->inner && !(copy->inner = EVP_PKEY_CTX_dup(decryption->inner))) {
        release(copy);
        return NULL;
    }
    return copy;
}

static int begin(void *context, void *key, const OSSL_PARAM parameters[], bool is_decryption) {
    struct decryption *decryption = context;

    /* The error of a message before is not this one's. */
    unopened_forget();
    pkey_replace(&decryption->pkey, key);
    if (!given_check(parameters))
        return 0;
    if (!decryption->pkey || !decryption->pkey->pkey || (is_decryption && !decryption->pkey->key))
        return FAIL(REASON_INPUT, "the key has no private half on a token");
    EVP_PKEY_CTX_free(decryption->inner);
    decryption->inner =
        EVP_PKEY_CTX_new_from_pkey(decryption->provider->context, decryption->pkey->pkey, "provider!=kanal");
    return decryption->inner
        && (is_decryption ? EVP_PKEY_decrypt_init(decryption->inner) : EVP_PKEY_encrypt_init(decryption->inner)) == 1
        && (!parameters || EVP_PKEY_CTX_set_params(decryption->inner, parameters));
}
static int begin_decrypt(void *context, void *key, const OSSL_PARAM parameters[]) {
    return begin(context, key, parameters, true);
}
static int begin_encrypt(void *context, void *key, const OSSL_PARAM parameters[]) {
    return begin(context, key, parameters, false);
}

static int encrypt(
    void *context, unsigned char *result, size_t *length, size_t room, const unsigned char *data, size_t data_length) {
    struct decryption *decryption = context;

    *length = room;
    return EVP_PKEY_encrypt(decryption->inner, result, length, data, data_length) == 1;
}

static int open_oaep(
    struct decryption *decryption, const unsigned char *block, size_t size, unsigned char *result, size_t room,
    size_t *length) {
    EVP_MD *md = NULL, *mask_md = NULL;
    unsigned char *label = NULL, plain[LARGEST_RSA];
    int label_length, opened = -1;

    label_length = EVP_PKEY_CTX_get0_rsa_oaep_label(decryption->inner, &label);
    if (label_length >= 0
        && get_digest(decryption->provider, decryption->inner, OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, &md) && md
        && get_digest(decryption->provider, decryption->inner, OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, &mask_md))
        opened = RSA_padding_check_PKCS1_OAEP_mgf1(
            plain, sizeof plain, block, (int)size, (int)size, label, label_length, md, mask_md ? mask_md : md);
    EVP_MD_free(md);
    EVP_MD_free(mask_md);
    if (opened >= 0 && (size_t)opened <= room) {
        memcpy(result, plain, (size_t)opened);
        *length = (size_t)opened;
    }
    OPENSSL_cleanse(plain, sizeof plain);
    if (opened >= 0 && (size_t)opened > room)
        return FAIL(REASON_INPUT, "there is room for %zu bytes, and the message has more", room);
    return opened >= 0;
}

static int decrypt(
    void *context, unsigned char *result, size_t *length, size_t room, const unsigned char *data, size_t data_length) {
    struct decryption *decryption = context;
    size_t size = pkey_size(decryption->pkey), block_length = 0;
    unsigned char block[LARGEST_RSA];
    int padding, done;

    if (!result) {
        *length = size;
        return 1;
    }
    if (size > sizeof block || data_length != size)
        return FAIL(REASON_INPUT, "%zu bytes for a key of %zu", data_length, size);
    if (!get_number(decryption->inner, OSSL_ASYM_CIPHER_PARAM_PAD_MODE, &padding))
        return 0;
    if (padding != RSA_PKCS1_PADDING && padding != RSA_PKCS1_OAEP_PADDING && padding != RSA_NO_PADDING)
        return FAIL(REASON_UNSUPPORTED, "the padding %d of RSA", padding);
    done = key_decrypt_rsa(
        decryption->pkey->key, padding == RSA_PKCS1_PADDING, data, data_length, block, size, &block_length);
    if (done && padding == RSA_PKCS1_OAEP_PADDING) {
        done = open_oaep(decryption, block, size, result, room, length);
    } else if (done && block_length <= room) {
        memcpy(result, block, block_length);
        *length = block_length;
    } else if (done) {
        done = FAIL(REASON_INPUT, "there is room for %zu bytes, and the message has more", room);
    }
    OPENSSL_cleanse(block, sizeof block);
    return done;
}

static int get(void *context, OSSL_PARAM parameters[]) {
    struct decryption *decryption = context;
    return wanted_check(parameters) && (!decryption->inner || EVP_PKEY_CTX_get_params(decryption->inner, parameters));
}
static int set(void *context, const OSSL_PARAM parameters[]) {
    struct decryption *decryption = context;
    return given_check(parameters)
        && (!decryption->inner || !parameters || EVP_PKEY_CTX_set_params(decryption->inner, parameters));
}
CONTEXT_LIST(
    list_parameters, OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST_PROPS, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST_PROPS, NULL, 0),
    OSSL_PARAM_octet_string(OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL, NULL, 0))

const OSSL_DISPATCH rsa_decryption[] = {
    ENTRY(OSSL_FUNC_ASYM_CIPHER_NEWCTX, new),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_FREECTX, release),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_DUPCTX, duplicate),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_DECRYPT_INIT, begin_decrypt),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_DECRYPT, decrypt),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_ENCRYPT_INIT, begin_encrypt),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_ENCRYPT, encrypt),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_GET_CTX_PARAMS, get),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_GETTABLE_CTX_PARAMS, list_parameters),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_SET_CTX_PARAMS, set),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_SETTABLE_CTX_PARAMS, list_parameters),
    END_OF_TABLE,
};
