// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import Secrets

/// Makes an RSA key pair.
@safe
struct RSAGeneration: ~Copyable {
    private let context: OpaquePointer

    init() throws(LibraryFailure) {
        guard let made = unsafe EVP_PKEY_CTX_new_from_name(Libcrypto.context, "RSA", nil) else {
            throw LibraryFailure()
        }
        unsafe context = made
    }

    deinit { unsafe EVP_PKEY_CTX_free(context) }

    func generate(bits: Int) throws(LibraryFailure) -> GeneratedKey {
        try unsafe check(EVP_PKEY_keygen_init(context))
        try unsafe check(EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(clamping: bits)))
        var key: OpaquePointer?
        try unsafe check(EVP_PKEY_generate(context, &key))
        guard let key = unsafe key else { throw LibraryFailure() }
        return unsafe GeneratedKey(key)
    }
}

/// A key pair of libcrypto.
@safe
struct GeneratedKey: ~Copyable {
    private let key: OpaquePointer

    init(_ key: OpaquePointer) { unsafe self.key = unsafe key }

    deinit { unsafe EVP_PKEY_free(key) }

    /// One of the numbers of the key, by libcrypto's name, little-endian.
    func number(_ name: String, count: Int) throws(LibraryFailure) -> Secret {
        var number: OpaquePointer?
        try unsafe check(EVP_PKEY_get_bn_param(key, name, &number))
        let owned = try unsafe Number(owning: number)
        return try owned.littleEndian(count: count)
    }
}
