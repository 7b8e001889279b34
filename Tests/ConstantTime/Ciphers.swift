import GOST
import Secrets

extension Claim {
    static let ciphers = SBox.all.flatMap(gost28147)

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
}
