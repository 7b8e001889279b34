// SPDX-License-Identifier: Apache-2.0
package import GOST
package import Secrets

extension ContainerHeader {
    /// Opens a key of the container. It is proven: its public key has the fingerprint of the header and is the one of the
    /// certificate.
    ///
    /// - Parameters:
    ///   - masks: The bytes of masks.key, or of masks2.key, with filling or without.
    ///   - primary: The bytes of primary.key, or of primary2.key.
    ///   - password: In UTF-8; empty for none.
    ///   - pair: The pair of files, for the errors.
    /// - Throws: ``ContainerError``. Where it is ``ContainerError/isOfPair``, the other pair may still open.
    ///
    /// Constant time in its secret inputs, the key, its mask and the password, but for the password's characters.
    package func open(
        _ index: ContainedKey.Index, masks: borrowing Secret, primary: borrowing Secret, password: borrowing Secret,
        of pair: ContainerPair = .main
    ) throws(ContainerError) -> PrivateKey {
        let checked = try checkPassword(password)
        return try open(index, masks: masks, primary: primary, password: checked, of: pair)
    }

    /// The same with a password that was checked before.
    package func open(
        _ index: ContainedKey.Index, masks: borrowing Secret, primary: borrowing Secret,
        password: borrowing ContainerPassword, of pair: ContainerPair = .main
    ) throws(ContainerError) -> PrivateKey {
        guard let key = self[index], let first = keys.first else { throw .damaged(pair.primary, .keyCount) }
        guard needsPassword != password.units.isEmpty else {
            throw needsPassword ? .passwordNeeded : .passwordNotNeeded
        }
        let size = key.curve.coordinateSize
        let maskFile = try MaskFile(masks.bytes, pair.masks)
        guard maskFile.mask.count == size else { throw .damaged(pair.masks, .partLength) }
        guard try maskFile.hasCode(first.algorithm) else { throw .maskCode(pair.masks) }
        let enciphered = try PrimaryFile(primary.bytes, pair.primary, keys: keys.count).key(index)
        guard enciphered.count == size else { throw .damaged(pair.primary, .partLength) }

        let storageKey = StorageKey.derive(first.algorithm, password: password.units.bytes, salt: maskFile.salt)
        let privateKey: PrivateKey
        do throws(GOSTError) {
            let masked = try CipherMessage.decrypt(
                enciphered, .gost28147(first.algorithm.containerSBox), .ecb, key: storageKey.bytes)
            privateKey = try PrivateKey(curve: key.curve, masked: masked.bytes, mask: maskFile.mask)
        } catch {
            switch error {
            case .invalidParameter: throw .damaged(pair.masks, .mask)
            case .invalidScalar: throw .key(.number)
            default: throw .failure(error)
            }
        }
        try key.prove(privateKey)
        return privateKey
    }
}

extension ContainedKey {
    /// Compares the public key with what the header has of it. A wrong key's public key is not published before.
    ///
    /// - Throws: ``ContainerError/key(_:)``.
    fileprivate func prove(_ key: borrowing PrivateKey) throws(ContainerError) {
        let publicKey: PublicKey
        do { publicKey = try key.publicKey() } catch { throw .failure(error) }
        let beginning = publicKey.bytes.span.extracting(first: fingerprint.count)
        guard published(constantTimeEqual(beginning, fingerprint.span)) else { throw .key(.fingerprint) }
        guard let certificate else { return }
        let point = try Self.certifiedPoint(certificate.span)
        guard published(constantTimeEqual(point.span, publicKey.bytes.span)) else { throw .key(.certificate) }
    }

    /// X ‖ Y of the key in a certificate.
    private static func certifiedPoint(_ certificate: Span<UInt8>) throws(ContainerError) -> [UInt8] {
        do throws(GOSTError) {
            var outer = DERReader(certificate)
            var signed = try outer.nested(.sequence)
            var fields = try signed.nested(.sequence)
            if fields.isAt(.context0) { try fields.skip() }
            // The number, the algorithm, the issuer, the times and the subject.
            for _ in 0..<5 { try fields.skip() }
            var info = try fields.nested(.sequence)
            try info.skip()
            let bits = try info.contents(.bitString)
            guard !bits.isEmpty, bits[0] == 0 else { throw .invalidEncoding }
            var point = DERReader(bits.extracting(droppingFirst: 1))
            return try point.bytes()
        } catch {
            throw .damaged(.header, .encoding)
        }
    }
}
