// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

extension Claim {
    static let modes = modes(Magma.self, "Magma") + modes(Kuznyechik.self, "Kuznyechik")

    /// More bytes than a cipher processes at once, and not a whole number of blocks.
    private static let long = 2500

    private static func modes<Cipher: GOSTBlockCipher & ~Copyable>(_: Cipher.Type, _ name: String) -> [Claim] {
        blocks(Cipher.self, name) + streams(Cipher.self, name) + codes(Cipher.self, name)
            + keys(Cipher.self, name) + chains(Cipher.self, name)
    }

    private static func blocks<Cipher: GOSTBlockCipher & ~Copyable>(_: Cipher.Type, _ name: String) -> [Claim] {
        let size = Cipher.blockSize
        return [
            Claim("\(name) ECB") { inputs in
                let cipher = try Cipher(key: inputs.secret(32).bytes)
                let few = revealed(try cipher.encryptECB(inputs.secret(3 * size).bytes))
                let many = revealed(try cipher.encryptECB(inputs.secret(70 * size).bytes))
                let back = revealed(try cipher.decryptECB(inputs.secret(70 * size).bytes))
                return few + many + back + revealed(try cipher.decryptECB(inputs.secret(3 * size).bytes))
            },
            Claim("\(name) CBC") { inputs in
                let key = inputs.secret(32)
                let iv = inputs.secret(2 * size)
                var encryption = try CBC<Cipher>(key: key.bytes, iv: iv.bytes)
                var decryption = try CBC<Cipher>(key: key.bytes, iv: iv.bytes)
                let ciphertext = revealed(try encryption.encrypt(inputs.secret(70 * size).bytes))
                return ciphertext + revealed(try decryption.decrypt(inputs.secret(70 * size).bytes))
            },
        ]
    }

    private static func streams<Cipher: GOSTBlockCipher & ~Copyable>(_: Cipher.Type, _ name: String) -> [Claim] {
        let size = Cipher.blockSize
        return [
            Claim("\(name) CTR") { inputs in
                let key = inputs.secret(32)
                let iv = inputs.secret(size / 2)
                var gamma = try CTR<Cipher>(key: key.bytes, iv: iv.bytes)
                return revealed(gamma.update(inputs.secret(long).bytes))
                    + revealed(gamma.update(inputs.secret(3).bytes))
            },
            Claim("\(name) CTR-ACPKM") { inputs in
                let key = inputs.secret(32)
                let iv = inputs.secret(size / 2)
                var gamma = try CTRACPKM<Cipher>(key: key.bytes, iv: iv.bytes, section: 256)
                return revealed(gamma.update(inputs.secret(long).bytes))
            },
            Claim("\(name) OFB") { inputs in
                let key = inputs.secret(32)
                let iv = inputs.secret(2 * size)
                var gamma = try OFB<Cipher>(key: key.bytes, iv: iv.bytes)
                return revealed(gamma.update(inputs.secret(100).bytes))
            },
            Claim("\(name) CFB") { inputs in
                let key = inputs.secret(32)
                let iv = inputs.secret(2 * size)
                var encryption = try CFB<Cipher>(key: key.bytes, iv: iv.bytes)
                var decryption = try CFB<Cipher>(key: key.bytes, iv: iv.bytes)
                let ciphertext = revealed(encryption.encrypt(inputs.secret(100).bytes))
                return ciphertext + revealed(decryption.decrypt(inputs.secret(100).bytes))
            },
        ]
    }

