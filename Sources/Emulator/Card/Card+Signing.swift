// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Secrets
import TokenEnd

/// PERFORM SECURITY OPERATION (ISO/IEC 7816-8): hashes and signatures.
extension Card {
    func performSecurityOperation(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(!state.isInitialising, else: .initialisationPhase)
        return switch (command.p1, command.p2) {
        case (0x9E, 0x9A), (0x9E, 0x00): try computeSignature(command)
        case (0x80, 0x86): try decipher(command)
        case (0x86, 0x80): try encipher(command)
        case (0x00, 0xA8): try verifySignature(command)
        default: throw Refusal(.incorrectParameters)
        }
    }

    /// PSO: HASH of a message that may come in a chain. The hash stays in the card, and is the answer if Le asks for it.
    func hash(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(!state.isInitialising, else: .initialisationPhase)
        if context.chain == nil {
            context.environment.digest = nil
            context.environment.hash = HashState(context.environment.hashAlgorithm)
        }
        context.environment.hash?.update(command.data.bytes)
        guard command.cla & 0x10 == 0 else {
            if context.chain == nil { context.chain = Chain(command) }
            return Response(.success)
        }
        context.chain = nil
        guard let hash = context.environment.hash.take() else { throw Refusal(.conditionsNotSatisfied) }
        let secret = hash.finalize()
        let digest = [UInt8](copying: secret)
        context.environment.digest = digest
        return Response(.success, data: command.ne == nil ? [] : digest)
    }

    /// PSO: COMPUTE DIGITAL SIGNATURE over a hash from outside (P2 = 9A) or the one in the card (P2 = 00); for RSA, the
    /// private operation on a padded block.
    ///
    /// The answer is r ‖ s or a block, little-endian. The journal keeps the last GOST signature.
    private func computeSignature(_ command: borrowing Command) throws(Refusal) -> Response {
        let hashesItself = command.p2 == 0x00
        let file = try key(context.environment.signingKey, .gostPrivate)
        guard let key = file.rightsFile, let algorithm = file.algorithm else { throw Refusal(.incorrectData) }
        try authorise(.use, on: file)
        guard let value = key.value else { throw Refusal(.referencedDataNotFound) }
        guard let digest = hashesItself ? context.environment.digest : [UInt8](copying: command.data) else {
            throw Refusal(.referencedDataNotFound)
        }
        try require(digest.count == algorithm.blockSize && command.ne != nil, else: .wrongLength)
        try require(!hashesItself || command.data.isEmpty, else: .wrongLength)

        let signature: [UInt8]
        switch algorithm {
        case .gost(let curve):
            signature = try sign(digest, with: value, on: curve)
            let number = UInt8(truncatingIfNeeded: file.path.identifier)
            record(signature, of: digest, by: key, number: number, hashesItself)
        case .rsa: signature = try applyRSA(value, to: digest)
        case .ec(let curve):
            do throws(LibraryFailure) {
                let key = try ECKey(value.secret, on: curve)
                signature = try key.sign(digest.span)
            } catch {
                throw Refusal(.memoryUnchanged)
            }
        }
        if hashesItself { context.environment.digest = nil }
        return Response(.success, data: signature)
    }

    private func sign(_ digest: [UInt8], with scalar: SharedSecret, on curve: Curve) throws(Refusal) -> [UInt8] {
        do throws(GOSTError) {
            let privateKey = try PrivateKey(curve: curve, scalar: scalar.secret.copy())
            return try privateKey.sign(digest: digest.span, random: random).reversed()
        } catch {
            throw Refusal(.memoryUnchanged)
        }
    }

    /// The RSA private operation; the block must be below the modulus.
    func applyRSA(_ value: SharedSecret, to block: [UInt8]) throws(Refusal) -> [UInt8] {
        do throws(LibraryFailure) {
            let key = try RSAKey(value.secret)
            return try key.apply(block.span)
        } catch {
            throw Refusal(.incorrectData)
        }
    }

