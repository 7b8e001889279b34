// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import GOST
import Secrets

extension DigestAlgorithm {
    /// PBKDF2 (RFC 8018, 5.2) with HMAC over this hash function, which is one of libcrypto's.
    ///
    /// libcrypto has the password during the call only.
    ///
    /// - Parameters:
    ///   - iterations: At least 1.
    ///   - count: At least 1.
    /// - Throws: ``HostCryptoError/libraryFailure``.
    func pbkdf2(
        _ password: Span<UInt8>, salt: [UInt8], iterations: Int, count: Int
    ) throws(HostCryptoError) -> Secret {
        guard let library = unsafe LibraryContext.context, let name, iterations > 0, count > 0 else {
            throw .libraryFailure
        }
        var result = Secret(count: count)
        var octets = result.mutableBytes
        var (salt, rounds) = (salt, UInt64(iterations))
        try quietly { () throws(HostCryptoError) in
            let function = try unsafe Handle(EVP_KDF_fetch(library, "PBKDF2", nil), free: EVP_KDF_free)
            let context = try unsafe Handle(EVP_KDF_CTX_new(function.pointer), free: EVP_KDF_CTX_free)
            let result = unsafe octets.withUnsafeMutableBufferPointer { octets in
                unsafe password.withUnsafeBytes { password in
                    unsafe salt.withUnsafeMutableBytes { salt in
                        unsafe withUnsafeMutableBytes(of: &rounds) { rounds in
                            let digest = unsafe UnsafeRawBufferPointer(
                                start: name.utf8Start, count: name.utf8CodeUnitCount)
                            let parameters = unsafe [
                                OSSL_PARAM("digest", OSSL_PARAM_UTF8_STRING, digest),
                                OSSL_PARAM("pass", OSSL_PARAM_OCTET_STRING, password),
                                OSSL_PARAM("salt", OSSL_PARAM_OCTET_STRING, UnsafeRawBufferPointer(salt)),
                                OSSL_PARAM("iter", OSSL_PARAM_UNSIGNED_INTEGER, UnsafeRawBufferPointer(rounds)),
                                OSSL_PARAM(),
                            ]
                            return unsafe EVP_KDF_derive(context.pointer, octets.baseAddress, octets.count, parameters)
                        }
                    }
                }
            }
            try check(result)
        }
        return result
    }
}

extension OSSL_PARAM {
    /// A value that libcrypto reads where it is.
    fileprivate init(_ name: StaticString, _ type: Int32, _ value: UnsafeRawBufferPointer) {
        unsafe self.init(
            key: name.cString, data_type: UInt32(type), data: UnsafeMutableRawPointer(mutating: value.baseAddress),
            data_size: value.count, return_size: .max)
    }
}
