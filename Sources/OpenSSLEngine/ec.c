/* SPDX-License-Identifier: Apache-2.0 */
/* Keys on elliptic curves: ECDSA and ECDH by the token. GOST keys have the same type in OpenSSL. */
#include "engine.h"

static int slot = -1;
static EC_KEY_METHOD *method;

struct key *ec_key(const EC_KEY *ec) { return ec && slot >= 0 ? EC_KEY_get_ex_data(ec, slot) : NULL; }

int ec_set_key(EC_KEY *ec, struct key *key) {
    if (!ec || !EC_KEY_set_ex_data(ec, slot, key))
        return NO_MEMORY();
    key_retain(key);
    return 1;
}

static ECDSA_SIG *sign(const unsigned char *digest, int length, const BIGNUM *kinv, const BIGNUM *rp, EC_KEY *ec) {
    struct key *key = ec_key(ec);
    int size = key ? (EC_GROUP_order_bits(EC_KEY_get0_group(ec)) + 7) / 8 : 0;
    unsigned char signature[2 * LARGEST_COORDINATE];
    ECDSA_SIG *result = NULL;
    BIGNUM *r, *s;

    (void)kinv, (void)rp;
    if (!key || length < 0) {
        FAIL(REASON_INPUT, "the key is not the token's");
        return NULL;
    }
    if (!key_sign_ec(key, digest, (size_t)length, signature, (size_t)size))
        return NULL;
    r = BN_bin2bn(signature, size, NULL);
    s = BN_bin2bn(signature + size, size, NULL);
    if (r && s && (result = ECDSA_SIG_new()) && ECDSA_SIG_set0(result, r, s))
        return result;
    ECDSA_SIG_free(result);
    BN_free(r);
    BN_free(s);
    NO_MEMORY();
    return NULL;
}

static int agree(unsigned char **secret, size_t *length, const EC_POINT *peer, const EC_KEY *ec) {
    struct key *key = ec_key(ec);
    const EC_GROUP *group = EC_KEY_get0_group(ec);
    unsigned char point[1 + 2 * LARGEST_COORDINATE];
    size_t size = EC_POINT_point2oct(group, peer, POINT_CONVERSION_UNCOMPRESSED, point, sizeof point, NULL);

    if (!key || size == 0)
        return FAIL(REASON_INPUT, "the key is not the token's, or the other side's key is not a point");
    *length = size / 2;
    *secret = OPENSSL_zalloc(*length);
    if (!*secret)
        return NO_MEMORY();
    if (key_derive_ec(key, point, size, *secret, *length))
        return 1;
    OPENSSL_clear_free(*secret, *length);
    *secret = NULL;
    return 0;
}

void key_free_data(void *parent, void *data, CRYPTO_EX_DATA *all, int index, long number, void *pointer) {
    (void)parent, (void)all, (void)index, (void)number, (void)pointer;
    key_free(data);
}

int key_share_data(CRYPTO_EX_DATA *to, const CRYPTO_EX_DATA *from, void **data, int index, long number, void *pointer) {
    (void)to, (void)from, (void)index, (void)number, (void)pointer;
    if (*data)
        key_retain(*data);
    return 1;
}

static pthread_once_t made = PTHREAD_ONCE_INIT;
static void make(void) {
    int (*sign_octets)(
        int, const unsigned char *, int, unsigned char *, unsigned int *, const BIGNUM *, const BIGNUM *, EC_KEY *);
    int (*sign_setup)(EC_KEY *, BN_CTX *, BIGNUM **, BIGNUM **);

    slot = EC_KEY_get_ex_new_index(0, NULL, NULL, key_share_data, key_free_data);
    method = EC_KEY_METHOD_new(EC_KEY_OpenSSL());
    if (!method)
        return;
    EC_KEY_METHOD_get_sign(method, &sign_octets, &sign_setup, NULL);
    EC_KEY_METHOD_set_sign(method, sign_octets, sign_setup, sign);
    EC_KEY_METHOD_set_compute_key(method, agree);
}

int ec_prepare(void) {
    pthread_once(&made, make);
    return method && slot >= 0;
}

int ec_attach(ENGINE *engine, EVP_PKEY *pkey, struct key *key) {
    EC_KEY *ec = EVP_PKEY_get1_EC_KEY(pkey), *own = EC_KEY_new();
    int done = 0;

    (void)engine;
    if (ec && own && EC_KEY_set_group(own, EC_KEY_get0_group(ec))
        && EC_KEY_set_public_key(own, EC_KEY_get0_public_key(ec)) && EC_KEY_set_method(own, method)
        && ec_set_key(own, key))
        done = EVP_PKEY_set1_EC_KEY(pkey, own);
    EC_KEY_free(own);
    EC_KEY_free(ec);
    return done || NO_MEMORY();
}
