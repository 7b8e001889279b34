import GOST
import Secrets

extension Claim {
    static let scalars =
        equality + Curve.all.flatMap(keys) + Curve.all.filter { $0.coordinateSize == 32 }.map(agreement)

    private static let equality = [
        Claim("equality") { inputs in
            let equal = constantTimeEqual(inputs.secret(32).bytes, inputs.secret(32).bytes)
            return revealed([equal ? 1 : 0])
        }
    ]

    private static func keys(_ curve: Curve) -> [Claim] {
        [
            Claim("key pair, \(curve)") { inputs in
                revealed(try PrivateKey.generate(on: curve, random: inputs.random).publicKey().bytes)
            },
            Claim("signature, \(curve)") { inputs in
                let key = try PrivateKey(curve: curve, scalar: scalar(inputs, curve))
                let digest = [UInt8](repeating: 3, count: curve.coordinateSize)
                return revealed(try key.sign(digest: digest.span, random: inputs.random))
            },
        ]
    }

    private static func agreement(_ curve: Curve) -> Claim {
        Claim("VKO 34.10-2001, \(curve)") { inputs in
            let peer = try PrivateKey.generate(on: curve, random: Inputs(areSecret: false).random).publicKey()
            let key = try PrivateKey(curve: curve, scalar: scalar(inputs, curve))
            return revealed(try key.vko2001(with: peer, ukm: [1, 2, 3, 4, 5, 6, 7, 8].span))
        }
    }

    /// A number below every q of that length.
    private static func scalar(_ inputs: Inputs, _ curve: Curve) -> Secret {
        inputs.secret((0..<curve.coordinateSize).map { $0 + 1 == curve.coordinateSize ? 0x11 : UInt8($0 + 1) })
    }
}
