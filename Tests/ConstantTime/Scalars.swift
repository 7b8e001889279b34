import GOST
import Secrets

extension Claim {
    static let scalars =
        equality + Curve.all.flatMap(keys)

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
            Claim("private key in DER, \(curve)") { inputs in
                let algorithm =
                    curve.coordinateSize == 32 ? PublicKeyAlgorithm.gostR34102012256 : .gostR34102012512
                let key = try PrivateKey(curve: curve, scalar: scalar(inputs, curve))
                let info = try PrivateKeyInfo(algorithm: algorithm, key: key).der()
                return revealed(try PrivateKeyInfo(der: info.bytes).key.scalar)
            },
        ]
    }

    /// A number below every q of that length.
    static func scalar(_ inputs: Inputs, _ curve: Curve) -> Secret {
        inputs.secret((0..<curve.coordinateSize).map { $0 + 1 == curve.coordinateSize ? 0x11 : UInt8($0 + 1) })
    }
}
