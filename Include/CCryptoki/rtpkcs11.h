/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rtpkcs11.h - the vendor extension of PKCS #11 for Rutoken tokens.
 *
 * This header adds to p11-kit's pkcs11.h what a program written for the vendor's library expects to find under this
 * name: 34 functions C_EX_*, their table, and the structures and constants that belong to them and to the GOST
 * mechanisms. It compiles as C89 and later and as C++. If the pkcs11.h of OASIS is included before, that one serves.
 *
 * Reading guide. All functions return CKR_OK or an error code of PKCS #11 or of the list below. Lengths and sizes are
 * in bytes, unless something else is said. [in] is written by the caller, [out] by the library. Three conventions
 * occur for variable output:
 *   two calls          pass NULL to learn the length, then a buffer; CKR_BUFFER_TOO_SMALL tells the length needed;
 *   allocated          the library allocates; release with C_EX_FreeBuffer;
 *   caller's structure the caller sets ulSizeofThisStructure, the library fills that much.
 *
 * All structures have natural alignment. Offsets and sizes in the comments are those of a 64-bit Linux.
 */
#ifndef RTPKCS11_H
#define RTPKCS11_H 1

#if defined(_PKCS11_H_)
#define RTPKCS11_OASIS 1 /* for this header only */
#ifndef CK_SPEC
#define CK_SPEC
#endif
#if defined(CKM_GOSTR3410_DERIVE)
#define RTPKCS11_OTHERS_GOST 1 /* 2.30 and later */
#endif
#elif !defined(PKCS11_H)
#if defined(__has_include)
#if __has_include(<p11-kit/pkcs11.h>)
#include <p11-kit/pkcs11.h>
#else
#include <p11-kit-1/p11-kit/pkcs11.h>
#endif
#else
#include <p11-kit/pkcs11.h>
#endif
#endif

/* p11-kit 0.26 follows 3.2 and has the structures of GOST mechanisms, which earlier ones lack. */
#if !defined(RTPKCS11_OASIS) && (CRYPTOKI_VERSION_MAJOR << 8 | CRYPTOKI_VERSION_MINOR) >= 0x302
#define RTPKCS11_OTHERS_GOST 1
#endif

#if !defined(RTPKCS11_OASIS) && !defined(CRYPTOKI_COMPAT)
#error "rtpkcs11.h needs the standard names of PKCS #11: do not define CRYPTOKI_GNU"
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------
 * What the standard's own headers have and p11-kit's lacks
 */

#ifndef CK_PTR
#define CK_PTR *
#endif
#ifndef CK_DECLARE_FUNCTION
#define CK_DECLARE_FUNCTION(type, name) type CK_SPEC name
#endif
#ifndef CK_DECLARE_FUNCTION_POINTER
#define CK_DECLARE_FUNCTION_POINTER(type, name) type(CK_PTR name)
#endif
#ifndef CK_CALLBACK_FUNCTION
#define CK_CALLBACK_FUNCTION(type, name) type(CK_PTR name)
#endif

typedef CK_BYTE_PTR CK_PTR CK_BYTE_PTR_PTR;
typedef CK_CHAR_PTR CK_PTR CK_CHAR_PTR_PTR;
#ifndef RTPKCS11_OASIS
typedef CK_ULONG CK_EC_KDF_TYPE;
#endif

#ifndef CKF_EC_OID
#define CKF_EC_OID 0x00800000UL
#endif

/* ------------------------------------------------------------------------------------------------------------------
 * Base values
 *
 * Values of the Russian PKCS #11 team begin with 0xD4321000, values of the vendor with 0x80000000. Numbers are unique
 * within one kind only: 0xD4321007 is a mechanism and also a key type.
 */

#define NSSCK_VENDOR_PKCS11_RU_TEAM 0xD4321000UL
#define CK_VENDOR_PKCS11_RU_TEAM_TK26 NSSCK_VENDOR_PKCS11_RU_TEAM
#define CK_VENDOR_PKCS11_RU_TEAM_TC26 NSSCK_VENDOR_PKCS11_RU_TEAM

/* ------------------------------------------------------------------------------------------------------------------
 * Object classes and hardware features
 */

#define CKO_VENDOR_AUTHENTICATION_FACTOR 0x80000001UL

#define CKH_VENDOR_TOKEN_INFO 0x80000001UL
#define CKH_VENDOR_EMITENT_KEY 0x80000002UL
#define CKH_VENDOR_SECURE_COUNTER 0x80000003UL
#define CKH_VENDOR_NDEF_TAG 0x80000004UL
#define CKH_VENDOR_RNG 0x80000005UL
#define CKH_VENDOR_PIN_POLICY 0x80000006UL
#define CKH_VENDOR_TOUCH_INTERFACE 0x80000007UL

/* ------------------------------------------------------------------------------------------------------------------
 * Key types
 */

#ifndef CKK_GOSTR3410
#define CKK_GOSTR3410 0x30UL
#define CKK_GOSTR3411 0x31UL
#define CKK_GOST28147 0x32UL
#endif
#ifndef CKK_EC_EDWARDS
#define CKK_EC_EDWARDS 0x40UL
#endif
#define CKK_GOSTR3410_512 0xD4321003UL
#define CKK_KUZNECHIK 0xD4321004UL
#define CKK_MAGMA 0xD4321005UL
#define CKK_KUZNECHIK_TWIN_KEY 0xD4321006UL
#define CKK_MAGMA_TWIN_KEY 0xD4321007UL
#define CKK_KUZNYECHIK CKK_KUZNECHIK
#define CKK_KUZNYECHIK_TWIN_KEY CKK_KUZNECHIK_TWIN_KEY
#define CKK_GOST 0x80000001UL /* Rutoken S */
#define CKK_VENDOR_BIP32 0x80000002UL

/* ------------------------------------------------------------------------------------------------------------------
 * Attributes
 */

#ifndef CKA_GOSTR3410_PARAMS
#define CKA_GOSTR3410_PARAMS 0x250UL
#define CKA_GOSTR3411_PARAMS 0x251UL
#define CKA_GOST28147_PARAMS 0x252UL
#endif
#ifndef CKA_NAME_HASH_ALGORITHM
#define CKA_NAME_HASH_ALGORITHM 0x8CUL
#endif
#ifndef CKA_COPYABLE
#define CKA_COPYABLE 0x171UL
#endif

/* Keys of Rutoken S. */
#define CKA_GOST_KEY_OPTIONS 0x80000001UL
#define CKA_GOST_KEY_FLAGS 0x80000002UL
#define CKO_GOST_KEY_PZ 0UL
#define CKO_GOST_KEY_GAMM 1UL
#define CKO_GOST_KEY_GAMMOS 2UL
#define CKF_GOST_KEY_CLOSED 0UL
#define CKF_GOST_KEY_OPENLEN 2UL

/* Private keys, CK_BBOOL each. The first two are deprecated. */
#define CKA_VENDOR_KEY_PIN_ENTER 0x80002000UL
#define CKA_VENDOR_KEY_CONFIRM_OP 0x80002001UL
#define CKA_VENDOR_KEY_JOURNAL 0x80002002UL
#define CKA_VENDOR_CONFIRM_BY_TOUCH 0x80002003UL

/* Certificates. */
#define CKA_VENDOR_AKTIV_CSP_CONTAINER_ID 0x80000009UL

