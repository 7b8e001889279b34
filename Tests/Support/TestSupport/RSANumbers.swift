/// RSA by the openssl program.
package enum RSANumbers {
    /// A new private key in the file key.pem: n, e, d, p, q, d modulo p − 1, d modulo q − 1, the inverse of q modulo p.
    package static func privateKey(bits: Int, by openssl: OpenSSL) throws -> [[UInt8]] {
        try openssl.run("genrsa -traditional -out key.pem \(bits)")
        let text = try openssl.run("asn1parse -in key.pem").split(separator: "\n").dropFirst()
        return text.filter { $0.contains("INTEGER") }.dropFirst().map { line in
            [UInt8](hex: String(line.split(separator: ":").last ?? ""))
        }
    }
}
