// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

extension Claim {
    static let modes = modes(.magma, "Magma") + modes(.kuznyechik, "Kuznyechik")

    /// More bytes than a cipher processes at once, and not a whole number of blocks.
    private static let long = 2500

    private static func modes(_ algorithm: CipherAlgorithm, _ name: String) -> [Claim] {
        let size = algorithm.blockSize
        return [
            claim("\(name) ECB", algorithm, .ecb, ivSize: 0, [3 * size, 70 * size]),
            claim("\(name) CBC", algorithm, .cbc, ivSize: size, [70 * size]),
            claim("\(name) CTR", algorithm, .ctr, ivSize: size / 2, [long, 3]),
            claim("\(name) CTR-ACPKM", algorithm, .ctr, ivSize: size / 2, section: 256, [long]),
            claim("\(name) OFB", algorithm, .ofb, ivSize: size, [100]),
            claim("\(name) CFB", algorithm, .cfb, ivSize: size, [100, 70 * size]),
        ] + codes(algorithm, name) + keys(algorithm, name)
    }

    private static func codes(_ algorithm: CipherAlgorithm, _ name: String) -> [Claim] {
        let nonce = [UInt8](repeating: 0x17, count: algorithm.blockSize)
        return [
            Claim("\(name) OMAC") { inputs in
                let whole = inputs.secret(10 * algorithm.blockSize)
                let key = inputs.secret(32)
                let code = revealed(try OMAC.authenticate(whole.bytes, algorithm, key: key.bytes))
                return code + revealed(try OMAC.authenticate(inputs.secret(101).bytes, algorithm, key: key.bytes))
            },
            Claim("\(name) MGM, sealing") { inputs in
                let cipher = try MGM(algorithm, key: inputs.secret(32).bytes)
                let plaintext = inputs.secret(long)
                let header = inputs.secret(41)
                return revealed(try cipher.seal(plaintext.bytes, nonce: nonce.span, authenticating: header.bytes))
            },
            Claim("\(name) MGM, opening") { inputs in
                let (key, header) = (bytes(32), bytes(41))
                let sealed = try MGM(algorithm, key: key.span)
                    .seal(bytes(long).span, nonce: nonce.span, authenticating: header.span)
                let cipher = try MGM(algorithm, key: inputs.secret(key).bytes)
                let secretHeader = inputs.secret(header)
                let secretSealed = inputs.secret([UInt8](copying: sealed))
                return revealed(
                    try cipher.open(secretSealed.bytes, nonce: nonce.span, authenticating: secretHeader.bytes))
            },
        ]
    }

    private static func keys(_ algorithm: CipherAlgorithm, _ name: String) -> [Claim] {
        let iv = [UInt8](repeating: 0x35, count: algorithm.blockSize / 2)
        return [
            Claim("\(name) KExp15") { inputs in
                let key = inputs.secret(32)
                let keys = inputs.secret(64)
                return revealed(try KExp15.wrap(key.bytes, algorithm, keys: keys.bytes, iv: iv.span))
            },
            Claim("\(name) KImp15") { inputs in
                let wrapped = try KExp15.wrap(bytes(32).span, algorithm, keys: bytes(64).span, iv: iv.span)
                let keys = inputs.secret(bytes(64))
                let secret = inputs.secret([UInt8](copying: wrapped))
                return revealed(try KExp15.unwrap(secret.bytes, algorithm, keys: keys.bytes, iv: iv.span))
            },
        ]
    }
}
