// SPDX-License-Identifier: Apache-2.0
import APDU
import GOST
import Secrets
import TokenEnd

/// PSO: DECIPHER and ENCIPHER (ISO/IEC 7816-8, 11.10 and 11.11). Those with secret keys are this emulator's own.
extension Card {
    /// RSA: one block, whose padding is the host's business. GOST: the public key and UKM of an agreement. With a
    /// secret key: any length that the mode allows.
    func decipher(_ command: borrowing Command) throws(Refusal) -> Response {
        if let choice = context.environment.cipher {
            try require(choice.mode != .authentication, else: .conditionsNotSatisfied)
            return try apply(choice, to: command, isDecryption: true)
        }
        let file = try key(context.environment.decipheringKey, .gostPrivate)
        guard let key = file.rightsFile, let algorithm = file.algorithm else { throw Refusal(.incorrectData) }
        try authorise(.use, on: file)
        guard let value = key.value else { throw Refusal(.referencedDataNotFound) }
        try require(command.ne != nil, else: .wrongLength)
        let data = [UInt8](copying: command.data)
        switch algorithm {
        case .gost(let curve): return try agree(key, on: curve, deciphering: data)
        case .rsa(let bits):
            try require(data.count == bits / 8, else: .wrongLength)
            return Response(.success, data: try applyRSA(value, to: data))
        case .ec: throw Refusal(.incorrectData)
        }
    }

    func encipher(_ command: borrowing Command) throws(Refusal) -> Response {
        guard let choice = context.environment.cipher else { throw Refusal(.referencedDataNotFound) }
        return try apply(choice, to: command, isDecryption: false)
    }

    private func apply(
        _ choice: CipherChoice, to command: borrowing Command, isDecryption: Bool
    ) throws(Refusal) -> Response {
        let file = try key(choice.key, .kuznyechik)
        guard let key = file.rightsFile else { throw Refusal(.incorrectData) }
        try authorise(.use, on: file)
        guard let value = key.value else { throw Refusal(.referencedDataNotFound) }
        try require(command.ne != nil, else: .wrongLength)
        do throws(GOSTError) {
            let cipher = try SecretCipher(key, choice)
            let result = try cipher.apply(command.data.bytes, key: value.secret, isDecryption: isDecryption)
            return Response(.success, data: [UInt8](copying: result))
        } catch {
            throw Refusal(.incorrectData)
        }
    }
}

/// A cipher with a secret key in the card, by the type and parameter set of its file.
private struct SecretCipher {
    private enum Algorithm { case gost28147(SBox), magma, kuznyechik }

    private let algorithm: Algorithm
    private let mode: CipherChoice.Mode
    private let initialValue: [UInt8]

    /// Throws if the card has no such cipher.
    init(_ key: RightsFile, _ choice: CipherChoice) throws(GOSTError) {
        switch (key.type, key.parameterSet) {
        case (.gost28147, 0x00): algorithm = .gost28147(.tc26Z)
        case (.gost28147, 0x20): algorithm = .gost28147(.cryptoProA)
        case (.gost28147, 0x30): algorithm = .gost28147(.cryptoProB)
        case (.gost28147, 0x40): algorithm = .gost28147(.cryptoProC)
        case (.gost28147, 0x50): algorithm = .gost28147(.cryptoProD)
        case (.kuznyechik, 0x01): algorithm = .magma
        case (.kuznyechik, 0x02): algorithm = .kuznyechik
        default: throw .invalidParameter
        }
        mode = choice.mode
        initialValue = choice.initialValue
    }

    func apply(_ data: Span<UInt8>, key: borrowing Secret, isDecryption: Bool) throws(GOSTError) -> Secret {
        switch algorithm {
        case .gost28147(let sBox): return try apply(data, key, sBox, isDecryption)
        case .magma: return try apply(Magma.self, data, key, isDecryption)
        case .kuznyechik: return try apply(Kuznyechik.self, data, key, isDecryption)
        }
    }

    /// GOST 28147-89 (RFC 5830): simple substitution, counter and the MAC of four bytes, without key meshing.
    private func apply(
        _ data: Span<UInt8>, _ key: borrowing Secret, _ sBox: SBox, _ isDecryption: Bool
    ) throws(GOSTError) -> Secret {
        switch mode {
        case .codebook:
            let cipher = try GOST28147(key: key.bytes, sBox: sBox)
            return isDecryption ? try cipher.decryptECB(data) : try cipher.encryptECB(data)
        case .gamma:
            let iv = try initialValue(8)
            var mode = try GOST28147CNT(key: key.bytes, iv: iv.span, sBox: sBox, meshing: false)
            return mode.apply(data)
        case .authentication:
            var code = try GOST28147IMIT(key: key.bytes, sBox: sBox, meshing: false)
            code.update(data)
            return code.finalize()
        }
    }

    /// GOST R 34.12-2015 in the modes of GOST R 34.13-2015: simple substitution, CTR and the MAC.
    private func apply<Cipher: BlockCipher & ~Copyable>(
        _: Cipher.Type, _ data: Span<UInt8>, _ key: borrowing Secret, _ isDecryption: Bool
    ) throws(GOSTError) -> Secret {
        switch mode {
        case .codebook:
            let cipher = try Cipher(key: key.bytes)
            return isDecryption ? try cipher.decryptECB(data) : try cipher.encryptECB(data)
        case .gamma:
            let iv = try initialValue(Cipher.blockSize / 2)
            var mode = try CTR<Cipher>(key: key.bytes, iv: iv.span)
            return mode.update(data)
        case .authentication:
            var code = try OMAC<Cipher>(key: key.bytes)
            code.update(data)
            return code.finalize()
        }
    }

    private func initialValue(_ count: Int) throws(GOSTError) -> [UInt8] {
        if initialValue.isEmpty { return [UInt8](repeating: 0, count: count) }
        guard initialValue.count == count else { throw .invalidLength }
        return initialValue
    }
}
