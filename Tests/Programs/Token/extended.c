/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extended SLOT PIN SO-PIN                          makes a key, writes a request for its certificate to stdout
 * extended SLOT PIN SO-PIN CERTIFICATE AUTHORITY    stores the certificate, writes a signed message to stdout, verifies it
 * extended SLOT PIN SO-PIN unreadable CERTIFICATE signs with the certificate's pieces, and with garbage
 * extended SLOT PIN SO-PIN restore                  restores the token's factory state, with these PINs
 *
 * Rules of the vendor's extension for its callers: results that it allocates, structures, buffers of two calls, and
 * rights. Names every broken rule; the exit status is their number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../program.h"

static CK_SLOT_ID slot;
static CK_SESSION_HANDLE session;
static CK_BYTE id[] = "extended", content[] = "signed by the token";
static CK_UTF8CHAR_PTR pin, so_pin;

static void log_in(CK_USER_TYPE user) {
    CK_UTF8CHAR_PTR value = user == CKU_SO ? so_pin : pin;
    expect(C_Login(session, user, value, strlen((char *)value)), CKR_OK, "C_Login");
}

static void log_out(void) { expect(C_Logout(session), CKR_OK, "C_Logout"); }

/* A function of two calls that delivers the bytes given. */
#define DELIVERS(octets, size, what, CALL)                                    \
    do {                                                                      \
        CK_BYTE buffer[512], *place = NULL;                                   \
        CK_ULONG length = 0;                                                  \
        expect(CALL, CKR_OK, what ", asked for the length");                  \
        require(length == (size), what ", asked for the length");             \
        place = buffer;                                                       \
        length = (size) - 1;                                                  \
        expect(CALL, CKR_BUFFER_TOO_SMALL, what ", short buffer");            \
        require(length == (size), what ", short buffer");                     \
        length = sizeof buffer;                                               \
        expect(CALL, CKR_OK, what);                                           \
        require(length == (size) && !memcmp(buffer, octets, length), what);   \
    } while (0)

static void names_and_licences(void) {
    static CK_BYTE name[] = "named", licence[72] = {1, 2, 3}, other[72];
    CK_TOKEN_INFO info;
    CK_ULONG size = 0;

    expect(C_EX_SetTokenName(session, name, sizeof name), CKR_OK, "C_EX_SetTokenName with a NUL");
    expect(C_GetTokenInfo(slot, &info), CKR_OK, "C_GetTokenInfo");
    require(!memcmp(info.label, "named                           ", 32), "the label is not padded with blanks");
    expect(C_EX_SetTokenName(session, name, 5), CKR_OK, "C_EX_SetTokenName");
    DELIVERS(name, 5, "C_EX_GetTokenName", C_EX_GetTokenName(session, place, &length));
    expect(C_EX_SetTokenName(session, NULL, 0), CKR_OK, "C_EX_SetTokenName, none");
    DELIVERS("Rutoken ECP <no label>", 22, "C_EX_GetTokenName, none", C_EX_GetTokenName(session, place, &length));
    expect(C_EX_GetTokenName(session, NULL, NULL), CKR_ARGUMENTS_BAD, "C_EX_GetTokenName without a length");
    expect(C_EX_SetLicense(session, 1, licence, 72), CKR_OK, "C_EX_SetLicense");
    expect(C_EX_SetLicense(session, 1, other, 71), CKR_ARGUMENTS_BAD, "C_EX_SetLicense, 71 octets");
    expect(C_EX_SetLicense(session, 5, other, 72), CKR_ARGUMENTS_BAD, "C_EX_SetLicense, number 5");
    DELIVERS(licence, 72, "C_EX_GetLicense", C_EX_GetLicense(session, 1, place, &length));
    expect(C_EX_GetLicense(session, 0, NULL, &size), CKR_ARGUMENTS_BAD, "C_EX_GetLicense, number 0");
}

