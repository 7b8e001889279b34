// SPDX-License-Identifier: Apache-2.0
import GOST
import Libraries
import Secrets
import Synchronization

/// A primitive of Kanal that takes a message, under the libraries' fixed key, to its result.
struct MessagePrimitive: Sendable {
    let name: String
    let run: @Sendable ([UInt8]) throws -> Void
}

/// An operation of Kanal with a key, on one curve.
struct KeyPrimitive: Sendable {
    let name: String
    let curve: String
    let run: @Sendable () throws -> Void
}

private let key = bytes(of: libraries_key)
private let iv = bytes(of: libraries_iv)
private let digest = bytes(of: libraries_digest)

private func bytes<Tuple>(of tuple: Tuple) -> [UInt8] {
    unsafe withUnsafeBytes(of: tuple) { unsafe Array($0) }
}

/// The primitives in the order of the table.
let messagePrimitives =
    [
        primitive("28147-89 ECB", .gost28147(.cryptoProA), .ecb, ivSize: 0),
        primitive("28147-89 CNT", .gost28147(.cryptoProA), .cnt, ivSize: 8, section: 1024),
        primitive("28147-89 CFB", .gost28147(.cryptoProA), .cfb, ivSize: 8, section: 1024),
        primitive("28147-89 CBC", .gost28147(.cryptoProA), .cbc, ivSize: 8),
        MessagePrimitive(name: "28147-89 IMIT") {
            _ = try GOST28147IMIT.authenticate($0.span, key: key.span, sBox: .cryptoProA, meshing: true)
        },
    ] + modes(.magma, "Magma") + modes(.kuznyechik, "Kuznyechik") + [
        MessagePrimitive(name: "GOST R 34.11-94") { _ = GOSTR341194.hash($0) },
        MessagePrimitive(name: "Streebog-256") { _ = Streebog256.hash($0) },
        MessagePrimitive(name: "Streebog-512") { _ = Streebog512.hash($0) },
    ]

private func modes(_ algorithm: CipherAlgorithm, _ name: String) -> [MessagePrimitive] {
    let size = algorithm.blockSize
    let half = Array(iv.prefix(size / 2))
    let block = Array(iv.prefix(size))
    return [
        primitive("\(name) ECB", algorithm, .ecb, ivSize: 0),
        primitive("\(name) CTR", algorithm, .ctr, ivSize: size / 2),
        primitive("\(name) CTR-ACPKM", algorithm, .ctr, ivSize: size / 2, section: 4096),
        primitive("\(name) CFB", algorithm, .cfb, ivSize: size),
        primitive("\(name) OFB", algorithm, .ofb, ivSize: size),
        primitive("\(name) CBC", algorithm, .cbc, ivSize: size),
        MessagePrimitive(name: "\(name) OMAC") { _ = try OMAC.authenticate($0.span, algorithm, key: key.span) },
        MessagePrimitive(name: "\(name) MGM") {
            _ = try MGM(algorithm, key: key.span).seal($0.span, nonce: block.span, authenticating: half.span)
        },
    ]
}

private func primitive(
    _ name: String, _ algorithm: CipherAlgorithm, _ mode: CipherMessage.Mode, ivSize: Int, section: Int? = nil
) -> MessagePrimitive {
    MessagePrimitive(name: name) {
        let iv = Array(iv.prefix(ivSize))
        _ = try CipherMessage.encrypt($0.span, algorithm, mode, key: key.span, iv: iv.span, section: section)
    }
}

/// The operations with keys, on each curve that is not for examples only.
func keyPrimitives() throws -> [KeyPrimitive] {
    try [
        ("256-A", Curve.tc26256A), ("256-B", .tc26256B), ("256-C", .tc26256C), ("256-D", .tc26256D),
        ("512-A", .tc26512A), ("512-B", .tc26512B), ("512-C", .tc26512C),
    ].flatMap(keyPrimitives)
}

private func keyPrimitives(_ name: String, _ curve: Curve) throws -> [KeyPrimitive] {
    let scalar = try PrivateKey.generate(on: curve, random: SystemRandom()).scalar.array
    let digest = Array(digest.prefix(curve.coordinateSize))
    @Sendable func privateKey() throws -> PrivateKey {
        try PrivateKey(curve: curve, scalar: Secret(copying: scalar))
    }
    let publicKey = try privateKey().publicKey()
    let signature = try privateKey().sign(digest: digest.span, random: SystemRandom())
    let ukm = Array(iv.prefix(8))
    let strangers = try Strangers(curve, digest)
    return [
        KeyPrimitive(name: "key pair", curve: name) {
            _ = try PrivateKey.generate(on: curve, random: SystemRandom()).publicKey()
        },
        KeyPrimitive(name: "sign", curve: name) {
            _ = try privateKey().sign(digest: digest.span, random: SystemRandom())
        },
        KeyPrimitive(name: "verify", curve: name) { try strangers.verify(1, by: 1) },
        KeyPrimitive(name: "verify again", curve: name) {
            guard try publicKey.isValidSignature(signature, digest: digest) else { throw GOSTError.libraryFailure }
        },
        KeyPrimitive(name: "verify 64 by 4 keys", curve: name) { try strangers.verify(64, by: 4) },
        KeyPrimitive(name: "VKO", curve: name) {
            _ = try privateKey().vko2012256(with: publicKey, ukm: ukm.span)
        },
        KeyPrimitive(name: "chain of three keys", curve: name) {
            for _ in 0..<3 {
                let key = try PublicKey(curve: curve, bytes: publicKey.bytes)
                guard try key.isValidSignature(signature, digest: digest) else { throw GOSTError.libraryFailure }
            }
        },
        KeyPrimitive(name: "SESPAKE, one side", curve: name) {
            let verifier = try SESPAKE.Verifier(curve: curve, f: scalar.span)
            let exchange = try SESPAKE.Exchange(as: .a, verifier: verifier, random: SystemRandom())
            _ = try exchange.key(with: publicKey.bytes)
        },
    ]
}

/// Signatures by more keys than the library remembers, so that each key is a new one when its turn comes.
private final class Strangers: Sendable {
    private let digest: [UInt8]
    private let signatures: [(key: PublicKey, signature: [UInt8])]
    private let next = Atomic(0)

    init(_ curve: Curve, _ digest: [UInt8]) throws {
        self.digest = digest
        signatures = try (0..<200).map { _ in
            let key = try PrivateKey.generate(on: curve, random: SystemRandom())
            return (try key.publicKey(), try key.sign(digest: digest.span, random: SystemRandom()))
        }
    }

    /// Verifies `count` signatures of so many keys, which come in turns.
    func verify(_ count: Int, by keys: Int) throws {
        let first = next.add(keys, ordering: .relaxed).oldValue
        for index in 0..<count {
            let (key, signature) = signatures[(first + index % keys) % signatures.count]
            guard try key.isValidSignature(signature, digest: digest) else { throw GOSTError.libraryFailure }
        }
    }
}

extension Secret {
    fileprivate var array: [UInt8] { [UInt8](copying: bytes) }
}
