// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import GOST
import Secrets

/// The hash functions of the host: libcrypto's and GOST's.
package enum DigestAlgorithm: Sendable, Hashable, CaseIterable {
    /// RFC 1321.
    case md5
    /// FIPS 180-4.
    case sha1, sha224, sha256, sha384, sha512
    /// GOST R 34.11-94 with the CryptoPro parameter set.
    case gostR341194
    /// GOST R 34.11-2012 with 256 and with 512 bits.
    case streebog256, streebog512

    /// The number of bytes of a digest.
    package var size: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha224: 28
        case .sha256, .gostR341194, .streebog256: 32
        case .sha384: 48
        case .sha512, .streebog512: 64
        }
    }

    /// The number of bytes to which HMAC pads its key (RFC 2104, 2).
    package var blockSize: Int {
        switch self {
        case .gostR341194: 32
        case .md5, .sha1, .sha224, .sha256, .streebog256, .streebog512: 64
        case .sha384, .sha512: 128
        }
    }

    /// The algorithm in the module `GOST`; nil for one of libcrypto's.
    var gost: HashAlgorithm? {
        switch self {
        case .gostR341194: .gostR341194
        case .streebog256: .streebog256
        case .streebog512: .streebog512
        default: nil
        }
    }

    /// The name that libcrypto knows the algorithm by; nil for one of `GOST`'s.
    var name: StaticString? {
        switch self {
        case .md5: "MD5"
        case .sha1: "SHA1"
        case .sha224: "SHA224"
        case .sha256: "SHA256"
        case .sha384: "SHA384"
        case .sha512: "SHA512"
        case .gostR341194, .streebog256, .streebog512: nil
        }
    }
}

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
        var bytes = result.mutableBytes
        var (salt, rounds) = (salt, UInt64(iterations))
        try quietly { () throws(HostCryptoError) in
            let function = try unsafe Handle(EVP_KDF_fetch(library, "PBKDF2", nil), free: EVP_KDF_free)
            let context = try unsafe Handle(EVP_KDF_CTX_new(function.pointer), free: EVP_KDF_CTX_free)
            let result = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
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
                            return unsafe EVP_KDF_derive(context.pointer, bytes.baseAddress, bytes.count, parameters)
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

extension DigestAlgorithm {
    /// The object identifier in DER, tag and length included (RFC 3370, 2; RFC 5754, 2; RFC 4490, 2.1; RFC 9215, 2).
    var oid: [UInt8] {
        let contents: [UInt8] =
            switch self {
            case .md5: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02, 0x05]
            case .sha1: [0x2B, 0x0E, 0x03, 0x02, 0x1A]
            case .sha224: [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x04]
            case .sha256: [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
            case .sha384: [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02]
            case .sha512: [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03]
            case .gostR341194: [0x2A, 0x85, 0x03, 0x02, 0x02, 0x09]
            case .streebog256: [0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x02, 0x02]
            case .streebog512: [0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x02, 0x03]
            }
        return DERTag.objectIdentifier.element(contents)
    }

    /// The hash function with this object identifier in DER; nil for an unknown one.
    init?(oid: [UInt8]) {
        guard let digest = Self.allCases.first(where: { $0.oid == oid }) else { return nil }
        self = digest
    }

    /// The AlgorithmIdentifier in DER, with the parameters NULL that every reader accepts.
    var identifier: [UInt8] { DERTag.sequence.element(oid + DERTag.null.element([])) }
}