static void pins(void) {
    static CK_UTF8CHAR local[] = "local PIN";
    CK_LOCAL_PIN_INFO info = {31, 0, 0, 0, 0, 77};
    CK_USER_TYPE user = CKU_USER;
    CK_ULONG size = 4711;

    expect(C_EX_SlotManage(slot, MODE_GET_LOCAL_PIN_INFO, &info), CKR_DEVICE_ERROR, "a local PIN that is not set");
    require(info.flags == 77, "the structure was touched");
    info.ulPinID = 5;
    expect(C_EX_SetLocalPIN(slot, pin, strlen((char *)pin), local, 9, 5), CKR_OK, "C_EX_SetLocalPIN");
    expect(C_EX_SetLocalPIN(slot, local, 9, local, 9, 5), CKR_OK, "C_EX_SetLocalPIN by itself");
    expect(C_EX_SetLocalPIN(slot, local, 9, local, 9, 2), CKR_ARGUMENTS_BAD, "C_EX_SetLocalPIN, number 2");
    expect(C_EX_SlotManage(slot, MODE_GET_LOCAL_PIN_INFO, &info), CKR_OK, "MODE_GET_LOCAL_PIN_INFO");
    require(
        info.ulMaxSize == 249 && info.ulMaxRetryCount == 10 && info.ulCurrentRetryCount == 10
            && info.flags == (LOCAL_PIN_FLAGS_NOT_DEFAULT | LOCAL_PIN_FLAGS_IS_UTF8),
        "what is told of a local PIN");
    expect(C_EX_SlotManage(slot, MODE_GET_IMIT, &info), CKR_FUNCTION_NOT_SUPPORTED, "MODE_GET_IMIT");
    expect(C_EX_SlotManage(slot, 99, &info), CKR_ARGUMENTS_BAD, "C_EX_SlotManage, unknown mode");
    expect(C_EX_SlotManage(slot, MODE_GET_PIN_SET_TO_BE_CHANGED, NULL), CKR_ARGUMENTS_BAD, "C_EX_SlotManage, NULL");
    expect(C_EX_UnblockUserPIN(session), CKR_USER_NOT_LOGGED_IN, "C_EX_UnblockUserPIN by User");
    expect(
        C_EX_TokenManage(session, MODE_FORCE_USER_TO_CHANGE_PIN, &user), CKR_USER_NOT_LOGGED_IN,
        "C_EX_TokenManage by User");
    expect(C_EX_TokenManage(session, 99, &user), CKR_ARGUMENTS_BAD, "C_EX_TokenManage, unknown mode");
    expect(C_EX_TokenManage(session, MODE_SET_CHANNEL_TYPE, &size), CKR_FUNCTION_NOT_SUPPORTED, "MODE_SET_CHANNEL_TYPE");
    log_out();

    log_in(CKU_SO);
    expect(C_EX_UnblockUserPIN(session), CKR_OK, "C_EX_UnblockUserPIN");
    expect(C_EX_TokenManage(session, MODE_FORCE_USER_TO_CHANGE_PIN, &user), CKR_OK, "MODE_FORCE_USER_TO_CHANGE_PIN");
    expect(C_EX_SlotManage(slot, MODE_GET_PIN_SET_TO_BE_CHANGED, &user), CKR_PIN_EXPIRED, "a change that is forced");
    log_out();
    log_in(CKU_USER);
    expect(C_SetPIN(session, pin, strlen((char *)pin), pin, strlen((char *)pin)), CKR_OK, "C_SetPIN");
    expect(C_EX_SlotManage(slot, MODE_GET_PIN_SET_TO_BE_CHANGED, &user), CKR_OK, "a change that was made");
}

static void what_is_not_there(void) {
    CK_ULONG size = 4711;

    expect(C_EX_GetDriveSize(slot, &size), CKR_FUNCTION_NOT_SUPPORTED, "C_EX_GetDriveSize");
    expect(C_EX_GetVolumesInfo(slot, NULL, &size), CKR_FUNCTION_NOT_SUPPORTED, "C_EX_GetVolumesInfo");
    require(size == 4711, "the size was touched");
    expect(C_EX_FormatDrive(slot, CKU_SO, so_pin, 8, NULL, 0), CKR_FUNCTION_NOT_SUPPORTED, "C_EX_FormatDrive");
    expect(C_EX_Authenticate(session, 1, id, 1), CKR_OBJECT_HANDLE_INVALID, "C_EX_Authenticate");
    expect(C_EX_Deauthenticate(session, 1), CKR_OBJECT_HANDLE_INVALID, "C_EX_Deauthenticate");
    expect(C_EX_UnblockAuthenticator(session, 1), CKR_OBJECT_HANDLE_INVALID, "C_EX_UnblockAuthenticator");
}

