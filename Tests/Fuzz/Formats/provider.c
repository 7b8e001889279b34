/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What OpenSSL's provider reads: keys in DER and in PEM, files that hold a URI, URIs, parameters of ciphers, transported keys and
 * signatures. The first byte chooses which; above 127 the rest is added, modulo 2, to a valid input of the kind. What is read has
 * to work, and to be written so that it is read again. OPENSSL_MODULES has the provider, with AddressSanitizer.
 */
#include <openssl/core_names.h>
#include <openssl/decoder.h>
#include <openssl/encoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/store.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 2048 };
struct octets {
    unsigned char bytes[LONGEST];
    size_t length;
};
static OSSL_LIB_CTX *library;
static EVP_PKEY *key;

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    ERR_print_errors_fp(stderr);
    abort();
}

/* ---- Keys ---- */

static EVP_PKEY *read_key(const char *form, const char *structure, int selection, const struct octets *input) {
    const unsigned char *rest = input->bytes;
    size_t length = input->length;
    EVP_PKEY *read = NULL;
    OSSL_DECODER_CTX *decoding = OSSL_DECODER_CTX_new_for_pkey(&read, form, structure, NULL, selection, library, NULL);

    OSSL_DECODER_from_data(decoding, &rest, &length);
    OSSL_DECODER_CTX_free(decoding);
    return read;
}

static void write_key(EVP_PKEY *written, const char *form, const char *structure, int selection, struct octets *output) {
    OSSL_ENCODER_CTX *encoding = OSSL_ENCODER_CTX_new_for_pkey(written, selection, form, structure, NULL);
    unsigned char *bytes = NULL;
    size_t length = 0;

    if (!OSSL_ENCODER_to_data(encoding, &bytes, &length) || length > LONGEST)
        fail("a key is not written");
    memcpy(output->bytes, bytes, length);
    output->length = length;
    OPENSSL_clear_free(bytes, length);
    OSSL_ENCODER_CTX_free(encoding);
}

static int is_gost(const EVP_PKEY *read) {
    return EVP_PKEY_is_a(read, "gost2012_256") || EVP_PKEY_is_a(read, "gost2012_512") || EVP_PKEY_is_a(read, "gost2001");
}

static void keys(const char *form, const char *structure, int selection, const struct octets *input) {
    EVP_PKEY *read = read_key(form, structure, selection, input), *again;
    struct octets written;

    if (read && is_gost(read)) {
        write_key(read, form, structure, selection, &written);
        again = read_key(form, structure, selection, &written);
        if (!again || EVP_PKEY_eq(read, again) != 1)
            fail("what was written is another key");
        EVP_PKEY_free(again);
    }
    EVP_PKEY_free(read);
}

/* ---- The rest ---- */

static void uris(const struct octets *input) {
    char uri[LONGEST + 8] = "pkcs11:";
    OSSL_STORE_CTX *store;
    OSSL_STORE_INFO *info;

    memcpy(uri + 7, input->bytes, input->length);
    uri[7 + input->length] = 0;
    store = OSSL_STORE_open_ex(uri, library, NULL, NULL, NULL, NULL, NULL, NULL);
    if (!store)
        return;
    info = OSSL_STORE_load(store);
    OSSL_STORE_INFO_free(info);
    OSSL_STORE_close(store);
}

static void parameters(const char *name, const struct octets *input) {
    unsigned char secret[32] = {1}, text[64] = {2}, out[128];
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, name, NULL);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    OSSL_PARAM list[] = {
        OSSL_PARAM_construct_octet_string("alg_id_param", (void *)input->bytes, input->length), OSSL_PARAM_construct_end()};
    int length;

    if (EVP_DecryptInit_ex2(context, cipher, secret, NULL, list) == 1 && EVP_DecryptUpdate(context, out, &length, text, sizeof text) == 1)
        EVP_DecryptFinal_ex(context, out, &length);
    EVP_CIPHER_CTX_free(context);
    EVP_CIPHER_free(cipher);
}

static void transports(const struct octets *input) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(library, key, NULL);
    unsigned char secret[32];
    size_t length = sizeof secret;

    if (EVP_PKEY_decrypt_init(context) == 1 && EVP_PKEY_decrypt(context, secret, &length, input->bytes, input->length) == 1 && length != 32)
        fail("a key of another length");
    EVP_PKEY_CTX_free(context);
}

static void signatures(const struct octets *input) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();

    if (EVP_DigestVerifyInit_ex(context, NULL, NULL, library, NULL, key, NULL) == 1
        && EVP_DigestVerify(context, input->bytes, input->length, (const unsigned char *)"message", 7) == 1)
        fail("a signature from nowhere");
    EVP_MD_CTX_free(context);
}

