import GOST
import Secrets

/// What valgrind must not let pass: the harness's own test.
extension Claim {
    static let leaks = [
        Claim("table") { inputs in
            let table = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 5) }
            let secret = inputs.secret(32)
            return revealed(secret.bytes.indices.map { table[Int(secret.bytes[$0])] })
        },
        Claim("branch") { inputs in
            let secret = inputs.secret(32)
            var steps: UInt8 = 0
            for index in secret.bytes.indices {
                if secret.bytes[index] == 0 { break }
                steps += 1
            }
            return revealed([steps])
        },
        // libcrypto's EC_POINT_add compares field elements (BN_mod_sub_quick), here of Q_PW with public ones: the claim
        // of SESPAKE.Exchange does not hold yet.
        Claim("exchange") { inputs in
            let curve = Curve.tc26256B
            let f = inputs.secret((0..<32).map { UInt8($0 + 1) })
            let peer = try PrivateKey.generate(on: curve, random: Inputs(areSecret: false).random).publicKey()
            let verifier = try SESPAKE.Verifier(curve: curve, f: f.bytes)
            let exchange = try SESPAKE.Exchange(as: .a, verifier: verifier, random: inputs.random)
            return revealed(try exchange.key(with: peer.bytes).code(for: [1, 2, 3]))
        },
    ]
}