static void request(void) {
    static CK_BYTE curve[] = {6, 7, 0x2A, 0x85, 3, 2, 2, 0x23, 1}, hash[] = {6, 8, 0x2A, 0x85, 3, 7, 1, 1, 2, 2};
    static CK_CHAR_PTR name[] = {(CK_CHAR_PTR) "CN", (CK_CHAR_PTR) "UTF8String:Подписант"};
    static CK_CHAR_PTR usage[] = {(CK_CHAR_PTR) "keyUsage", (CK_CHAR_PTR) "critical,digitalSignature"};
    static CK_CHAR_PTR nothing[] = {NULL, NULL}, broken[] = {(CK_CHAR_PTR) "CN", (CK_CHAR_PTR) "\xFF"};
    CK_BBOOL yes = CK_TRUE;
    CK_ATTRIBUTE template[] = {
        {CKA_TOKEN, &yes, 1}, {CKA_ID, id, sizeof id}, {CKA_GOSTR3410_PARAMS, curve, sizeof curve},
        {CKA_GOSTR3411_PARAMS, hash, sizeof hash}};
    CK_MECHANISM mechanism = {CKM_GOSTR3410_KEY_PAIR_GEN, NULL, 0};
    CK_OBJECT_HANDLE public_key = 0, private_key = 0;
    CK_BYTE_PTR csr = NULL;
    CK_ULONG size = 0;

    expect(
        C_GenerateKeyPair(session, &mechanism, template, 4, template, 4, &public_key, &private_key), CKR_OK,
        "C_GenerateKeyPair");
#define REQUEST(dn, count, result, length) \
    C_EX_CreateCSR(session, public_key, dn, count, result, length, 0, NULL, 0, usage, 2)
    expect(REQUEST(name, 2, NULL, &size), CKR_ARGUMENTS_BAD, "C_EX_CreateCSR without a place");
    expect(REQUEST(name, 2, &csr, NULL), CKR_ARGUMENTS_BAD, "C_EX_CreateCSR without a length");
    expect(REQUEST(name, 1, &csr, &size), CKR_ARGUMENTS_BAD, "C_EX_CreateCSR, odd count");
    expect(REQUEST(NULL, 2, &csr, &size), CKR_ARGUMENTS_BAD, "C_EX_CreateCSR, no names");
    expect(REQUEST(nothing, 2, &csr, &size), CKR_ARGUMENTS_BAD, "C_EX_CreateCSR, NULL for names");
    expect(REQUEST(broken, 2, &csr, &size), CKR_ARGUMENTS_BAD, "C_EX_CreateCSR, no UTF-8");
    require(csr == NULL, "C_EX_CreateCSR left something behind");
    expect(REQUEST(name, 2, &csr, &size), CKR_OK, "C_EX_CreateCSR");
    fwrite(csr, 1, size, stdout);
    expect(C_EX_FreeBuffer(csr), CKR_OK, "C_EX_FreeBuffer");
}

/* Impossible lengths are refused, and nothing is read. */
static void lengths(void) {
    static const CK_ULONG absurd[] = {~0UL, 1UL << 63, 1UL << 46, 1UL << 40};
    static CK_BYTE some[8];
    static CK_CHAR_PTR words[] = {some, some};
    CK_OBJECT_HANDLE none = 0;
    CK_BYTE_PTR result = NULL;
    CK_ULONG size = 0, index;

    for (index = 0; index < sizeof absurd / sizeof *absurd; index++) {
        CK_ULONG length = absurd[index];
        CK_VENDOR_BUFFER buffer = {some, length};
        CK_VENDOR_X509_STORE store = {&buffer, 1, NULL, 0, NULL, 0}, stores = {&buffer, length, NULL, 0, NULL, 0};
        CK_RUTOKEN_INIT_PARAM format = {sizeof format, 0, pin, 8, pin, 8, 3, 6, 6, 10, 10, some, length, 0};

#define REFUSES(call) expect(call, CKR_ARGUMENTS_BAD, #call)
        REFUSES(C_EX_InitToken(slot, so_pin, 8, &format));
        REFUSES(C_EX_InitToken(slot, so_pin, length, &format));
        REFUSES(C_EX_SetTokenName(session, some, length));
        REFUSES(C_EX_SetLicense(session, 1, some, length));
        REFUSES(C_EX_SetLocalPIN(slot, some, length, some, 8, 3));
        REFUSES(C_EX_SetLocalPIN(slot, some, 8, some, length, 3));
        REFUSES(C_EX_CreateCSR(session, 0, words, length, &result, &size, 0, NULL, 0, NULL, 0));
        REFUSES(C_EX_CreateCSR(session, 0, words, 2, &result, &size, 0, words, length, NULL, 0));
        REFUSES(C_EX_CreateCSR(session, 0, words, 2, &result, &size, 0, NULL, 0, words, length));
        REFUSES(C_EX_PKCS7Sign(session, some, length, 0, &result, &size, 0, NULL, 0, 0));
        REFUSES(C_EX_PKCS7Sign(session, some, 8, 0, &result, &size, 0, &none, length, 0));
        REFUSES(C_EX_PKCS7VerifyInit(session, some, length, NULL, OPTIONAL_CRL_CHECK, 0));
        REFUSES(C_EX_PKCS7VerifyInit(session, some, 8, &store, OPTIONAL_CRL_CHECK, 0));
        REFUSES(C_EX_PKCS7VerifyInit(session, some, 8, &stores, OPTIONAL_CRL_CHECK, 0));
    }
}