/* The CKH_VENDOR_TOKEN_INFO object. */
#define CKA_VENDOR_SECURE_MESSAGING_AVAILABLE 0x80003000UL                 /* CK_BBOOL */
#define CKA_VENDOR_CURRENT_SECURE_MESSAGING_MODE 0x80003001UL              /* CK_ULONG, SECURE_MESSAGING_* */
#define CKA_VENDOR_SUPPORTED_SECURE_MESSAGING_MODES 0x80003002UL           /* CK_ULONG[] */
#define CKA_VENDOR_CURRENT_TOKEN_INTERFACE 0x80003003UL                    /* CK_ULONG, one INTERFACE_TYPE_* */
#define CKA_VENDOR_SUPPORTED_TOKEN_INTERFACE 0x80003004UL                  /* CK_ULONG, a mask of them */
#define CKA_VENDOR_EXTERNAL_AUTHENTICATION 0x80003005UL                    /* CK_BBOOL */
#define CKA_VENDOR_BIOMETRIC_AUTHENTICATION 0x80003006UL                   /* CK_ULONG */
#define CKA_VENDOR_SUPPORT_CUSTOM_PIN 0x80003007UL                         /* CK_BBOOL */
#define CKA_VENDOR_CUSTOM_ADMIN_PIN 0x80003008UL                           /* CK_BBOOL */
#define CKA_VENDOR_CUSTOM_USER_PIN 0x80003009UL                            /* CK_BBOOL */
#define CKA_VENDOR_SUPPORT_INTERNAL_TRUSTED_CERTS 0x8000300AUL             /* CK_BBOOL */
#define CKA_VENDOR_SUPPORT_FKC2 0x8000300BUL                               /* CK_BBOOL */
#define CKA_VENDOR_SUPPORT_HW_RESULT_FOR_GOST28147_KEY_UNWRAP 0x8000300CUL /* CK_BBOOL */
#define CKA_VENDOR_SUPPORT_HW_KDF_TREE 0x8000300DUL                        /* CK_BBOOL */
#define CKA_VENDOR_SUPPORT_KIMP15 0x8000300EUL                             /* CK_BBOOL */
#define CKA_VENDOR_FLASH_DRIVE_AVAILABLE 0x8000300FUL                      /* CK_BBOOL */
#define CKA_VENDOR_MODEL_NAME 0x80003010UL                                 /* UTF-8, from firmware 32 on */
#define CKA_VENDOR_SUPPORT_HW_AES_WRAP 0x80003011UL                        /* CK_BBOOL */
#define CKA_VENDOR_SUPPORT_REPAIR_FORMAT 0x80003012UL                      /* CK_BBOOL */
#define CKA_VENDOR_PROTECTION_FEATURES 0xC0003013UL                        /* CK_ULONG[] */
#define CKA_VENDOR_SUPPORTED_EMITENT_KEY_ALGS 0xC0003015UL                 /* CK_ULONG[] */

/* Import under the issuer's ("emitent") key. */
#define CKA_VENDOR_CHECKSUM 0x80003100UL
#define CKA_VENDOR_HMAC_VALUE 0x80003101UL
#define CKA_VENDOR_INTERNAL_TRUSTED_CERT 0x80003102UL
#define CKA_VENDOR_IV 0x80003103UL

/* The CKH_VENDOR_PIN_POLICY object. */
#define CKA_VENDOR_PIN_POLICY_STATE 0x80003200UL /* PIN_POLICY_STATE_* */
#define CKA_VENDOR_PIN_POLICIES_DELETABLE 0x80003201UL
#define CKA_VENDOR_SUPPORTED_PIN_POLICIES 0xC0003202UL             /* CK_ATTRIBUTE_TYPE[] */
#define CKA_VENDOR_PIN_POLICY_MIN_LENGTH 0x80003203UL              /* CK_BYTE */
#define CKA_VENDOR_PIN_POLICY_HISTORY_DEPTH 0x80003204UL           /* CK_BYTE */
#define CKA_VENDOR_PIN_POLICY_ALLOW_DEFAULT_PIN_USAGE 0x80003205UL /* CK_BBOOL, as the five that follow */
#define CKA_VENDOR_PIN_POLICY_DIGIT_REQUIRED 0x80003206UL
#define CKA_VENDOR_PIN_POLICY_UPPERCASE_REQUIRED 0x80003207UL
#define CKA_VENDOR_PIN_POLICY_LOWERCASE_REQUIRED 0x80003208UL
#define CKA_VENDOR_PIN_POLICY_SPEC_CHAR_REQUIRED 0x80003209UL
#define CKA_VENDOR_PIN_POLICY_DIFF_CHARS_REQUIRED 0x8000320AUL
#define CKA_VENDOR_USER_TYPE 0x8000320BUL

#define PIN_POLICY_STATE_WELL_DEFINED 0UL
#define PIN_POLICY_STATE_HAS_UNKNOWN_ATTRIBUTES 1UL
#define PIN_POLICY_STATE_HAS_UNKNOWN_NONDEFAULT_ATTRIBUTES 2UL

/* Authentication objects. */
#define CKA_VENDOR_AUTHENTICATION_FACTOR_TYPE 0x80003300UL
#define CKA_VENDOR_FP_CONVOLUTIONS_COUNT 0x80003301UL
#define CKA_VENDOR_FP_CONVOLUTIONS 0xC0003302UL
#define CKA_VENDOR_FINGERPRINT_CONVOLUTIONS_ID 0x80003304UL
#define CKA_VENDOR_MAX_RETRY_COUNT 0x80003305UL
#define CKA_VENDOR_RETRY_COUNT_LEFT 0x80003306UL
#define CKA_VENDOR_BIO_DATA_ID 0x80003307UL

/* The CKH_VENDOR_TOUCH_INTERFACE object. */
#define CKA_VENDOR_TOUCH_MODE 0x80003400UL /* TOUCH_MODE_* */
#define CKA_VENDOR_USER_PRESENT_TIME_LIMIT 0x80003401UL
#define CKA_VENDOR_USER_ACTION_TIMEOUT 0x80003402UL

/* Keys of BIP 32. */
#define CKA_VENDOR_BIP32_CHAINCODE 0x80005000UL
#define CKA_VENDOR_BIP32_ID 0x80005001UL
#define CKA_VENDOR_BIP32_FINGERPRINT 0x80005002UL
#define CKA_VENDOR_BIP39_MNEMONIC_TRACE 0x80005003UL
#define CKA_VENDOR_BIP39_MNEMONIC 0x80005004UL
#define CKA_VENDOR_BIP39_MNEMONIC_IS_EXTRACTABLE 0x80005005UL

/* ------------------------------------------------------------------------------------------------------------------
 * Mechanisms, key derivation functions, pseudorandom functions
 */

#ifndef CKM_GOSTR3410_KEY_PAIR_GEN
#define CKM_GOSTR3410_KEY_PAIR_GEN 0x1200UL
#define CKM_GOSTR3410 0x1201UL
#define CKM_GOSTR3410_WITH_GOSTR3411 0x1202UL
#define CKM_GOSTR3410_KEY_WRAP 0x1203UL
#define CKM_GOSTR3410_DERIVE 0x1204UL
#define CKM_GOSTR3411 0x1210UL
#define CKM_GOSTR3411_HMAC 0x1211UL
#define CKM_GOST28147_KEY_GEN 0x1220UL
#define CKM_GOST28147_ECB 0x1221UL
#define CKM_GOST28147 0x1222UL
#define CKM_GOST28147_MAC 0x1223UL
#define CKM_GOST28147_KEY_WRAP 0x1224UL
#endif
#ifndef CKM_EDDSA
#define CKM_EC_EDWARDS_KEY_PAIR_GEN 0x1055UL
#define CKM_EDDSA 0x1057UL
#endif

