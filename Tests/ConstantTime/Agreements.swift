import GOST
import Secrets

extension Claim {
    /// Key agreement of GOST R 34.10-2012, SESPAKE and the key files, one curve for each size and cofactor.
    static let agreements =
        trees + [Curve.tc26256A, .tc26256B, .tc26512A, .tc26512C].flatMap { vko($0) + password($0) + keyFile($0) }

    private static let trees = [
        Claim("TLS PRF") { inputs in
            let secret = inputs.secret(32)
            let seed = inputs.secret(64)
            return revealed(
                try TLSPRF<Streebog256>.derive(
                    secret: secret.bytes, label: [1, 2].span, seed: seed.bytes, count: 100))
        },
        Claim("prf+") { inputs in
            let key = inputs.secret(64)
            let seed = inputs.secret(64)
            return revealed(try PRFPlus<Streebog512>.derive(key: key.bytes, seed: seed.bytes, count: 100))
        },
        Claim("TLSTREE") { inputs in
            let root = inputs.secret(32)
            return revealed(try TLSTree.kuznyechikMGMS.key(root: root.bytes, sequenceNumber: 77))
        },
        Claim("ESPTREE") { inputs in
            let root = inputs.secret(32)
            return revealed(try ESPTree.key(root: root.bytes, i1: 1, i2: 2, i3: 3))
        },
    ]

    private static func vko(_ curve: Curve) -> [Claim] {
        [
            Claim("VKO 34.10-2012, \(curve)") { inputs in
                let key = try PrivateKey(curve: curve, scalar: number(inputs, curve))
                return revealed(try key.vko2012256(with: peer(curve), ukm: [1, 2, 3, 4, 5, 6, 7, 8].span))
            },
            Claim("KEG, \(curve)") { inputs in
                let key = try PrivateKey(curve: curve, scalar: number(inputs, curve))
                let h = [UInt8](1...32)
                return revealed(try key.keg(with: peer(curve), h: h.span))
            },
        ]
    }

    private static func password(_ curve: Curve) -> [Claim] {
        [
            Claim("SESPAKE verifier, \(curve)") { inputs in
                let f = inputs.secret(curve.coordinateSize)
                let verifier = try SESPAKE.Verifier(curve: curve, f: f.bytes)
                let kept = try SESPAKE.Verifier(curve: curve, point: verifier.point.copy())
                return revealed(kept.point)
            },
            Claim("SESPAKE key, \(curve)") { inputs in
                let f = inputs.secret(curve.coordinateSize)
                let verifier = try SESPAKE.Verifier(curve: curve, f: f.bytes)
                let exchange = try SESPAKE.Exchange(as: .a, verifier: verifier, random: inputs.random)
                let key = try exchange.key(with: peer(curve).bytes)
                return revealed(key.code(for: [1, 2, 3]))
            },
        ]
    }

    private static func keyFile(_ curve: Curve) -> [Claim] {
        [
            Claim("PKCS #8, \(curve)") { inputs in
                let algorithm: PublicKeyAlgorithm =
                    curve.coordinateSize == 32 ? .gostR34102012256 : .gostR34102012512
                let key = try PrivateKey(curve: curve, scalar: number(inputs, curve))
                let info = try PrivateKeyInfo(algorithm: algorithm, key: key)
                let der = info.der()
                let read = try PrivateKeyInfo(der: der.bytes)
                return revealed(read.key.scalar)
            }
        ]
    }

    private static func peer(_ curve: Curve) throws -> PublicKey {
        let key = try PrivateKey(curve: curve, scalar: number(Inputs(areSecret: false), curve))
        return try key.publicKey()
    }

    /// A number below every q of that length.
    private static func number(_ inputs: Inputs, _ curve: Curve) -> Secret {
        inputs.secret((0..<curve.coordinateSize).map { $0 + 1 == curve.coordinateSize ? 0x11 : UInt8($0 + 1) })
    }
}