    /// With a register of one block, which has kernels.
    private static func chains<Cipher: GOSTBlockCipher & ~Copyable>(_: Cipher.Type, _ name: String) -> [Claim] {
        let size = Cipher.blockSize
        return [
            Claim("\(name) CBC, one block linked") { inputs in
                let key = inputs.secret(32)
                var encryption = try CBC<Cipher>(key: key.bytes, iv: inputs.secret(size).bytes)
                return revealed(try encryption.encrypt(inputs.secret(5 * size).bytes))
            },
            Claim("\(name) OFB, one block linked") { inputs in
                let key = inputs.secret(32)
                var gamma = try OFB<Cipher>(key: key.bytes, iv: inputs.secret(size).bytes)
                return revealed(gamma.update(inputs.secret(100).bytes))
            },
            Claim("\(name) CFB, one block linked") { inputs in
                let key = inputs.secret(32)
                var encryption = try CFB<Cipher>(key: key.bytes, iv: inputs.secret(size).bytes)
                return revealed(encryption.encrypt(inputs.secret(100).bytes))
            },
        ]
    }

    private static func codes<Cipher: GOSTBlockCipher & ~Copyable>(_: Cipher.Type, _ name: String) -> [Claim] {
        let nonce = [UInt8](repeating: 0x17, count: Cipher.blockSize)
        return [
            Claim("\(name) OMAC") { inputs in
                let whole = inputs.secret(10 * Cipher.blockSize)
                let key = inputs.secret(32)
                let code = revealed(try OMAC<Cipher>.authenticate(whole.bytes, key: key.bytes))
                return code + revealed(try OMAC<Cipher>.authenticate(inputs.secret(101).bytes, key: key.bytes))
            },
            Claim("\(name) OMAC-ACPKM") { inputs in
                var code = try OMACACPKM<Cipher>(key: inputs.secret(32).bytes, section: 64, masterSection: 128)
                code.update(inputs.secret(300).bytes)
                return revealed(code.finalize())
            },
            Claim("\(name) MGM, sealing") { inputs in
                let cipher = try MGM<Cipher>(key: inputs.secret(32).bytes)
                let plaintext = inputs.secret(long)
                let header = inputs.secret(41)
                return revealed(try cipher.seal(plaintext.bytes, nonce: nonce.span, authenticating: header.bytes))
            },
            Claim("\(name) MGM, opening") { inputs in
                let (key, header) = (bytes(32), bytes(41))
                let sealed = try MGM<Cipher>(key: key.span)
                    .seal(bytes(long).span, nonce: nonce.span, authenticating: header.span)
                let cipher = try MGM<Cipher>(key: inputs.secret(key).bytes)
                let secretHeader = inputs.secret(header)
                let secretSealed = inputs.secret([UInt8](copying: sealed))
                return revealed(
                    try cipher.open(secretSealed.bytes, nonce: nonce.span, authenticating: secretHeader.bytes))
            },
        ]
    }

    private static func keys<Cipher: GOSTBlockCipher & ~Copyable>(_: Cipher.Type, _ name: String) -> [Claim] {
        let iv = [UInt8](repeating: 0x35, count: Cipher.blockSize / 2)
        return [
            Claim("\(name) ACPKM") { inputs in
                revealed(try Cipher(key: inputs.secret(32).bytes).nextKey())
            },
            Claim("\(name) KExp15") { inputs in
                let key = inputs.secret(32)
                let authentication = inputs.secret(32)
                let encryption = inputs.secret(32)
                return revealed(
                    try KExp15<Cipher>.wrap(
                        key.bytes, authenticationKey: authentication.bytes, encryptionKey: encryption.bytes,
                        iv: iv.span))
            },
            Claim("\(name) KImp15") { inputs in
                let (mac, enc) = (bytes(32), bytes(33).dropFirst())
                let wrapped = try KExp15<Cipher>.wrap(
                    bytes(32).span, authenticationKey: mac.span, encryptionKey: enc.span, iv: iv.span)
                let authentication = inputs.secret(mac)
                let encryption = inputs.secret(Array(enc))
                let secret = inputs.secret([UInt8](copying: wrapped))
                return revealed(
                    try KExp15<Cipher>.unwrap(
                        secret.bytes, authenticationKey: authentication.bytes, encryptionKey: encryption.bytes,
                        iv: iv.span))
            },
        ]
    }
}
