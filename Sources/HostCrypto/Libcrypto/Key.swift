// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import GOST
import Secrets

/// A key in libcrypto (`EVP_PKEY`).
///
/// Everything is looked up in the project's own library context, whatever the process has configured.
struct Key: Sendable {
    enum Kind: Sendable {
        case rsa, ec

        var name: StaticString { self == .rsa ? "RSA" : "EC" }
    }

    enum Part: Sendable {
        case publicKey, keyPair

        var selection: Int32 {
            switch self {
            case .publicKey: OSSL_KEYMGMT_SELECT_ALL_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY
            case .keyPair: Part.publicKey.selection | OSSL_KEYMGMT_SELECT_PRIVATE_KEY
            }
        }
    }

    let handle: Handle

    /// The key that the parameters describe.
    ///
    /// - Throws: `error` if they describe none.
    init(
        _ kind: Kind, _ part: Part, from parameters: borrowing Parameters, else error: HostCryptoError
    ) throws(HostCryptoError) {
        let context = try KeyContext(kind)
        try unsafe check(EVP_PKEY_fromdata_init(context.pointer))
        var made: OpaquePointer?
        try unsafe parameters.lend { values throws(HostCryptoError) in
            try unsafe check(EVP_PKEY_fromdata(context.pointer, &made, part.selection, values), else: error)
        }
        handle = try unsafe Handle(made, free: EVP_PKEY_free)
    }

    /// A new key.
    init(generating kind: Kind, _ parameters: borrowing Parameters) throws(HostCryptoError) {
        let context = try KeyContext(kind)
        try unsafe check(EVP_PKEY_keygen_init(context.pointer))
        try unsafe parameters.lend { values throws(HostCryptoError) in
            try unsafe check(EVP_PKEY_CTX_set_params(context.pointer, values), else: .invalidParameter)
        }
        var made: OpaquePointer?
        try unsafe check(EVP_PKEY_generate(context.pointer, &made))
        handle = try unsafe Handle(made, free: EVP_PKEY_free)
    }

    /// One of the numbers that the key is made of, in as few bytes as hold it, most significant byte first.
    func number(_ name: StaticString) throws(HostCryptoError) -> Secret {
        var made: OpaquePointer?
        try unsafe check(EVP_PKEY_get_bn_param(handle.pointer, name.cString, &made))
        return try unsafe BigNumber(owning: made).bytes()
    }
}