#define CKM_GOSTR3410_512_KEY_PAIR_GEN 0xD4321005UL
#define CKM_GOSTR3410_512 0xD4321006UL
#define CKM_GOSTR3410_12_DERIVE 0xD4321007UL
#define CKM_GOSTR3410_WITH_GOSTR3411_12_256 0xD4321008UL
#define CKM_GOSTR3410_WITH_GOSTR3411_12_512 0xD4321009UL
#define CKM_GOSTR3410_PUBLIC_KEY_DERIVE 0xD432100AUL
#define CKM_GOSTR3410_512_PUBLIC_KEY_DERIVE 0xD432100BUL
#define CKM_GOSTR3411_12_256 0xD4321012UL
#define CKM_GOSTR3411_12_512 0xD4321013UL
#define CKM_GOSTR3411_12_256_HMAC 0xD4321014UL
#define CKM_GOSTR3411_12_512_HMAC 0xD4321015UL
#define CKM_TLS_GOST_PRF_2012_256 0xD4321016UL
#define CKM_TLS_GOST_PRF_2012_512 0xD4321017UL
#define CKM_TLS_GOST_MASTER_KEY_DERIVE_2012_256 0xD4321018UL
#define CKM_KDF_4357 0xD4321025UL
#define CKM_KDF_GOSTR3411_2012_256 0xD4321026UL
#define CKM_KDF_HMAC3411_2012_256 0xD4321028UL
#define CKM_KDF_TREE_GOSTR3411_2012_256 0xD432102AUL
#define CKM_KUZNECHIK_KEXP_15_WRAP 0xD432102BUL
#define CKM_MAGMA_KEXP_15_WRAP 0xD432102CUL
#define CKM_KUZNECHIK_MGM 0xD432102DUL
#define CKM_MAGMA_MGM 0xD432102EUL
#define CKM_KUZNECHIK_KEY_GEN 0xD4321030UL
#define CKM_KUZNECHIK_ECB 0xD4321031UL
#define CKM_KUZNECHIK_CTR_ACPKM 0xD4321032UL
#define CKM_KUZNECHIK_MAC 0xD4321033UL
#define CKM_MAGMA_KEY_GEN 0xD4321034UL
#define CKM_MAGMA_ECB 0xD4321035UL
#define CKM_MAGMA_CTR_ACPKM 0xD4321036UL
#define CKM_MAGMA_MAC 0xD4321037UL
#define CKM_VKO_GOSTR3410_2012_512 0xD4321038UL
#define CKM_GOST_KEG 0xD4321039UL
#define CKM_KUZNYECHIK_KEXP_15_WRAP CKM_KUZNECHIK_KEXP_15_WRAP
#define CKM_KUZNYECHIK_MGM CKM_KUZNECHIK_MGM
#define CKM_KUZNYECHIK_KEY_GEN CKM_KUZNECHIK_KEY_GEN
#define CKM_KUZNYECHIK_ECB CKM_KUZNECHIK_ECB
#define CKM_KUZNYECHIK_CTR_ACPKM CKM_KUZNECHIK_CTR_ACPKM
#define CKM_KUZNYECHIK_MAC CKM_KUZNECHIK_MAC

#define CKM_GOST_KEY_GEN 0x80000001UL /* Rutoken S */
#define CKM_GOST 0x80000002UL         /* Rutoken S */
#define CKM_VENDOR_SECURE_IMPORT 0x80000003UL
#define CKM_VENDOR_KDF_CRISP_CMAC 0x80000004UL
#define CKM_VENDOR_CRISP_AEAD 0x80000005UL
#define CKM_VENDOR_GOST_KEG 0x80000005UL /* before 2023 */
#define CKM_VENDOR_BIP32_KEY_PAIR_GEN 0x80000006UL
#define CKM_VENDOR_BIP32_DERIVE_PRIVATE_FROM_PRIVATE 0x80000007UL
#define CKM_VENDOR_BIP32_DERIVE_PUBLIC_FROM_PRIVATE 0x80000008UL
#define CKM_VENDOR_BIP32_WITH_BIP39_KEY_PAIR_GEN 0x80000009UL

#ifndef CKD_CPDIVERSIFY_KDF
#define CKD_CPDIVERSIFY_KDF 9UL
#endif
#define CKD_KDF_4357 CKM_KDF_4357
#define CKD_KDF_GOSTR3411_2012_256 CKM_KDF_GOSTR3411_2012_256

#ifndef CKP_PKCS5_PBKD2_HMAC_GOSTR3411
#define CKP_PKCS5_PBKD2_HMAC_GOSTR3411 2UL
#endif
#define CKP_PKCS5_PBKD2_HMAC_GOSTR3411_2012_512 0xD4321003UL

/* ------------------------------------------------------------------------------------------------------------------
 * Return codes
 */

#define CKR_CORRUPTED_MAPFILE 0x80000001UL
#define CKR_WRONG_VERSION_FIELD 0x80000002UL
#define CKR_WRONG_PKCS1_ENCODING 0x80000003UL
#define CKR_RTPKCS11_DATA_CORRUPTED 0x80000004UL
#define CKR_RTPKCS11_RSF_DATA_CORRUPTED 0x80000005UL
#define CKR_SM_PASSWORD_INVALID 0x80000006UL /* the activation password is wrong or malformed */
#define CKR_LICENSE_READ_ONLY 0x80000007UL
#define CKR_VENDOR_EMITENT_KEY_BLOCKED 0x80000008UL
#define CKR_CERT_CHAIN_NOT_VERIFIED 0x80000009UL /* the signature is good, the chain is not */
#define CKR_INAPPROPRIATE_PIN 0x8000000AUL
#define CKR_PIN_IN_HISTORY 0x8000000BUL
#define CKR_VENDOR_INTERFACE_NOT_INITIALIZED 0x8000000CUL
#define CKR_PINPAD_DATA_INCORRECT 0x80006FB1UL
#define CKR_PINPAD_WRONG_DATALEN 0x80006FB6UL

/* ------------------------------------------------------------------------------------------------------------------
 * Flags, types and modes
 */

/* CK_TOKEN_INFO_EXTENDED.flags; the first two are also CK_RUTOKEN_INIT_PARAM.ChangeUserPINPolicy. */
#define TOKEN_FLAGS_ADMIN_CHANGE_USER_PIN 0x00000001UL
#define TOKEN_FLAGS_USER_CHANGE_USER_PIN 0x00000002UL
#define TOKEN_FLAGS_ADMIN_PIN_NOT_DEFAULT 0x00000004UL
#define TOKEN_FLAGS_USER_PIN_NOT_DEFAULT 0x00000008UL
#define TOKEN_FLAGS_SUPPORT_FKN 0x00000010UL
#define TOKEN_FLAGS_SUPPORT_FKC TOKEN_FLAGS_SUPPORT_FKN
#define TOKEN_FLAGS_SUPPORT_SM 0x00000040UL /* old */
#define TOKEN_FLAGS_HAS_FLASH_DRIVE 0x00000080UL
#define TOKEN_FLAGS_SUPPORT_SECURE_MESSAGING 0x00000100UL
#define TOKEN_FLAGS_CAN_CHANGE_SM_MODE TOKEN_FLAGS_SUPPORT_SECURE_MESSAGING
#define TOKEN_FLAGS_HAS_BUTTON 0x00000200UL
#define TOKEN_FLAGS_SUPPORT_JOURNAL 0x00000400UL
#define TOKEN_FLAGS_USER_PIN_UTF8 0x00000800UL
#define TOKEN_FLAGS_ADMIN_PIN_UTF8 0x00001000UL
#define TOKEN_FLAGS_FW_CHECKSUM_UNAVAILIBLE 0x40000000UL /* spelt as programs spell it */
#define TOKEN_FLAGS_FW_CHECKSUM_INVALID 0x80000000UL