static CK_ULONG load(const char *name, CK_BYTE_PTR buffer, size_t size) {
    FILE *file = fopen(name, "rb");
    CK_ULONG count = file ? fread(buffer, 1, size, file) : 0;
    if (file) fclose(file);
    require(count > 0, name);
    return count;
}

static void verify(CK_BYTE_PTR message, CK_ULONG size, CK_BYTE_PTR signer, CK_ULONG signer_size, char *authority) {
    static CK_BYTE root[4096];
    CK_VENDOR_BUFFER trusted = {root, load(authority, root, sizeof root)};
    CK_VENDOR_X509_STORE store = {&trusted, 1, NULL, 0, NULL, 0};
    CK_VENDOR_BUFFER_PTR signers = NULL;
    CK_BYTE_PTR data = NULL;
    CK_ULONG count = 0, length = 0;
    int isTrusted;

    for (isTrusted = 0; isTrusted < 2; isTrusted++) {
        expect(
            C_EX_PKCS7VerifyInit(session, message, size, isTrusted ? &store : NULL, OPTIONAL_CRL_CHECK, 0), CKR_OK,
            "C_EX_PKCS7VerifyInit");
        expect(
            C_EX_PKCS7Verify(session, NULL, &length, &signers, &count), CKR_ARGUMENTS_BAD,
            "C_EX_PKCS7Verify without a place");
        expect(
            C_EX_PKCS7Verify(session, &data, &length, &signers, &count),
            isTrusted ? CKR_OK : CKR_CERT_CHAIN_NOT_VERIFIED, "C_EX_PKCS7Verify");
        require(length == sizeof content && !memcmp(data, content, length), "another content");
        require(
            count == 1 && signers[0].ulSize == signer_size && !memcmp(signers[0].pData, signer, signer_size),
            "another signer");
        if (count == 1) C_EX_FreeBuffer(signers[0].pData);
        C_EX_FreeBuffer((CK_BYTE_PTR)signers);
        C_EX_FreeBuffer(data);
    }
    expect(
        C_EX_PKCS7Verify(session, &data, &length, &signers, &count), CKR_OPERATION_NOT_INITIALIZED,
        "C_EX_PKCS7Verify after its end");
    message[size - 1] ^= 1;
    C_EX_PKCS7VerifyInit(session, message, size, &store, OPTIONAL_CRL_CHECK, 0);
    message[size - 1] ^= 1;
    data = NULL;
    expect(
        C_EX_PKCS7Verify(session, &data, &length, &signers, &count), CKR_SIGNATURE_INVALID, "a changed signature");
    require(data == NULL, "C_EX_PKCS7Verify left something behind");
}

static CK_VENDOR_BUFFER nobody;

