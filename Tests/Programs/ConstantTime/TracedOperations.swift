// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

extension TracedOperation {
    static var all: [TracedOperation] {
        Curve.all.flatMap(keys) + Curve.all.flatMap(agreements) + Curve.all.flatMap(sespake)
    }

    /// A leak that the comparison must find: the harness's own test.
    static var leak: TracedOperation {
        TracedOperation("a copy in a variable") { value in
            let secret = scalar(.tc26256A, value)
            return {
                unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { copy in
                    for index in secret.bytes.indices { unsafe copy[index] = secret.bytes[index] }
                }
            }
        }
    }

    /// A number below every q of that length.
    private static func scalar(_ curve: Curve, _ value: UInt8) -> Secret {
        var bytes = (1...curve.coordinateSize).map { UInt8($0) ^ value &* 0x5B }
        bytes[curve.coordinateSize - 1] = 0x11
        return Secret(copying: bytes)
    }

    private static func privateKey(_ curve: Curve, _ value: UInt8) throws -> PrivateKey {
        try PrivateKey(curve: curve, scalar: scalar(curve, value))
    }

    private static func keys(_ curve: Curve) -> [TracedOperation] {
        let digest = [UInt8](repeating: 3, count: curve.coordinateSize)
        let algorithm: PublicKeyAlgorithm = curve.coordinateSize == 32 ? .gostR34102012256 : .gostR34102012512
        return [
            TracedOperation("a private key's range, \(curve)") { value in
                let number = Held(scalar(curve, value))
                return { _ = try PrivateKey(curve: curve, scalar: number.take()) }
            },
            TracedOperation("a new private key, \(curve)") { value in
                let random = Draws(value: value)
                return { _ = try PrivateKey.generate(on: curve, random: random) }
            },
            TracedOperation("a mask taken off, \(curve)") { value in
                let masked = scalar(curve, value)
                let mask = scalar(curve, value ^ 0x55)
                return { _ = try PrivateKey(curve: curve, masked: masked.bytes, mask: mask.bytes) }
            },
            TracedOperation("a public key, \(curve)") { value in
                let key = try privateKey(curve, value)
                return { _ = try key.publicKey() }
            },
            TracedOperation("a signature, \(curve)") { value in
                let key = try privateKey(curve, value)
                let random = Draws(value: 0)
                return { _ = try key.sign(digest: digest.span, random: random) }
            },
            TracedOperation("PKCS #8, \(curve)") { value in
                let info = try PrivateKeyInfo(algorithm: algorithm, key: privateKey(curve, value)).der()
                return { _ = try PrivateKeyInfo(der: info.bytes) }
            },
        ]
    }

    private static func agreements(_ curve: Curve) -> [TracedOperation] {
        let ukm: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        let both = [
            agreement("VKO 34.10-2012 (256)", curve) { key, peer in
                _ = try key.vko2012256(with: peer, ukm: ukm.span)
            },
            agreement("KEG", curve) { key, peer in
                _ = try key.keg(with: peer, h: [UInt8](repeating: 7, count: 32).span)
            },
        ]
        guard curve.coordinateSize == 64 else {
            return both + [
                agreement("VKO 34.10-2001", curve) { key, peer in
                    _ = try key.vko2001(with: peer, ukm: ukm.span)
                }
            ]
        }
        return both + [
            agreement("VKO 34.10-2012 (512)", curve) { key, peer in
                _ = try key.vko2012512(with: peer, ukm: ukm.span)
            }
        ]
    }

    private static func agreement(
        _ name: String, _ curve: Curve, _ agree: @escaping (borrowing PrivateKey, PublicKey) throws -> Void
    ) -> TracedOperation {
        TracedOperation("\(name), \(curve)") { value in
            let peer = try privateKey(curve, 77).publicKey()
            let key = try privateKey(curve, value)
            return { try agree(key, peer) }
        }
    }

    private static func sespake(_ curve: Curve) -> [TracedOperation] {
        guard (try? SESPAKE.Verifier(curve: curve, f: scalar(curve, 0).bytes)) != nil else { return [] }
        func verifier(_ value: UInt8) throws -> SESPAKE.Verifier {
            try SESPAKE.Verifier(curve: curve, f: scalar(curve, value).bytes)
        }
        return [
            TracedOperation("SESPAKE, verifier, \(curve)") { value in
                let f = scalar(curve, value)
                return { _ = try SESPAKE.Verifier(curve: curve, f: f.bytes) }
            },
            TracedOperation("SESPAKE, kept verifier, \(curve)") { value in
                let point = Held(try verifier(value).point.copy())
                return { _ = try SESPAKE.Verifier(curve: curve, point: point.take()) }
            },
            TracedOperation("SESPAKE, exchange, \(curve)") { value in
                let known = try verifier(value)
                let random = Draws(value: value)
                return { _ = try SESPAKE.Exchange(as: .a, verifier: known, random: random) }
            },
            TracedOperation("SESPAKE, key, \(curve)") { value in
                let exchange = Held(
                    try SESPAKE.Exchange(as: .b, verifier: verifier(value), random: Draws(value: value)))
                let peer = try privateKey(curve, 77).publicKey().bytes
                return { _ = try exchange.take().key(with: peer) }
            },
        ]
    }
}