/* CK_TOKEN_INFO_EXTENDED.ulTokenType, deprecated in favour of ulTokenClass. */
#define TOKEN_TYPE_RUTOKEN_ECP 0x01UL
#define TOKEN_TYPE_RUTOKEN_LITE 0x02UL
#define TOKEN_TYPE_RUTOKEN 0x03UL
#define TOKEN_TYPE_RUTOKEN_PINPAD_FAMILY 0x04UL
#define TOKEN_TYPE_RUTOKEN_MIKRON 0x05UL
#define TOKEN_TYPE_RUTOKEN_ECPDUAL_USB 0x09UL
#define TOKEN_TYPE_RUTOKEN_WEB 0x23UL
#define TOKEN_TYPE_RUTOKEN_SC_JC 0x41UL
#define TOKEN_TYPE_RUTOKEN_ECP_SC TOKEN_TYPE_RUTOKEN_SC_JC
#define TOKEN_TYPE_RUTOKEN_LITE_SC_JC 0x42UL
#define TOKEN_TYPE_RUTOKEN_MIKRON_SC 0x45UL
#define TOKEN_TYPE_RUTOKEN_SCDUAL 0x49UL
#define TOKEN_TYPE_RUTOKEN_MIKRON_SCDUAL 0x4DUL
#define TOKEN_TYPE_RUTOKEN_ECPDUAL_BT 0x69UL
#define TOKEN_TYPE_RUTOKEN_ECP_SD 0x81UL
#define TOKEN_TYPE_RUTOKEN_LITE_SD 0x82UL
#define TOKEN_TYPE_RUTOKEN_ECPDUAL_UART 0xA9UL
#define TOKEN_TYPE_RUTOKEN_ECP_NFC 0xC1UL
#define TOKEN_TYPE_RUTOKEN_SCDUAL_NFC 0xC9UL
#define TOKEN_TYPE_RUTOKEN_MIKRON_SCDUAL_NFC 0xCDUL
#define TOKEN_TYPE_KAZTOKEN 0x11UL
#define TOKEN_TYPE_KAZTOKEN_SC 0x51UL
#define TOKEN_TYPE_KAZTOKEN_SD 0x91UL
#define TOKEN_TYPE_UNKNOWN 0xFFUL

/* CK_TOKEN_INFO_EXTENDED.ulTokenClass. */
#define TOKEN_CLASS_S 0UL
#define TOKEN_CLASS_ECP 1UL
#define TOKEN_CLASS_LITE 2UL
#define TOKEN_CLASS_WEB 3UL
#define TOKEN_CLASS_PINPAD 4UL
#define TOKEN_CLASS_ECP_BT 9UL
#define TOKEN_CLASS_ECPDUAL TOKEN_CLASS_ECP_BT
#define TOKEN_CLASS_UNKNOWN 0xFFFFFFFFUL

/* CK_TOKEN_INFO_EXTENDED.ulBodyColor. */
#define TOKEN_BODY_COLOR_UNKNOWN 0UL
#define TOKEN_BODY_COLOR_WHITE 1UL
#define TOKEN_BODY_COLOR_BLACK 2UL

/* CKA_VENDOR_CURRENT_TOKEN_INTERFACE and CKA_VENDOR_SUPPORTED_TOKEN_INTERFACE. */
#define INTERFACE_TYPE_USB 0x01UL
#define INTERFACE_TYPE_BT 0x02UL
#define INTERFACE_TYPE_UART 0x04UL
#define INTERFACE_TYPE_ISO 0x08UL
#define INTERFACE_TYPE_SD 0x10UL /* old */
#define INTERFACE_TYPE_NFC_TYPE_B 0x20UL
#define INTERFACE_TYPE_NFC INTERFACE_TYPE_NFC_TYPE_B
#define INTERFACE_TYPE_SPI 0x40UL
#define INTERFACE_TYPE_NFC_TYPE_A 0x80UL
#define INTERFACE_TYPE_UNKNOWN (~0UL)

/* CK_RUTOKEN_INIT_PARAM.ulSmMode and the secure messaging attributes. */
#define SECURE_MESSAGING_DEFAULT 0x00UL
#define SECURE_MESSAGING_BUILT_IN 0x01UL
#define SECURE_MESSAGING_GOST 0x02UL
#define SECURE_MESSAGING_ENHANCED_GOST 0x03UL
#define SECURE_MESSAGING_UNSUPPORTED 0xFFUL

/* C_EX_SlotManage. C_EX_TokenManage has modes of its own with the same numbers. */
#define MODE_GET_IMIT 4UL
#define MODE_GET_LOCAL_PIN_INFO 5UL
#define MODE_RESTORE_FACTORY_DEFAULTS 6UL
#define MODE_GET_PIN_SET_TO_BE_CHANGED 7UL

/* C_EX_TokenManage. */
#define MODE_SET_BLUETOOTH_POWEROFF_TIMEOUT 1UL
#define MODE_SET_CHANNEL_TYPE 2UL
#define MODE_RESET_CUSTOM_PIN_TO_STANDARD 3UL
#define MODE_RESET_PIN_TO_DEFAULT 4UL
#define MODE_CHANGE_DEFAULT_PIN 5UL
#define MODE_FORCE_USER_TO_CHANGE_PIN 6UL

#define BLUETOOTH_POWEROFF_TIMEOUT_DEFAULT 0x00UL
#define BLUETOOTH_POWEROFF_TIMEOUT_MAX 0x46UL /* minutes */
#define CHANNEL_TYPE_USB 0UL
#define CHANNEL_TYPE_BLUETOOTH 1UL

/* C_EX_GenerateActivationPassword: password number, and characters to choose from. */
#define GENERATE_NEXT_PASSWORD 0UL
#define CAPS_AND_DIGITS 0UL /* capital letters without O, digits without 0 */
#define CAPS_ONLY 1UL

/* CK_LOCAL_PIN_INFO.flags. */
#define LOCAL_PIN_FLAGS_NOT_DEFAULT 1UL
#define LOCAL_PIN_FLAGS_FROM_SCREEN 2UL
#define LOCAL_PIN_FLAGS_IS_UTF8 4UL

/* CK_TOKEN_IMIT_DATA.bMode. */
#define IMIT_MODE_MASK 1UL
#define IMIT_MODE_MASK_PATCH 2UL

/* CK_ACCESS_MODE_EXTENDED of a volume. */
#define ACCESS_MODE_HIDDEN 0UL
#define ACCESS_MODE_RO 1UL
#define ACCESS_MODE_RW 3UL
#define ACCESS_MODE_CD 5UL
#define CKF_ENCRYPTION 0x01000000UL /* old */

/* C_EX_PKCS7Sign. */
#define PKCS7_DETACHED_SIGNATURE 1UL
#define USE_HARDWARE_HASH 2UL

/* C_EX_PKCS7VerifyInit: flags, and CK_VENDOR_CRL_MODE. */
#define CKF_VENDOR_DO_NOT_USE_INTERNAL_CMS_CERTS 1UL
#define CKF_VENDOR_ALLOW_PARTIAL_CHAINS 2UL
#define CKF_VENDOR_CHECK_SIGNATURE_ONLY 4UL
#define CKF_VENDOR_USE_TRUSTED_CERTS_FROM_TOKEN 8UL
#define OPTIONAL_CRL_CHECK 0UL
#define LEAF_CRL_CHECK 1UL
#define ALL_CRL_CHECK 2UL

#define CKVAF_BIO_FP_CONVOLUTION 1UL
#define BIOMETRIC_AUTHENTICATION_NOT_SUPPORTED 0UL
#define TOUCH_MODE_DISCRETE 0UL
#define TOUCH_MODE_CONTINUOUS 1UL

/* CK_VENDOR_KDF_CRISP_CMAC_PARAMS.cs. */
#define CRISP_CS_1 1UL
#define CRISP_CS_2 2UL
#define CRISP_CS_3 3UL
#define CRISP_CS_4 4UL

/* ------------------------------------------------------------------------------------------------------------------
 * Simple types
 */