/* GostR3410-KeyTransport with an ephemeral key, which is the key itself, and a wrong code (RFC 4490, 4.2). */
static void make_transport(struct octets *output) {
    static const unsigned char head[] = {0x30, 0x28, 0x04, 0x20}, code[] = {0x04, 0x04, 1, 2, 3, 4};
    static const unsigned char ukm[] = {0x04, 0x08, 1, 2, 3, 4, 5, 6, 7, 8};
    static const unsigned char rows[] = {0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x05, 0x01, 0x01};
    struct octets info;
    unsigned char *next = output->bytes + 2;
    size_t inner;

    write_key(key, "DER", "SubjectPublicKeyInfo", EVP_PKEY_PUBLIC_KEY, &info);
    info.bytes[0] = 0xA0;
    inner = sizeof rows + info.length + sizeof ukm;
    memcpy(next, head, sizeof head), next += sizeof head;
    memset(next, 9, 32), next += 32;
    memcpy(next, code, sizeof code), next += sizeof code;
    *next++ = 0xA0;
    *next++ = (unsigned char)inner;
    memcpy(next, rows, sizeof rows), next += sizeof rows;
    memcpy(next, info.bytes, info.length), next += info.length;
    memcpy(next, ukm, sizeof ukm), next += sizeof ukm;
    output->length = (size_t)(next - output->bytes);
    /* Its whole length has two bytes in DER. */
    memmove(output->bytes + 3, output->bytes + 2, output->length - 2);
    output->bytes[0] = 0x30;
    output->bytes[1] = 0x81;
    output->bytes[2] = (unsigned char)(output->length - 2);
    output->length++;
}

enum { PRIVATE, PUBLIC, URI_FILE, PEM, URI, ROWS, UKM, TRANSPORT, SIGNATURE, KINDS };

/* A valid input of each kind, which the fuzzer changes. */
static void make_valid(int kind, struct octets *output) {
    static const unsigned char file[] = "0.\x1A\x19PKCS#11 Provider URI v1.0\x0C\x11pkcs11:object=key";
    static const char pem[] = "-----BEGIN PKCS#11 PROVIDER URI-----\nMCoaGVBLQ1MjMTEgUHJvdmlkZXIgVVJJIHYxLjAMDXBrY3MxMTppZD0lMDE=\n"
                              "-----END PKCS#11 PROVIDER URI-----\n";
    static const char uri[] = "token=office;object=signing;id=%01;type=private?pin-value=1234&module-path=/nowhere";
    static const unsigned char rows[] = {0x30, 0x15, 0x04, 0x08, 1, 2, 3, 4, 5, 6, 7, 8, 0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01,
                                         0x02, 0x05, 0x01, 0x01};
    static const unsigned char ukm[] = {0x30, 0x12, 0x04, 0x10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
#define COPY(source, size) (memcpy(output->bytes, source, size), output->length = (size))

    output->length = 0;
    switch (kind) {
    case PRIVATE: write_key(key, "DER", "PrivateKeyInfo", EVP_PKEY_KEYPAIR, output); break;
    case PUBLIC: write_key(key, "DER", "SubjectPublicKeyInfo", EVP_PKEY_PUBLIC_KEY, output); break;
    case URI_FILE: COPY(file, sizeof file - 1); break;
    case PEM: COPY(pem, sizeof pem - 1); break;
    case URI: COPY(uri, sizeof uri - 1); break;
    case ROWS: COPY(rows, sizeof rows); break;
    case UKM: COPY(ukm, sizeof ukm); break;
    case TRANSPORT: make_transport(output); break;
    default: memset(output->bytes, 1, 64), output->length = 64;
    }
}

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerInitialize(int *count, char ***arguments) {
    EVP_PKEY_CTX *making;

    (void)count, (void)arguments;
    library = OSSL_LIB_CTX_new();
    if (!OSSL_PROVIDER_load(library, "default") || !OSSL_PROVIDER_load(library, "kanal"))
        fail("the provider is not loaded");
    making = EVP_PKEY_CTX_new_from_name(library, "gost2012_256", NULL);
    if (!making || EVP_PKEY_keygen_init(making) != 1 || EVP_PKEY_keygen(making, &key) != 1)
        fail("no key");
    EVP_PKEY_CTX_free(making);
    return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t length);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t length) {
    struct octets input = {.length = 0};
    int kind;

    if (length < 1 || length > LONGEST / 2)
        return 0;
    kind = data[0] % 0x80 % KINDS;
    if (data[0] >= 0x80)
        make_valid(kind, &input);
    for (size_t i = 1; i < length; i++)
        input.bytes[i - 1] ^= data[i];
    if (input.length < length - 1)
        input.length = length - 1;
    switch (kind) {
    case PRIVATE: keys("DER", "PrivateKeyInfo", EVP_PKEY_KEYPAIR, &input); break;
    case PUBLIC: keys("DER", "SubjectPublicKeyInfo", EVP_PKEY_PUBLIC_KEY, &input); break;
    case URI_FILE: EVP_PKEY_free(read_key("DER", NULL, EVP_PKEY_KEYPAIR, &input)); break;
    case PEM: EVP_PKEY_free(read_key("PEM", NULL, EVP_PKEY_KEYPAIR, &input)); break;
    case URI: uris(&input); break;
    case ROWS: parameters("gost89", &input); break;
    case UKM: parameters("kuznyechik-ctr-acpkm-omac", &input); break;
    case TRANSPORT: transports(&input); break;
    default: signatures(&input);
    }
    ERR_clear_error();
    return 0;
}
