// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

extension Claim {
    static let ciphers = SBox.all.flatMap(gost28147) + feedback + [imit] + wraps

    private static func gost28147(_ sBox: SBox) -> [Claim] {
        [
            claim("28147-89 ECB, \(sBox)", .gost28147(sBox), .ecb, ivSize: 0, [72]),
            claim(
                "28147-89 CNT with key meshing, \(sBox)", .gost28147(sBox), .cnt, ivSize: 8, section: 1024, [1300, 9]),
        ]
    }

    private static let feedback = [
        claim("28147-89 CFB with key meshing", .gost28147(.cryptoProA), .cfb, ivSize: 8, section: 1024, [1300]),
        claim("28147-89 CBC with key meshing", .gost28147(.cryptoProA), .cbc, ivSize: 8, section: 1024, [1304]),
    ]

    /// A mode of a cipher, there and back, for messages in pieces of these lengths.
    static func claim(
        _ name: String, _ algorithm: CipherAlgorithm, _ mode: CipherMessage.Mode, ivSize: Int, section: Int? = nil,
        _ lengths: [Int]
    ) -> Claim {
        Claim(name) { inputs in
            let key = inputs.secret(32)
            let iv = inputs.secret(ivSize)
            var forward = try CipherMessage(algorithm, mode, key: key.bytes, iv: iv.bytes, section: section)
            var back = try CipherMessage(algorithm, mode, key: key.bytes, iv: iv.bytes, section: section)
            return try lengths.flatMap { length in
                revealed(try forward.encrypt(inputs.secret(length).bytes))
                    + revealed(try back.decrypt(inputs.secret(length).bytes))
            }
        }
    }

    private static let imit = Claim("28147-89 IMIT") { inputs in
        let data = inputs.secret(1300)
        let key = inputs.secret(32)
        return revealed(
            try GOST28147IMIT.authenticate(data.bytes, key: key.bytes, sBox: .cryptoProA, meshing: true))
    }

    private static let wraps = [GOST28147KeyWrap.gost, .cryptoPro].flatMap { wrap in
        let ukm: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        return [
            Claim("key wrap, \(wrap)") { inputs in
                let cek = inputs.secret(32)
                let kek = inputs.secret(32)
                return revealed(try wrap.wrap(cek.bytes, kek: kek.bytes, ukm: ukm.span, sBox: .tc26Z))
            },
            Claim("key unwrap, \(wrap)") { inputs in
                let wrapped = try wrap.wrap(bytes(32).span, kek: bytes(32).span, ukm: ukm.span, sBox: .tc26Z)
                let kek = inputs.secret(bytes(32))
                // The UKM, in front, is not secret.
                let secret = Secret(copying: ukm).appending(inputs.secret([UInt8](copying: wrapped).suffix(36)).bytes)
                return revealed(try wrap.unwrap(secret.bytes, kek: kek.bytes, sBox: .tc26Z))
            },
        ]
    }
}