typedef CK_ULONG CK_VOLUME_ID_EXTENDED;   /* 1...9 */
typedef CK_ULONG CK_ACCESS_MODE_EXTENDED; /* ACCESS_MODE_* */
typedef CK_ULONG CK_OWNER_EXTENDED;       /* CKU_USER, CKU_SO or the number of a local PIN */
typedef CK_ULONG CK_VENDOR_CRL_MODE;      /* *_CRL_CHECK */
typedef CK_ULONG CK_VENDOR_AUTHENTICATION_FACTOR_TYPE;

/* ------------------------------------------------------------------------------------------------------------------
 * Structures: the token
 */

/* Result of C_EX_GetTokenInfoExtended. The structure has grown: older programs know 208, 216, 232 or 240 bytes. */
typedef struct CK_TOKEN_INFO_EXTENDED {
    CK_ULONG ulSizeofThisStructure; /* [in, out] */
    CK_ULONG ulTokenType;           /* TOKEN_TYPE_*, deprecated */
    CK_ULONG ulProtocolNumber;
    CK_ULONG ulMicrocodeNumber;
    CK_ULONG ulOrderNumber;
    CK_FLAGS flags; /* TOKEN_FLAGS_* */
    CK_ULONG ulMaxAdminPinLen;
    CK_ULONG ulMinAdminPinLen;
    CK_ULONG ulMaxUserPinLen;
    CK_ULONG ulMinUserPinLen;
    CK_ULONG ulMaxAdminRetryCount;
    CK_ULONG ulAdminRetryCountLeft; /* 0 = blocked */
    CK_ULONG ulMaxUserRetryCount;
    CK_ULONG ulUserRetryCountLeft; /* 0 = blocked */
    CK_BYTE serialNumber[8];       /* big endian */
    CK_ULONG ulTotalMemory;
    CK_ULONG ulFreeMemory;
    CK_BYTE ATR[64];
    CK_ULONG ulATRLen;
    CK_ULONG ulTokenClass;        /* 208: TOKEN_CLASS_* */
    CK_ULONG ulBatteryVoltage;    /* 216: millivolts, 0 = no battery */
    CK_ULONG ulBodyColor;         /* 224: TOKEN_BODY_COLOR_* */
    CK_ULONG ulFirmwareChecksum;  /* 232 */
    CK_ULONG ulBatteryPercentage; /* 240: CK_UNAVAILABLE_INFORMATION = no battery, as in the next */
    CK_ULONG ulBatteryFlags;
} CK_TOKEN_INFO_EXTENDED;
typedef CK_TOKEN_INFO_EXTENDED CK_PTR CK_TOKEN_INFO_EXTENDED_PTR;

/* How C_EX_InitToken formats. Older programs pass 104 bytes, without ulSmMode. */
typedef struct CK_RUTOKEN_INIT_PARAM {
    CK_ULONG ulSizeofThisStructure; /* [in] 104 or 112 */
    CK_ULONG UseRepairMode;         /* not 0 = without the SO PIN, once that is blocked */
    CK_BYTE_PTR pNewAdminPin;
    CK_ULONG ulNewAdminPinLen;
    CK_BYTE_PTR pNewUserPin;
    CK_ULONG ulNewUserPinLen;
    CK_FLAGS ChangeUserPINPolicy; /* who may change the user PIN: TOKEN_FLAGS_*_CHANGE_USER_PIN */
    CK_ULONG ulMinAdminPinLen;
    CK_ULONG ulMinUserPinLen;
    CK_ULONG ulMaxAdminRetryCount; /* 3...10 */
    CK_ULONG ulMaxUserRetryCount;  /* 1...10 */
    CK_BYTE_PTR pTokenLabel;       /* UTF-8; NULL = no label */
    CK_ULONG ulLabelLen;
    CK_ULONG ulSmMode; /* SECURE_MESSAGING_* */
} CK_RUTOKEN_INIT_PARAM;
typedef CK_RUTOKEN_INIT_PARAM CK_PTR CK_RUTOKEN_INIT_PARAM_PTR;

/* MODE_RESTORE_FACTORY_DEFAULTS. Older programs pass 56 bytes, without the key type. */
typedef struct CK_VENDOR_RESTORE_FACTORY_DEFAULTS_PARAMS {
    CK_ULONG ulSizeofThisStructure; /* [in] 56 or 64 */
    CK_BYTE_PTR pAdminPin;
    CK_ULONG ulAdminPinLen;
    CK_RUTOKEN_INIT_PARAM_PTR pInitParam;
    CK_BYTE_PTR pNewEmitentKey;
    CK_ULONG ulNewEmitentKeyLen; /* 32 */
    CK_ULONG ulNewEmitentKeyRetryCount;
    CK_KEY_TYPE newEmitentKeyType;
} CK_VENDOR_RESTORE_FACTORY_DEFAULTS_PARAMS;
typedef CK_VENDOR_RESTORE_FACTORY_DEFAULTS_PARAMS CK_PTR CK_VENDOR_RESTORE_FACTORY_DEFAULTS_PARAMS_PTR;

/* MODE_GET_LOCAL_PIN_INFO. */
typedef struct CK_LOCAL_PIN_INFO {
    CK_ULONG ulPinID; /* [in] 3...31 */
    CK_ULONG ulMinSize;
    CK_ULONG ulMaxSize;
    CK_ULONG ulMaxRetryCount;
    CK_ULONG ulCurrentRetryCount; /* attempts left; 0 = blocked */
    CK_FLAGS flags;               /* LOCAL_PIN_FLAGS_* */
} CK_LOCAL_PIN_INFO;
typedef CK_LOCAL_PIN_INFO CK_PTR CK_LOCAL_PIN_INFO_PTR;

/* MODE_CHANGE_DEFAULT_PIN. */
typedef struct CK_VENDOR_PIN_PARAMS {
    CK_USER_TYPE userType;
    CK_UTF8CHAR_PTR pPinValue;
    CK_ULONG ulPinLength; /* 6...32 */
} CK_VENDOR_PIN_PARAMS;
typedef CK_VENDOR_PIN_PARAMS CK_PTR CK_VENDOR_PIN_PARAMS_PTR;

/* MODE_GET_IMIT. */
typedef struct CK_TOKEN_IMIT_DATA {
    CK_BYTE bMode; /* [in] IMIT_MODE_* */
    CK_BYTE pbGostSymmetricKey[32];
    CK_BYTE pbImit[8]; /* [out] */
} CK_TOKEN_IMIT_DATA;
typedef CK_TOKEN_IMIT_DATA CK_PTR CK_TOKEN_IMIT_DATA_PTR;

/* ------------------------------------------------------------------------------------------------------------------
 * Structures: volumes of a flash drive
 */

typedef struct CK_VOLUME_INFO_EXTENDED {
    CK_VOLUME_ID_EXTENDED idVolume;
    CK_ULONG ulVolumeSize; /* megabytes */
    CK_ACCESS_MODE_EXTENDED accessMode;
    CK_OWNER_EXTENDED volumeOwner;
    CK_FLAGS flags;
} CK_VOLUME_INFO_EXTENDED;
typedef CK_VOLUME_INFO_EXTENDED CK_PTR CK_VOLUME_INFO_EXTENDED_PTR;

typedef struct CK_VOLUME_FORMAT_INFO_EXTENDED {
    CK_ULONG ulVolumeSize; /* megabytes */
    CK_ACCESS_MODE_EXTENDED accessMode;
    CK_OWNER_EXTENDED volumeOwner;
    CK_FLAGS flags;
} CK_VOLUME_FORMAT_INFO_EXTENDED;
typedef CK_VOLUME_FORMAT_INFO_EXTENDED CK_PTR CK_VOLUME_FORMAT_INFO_EXTENDED_PTR;

/* ------------------------------------------------------------------------------------------------------------------
 * Structures: signed messages
 */

