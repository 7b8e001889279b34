/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures, agreements, decryption and generation by GOST keys in memory. */
#include "provider.h"

#include <string.h>
#include <sys/random.h>

static int make_noise(unsigned char noise[gost_noise_size]) {
    return getrandom(noise, gost_noise_size, 0) == gost_noise_size || FAIL(REASON_INPUT, "the system provides no random numbers");
}

int software_sign(const struct pkey *pkey, const unsigned char *digest, unsigned char *signature) {
    unsigned char noise[gost_noise_size];
    gost_domain domain;
    int done = make_noise(noise) && (domain_of(pkey->curve, &domain) || NO_MEMORY());

    done = done
        && (gost_sign(&domain, pkey->number->octets, digest, noise, signature)
            || FAIL(REASON_INPUT, "the random numbers yielded no signature; try again"));
    OPENSSL_cleanse(noise, sizeof noise);
    return done;
}

/* The shared secret, by VKO or KEG. */
static int agree(
    const struct pkey *pkey, const unsigned char *point, const unsigned char *ukm, bool is_keg, unsigned char *secret) {
    gost_hash_name kind = pkey->kind == KIND_GOST_2001 ? gost_hash_r341194 : gost_hash_streebog256;
    const unsigned char *number = pkey->number->octets;
    gost_domain domain;

    if (!domain_of(pkey->curve, &domain))
        return NO_MEMORY();
    /* A point of another curve, or of a small order, would reveal the number. */
    if (!gost_is_point(&domain, point))
        return FAIL(REASON_INPUT, "the other side's public key is not a point of the curve");
    return (is_keg ? gost_keg(&domain, number, point, ukm, secret)
                   : gost_vko(&domain, number, point, ukm, 8, kind, secret))
        || FAIL(REASON_INPUT, "UKM is a multiple of the curve's order");
}

int software_derive(
    const struct pkey *pkey, const struct agreement *agreement, const struct pkey *peer, unsigned char *secret,
    size_t *length) {
    size_t size = transport_secret_size(pkey->kind, agreement), point_length;
    unsigned char point[128];

    if (!size)
        return 0;
    if (!secret) {
        *length = size;
        return 1;
    }
    if (*length < size)
        return FAIL(REASON_INPUT, "the secret has %zu bytes, and there is room for %zu", size, *length);
    if (!transport_point(peer ? &peer->info : NULL, pkey->kind, point, &point_length))
        return 0;
    if (peer->curve->numbers != pkey->curve->numbers)
        return FAIL(REASON_INPUT, "the other side's public key is on another curve");
    *length = size;
    return agree(pkey, point, agreement->ukm, size == 64, secret);
}

/* The code proves the key. */
static int unwrap(const struct transported *transported, const unsigned char *kek, unsigned char *secret) {
    unsigned char key[gost_key_size];
    gost_sbox_name rows;
    gost_cipher_name kind = transported->wrapped_length == TRANSPORTED_KEY + 8 ? gost_cipher_magma : gost_cipher_kuznyechik;
    bool is_right;

    if (transported->has_keg) {
        is_right = gost_kimp15(
            gost_best_path(), kind, kek, transported->ukm + 24, transported->wrapped, transported->wrapped_length, secret);
    } else {
        if (!gost_sbox_named(transported->cipher.bytes, transported->cipher.length, &rows))
            return FAIL(REASON_INPUT, "the parameter set of GOST 28147-89 is not known");
        gost_diversify(gost_best_path(), rows, kek, transported->ukm, key);
        is_right = gost_unwrap_28147(gost_best_path(), rows, key, transported->ukm, transported->wrapped, secret);
        OPENSSL_cleanse(key, sizeof key);
    }
    return is_right || FAIL(REASON_INPUT, "the transported key's code is wrong: it is for another key, or was changed");
}

int software_decrypt(
    const struct pkey *pkey, const struct agreement *agreement, const unsigned char *data, size_t data_length,
    unsigned char *secret, size_t *length) {
    struct transported transported;
    unsigned char kek[64];
    int done;

    if (!secret) {
        *length = TRANSPORTED_KEY;
        return 1;
    }
    if (*length < TRANSPORTED_KEY)
        return FAIL(REASON_INPUT, "the key has %d bytes, and there is room for %zu", TRANSPORTED_KEY, *length);
    if (!transport_read(pkey->kind, agreement, NULL, data, data_length, &transported))
        return 0;
    done = agree(pkey, transported.point, transported.ukm, transported.has_keg, kek) && unwrap(&transported, kek, secret);
    OPENSSL_cleanse(kek, sizeof kek);
    *length = TRANSPORTED_KEY;
    return done;
}

/* ---- Keys ---- */

struct pkey *software_key(
    struct provider *provider, enum kind kind, const gost_curve_set *curve, struct der hash, struct secret *number) {
    unsigned char point[2 * gost_number_largest], *der = NULL;
    struct pkey *pkey = NULL;
    gost_domain domain;
    size_t size, length;

    if (!number || !domain_of(curve, &domain)) {
        NO_MEMORY();
    } else if (size = curve->numbers->size, number->length != size || (size == 64) != (kind == KIND_GOST_512)) {
        FAIL(REASON_INPUT, "the private key does not have the length of its curve");
    } else if (
        !gost_is_number(curve, number->octets) || !gost_curve_multiply_base(domain.curve, point, number->octets)) {
        FAIL(REASON_INPUT, "the private key is not a number above 0 and below the curve's order");
    } else {
        der = info_gost(
            kind, (struct der){curve->oid, curve->oid_length}, hash, (struct der){point, 2 * size}, &length);
        pkey = der ? pkey_new(provider, der, length) : NULL;
    }
    if (pkey)
        pkey->number = number;
    else
        secret_free(number);
    return pkey;
}

struct pkey *software_generate(
    struct provider *provider, enum kind kind, const gost_curve_set *curve, struct der hash) {
    unsigned char noise[gost_noise_size], number[gost_number_largest] = {0};
    struct secret *secret = secret_new(number, curve->numbers->size);
    bool is_made = secret && make_noise(noise) && gost_generate(gost_best_path(), curve, noise, secret->octets);

    OPENSSL_cleanse(noise, sizeof noise);
    if (is_made)
        return software_key(provider, kind, curve, hash, secret);
    secret_free(secret);
    FAIL(REASON_INPUT, "the random numbers yielded no private key; try again");
    return NULL;
}
