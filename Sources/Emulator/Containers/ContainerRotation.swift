// SPDX-License-Identifier: Apache-2.0
package import Containers
import GOST
package import Secrets

/// The two files of a pair, which have the keys of a container under one mask.
package struct KeyFilePair: Sendable {
    package let masks: [UInt8]
    package let primary: [UInt8]

    package init(masks: [UInt8], primary: [UInt8]) {
        self.masks = masks
        self.primary = primary
    }

    /// The same keys under a new mask and a new salt, as CryptoPro CSP writes them at each use of a key (Containers, 2, 5 to
    /// 7).
    ///
    /// - Parameter header: The header of a container without a password.
    package func rotated(
        of header: ContainerHeader, random: any RandomSource, as pair: ContainerPair = .main
    ) throws(ContainerError) -> KeyFilePair {
        let masks = Secret(copying: masks)
        let primary = Secret(copying: primary)
        let mask: NewMask
        do throws(GOSTError) { mask = try NewMask(header, random) } catch { throw .failure(error) }
        var contents: [UInt8] = []
        for key in header.keys {
            let opened = try header.open(
                key.index, masks: masks, primary: primary, password: Secret(count: 0), of: pair)
            let enciphered: [UInt8]
            do throws(GOSTError) { enciphered = try mask.encipher(opened) } catch { throw .failure(error) }
            contents += (key.index == .first ? DERTag.octetString : .contextPrimitive0).element(enciphered)
        }
        return KeyFilePair(masks: mask.file, primary: DERTag.sequence.element(contents))
    }
}

/// A mask and a salt that were never used before.
private struct NewMask: ~Copyable {
    /// The contents of masks.key.
    let file: [UInt8]
    private let mask: Secret
    private let storageKey: Secret
    private let sBox: SBox

    init(_ header: ContainerHeader, _ random: any RandomSource) throws(GOSTError) {
        guard let first = header.keys.first else { throw .invalidParameter }
        let sBox = first.algorithm.containerSBox
        let number = try PrivateKey.generate(on: first.curve, random: random)
        let salt = try Self.salt(random)
        file = try Self.file(number.scalar, salt, sBox)
        storageKey = StorageKey.derive(first.algorithm, password: Span(), salt: salt.span)
        mask = number.scalar.copy()
        self.sBox = sBox
    }

    private static func salt(_ random: any RandomSource) throws(GOSTError) -> [UInt8] {
        do { return [UInt8](copying: try random.secret(12)) } catch { throw .randomUnavailable }
    }

    private static func file(_ mask: borrowing Secret, _ salt: [UInt8], _ sBox: SBox) throws(GOSTError) -> [UInt8] {
        let code = try GOST28147IMIT.authenticate(
            salt.span, key: mask.bytes.extracting(last: 32), sBox: sBox, meshing: false)
        let octets = DERTag.octetString
        return DERTag.sequence.element(
            octets.element([UInt8](copying: mask)) + octets.element(salt) + octets.element([UInt8](copying: code)))
    }

    func encipher(_ key: borrowing PrivateKey) throws(GOSTError) -> [UInt8] {
        let masked = try key.masked(by: mask.bytes)
        return [UInt8](
            copying: try CipherMessage.encrypt(masked.bytes, .gost28147(sBox), .ecb, key: storageKey.bytes))
    }
}

extension PrivateKey {
    /// d·mask mod q. The mask's inverse is taken off d as a mask is.
    fileprivate borrowing func masked(by mask: Span<UInt8>) throws(GOSTError) -> Secret {
        let one = [1] + [UInt8](repeating: 0, count: curve.coordinateSize - 1)
        let inverse = try PrivateKey(curve: curve, masked: one.span, mask: mask)
        return try PrivateKey(curve: curve, masked: scalar.bytes, mask: inverse.scalar.bytes).scalar.copy()
    }
}

extension EmulatedCard {
    /// Uses a container as CryptoPro CSP does: it writes its keys under another mask, first `primary`, then `masks`. The
    /// reserve stays, and serves where the main pair is broken.
    ///
    /// - Parameter isPulled: The token is pulled out after the first of both writes: the main pair is broken.
    /// - Returns: Whether it was done. It is not with a container that has a password, or that would lose its keys.
    package func rotateContainer(in directory: UInt16, isPulled: Bool = false) throws(EmulatorError) -> Bool {
        var isDone = false
        try asUser { () throws(EmulatorError) in
            let file = try containerFile(ContainerFile.header.rawValue, in: directory)
            let header: ContainerHeader
            do throws(ContainerError) { header = try ContainerHeader(file: file.span) } catch {
                throw .container(error)
            }
            guard !header.needsPassword, header.hasReserve || !isPulled else { return }
            let files = try rotated(header, in: directory)
            try rewrite(ContainerFile.primary.rawValue, files.primary, in: directory)
            if !isPulled { try rewrite(ContainerFile.masks.rawValue, files.masks, in: directory) }
            isDone = true
        }
        return isDone
    }

    private func rotated(_ header: ContainerHeader, in directory: UInt16) throws(EmulatorError) -> KeyFilePair {
        var failure = ContainerError.missing(.primary)
        for pair in header.hasReserve ? ContainerPair.allCases : [.main] {
            let files = KeyFilePair(
                masks: try containerFile(pair.masks.rawValue, in: directory),
                primary: try containerFile(pair.primary.rawValue, in: directory))
            do throws(ContainerError) {
                return try files.rotated(of: header, random: SystemRandom(), as: pair)
            } catch {
                failure = error
                guard error.isOfPair else { break }
            }
        }
        throw .container(failure)
    }
}