typedef struct CK_VENDOR_BUFFER {
    CK_BYTE_PTR pData;
    CK_ULONG ulSize;
} CK_VENDOR_BUFFER;
typedef CK_VENDOR_BUFFER CK_PTR CK_VENDOR_BUFFER_PTR;
typedef CK_VENDOR_BUFFER_PTR CK_PTR CK_VENDOR_BUFFER_PTR_PTR;

/* Certificates and revocation lists in DER, for C_EX_PKCS7VerifyInit. */
typedef struct CK_VENDOR_X509_STORE {
    CK_VENDOR_BUFFER_PTR pTrustedCertificates;
    CK_ULONG ulTrustedCertificateCount;
    CK_VENDOR_BUFFER_PTR pCertificates;
    CK_ULONG ulCertificateCount;
    CK_VENDOR_BUFFER_PTR pCrls;
    CK_ULONG ulCrlCount;
} CK_VENDOR_X509_STORE;
typedef CK_VENDOR_X509_STORE CK_PTR CK_VENDOR_X509_STORE_PTR;

/* ------------------------------------------------------------------------------------------------------------------
 * Structures: parameters of mechanisms
 */

#ifndef RTPKCS11_OTHERS_GOST
/* CKM_GOSTR3410_DERIVE. */
typedef struct CK_GOSTR3410_DERIVE_PARAMS {
    CK_EC_KDF_TYPE kdf;
    CK_BYTE_PTR pPublicData; /* the other side's public key, X || Y, little endian */
    CK_ULONG ulPublicDataLen;
    CK_BYTE_PTR pUKM;
    CK_ULONG ulUKMLen;
} CK_GOSTR3410_DERIVE_PARAMS;
typedef CK_GOSTR3410_DERIVE_PARAMS CK_PTR CK_GOSTR3410_DERIVE_PARAMS_PTR;

/* CKM_GOSTR3410_KEY_WRAP. */
typedef struct CK_GOSTR3410_KEY_WRAP_PARAMS {
    CK_BYTE_PTR pWrapOID; /* DER */
    CK_ULONG ulWrapOIDLen;
    CK_BYTE_PTR pUKM;
    CK_ULONG ulUKMLen;
    CK_OBJECT_HANDLE hKey;
} CK_GOSTR3410_KEY_WRAP_PARAMS;
typedef CK_GOSTR3410_KEY_WRAP_PARAMS CK_PTR CK_GOSTR3410_KEY_WRAP_PARAMS_PTR;
#endif

/* CKM_KDF_TREE_GOSTR3411_2012_256. */
typedef struct CK_KDF_TREE_GOST_PARAMS {
    CK_ULONG ulLabelLength;
    CK_BYTE_PTR pLabel;
    CK_ULONG ulSeedLength;
    CK_BYTE_PTR pSeed;
    CK_ULONG ulR; /* bytes of the counter, 1...4 */
    CK_ULONG ulL; /* bytes of key material in all */
    CK_ULONG ulOffset;
} CK_KDF_TREE_GOST_PARAMS;
typedef CK_KDF_TREE_GOST_PARAMS CK_PTR CK_KDF_TREE_GOST_PARAMS_PTR;

typedef struct CK_VENDOR_VKO_GOSTR3410_2012_512_PARAMS {
    CK_EC_KDF_TYPE kdf;
    CK_BYTE_PTR pPublicData;
    CK_ULONG ulPublicDataLen;
    CK_BYTE_PTR pUKM;
    CK_ULONG ulUKMLen;
} CK_VENDOR_VKO_GOSTR3410_2012_512_PARAMS;
typedef CK_VENDOR_VKO_GOSTR3410_2012_512_PARAMS CK_PTR CK_VENDOR_VKO_GOSTR3410_2012_512_PARAMS_PTR;

typedef struct CK_VENDOR_GOST_KEG_PARAMS {
    CK_BYTE_PTR pPublicData;
    CK_ULONG ulPublicDataLen;
    CK_BYTE_PTR pUKM;
    CK_ULONG ulUKMLen;
} CK_VENDOR_GOST_KEG_PARAMS;
typedef CK_VENDOR_GOST_KEG_PARAMS CK_PTR CK_VENDOR_GOST_KEG_PARAMS_PTR;

/* CKM_VENDOR_KDF_CRISP_CMAC. */
typedef struct CK_VENDOR_KDF_CRISP_CMAC_PARAMS {
    CK_ULONG ulSeqNumLen;
    CK_BYTE_PTR pSeqNum; /* big endian */
    CK_ULONG ulSourceIdentifierLen;
    CK_BYTE_PTR pSourceIdentifier;
    CK_BYTE cs; /* CRISP_CS_* */
} CK_VENDOR_KDF_CRISP_CMAC_PARAMS;
typedef CK_VENDOR_KDF_CRISP_CMAC_PARAMS CK_PTR CK_VENDOR_KDF_CRISP_CMAC_PARAMS_PTR;

/* CKM_VENDOR_CRISP_AEAD. */
typedef struct CK_VENDOR_CRISP_AEAD_PARAMS {
    CK_MECHANISM_PTR pEncryptMechanism;
    CK_BYTE_PTR pAAD;
    CK_ULONG ulAADLen;
    CK_ULONG ulMACLen;
} CK_VENDOR_CRISP_AEAD_PARAMS;
typedef CK_VENDOR_CRISP_AEAD_PARAMS CK_PTR CK_VENDOR_CRISP_AEAD_PARAMS_PTR;

/* CKM_VENDOR_BIP32_DERIVE_*. */
typedef struct CK_VENDOR_BIP32_DERIVE_PARAMS {
    CK_ULONG_PTR pulDerivationPath;
    CK_ULONG ulDerivationPathLength; /* elements */
} CK_VENDOR_BIP32_DERIVE_PARAMS;
typedef CK_VENDOR_BIP32_DERIVE_PARAMS CK_PTR CK_VENDOR_BIP32_DERIVE_PARAMS_PTR;

/* CKM_VENDOR_BIP32_WITH_BIP39_KEY_PAIR_GEN. */
typedef struct CK_VENDOR_BIP32_WITH_BIP39_KEY_PAIR_GEN_PARAMS {
    CK_UTF8CHAR_PTR pPassphrase;
    CK_ULONG ulPassphraseLen;
    CK_ULONG ulMnemonicLength; /* words */
} CK_VENDOR_BIP32_WITH_BIP39_KEY_PAIR_GEN_PARAMS;
typedef CK_VENDOR_BIP32_WITH_BIP39_KEY_PAIR_GEN_PARAMS CK_PTR CK_VENDOR_BIP32_WITH_BIP39_KEY_PAIR_GEN_PARAMS_PTR;

/* ------------------------------------------------------------------------------------------------------------------
 * Functions
 *
 * Each is declared as an exported function and as a pointer type CK_C_EX_<Name>.
 */

typedef struct CK_FUNCTION_LIST_EXTENDED CK_FUNCTION_LIST_EXTENDED;
typedef CK_FUNCTION_LIST_EXTENDED CK_PTR CK_FUNCTION_LIST_EXTENDED_PTR;
typedef CK_FUNCTION_LIST_EXTENDED_PTR CK_PTR CK_FUNCTION_LIST_EXTENDED_PTR_PTR;

