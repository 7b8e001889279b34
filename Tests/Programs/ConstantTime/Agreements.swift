// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

extension Claim {
    static let agreements = Curve.all.flatMap(vko) + Curve.all.flatMap(sespake)

    private static func vko(_ curve: Curve) -> [Claim] {
        let ukm: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        let long = [
            agreement("VKO 34.10-2012 (256)", curve) { key, peer throws(GOSTError) in
                try key.vko2012256(with: peer, ukm: ukm.span)
            },
            agreement("KEG", curve) { key, peer throws(GOSTError) in
                try key.keg(with: peer, h: [UInt8](repeating: 7, count: 32).span)
            },
        ]
        return curve.coordinateSize == 64
            ? long + [
                agreement("VKO 34.10-2012 (512)", curve) { key, peer throws(GOSTError) in
                    try key.vko2012512(with: peer, ukm: ukm.span)
                }
            ]
            : long + [
                agreement("VKO 34.10-2001", curve) { key, peer throws(GOSTError) in
                    try key.vko2001(with: peer, ukm: ukm.span)
                }
            ]
    }

    private static func agreement(
        _ name: String, _ curve: Curve,
        _ body: @escaping @Sendable (borrowing PrivateKey, PublicKey) throws(GOSTError) -> Secret
    ) -> Claim {
        Claim("\(name), \(curve)") { inputs in
            let peer = try PrivateKey.generate(on: curve, random: Inputs(areSecret: false).random).publicKey()
            let key = try PrivateKey(curve: curve, scalar: scalar(inputs, curve))
            return revealed(try body(key, peer))
        }
    }

    private static func sespake(_ curve: Curve) -> [Claim] {
        guard (try? SESPAKE.Verifier(curve: curve, f: scalar(Inputs(areSecret: false), curve).bytes)) != nil else {
            return []
        }
        return [
            Claim("SESPAKE, verifier, \(curve)") { inputs in
                revealed(try SESPAKE.Verifier(curve: curve, f: scalar(inputs, curve).bytes).point)
            },
            Claim("SESPAKE, kept verifier, \(curve)") { inputs in
                let verifier = try SESPAKE.Verifier(curve: curve, f: scalar(Inputs(areSecret: false), curve).bytes)
                let kept = inputs.secret([UInt8](copying: verifier.point))
                return revealed(try SESPAKE.Verifier(curve: curve, point: kept).point)
            },
            Claim("SESPAKE, key, \(curve)") { inputs in
                let verifier = try SESPAKE.Verifier(curve: curve, f: scalar(inputs, curve).bytes)
                let exchange = try SESPAKE.Exchange(as: .a, verifier: verifier, random: inputs.random)
                let peer = try PrivateKey.generate(on: curve, random: Inputs(areSecret: false).random).publicKey()
                let key = try exchange.key(with: peer.bytes)
                return revealed(key.code(for: [1, 2, 3]))
            },
        ]
    }
}