    /// PSO: VERIFY DIGITAL SIGNATURE `9A <hash> 9E <r ‖ s>`.
    private func verifySignature(_ command: borrowing Command) throws(Refusal) -> Response {
        let file = try key(context.environment.verificationKey, .gostPublic)
        guard let key = file.rightsFile, case .gost(let curve) = file.algorithm else { throw Refusal(.incorrectData) }
        try authorise(.use, on: file)
        guard let value = key.value else { throw Refusal(.referencedDataNotFound) }
        let isValid: Bool
        do {
            var cursor = ByteCursor([UInt8](copying: command.data))
            let digest = try cursor.object(0x9A, length: curve.coordinateSize)
            let signature = try cursor.object(0x9E, length: 2 * curve.coordinateSize)
            try cursor.finish()
            let publicKey = try PublicKey(curve: curve, bytes: [UInt8](copying: value.secret))
            isValid = try publicKey.isValidSignature(signature.reversed(), digest: digest)
        } catch {
            throw Refusal(.incorrectData)
        }
        try require(isValid, else: .verificationFailed)
        return Response(.success)
    }

    func key(_ number: UInt8?, _ type: RightsFileType) throws(Refusal) -> File {
        guard let number else { throw Refusal(.referencedDataNotFound) }
        guard let file = state.fileSystem[type.path(number)] else { throw Refusal(.fileNotFound) }
        return file
    }

    /// Replaces the journal's record: `80 { AA hash, B6 signature, 85 operation, 83 serial }`.
    private func record(
        _ signature: [UInt8], of digest: [UInt8], by key: RightsFile, number: UInt8, _ hashedByToken: Bool
    ) {
        state.signatureCounter &+= 1
        var operation: [UInt8] = [0x01, key.type.rawValue, key.flags, hashedByToken ? 0x01 : 0x00, 0, 0, 0, number]
        operation.appendUInt32(state.signatureCounter)
        state.journal = .object(
            0x80, .objects([0xAA: digest, 0xB6: signature, 0x85: operation, 0x83: state.serial]))
    }
}

extension Command {
    /// Whether this is PSO: HASH, or a link of one.
    var isHash: Bool { cla & ~0x10 == 0 && ins == 0x2A && p1 == 0x90 && p2 == 0x80 }
}

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
    private let algorithm: CipherAlgorithm
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

    /// Simple substitution, a counter (RFC 5830, 6, or GOST R 34.13-2015, 5.2) or the code, of four bytes with GOST 28147-89,
    /// without key meshing.
    func apply(_ data: Span<UInt8>, key: borrowing Secret, isDecryption: Bool) throws(GOSTError) -> Secret {
        switch (mode, algorithm) {
        case (.codebook, _):
            return isDecryption
                ? try CipherMessage.decrypt(data, algorithm, .ecb, key: key.bytes)
                : try CipherMessage.encrypt(data, algorithm, .ecb, key: key.bytes)
        case (.gamma, .gost28147):
            let iv = try initialValue(8)
            return try CipherMessage.encrypt(data, algorithm, .cnt, key: key.bytes, iv: iv.span)
        case (.gamma, _):
            let iv = try initialValue(algorithm.blockSize / 2)
            return try CipherMessage.encrypt(data, algorithm, .ctr, key: key.bytes, iv: iv.span)
        case (.authentication, .gost28147(let sBox)):
            return try GOST28147IMIT.authenticate(data, key: key.bytes, sBox: sBox, meshing: false)
        case (.authentication, _): return try OMAC.authenticate(data, algorithm, key: key.bytes)
        }
    }

    private func initialValue(_ count: Int) throws(GOSTError) -> [UInt8] {
        if initialValue.isEmpty { return [UInt8](repeating: 0, count: count) }
        guard initialValue.count == count else { throw .invalidLength }
        return initialValue
    }
}