#define CK_EX_DECLARE(name, arguments)         \
    typedef CK_RV(CK_PTR CK_##name) arguments; \
    CK_RV CK_SPEC name arguments

/* Gives the table of the functions below. Works before C_Initialize; touches no token. CKR_ARGUMENTS_BAD for NULL. */
CK_EX_DECLARE(C_EX_GetFunctionListExtended, (CK_FUNCTION_LIST_EXTENDED_PTR_PTR ppFunctionList));

/* Formats the token completely: objects and local PINs go, licences and the journal stay. pPin is the SO PIN.
 * CKR_SESSION_EXISTS while a session is open on the slot, CKR_PIN_INCORRECT, CKR_ARGUMENTS_BAD. */
CK_EX_DECLARE(
    C_EX_InitToken, (CK_SLOT_ID slotID, CK_UTF8CHAR_PTR pPin, CK_ULONG ulPinLen, CK_RUTOKEN_INIT_PARAM_PTR pInitInfo));

/* Caller's structure; needs no session. CKR_ARGUMENTS_BAD if ulSizeofThisStructure is below 208,
 * CKR_TOKEN_NOT_PRESENT, CKR_TOKEN_NOT_RECOGNIZED. */
CK_EX_DECLARE(C_EX_GetTokenInfoExtended, (CK_SLOT_ID slotID, CK_TOKEN_INFO_EXTENDED_PTR pInfo));

/* Restores the tries of the user PIN; the PIN itself stays. Read-write session, SO logged in; else
 * CKR_USER_NOT_LOGGED_IN. */
CK_EX_DECLARE(C_EX_UnblockUserPIN, (CK_SESSION_HANDLE hSession));

/* Sets the token's name, 0 to 255 bytes of UTF-8. Read-write session, user logged in. */
CK_EX_DECLARE(C_EX_SetTokenName, (CK_SESSION_HANDLE hSession, CK_CHAR_PTR pLabel, CK_ULONG ulLabelLen));

/* Writes, or in two calls reads, licence 1...4, always 72 bytes. Writing needs a login. CKR_ARGUMENTS_BAD for another
 * number or length, CKR_LICENSE_READ_ONLY. */
CK_EX_DECLARE(
    C_EX_SetLicense,
    (CK_SESSION_HANDLE hSession, CK_ULONG ulLicenseNum, CK_BYTE_PTR pLicense, CK_ULONG ulLicenseLen));
CK_EX_DECLARE(
    C_EX_GetLicense,
    (CK_SESSION_HANDLE hSession, CK_ULONG ulLicenseNum, CK_BYTE_PTR pLicense, CK_ULONG_PTR pulLicenseLen));

/* Allocated: a certificate as text; the length includes the final NUL. CKR_OBJECT_HANDLE_INVALID,
 * CKR_ATTRIBUTE_TYPE_INVALID if the object is not a certificate. */
CK_EX_DECLARE(
    C_EX_GetCertificateInfoText,
    (CK_SESSION_HANDLE hSession, CK_OBJECT_HANDLE hCert, CK_CHAR_PTR_PTR pInfo, CK_ULONG_PTR pulInfoLen));

/* Allocated: a CMS SignedData over pData. hPrivKey 0 = the key that has the certificate's CKA_ID. phCertificates are
 * added to the message. flags: PKCS7_DETACHED_SIGNATURE, USE_HARDWARE_HASH. User logged in.
 * CKR_KEY_TYPE_INCONSISTENT if the key is not a GOST key. */
CK_EX_DECLARE(
    C_EX_PKCS7Sign,
    (CK_SESSION_HANDLE hSession, CK_BYTE_PTR pData, CK_ULONG ulDataLen, CK_OBJECT_HANDLE hCert,
     CK_BYTE_PTR_PTR ppEnvelope, CK_ULONG_PTR pEnvelopeSize, CK_OBJECT_HANDLE hPrivKey,
     CK_OBJECT_HANDLE_PTR phCertificates, CK_ULONG ulCertificatesLen, CK_ULONG flags));

/* Allocated: a PKCS #10 request. dn, pAttributes and pExtensions are arrays of strings: type or OID, then value, and
 * so on; the counts are counts of strings. CKR_ARGUMENTS_BAD for an odd count. */
CK_EX_DECLARE(
    C_EX_CreateCSR,
    (CK_SESSION_HANDLE hSession, CK_OBJECT_HANDLE hPublicKey, CK_CHAR_PTR_PTR dn, CK_ULONG ulDnLength,
     CK_BYTE_PTR_PTR pCsr, CK_ULONG_PTR pulCsrLength, CK_OBJECT_HANDLE hPrivKey, CK_CHAR_PTR_PTR pAttributes,
     CK_ULONG ulAttributesLength, CK_CHAR_PTR_PTR pExtensions, CK_ULONG ulExtensionsLength));

/* Releases what another function allocated; NULL is allowed. */
CK_EX_DECLARE(C_EX_FreeBuffer, (CK_BYTE_PTR pBuffer));

/* Two calls: the token's name; the length is without NUL. */
CK_EX_DECLARE(C_EX_GetTokenName, (CK_SESSION_HANDLE hSession, CK_CHAR_PTR pLabel, CK_ULONG_PTR pulLabelLen));

/* Sets local PIN ulLocalID, 3...31: first with the user PIN, later with the local PIN's own value. Needs neither
 * session nor login. CKR_PIN_INCORRECT, CKR_ARGUMENTS_BAD. */
CK_EX_DECLARE(
    C_EX_SetLocalPIN,
    (CK_SLOT_ID slotID, CK_UTF8CHAR_PTR pUserPin, CK_ULONG ulUserPinLen, CK_UTF8CHAR_PTR pNewLocalPin,
     CK_ULONG ulNewLocalPinLen, CK_ULONG ulLocalID));

/* Loads a 32-byte activation key. */
CK_EX_DECLARE(C_EX_LoadActivationKey, (CK_SESSION_HANDLE hSession, CK_BYTE_PTR key, CK_ULONG keySize));

/* Activates the secure channel of a token that refuses C_OpenSession with CKR_FUNCTION_NOT_SUPPORTED. password ends
 * with NUL. Needs neither session nor login. CKR_SM_PASSWORD_INVALID, CKR_PIN_LOCKED when no tries are left,
 * CKR_TOKEN_NOT_PRESENT. */
CK_EX_DECLARE(C_EX_SetActivationPassword, (CK_SLOT_ID slotID, CK_UTF8CHAR_PTR password));

/* Volumes of a flash drive. Two calls, *pulInfoCount counts structures. CKR_FUNCTION_NOT_SUPPORTED without a drive. */
CK_EX_DECLARE(
    C_EX_GetVolumesInfo, (CK_SLOT_ID slotID, CK_VOLUME_INFO_EXTENDED_PTR pInfo, CK_ULONG_PTR pulInfoCount));

/* The drive's size in megabytes. */
CK_EX_DECLARE(C_EX_GetDriveSize, (CK_SLOT_ID slotID, CK_ULONG_PTR pulDriveSize));

CK_EX_DECLARE(
    C_EX_ChangeVolumeAttributes,
    (CK_SLOT_ID slotID, CK_USER_TYPE userType, CK_UTF8CHAR_PTR pPin, CK_ULONG ulPinLen,
     CK_VOLUME_ID_EXTENDED idVolume, CK_ACCESS_MODE_EXTENDED newAccessMode, CK_BBOOL bPermanent));

/* Erases the drive and lays out ulInitParamsCount volumes. */
CK_EX_DECLARE(
    C_EX_FormatDrive,
    (CK_SLOT_ID slotID, CK_USER_TYPE userType, CK_UTF8CHAR_PTR pPin, CK_ULONG ulPinLen,
     CK_VOLUME_FORMAT_INFO_EXTENDED_PTR pInitParams, CK_ULONG ulInitParamsCount));

/* Modes MODE_SET_BLUETOOTH_POWEROFF_TIMEOUT ... MODE_FORCE_USER_TO_CHANGE_PIN; pValue points to CK_ULONG (1, 2),
 * CK_USER_TYPE (3, 4, 6) or CK_VENDOR_PIN_PARAMS (5). SO logged in. */
CK_EX_DECLARE(C_EX_TokenManage, (CK_SESSION_HANDLE hSession, CK_ULONG ulMode, CK_VOID_PTR pValue));

/* Two calls: makes activation password ulPasswordNumber. */
CK_EX_DECLARE(
    C_EX_GenerateActivationPassword,
    (CK_SESSION_HANDLE hSession, CK_ULONG ulPasswordNumber, CK_UTF8CHAR_PTR pPassword, CK_ULONG_PTR pulPasswordSize,
     CK_ULONG ulPasswordCharacterSet));

/* Two calls: the record of the last signature made with a journal key, in BER-TLV; length 0 = none. */
CK_EX_DECLARE(C_EX_GetJournal, (CK_SLOT_ID slotID, CK_BYTE_PTR pJournal, CK_ULONG_PTR pulJournalSize));

CK_EX_DECLARE(
    C_EX_SignInvisibleInit, (CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism, CK_OBJECT_HANDLE hKey));
CK_EX_DECLARE(
    C_EX_SignInvisible,
    (CK_SESSION_HANDLE hSession, CK_BYTE_PTR pData, CK_ULONG ulDataLen, CK_BYTE_PTR pSignature,
     CK_ULONG_PTR pulSignatureLen));

/* Modes MODE_GET_IMIT ... MODE_GET_PIN_SET_TO_BE_CHANGED; pValue points to CK_TOKEN_IMIT_DATA (4), CK_LOCAL_PIN_INFO
 * (5), CK_VENDOR_RESTORE_FACTORY_DEFAULTS_PARAMS (6) or CK_USER_TYPE (7). Mode 7 answers CKR_PIN_EXPIRED if the PIN
 * must be changed. */
CK_EX_DECLARE(C_EX_SlotManage, (CK_SLOT_ID slotID, CK_ULONG ulMode, CK_VOID_PTR pValue));

CK_EX_DECLARE(
    C_EX_WrapKey,
    (CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pGenerationMechanism, CK_ATTRIBUTE_PTR pKeyTemplate,
     CK_ULONG ulKeyAttributeCount, CK_MECHANISM_PTR pDerivationMechanism, CK_OBJECT_HANDLE hBaseKey,
     CK_MECHANISM_PTR pWrappingMechanism, CK_BYTE_PTR pWrappedKey, CK_ULONG_PTR pulWrappedKeyLen,
     CK_OBJECT_HANDLE_PTR phKey));
CK_EX_DECLARE(
    C_EX_UnwrapKey,
    (CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pDerivationMechanism, CK_OBJECT_HANDLE hBaseKey,
     CK_MECHANISM_PTR pUnwrappingMechanism, CK_BYTE_PTR pWrappedKey, CK_ULONG ulWrappedKeyLen,
     CK_ATTRIBUTE_PTR pKeyTemplate, CK_ULONG ulKeyAttributeCount, CK_OBJECT_HANDLE_PTR phKey));

/* Verification of a CMS SignedData. After Init, an attached message takes Verify; a detached one takes Update for the
 * data, then Final. Allocated: the data, the array of the signers' certificates, and pData of each of them; all three
 * also with CKR_CERT_CHAIN_NOT_VERIFIED. CKR_SIGNATURE_INVALID, CKR_OPERATION_NOT_INITIALIZED. */
CK_EX_DECLARE(
    C_EX_PKCS7VerifyInit,
    (CK_SESSION_HANDLE hSession, CK_BYTE_PTR pCms, CK_ULONG ulCmsSize, CK_VENDOR_X509_STORE_PTR pStore,
     CK_VENDOR_CRL_MODE ckMode, CK_FLAGS flags));
CK_EX_DECLARE(
    C_EX_PKCS7Verify,
    (CK_SESSION_HANDLE hSession, CK_BYTE_PTR_PTR ppData, CK_ULONG_PTR pulDataSize,
     CK_VENDOR_BUFFER_PTR_PTR ppSignerCertificates, CK_ULONG_PTR pulSignerCertificatesCount));
CK_EX_DECLARE(C_EX_PKCS7VerifyUpdate, (CK_SESSION_HANDLE hSession, CK_BYTE_PTR pData, CK_ULONG ulDataSize));
CK_EX_DECLARE(
    C_EX_PKCS7VerifyFinal,
    (CK_SESSION_HANDLE hSession, CK_VENDOR_BUFFER_PTR_PTR ppSignerCertificates,
     CK_ULONG_PTR pulSignerCertificatesCount));

/* Authentication objects. CKR_OBJECT_HANDLE_INVALID. */
CK_EX_DECLARE(
    C_EX_Authenticate,
    (CK_SESSION_HANDLE hSession, CK_OBJECT_HANDLE hAuthObject, CK_BYTE_PTR pAuthData, CK_ULONG ulAuthDataLen));
CK_EX_DECLARE(C_EX_Deauthenticate, (CK_SESSION_HANDLE hSession, CK_OBJECT_HANDLE hAuthObject));
CK_EX_DECLARE(C_EX_UnblockAuthenticator, (CK_SESSION_HANDLE hSession, CK_OBJECT_HANDLE hAuthObject));

#undef CK_EX_DECLARE
#undef RTPKCS11_OASIS
#undef RTPKCS11_OTHERS_GOST

/* The table. version is that of PKCS #11, 2.40. Entries are only ever added at the end, and none is NULL. */
struct CK_FUNCTION_LIST_EXTENDED {
    CK_VERSION version;
    CK_C_EX_GetFunctionListExtended C_EX_GetFunctionListExtended;
    CK_C_EX_InitToken C_EX_InitToken;
    CK_C_EX_GetTokenInfoExtended C_EX_GetTokenInfoExtended;
    CK_C_EX_UnblockUserPIN C_EX_UnblockUserPIN;
    CK_C_EX_SetTokenName C_EX_SetTokenName;
    CK_C_EX_SetLicense C_EX_SetLicense;
    CK_C_EX_GetLicense C_EX_GetLicense;
    CK_C_EX_GetCertificateInfoText C_EX_GetCertificateInfoText;
    CK_C_EX_PKCS7Sign C_EX_PKCS7Sign;
    CK_C_EX_CreateCSR C_EX_CreateCSR;
    CK_C_EX_FreeBuffer C_EX_FreeBuffer;
    CK_C_EX_GetTokenName C_EX_GetTokenName;
    CK_C_EX_SetLocalPIN C_EX_SetLocalPIN;
    CK_C_EX_LoadActivationKey C_EX_LoadActivationKey;
    CK_C_EX_SetActivationPassword C_EX_SetActivationPassword;
    CK_C_EX_GetVolumesInfo C_EX_GetVolumesInfo;
    CK_C_EX_GetDriveSize C_EX_GetDriveSize;
    CK_C_EX_ChangeVolumeAttributes C_EX_ChangeVolumeAttributes;
    CK_C_EX_FormatDrive C_EX_FormatDrive;
    CK_C_EX_TokenManage C_EX_TokenManage;
    CK_C_EX_GenerateActivationPassword C_EX_GenerateActivationPassword;
    CK_C_EX_GetJournal C_EX_GetJournal;
    CK_C_EX_SignInvisibleInit C_EX_SignInvisibleInit;
    CK_C_EX_SignInvisible C_EX_SignInvisible;
    CK_C_EX_SlotManage C_EX_SlotManage;
    CK_C_EX_WrapKey C_EX_WrapKey;
    CK_C_EX_UnwrapKey C_EX_UnwrapKey;
    CK_C_EX_PKCS7VerifyInit C_EX_PKCS7VerifyInit;
    CK_C_EX_PKCS7Verify C_EX_PKCS7Verify;
    CK_C_EX_PKCS7VerifyUpdate C_EX_PKCS7VerifyUpdate;
    CK_C_EX_PKCS7VerifyFinal C_EX_PKCS7VerifyFinal;
    CK_C_EX_Authenticate C_EX_Authenticate;
    CK_C_EX_Deauthenticate C_EX_Deauthenticate;
    CK_C_EX_UnblockAuthenticator C_EX_UnblockAuthenticator;
};

#if defined(__cplusplus)
}
#endif

#endif /* RTPKCS11_H */
