import GOST
import Secrets

/// The primitives of the classic profile under the names of GSC/1, 3.
enum Classic {
    typealias Hash = GOSTR341194

    static let curve = Curve.cryptoProA

    /// H.
    static func hash(_ bytes: [UInt8]) -> [UInt8] { Hash.hash(bytes) }

    /// The first `count` octets of HM(K, M).
    static func authenticate(_ message: [UInt8], key: borrowing Secret, count: Int = 32) -> Secret {
        HMAC<Hash>.authenticate(message.span, key: key.bytes).extracting(0..<count)
    }

    /// EXP(K, label, seed, n).
    static func expand(
        _ key: borrowing Secret, label: String, seed: [UInt8], count: Int
    ) throws(GOSTError) -> Secret {
        try KDFTree<Hash>.derive(key: key.bytes, label: Array(label.utf8).span, seed: seed.span, count: count)
    }

    /// CNT: enciphers or deciphers a message of at most 1024 octets.
    static func apply(key: borrowing Secret, iv: [UInt8], to data: Span<UInt8>) throws(GOSTError) -> Secret {
        var cipher = try GOST28147CNT(key: key.bytes, iv: iv.span, sBox: .cryptoProA, meshing: false)
        return cipher.apply(data)
    }
}

/// PROTO, "GSC/1".
let protocolName = [UInt8]("GSC/1".utf8)
