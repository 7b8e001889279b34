/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lies LIAR OPERATION KEY [hidden]
 *
 * Uses a key of the engine "kanal", or without it (no OPENSSL_ENGINES) of the provider "kanal", by a module with
 * false answers, LIAR, which is the configuration's module, too. OPERATION is sign, pss, decrypt, oaep or derive.
 * Without the engine a GOST key decrypts the file of the variable TRANSPORTED, which decrypt() encrypts. Each
 * function answers falsely in each way: the operation fails with the engine's error, or has the result of an honest
 * module; a false result always fails. A text below a padding of PKCS #1 has any length that there is room for.
 * Hidden is CKA_PUBLIC_KEY_INFO. The program is built with AddressSanitizer, as the engine is, and its buffers have
 * the sizes that OpenSSL asks for. OpenSSL 4 has no engines.
 */
#define OPENSSL_API_COMPAT 10101
#include <dlfcn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/store.h>
#include <openssl/x509.h>
#include <p11-kit/pkcs11.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if OPENSSL_VERSION_MAJOR < 4
#include <openssl/engine.h>
#else
#define ENGINE_by_id(name) NULL
#define ENGINE_init(engine) 0
#define ENGINE_load_private_key(engine, name, method, data) NULL
#define ENGINE_finish(engine) (void)(engine)
#define ENGINE_free(engine) (void)(engine)
#endif

enum { SLOTS, OBJECTS, ATTRIBUTE, SIGN, DECRYPT, NOTHING };
enum { QUESTION = 1, VALUE = 2, BOTH = 3, LIES = 13 };
static void (*tell)(int, CK_ATTRIBUTE_TYPE, int, int);
static int *told, all;
static ENGINE *engine;
static const char *name, *operation;
static EVP_PKEY *half;

static bool is(const char *word) { return strcmp(operation, word) == 0; }

static bool sign(EVP_PKEY *key) {
    unsigned char message[] = "message", *signature = malloc((size_t)EVP_PKEY_get_size(key));
    size_t length = (size_t)EVP_PKEY_get_size(key);
    EVP_MD_CTX *signing = EVP_MD_CTX_new(), *verifying = EVP_MD_CTX_new();
    EVP_PKEY_CTX *context, *other;
    const EVP_MD *digest;
    int nid = 0;
    bool done = EVP_PKEY_get_default_digest_nid(key, &nid) > 0 && (digest = EVP_get_digestbynid(nid))
        && EVP_DigestSignInit(signing, &context, digest, NULL, key) > 0
        && (!is("pss") || EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) > 0)
        && EVP_DigestSign(signing, signature, &length, message, sizeof message) > 0
        && EVP_DigestVerifyInit(verifying, &other, digest, NULL, half) > 0
        && (!is("pss") || EVP_PKEY_CTX_set_rsa_padding(other, RSA_PKCS1_PSS_PADDING) > 0)
        && EVP_DigestVerify(verifying, signature, length, message, sizeof message) == 1;

    EVP_MD_CTX_free(signing);
    EVP_MD_CTX_free(verifying);
    free(signature);
    return done;
}

static size_t read_transported(unsigned char *encrypted, size_t room) {
    FILE *file = fopen(getenv("TRANSPORTED"), "r");
    size_t length = file ? fread(encrypted, 1, room, file) : 0;

    if (file)
        fclose(file);
    return length;
}

static bool decrypt(EVP_PKEY *key) {
    unsigned char secret[32] = "0123456789abcdef0123456789abcde", encrypted[1024], *result = NULL;
    size_t length = sizeof encrypted, size = 0;
    int padding = is("oaep") ? RSA_PKCS1_OAEP_PADDING : RSA_PKCS1_PADDING;
    bool is_rsa = EVP_PKEY_get_base_id(half) == EVP_PKEY_RSA;
    EVP_PKEY_CTX *encrypting = EVP_PKEY_CTX_new(half, NULL), *decrypting = EVP_PKEY_CTX_new(key, NULL);
    bool done = !is_rsa && !engine ? (length = read_transported(encrypted, sizeof encrypted)) > 0
                                   : EVP_PKEY_encrypt_init(encrypting) > 0
            && (!is_rsa || EVP_PKEY_CTX_set_rsa_padding(encrypting, padding) > 0)
            && EVP_PKEY_encrypt(encrypting, encrypted, &length, secret, sizeof secret) > 0;

    done = done && EVP_PKEY_decrypt_init(decrypting) > 0
        && (!is_rsa || EVP_PKEY_CTX_set_rsa_padding(decrypting, padding) > 0)
        && EVP_PKEY_decrypt(decrypting, NULL, &size, encrypted, length) > 0 && (result = malloc(size))
        && EVP_PKEY_decrypt(decrypting, result, &size, encrypted, length) > 0;

    done = done && size == sizeof secret && memcmp(result, secret, size) == 0;
    EVP_PKEY_CTX_free(encrypting);
    EVP_PKEY_CTX_free(decrypting);
    free(result);
    return done;
}