/* If only the signature is checked and the store knows no signer, none is returned: NULL, with nothing to free. */
static void unknown_signer(CK_BYTE_PTR attached, CK_ULONG size, CK_OBJECT_HANDLE certificate) {
    CK_VENDOR_BUFFER_PTR signers = &nobody;
    CK_BYTE_PTR data = NULL, detached = NULL;
    CK_ULONG count = 7, length = 0;

    C_EX_PKCS7VerifyInit(session, attached, size, NULL, OPTIONAL_CRL_CHECK, CKF_VENDOR_CHECK_SIGNATURE_ONLY);
    expect(C_EX_PKCS7Verify(session, &data, &length, &signers, &count), CKR_OK, "C_EX_PKCS7Verify, signature only");
    require(signers == NULL && count == 0, "C_EX_PKCS7Verify told a signer");
    C_EX_FreeBuffer(data);
    expect(
        C_EX_PKCS7Sign(
            session, content, sizeof content, certificate, &detached, &length, 0, NULL, 0, PKCS7_DETACHED_SIGNATURE),
        CKR_OK, "C_EX_PKCS7Sign, detached");
    C_EX_PKCS7VerifyInit(session, detached, length, NULL, OPTIONAL_CRL_CHECK, CKF_VENDOR_CHECK_SIGNATURE_ONLY);
    expect(C_EX_PKCS7VerifyUpdate(session, content, sizeof content), CKR_OK, "C_EX_PKCS7VerifyUpdate");
    signers = &nobody;
    count = 7;
    expect(C_EX_PKCS7VerifyFinal(session, &signers, &count), CKR_OK, "C_EX_PKCS7VerifyFinal");
    require(signers == NULL && count == 0, "C_EX_PKCS7VerifyFinal told a signer");
    C_EX_FreeBuffer(detached);
}

/*
 * A certificate object can hold anything: an invalid certificate signs nothing. Bytes behind a certificate are ignored.
 */
static void unreadable_certificates(char *certificate) {
    static CK_BYTE value[4096];
    CK_ULONG size = load(certificate, value, sizeof value - 1);
    CK_OBJECT_CLASS certificates = CKO_CERTIFICATE;
    CK_BBOOL no = CK_FALSE;
    CK_ATTRIBUTE template[] = {
        {CKA_CLASS, &certificates, sizeof certificates}, {CKA_TOKEN, &no, 1}, {CKA_ID, id, sizeof id},
        {CKA_VALUE, "garbage", 7}};
    CK_OBJECT_HANDLE object = 0;
    CK_BYTE_PTR envelope;
    CK_ULONG length, cut;

    for (cut = 0; cut <= size + 1; cut += cut < size - 8 ? 97 : 1) {
        if (cut > 0) {
            template[3].pValue = value;
            template[3].ulValueLen = cut;
        }
        if (C_CreateObject(session, template, 4, &object) != CKR_OK) continue;
        envelope = NULL;
        length = 0;
        CK_RV code = C_EX_PKCS7Sign(session, content, sizeof content, object, &envelope, &length, 0, NULL, 0, 0);
        require((code == CKR_OK) == (cut >= size), "C_EX_PKCS7Sign with what is no certificate");
        require((envelope != NULL) == (cut >= size), "C_EX_PKCS7Sign: an envelope without a certificate");
        C_EX_FreeBuffer(envelope);
        C_DestroyObject(session, object);
    }
}

static void message(char *certificate, char *authority) {
    static CK_BYTE value[4096];
    CK_ULONG size = load(certificate, value, sizeof value);
    CK_OBJECT_CLASS certificates = CKO_CERTIFICATE;
    CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
    CK_ATTRIBUTE template[] = {
        {CKA_CLASS, &certificates, sizeof certificates}, {CKA_TOKEN, &yes, 1}, {CKA_PRIVATE, &no, 1},
        {CKA_ID, id, sizeof id}, {CKA_VALUE, value, size}};
    CK_OBJECT_HANDLE object = 0, found[9];
    CK_BYTE_PTR envelope = NULL, text = NULL;
    CK_ULONG length = 0, count = 0, index;

    expect(C_CreateObject(session, template, 5, &object), CKR_OK, "C_CreateObject");
    expect(C_EX_GetCertificateInfoText(session, object, &text, &length), CKR_OK, "C_EX_GetCertificateInfoText");
    require(text && length > 100 && text[length - 1] == 0 && strlen((char *)text) == length - 1, "the text's length");
    C_EX_FreeBuffer(text);
    expect(
        C_EX_PKCS7Sign(session, content, sizeof content, object, &envelope, &length, 0, NULL, 0, 4), CKR_ARGUMENTS_BAD,
        "C_EX_PKCS7Sign, unknown flag");
    expect(
        C_EX_PKCS7Sign(session, content, sizeof content, object, &envelope, &length, 0, NULL, 0, USE_HARDWARE_HASH),
        CKR_OK, "C_EX_PKCS7Sign");
    fwrite(envelope, 1, length, stdout);
    verify(envelope, length, value, size, authority);
    unknown_signer(envelope, length, object);
    C_EX_FreeBuffer(envelope);
    envelope = NULL;
    expect(C_EX_GetJournal(slot, NULL, &length), CKR_OK, "C_EX_GetJournal, asked for the length");
    require(length == 126, "the length of the journal");

    /* The key's two halves and the certificate. */
    C_FindObjectsInit(session, template + 3, 1);
    C_FindObjects(session, found, 9, &count);
    C_FindObjectsFinal(session);
    require(count == 3, "the number of objects");
    for (index = 0; index < count; index++) expect(C_DestroyObject(session, found[index]), CKR_OK, "C_DestroyObject");
}

