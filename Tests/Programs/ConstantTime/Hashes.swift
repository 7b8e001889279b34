// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

extension Claim {
    static let hashes =
        hash(GOSTR341194.self, "GOST R 34.11-94") + hash(Streebog256.self, "Streebog-256")
        + hash(Streebog512.self, "Streebog-512")

    private static func hash<Hash: HashFunction>(_: Hash.Type, _ name: String) -> [Claim] {
        [
            Claim(name) { inputs in
                var hash = HashState(Hash.algorithm)
                for count in [0, 1, 64, 200] { hash.update(inputs.secret(count).bytes) }
                return revealed(hash.copy().finalize()) + revealed(hash.finalize())
            },
            Claim("HMAC, \(name)") { inputs in
                revealed(HMAC<Hash>.authenticate(inputs.secret(150).bytes, key: inputs.secret(32).bytes))
            },
            Claim("HMAC with a long key, \(name)") { inputs in
                revealed(HMAC<Hash>.authenticate(inputs.secret(3).bytes, key: inputs.secret(100).bytes))
            },
        ]
    }
}
