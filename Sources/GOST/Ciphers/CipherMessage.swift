// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
package import Secrets

/// A message that a block cipher of GOST enciphers or deciphers in a mode of operation, in pieces. Padding is the caller's.
package struct CipherMessage: ~Copyable, Sendable {
    /// A mode of operation. ECB and CBC take pieces of whole blocks, the others pieces of any length.
    package enum Mode: Sendable, CaseIterable {
        /// Block by block (GOST R 34.13-2015, 5.1), without an initialisation vector.
        case ecb
        /// With linked blocks (5.4; RFC 4357, 2.1) and an initialisation vector of a block.
        case cbc
        /// With feedback of the ciphertext (5.5; RFC 5830, 7) and an initialisation vector of a block.
        case cfb
        /// With feedback of the gamma (5.3) and an initialisation vector of a block.
        case ofb
        /// With a counter (5.2) and an initialisation vector of half a block, the counter's upper half.
        case ctr
        /// The gamma mode of GOST 28147-89 (RFC 5830, 6), with an initialisation vector of a block.
        case cnt

        fileprivate var name: gost_mode {
            switch self {
            case .ecb: .ecb
            case .cbc: .cbc
            case .cfb: .cfb
            case .ofb: .ofb
            case .ctr: .ctr
            case .cnt: .cnt
            }
        }
    }

    /// The bytes of a section of CryptoPro Key Meshing.
    ///
    /// The standards tie meshing to the parameter set, but libraries differ: TC26's own samples of CMS mesh with
    /// id-tc26-gost-28147-param-Z, some libraries never mesh in CBC, and others leave out its change of the initialisation
    /// vector. So the caller decides.
    package static var meshingSection: Int { 1024 }

    private var cipher: SecretBox<gost_cipher>
    /// The bytes of which each piece has a multiple.
    package let granularity: Int

    /// Begins a message with a key of 32 bytes. Constant time in its secret inputs.
    ///
    /// - Parameter section: The bytes, whole blocks, after which the key changes: by CryptoPro Key Meshing with GOST 28147-89
    ///   (RFC 4357, 2.3.2), by ACPKM with the other ciphers (RFC 8645, 6.2). None for a key that stays.
    /// - Throws: ``GOSTError/invalidKeyLength``, ``GOSTError/invalidIVLength``, or ``GOSTError/invalidParameter`` for the
    ///   section, or the gamma mode of another cipher.
    package init(
        _ algorithm: CipherAlgorithm, _ mode: Mode, key: Span<UInt8>, iv: Span<UInt8> = Span(), section: Int? = nil
    ) throws(GOSTError) {
        let block = try SecretBox(algorithm, key: key)
        guard iv.count == gost_iv_size(algorithm.name, mode.name) else { throw .invalidIVLength }
        guard section.map({ $0 > 0 && $0 % algorithm.blockSize == 0 }) ?? true else { throw .invalidParameter }
        guard mode != .cnt || algorithm.name == .gost28147 else { throw .invalidParameter }
        cipher = SecretBox(block, mode.name, iv: iv, section: section ?? 0)
        granularity = mode == .ecb || mode == .cbc ? algorithm.blockSize : 1
    }

    /// Enciphers the next bytes of the message. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` in a mode of whole blocks, if `plaintext` does not end with a block.
    package mutating func encrypt(_ plaintext: Span<UInt8>) throws(GOSTError) -> Secret {
        try result(of: plaintext, enciphering: true)
    }

    /// Deciphers the next bytes of the message. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` in a mode of whole blocks, if `ciphertext` does not end with a block.
    package mutating func decrypt(_ ciphertext: Span<UInt8>) throws(GOSTError) -> Secret {
        try result(of: ciphertext, enciphering: false)
    }

    /// Enciphers or deciphers the next bytes of the message in their place. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` in a mode of whole blocks, if `bytes` do not end with a block.
    package mutating func apply(to bytes: inout MutableSpan<UInt8>, enciphering: Bool) throws(GOSTError) {
        guard bytes.count % granularity == 0 else { throw .invalidLength }
        cipher.update(&bytes, enciphering: enciphering)
    }

    private mutating func result(of data: Span<UInt8>, enciphering: Bool) throws(GOSTError) -> Secret {
        var result = Secret(copying: data)
        var bytes = result.mutableBytes
        try apply(to: &bytes, enciphering: enciphering)
        return result
    }

    /// The result for one message. Constant time in its secret inputs.
    ///
    /// - Throws: As the initialiser and ``encrypt(_:)``.
    package static func encrypt(
        _ plaintext: Span<UInt8>, _ algorithm: CipherAlgorithm, _ mode: Mode, key: Span<UInt8>,
        iv: Span<UInt8> = Span(),
        section: Int? = nil
    ) throws(GOSTError) -> Secret {
        var message = try CipherMessage(algorithm, mode, key: key, iv: iv, section: section)
        return try message.encrypt(plaintext)
    }

    /// The plaintext of one message. Constant time in its secret inputs.
    ///
    /// - Throws: As the initialiser and ``decrypt(_:)``.
    package static func decrypt(
        _ ciphertext: Span<UInt8>, _ algorithm: CipherAlgorithm, _ mode: Mode, key: Span<UInt8>,
        iv: Span<UInt8> = Span(),
        section: Int? = nil
    ) throws(GOSTError) -> Secret {
        var message = try CipherMessage(algorithm, mode, key: key, iv: iv, section: section)
        return try message.decrypt(ciphertext)
    }
}
