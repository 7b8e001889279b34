// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

extension Claim {
    static let scalars =
        equality + Curve.all.flatMap(keys) + Curve.all.flatMap(keyFiles)

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

    private static func keyFiles(_ curve: Curve) -> [Claim] {
        let algorithm: PublicKeyAlgorithm = curve.coordinateSize == 32 ? .gostR34102012256 : .gostR34102012512
        return [
            Claim("PKCS #8, \(curve)") { inputs in
                let key = try PrivateKey(curve: curve, scalar: scalar(inputs, curve))
                let info = try PrivateKeyInfo(algorithm: algorithm, key: key)
                let der = info.der()
                return try readKey(der)
            },
            Claim("PKCS #8 with the number in another OCTET STRING, \(curve)") { inputs in
                let scalar = scalar(inputs, curve)
                let string = Secret(copying: header(0x04, scalar.count)).appending(scalar.bytes)
                return try readKey(keyFile(algorithm, curve, string))
            },
            Claim("PKCS #8 with a masked number, \(curve)") { inputs in
                let masked = scalar(inputs, curve).appending(scalar(inputs, curve).bytes)
                return try readKey(keyFile(algorithm, curve, masked))
            },
            Claim("a mask taken off, \(curve)") { inputs in
                let masked = scalar(inputs, curve)
                let mask = inputs.secret((0..<curve.coordinateSize).map { UInt8($0 * 3 + 1) })
                return revealed(try PrivateKey(curve: curve, masked: masked.bytes, mask: mask.bytes).scalar)
            },
        ]
    }

    private static func readKey(_ der: borrowing Secret) throws -> [UInt8] {
        let info = try PrivateKeyInfo(der: der.bytes)
        return revealed(info.key.scalar)
    }

    private static func keyFile(
        _ algorithm: PublicKeyAlgorithm, _ curve: Curve, _ bytes: borrowing Secret
    ) throws -> Secret {
        let identifier = try AlgorithmIdentifier(algorithm: algorithm, curve: curve)
        let head = [0x02, 1, 0] + identifier.der + header(0x04, bytes.count)
        return Secret(copying: header(0x30, head.count + bytes.count) + head).appending(bytes.bytes)
    }

    private static func header(_ tag: UInt8, _ count: Int) -> [UInt8] {
        [tag] + (count < 0x80 ? [] : [0x81]) + [UInt8(truncatingIfNeeded: count)]
    }

    /// A number below every q of that length.
    static func scalar(_ inputs: Inputs, _ curve: Curve) -> Secret {
        inputs.secret((0..<curve.coordinateSize).map { $0 + 1 == curve.coordinateSize ? 0x11 : UInt8($0 + 1) })
    }
}
