// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

extension Claim {
    static let ciphers = SBox.all.flatMap(gost28147) + feedback + [imit] + wraps

    private static func gost28147(_ sBox: SBox) -> [Claim] {
        [
            Claim("28147-89 ECB, enciphering, \(sBox)") { inputs in
                let cipher = try GOST28147(key: inputs.secret(32).bytes, sBox: sBox)
                return revealed(try cipher.encryptECB(inputs.secret(72).bytes))
            },
            Claim("28147-89 ECB, deciphering, \(sBox)") { inputs in
                let cipher = try GOST28147(key: inputs.secret(32).bytes, sBox: sBox)
                return revealed(try cipher.decryptECB(inputs.secret(72).bytes))
            },
            Claim("28147-89 CNT with key meshing, \(sBox)") { inputs in
                let key = inputs.secret(32)
                let iv = inputs.secret(8)
                var cipher = try GOST28147CNT(key: key.bytes, iv: iv.bytes, sBox: sBox, meshing: true)
                let long = revealed(cipher.apply(inputs.secret(1300).bytes))
                return long + revealed(cipher.apply(inputs.secret(9).bytes))
            },
        ]
    }

    private static let feedback = [
        Claim("28147-89 CFB with key meshing") { inputs in
            let key = inputs.secret(32)
            let iv = inputs.secret(8)
            var encryption = try GOST28147CFB(key: key.bytes, iv: iv.bytes, sBox: .cryptoProA, meshing: true)
            var decryption = try GOST28147CFB(key: key.bytes, iv: iv.bytes, sBox: .cryptoProA, meshing: true)
            let ciphertext = revealed(encryption.encrypt(inputs.secret(1300).bytes))
            return ciphertext + revealed(decryption.decrypt(inputs.secret(1300).bytes))
        },
        Claim("28147-89 CBC with key meshing") { inputs in
            let key = inputs.secret(32)
            let iv = inputs.secret(8)
            var encryption = try GOST28147CBC(key: key.bytes, iv: iv.bytes, sBox: .cryptoProA, meshing: true)
            var decryption = try GOST28147CBC(key: key.bytes, iv: iv.bytes, sBox: .cryptoProA, meshing: true)
            let ciphertext = revealed(try encryption.encrypt(inputs.secret(1304).bytes))
            return ciphertext + revealed(try decryption.decrypt(inputs.secret(1304).bytes))
        },
    ]

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
