// SPDX-License-Identifier: Apache-2.0
import Foundation
import KanalKit
import Locking
import TestSupport

/// The program as an authority for time stamps, in the folder of a scene.
struct Stamper {
    let openssl: OpenSSL
    /// The stamps that it has made, in DER.
    let stamps = Lock<[[UInt8]]>([])

    init(_ openssl: OpenSSL) throws {
        self.openssl = openssl
        try openssl.run(
            "req -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout tsa.key -out tsa.request -subj /CN=TSA")
        try openssl.write(Array("extendedKeyUsage=critical,timeStamping".utf8), "tsa.extensions")
        try openssl.run(
            "x509 -req -in tsa.request -CA ca.pem -CAkey ca.key -set_serial 8 -out tsa.pem -days 30"
                + " -extfile tsa.extensions")
        try openssl.run("x509 -in tsa.pem -outform DER -out tsa")
        try openssl.configureStamps("md_gost12_256", "ess_cert_id_alg = sha256")
        // Serial numbers of one length.
        try openssl.write(Array("1000\n".utf8), "tsa.serial")
    }

    func reply(to query: [UInt8]) throws -> [UInt8] {
        let reply = try openssl.stamp(query)
        if try openssl.succeeds("ts -reply -config tsa.cnf -in reply -token_out -out token") {
            let token = try openssl.read("token")
            stamps.withLock { $0.append(token) }
        }
        return reply
    }

    func authority(_ verifier: MessageVerifier, answer: [UInt8]? = nil) -> TimeStampAuthority {
        TimeStampAuthority(trusting: verifier) { query in try answer ?? reply(to: query) }
    }

    /// A list of revoked certificates of the scene's authority in DER.
    ///
    /// - Parameters:
    ///   - entries: Lines of the program's index.
    ///   - from: When it was made, in days from now.
    func revocationList(_ entries: String = "", from: Int = 0, days: Int = 90) throws -> [UInt8] {
        let settings = "[ca]\ndefault_ca = own\n[own]\ndatabase = index\ndefault_md = md_gost12_256\n"
        try openssl.write(Array(settings.utf8), "list.cnf")
        try openssl.write(Array(entries.utf8), "index")
        func text(_ days: Int) -> String {
            let format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.timeZone = TimeZone(secondsFromGMT: 0)
            format.dateFormat = "yyyyMMddHHmmss'Z'"
            return format.string(from: Date() + TimeInterval(days * 86_400))
        }
        try openssl.run(
            "ca -gencrl -config list.cnf -keyfile ca.key -cert ca.pem -crl_lastupdate \(text(from))"
                + " -crl_nextupdate \(text(from + days)) -out list.pem")
        try openssl.run("crl -in list.pem -outform DER -out list")
        return try openssl.read("list")
    }
}

extension MessageScene {
    /// A message with a time stamp of its signature.
    func sign(
        _ content: [UInt8], inPiecesOf size: Int = 3, isDetached: Bool = false, by authority: TimeStampAuthority?
    ) async throws -> [UInt8] {
        let message = Lock<[UInt8]>([])
        try await token.signMessage(
            of: .pieces(of: content, size, length: nil, Recorder()), by: certificate, isDetached: isDetached,
            stampedBy: authority
        ) { bytes in message.withLock { $0 += bytes } }
        return message.withLock { $0 }
    }
}
