// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

extension Claim {
    static let derivations =
        derivation(GOSTR341194.self, "GOST R 34.11-94") + derivation(Streebog256.self, "Streebog-256")
        + derivation(Streebog512.self, "Streebog-512") + single

    private static func derivation<Hash: HashFunction>(_: Hash.Type, _ name: String) -> [Claim] {
        [
            Claim("PBKDF2, \(name)") { inputs in
                let password = inputs.secret(8)
                let salt = [UInt8](repeating: 1, count: 16)
                return revealed(
                    PBKDF2<Hash>.derive(password: password.bytes, salt: salt.span, iterations: 3, count: 70))
            },
            Claim("KDF_TREE, \(name)") { inputs in
                let key = inputs.secret(32)
                let seed = inputs.secret(16)
                return revealed(
                    try KDFTree<Hash>.derive(key: key.bytes, label: [1, 2, 3].span, seed: seed.bytes, count: 100))
            },
        ]
    }

    private static let single = [
        Claim("KDF_GOSTR3411_2012_256") { inputs in
            let key = inputs.secret(32)
            let seed = inputs.secret(16)
            return revealed(KDF.derive(key: key.bytes, label: [1, 2, 3].span, seed: seed.bytes))
        }
    ]
}