static EVP_PKEY *public_half(EVP_PKEY *key) {
    unsigned char *der = NULL;
    int length = i2d_PUBKEY(key, &der);
    const unsigned char *rest = der;
    EVP_PKEY *other = length > 0 ? d2i_PUBKEY(NULL, &rest, length) : NULL;

    OPENSSL_free(der);
    return other;
}

static bool set_ukm(EVP_PKEY_CTX *context, unsigned char *ukm, size_t length) {
    OSSL_PARAM parameters[] = {OSSL_PARAM_construct_octet_string("ukm", ukm, length), OSSL_PARAM_construct_end()};

    return engine ? EVP_PKEY_CTX_ctrl(context, -1, EVP_PKEY_OP_DERIVE, EVP_PKEY_CTRL_SET_IV, (int)length, ukm) > 0
                  : EVP_PKEY_CTX_set_params(context, parameters) > 0;
}

static size_t agree(EVP_PKEY *own, EVP_PKEY *peer, unsigned char **secret) {
    unsigned char ukm[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(own, NULL);
    bool is_gost = EVP_PKEY_get_base_id(half) != EVP_PKEY_EC;
    size_t length = 0;
    bool done = EVP_PKEY_derive_init(context) > 0 && EVP_PKEY_derive_set_peer(context, peer) > 0
        && (!is_gost || set_ukm(context, ukm, sizeof ukm))
        && EVP_PKEY_derive(context, NULL, &length) > 0 && (*secret = malloc(length))
        && EVP_PKEY_derive(context, *secret, &length) > 0;

    EVP_PKEY_CTX_free(context);
    return done ? length : 0;
}

static bool derive(EVP_PKEY *key) {
    EVP_PKEY_CTX *making = EVP_PKEY_CTX_new(half, NULL);
    EVP_PKEY *peer = NULL, *public_peer = NULL;
    unsigned char *ours = NULL, *theirs = NULL;
    size_t length;
    bool done = EVP_PKEY_keygen_init(making) > 0 && EVP_PKEY_keygen(making, &peer) > 0
        && (public_peer = public_half(peer)) && (length = agree(key, public_peer, &ours)) > 0 && agree(peer, half, &theirs) == length
        && memcmp(ours, theirs, length) == 0;

    EVP_PKEY_CTX_free(making);
    EVP_PKEY_free(peer);
    EVP_PKEY_free(public_peer);
    free(ours);
    free(theirs);
    return done;
}

static bool operate(EVP_PKEY *key) {
    return is("sign") || is("pss") ? sign(key) : is("derive") ? derive(key) : decrypt(key);
}

static EVP_PKEY *load_by_provider(void) {
    OSSL_STORE_CTX *store = OSSL_STORE_open(name, NULL, NULL, NULL, NULL);
    OSSL_STORE_INFO *info =
        store && OSSL_STORE_expect(store, OSSL_STORE_INFO_PKEY) ? OSSL_STORE_load(store) : NULL;
    EVP_PKEY *key = info ? OSSL_STORE_INFO_get1_PKEY(info) : NULL;

    OSSL_STORE_INFO_free(info);
    OSSL_STORE_close(store);
    return key;
}

static EVP_PKEY *load(void) {
    return engine ? ENGINE_load_private_key(engine, name, NULL, NULL) : load_by_provider();
}

static void fail(const char *what, int function, CK_ATTRIBUTE_TYPE attribute, int phase, int lie) {
    fprintf(stderr, "%s: function %d, attribute 0x%lX, phase %d, lie %d\n", what, function, attribute, phase, lie);
    ERR_print_errors_fp(stderr);
    exit(1);
}

/* The errors of the queue; whether one is the engine's, about a length. */
static bool is_told(bool is_length) {
    bool is_found = false;
    const char *data;
    unsigned long code;
    int flags;

    while ((code = ERR_get_error_all(NULL, NULL, NULL, &data, &flags)) != 0) {
        const char *library = ERR_lib_error_string(code);
        is_found |= library && strcmp(library, "kanal") == 0
            && (!is_length
                || (flags & ERR_TXT_STRING
                    && (strstr(data, "more than there is room for") || strstr(data, "does not have the key's length"))));
    }
    return is_found;
}

/* A key that is loaded and used while the module's answers are false. */
static void lie_of_key(int function, CK_ATTRIBUTE_TYPE attribute, int phase) {
    for (int lie = 0; lie < LIES; lie++) {
        EVP_PKEY *key;
        ERR_clear_error();
        tell(function, attribute, phase, lie);
        key = load();
        if (key ? !operate(key) && !is_told(false) : !is_told(false))
            fail("no word of the engine", function, attribute, phase, lie);
        all += *told;
        EVP_PKEY_free(key);
        /* The engine does not ask for it. */
        if (*told == 0)
            return;
    }
}

/* A result whose length differs from the only possible one, or exceeds the room. */
static void lie_of_result(EVP_PKEY *key, int function, CK_ATTRIBUTE_TYPE attribute, bool has_any_length) {
    for (int lie = 0; lie < LIES; lie++) {
        bool done;
        if (function == ATTRIBUTE && lie == 6)
            continue;
        ERR_clear_error();
        tell(function, attribute, VALUE, lie);
        done = operate(key);
        if (*told == 0)
            fail("the function was not called", function, attribute, VALUE, lie);
        if (has_any_length && lie < 5)
            continue;
        if (done || !is_told(true))
            fail("a lie passed", function, attribute, VALUE, lie);
        all += *told;
    }
}

int main(int argc, char **argv) {
    static const CK_ATTRIBUTE_TYPE types[] = {
        CKA_ID, CKA_LABEL, CKA_KEY_TYPE, CKA_ALWAYS_AUTHENTICATE, CKA_PUBLIC_KEY_INFO, CKA_MODULUS, CKA_PUBLIC_EXPONENT,
        CKA_EC_PARAMS, CKA_EC_POINT, CKA_VALUE, CKA_GOSTR3410_PARAMS, CKA_GOSTR3411_PARAMS,
    };
    void *liar = argc > 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
    EVP_PKEY *key;

    if (!liar)
        return 2;
    tell = (void (*)(int, CK_ATTRIBUTE_TYPE, int, int))dlsym(liar, "liar_tell");
    told = dlsym(liar, "liar_told");
    *(bool *)dlsym(liar, "liar_hides_information") = argc > 4;
    operation = argv[2];
    name = argv[3];
    OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL);
    engine = getenv("OPENSSL_ENGINES") ? ENGINE_by_id("kanal") : NULL;
    if ((getenv("OPENSSL_ENGINES") && (!engine || !ENGINE_init(engine))) || !(key = load()) || !(half = public_half(key)) || !operate(key))
        fail("an honest module does not serve", NOTHING, 0, 0, 0);
    if (is("sign") || is("pss")) {
        lie_of_result(key, SIGN, 0, false);
        lie_of_key(SLOTS, 0, VALUE);
        lie_of_key(OBJECTS, 0, VALUE);
        for (size_t i = 0; is("sign") && i < sizeof types / sizeof types[0]; i++)
            for (int phase = QUESTION; phase <= BOTH; phase++)
                lie_of_key(ATTRIBUTE, types[i], phase);
    } else if (EVP_PKEY_get_base_id(half) == EVP_PKEY_RSA) {
        lie_of_result(key, DECRYPT, 0, is("decrypt"));
    } else {
        lie_of_result(key, ATTRIBUTE, CKA_VALUE, false);
    }
    ERR_clear_error();
    tell(NOTHING, 0, 0, 0);
    if (!operate(key))
        fail("after the lies nothing works", NOTHING, 0, 0, 0);
    EVP_PKEY_free(half);
    EVP_PKEY_free(key);
    ENGINE_finish(engine);
    ENGINE_free(engine);
    printf("%d lies\n", all);
    return 0;
}