static CK_ULONG mode = SECURE_MESSAGING_DEFAULT;

static CK_RV restored(CK_ULONG size, CK_UTF8CHAR_PTR value, CK_ULONG key_size, CK_KEY_TYPE type) {
    static CK_BYTE key[] = "Welcome to the hotel California!";
    static CK_UTF8CHAR label[] = "restored";
    CK_RUTOKEN_INIT_PARAM format = {
        sizeof format, 0, so_pin, 8, pin, 8, TOKEN_FLAGS_USER_CHANGE_USER_PIN, 6, 6, 10, 10, label, 8, mode};
    CK_VENDOR_RESTORE_FACTORY_DEFAULTS_PARAMS parameters = {size, value, 8, &format, key, key_size, 10, type};

    return C_EX_SlotManage(slot, MODE_RESTORE_FACTORY_DEFAULTS, &parameters);
}

static void restore(void) {
    CK_TOKEN_INFO info;

    expect(restored(64, so_pin, 32, CKK_KUZNECHIK), CKR_SESSION_EXISTS, "with a session");
    expect(C_CloseSession(session), CKR_OK, "C_CloseSession");
    expect(restored(55, so_pin, 32, CKK_KUZNECHIK), CKR_ARGUMENTS_BAD, "a structure of 55 octets");
    expect(restored(64, so_pin, 31, CKK_KUZNECHIK), CKR_ARGUMENTS_BAD, "a key of 31 octets");
    expect(restored(64, so_pin, 32, CKK_GOSTR3410), CKR_ARGUMENTS_BAD, "a key of another type");
    mode = 4;
    expect(restored(64, so_pin, 32, CKK_MAGMA), CKR_ARGUMENTS_BAD, "no mode of secure messaging");
    mode = SECURE_MESSAGING_BUILT_IN;
    expect(restored(64, so_pin, 32, CKK_MAGMA), CKR_FUNCTION_NOT_SUPPORTED, "a mode that the token does not have");
    mode = SECURE_MESSAGING_DEFAULT;
    expect(restored(64, (CK_UTF8CHAR_PTR) "11111111", 32, CKK_MAGMA), CKR_PIN_INCORRECT, "a wrong PIN");
    expect(restored(64, so_pin, 32, CKK_MAGMA), CKR_OK, "a key of Magma");
    expect(restored(56, so_pin, 32, ~0UL), CKR_OK, "a structure without the key's type");
    expect(C_GetTokenInfo(slot, &info), CKR_OK, "C_GetTokenInfo");
    require(!memcmp(info.label, "restored ", 9), "the label");
}

int main(int count, char **words) {
    if (count < 4) return 99;
    slot = strtoul(words[1], NULL, 10);
    pin = (CK_UTF8CHAR_PTR)words[2];
    so_pin = (CK_UTF8CHAR_PTR)words[3];
    expect(C_Initialize(NULL), CKR_OK, "C_Initialize");
    expect(C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session), CKR_OK, "C_OpenSession");
    log_in(CKU_USER);
    if (count > 5 && strcmp(words[4], "unreadable") == 0) {
        unreadable_certificates(words[5]);
    } else if (count > 5) {
        message(words[4], words[5]);
    } else if (count > 4) {
        restore();
    } else {
        names_and_licences();
        pins();
        what_is_not_there();
        lengths();
        request();
    }
    expect(C_Finalize(NULL), CKR_OK, "C_Finalize");
    return wrong;
}
