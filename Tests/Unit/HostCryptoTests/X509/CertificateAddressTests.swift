// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import TestSupport
import Testing

@Suite("The addresses of certificates")
struct CertificateAddressTests {
    private func addresses(_ extensions: String) throws -> CertificateAddresses {
        let openssl = try OpenSSL()
        let sections = "[req]\ndistinguished_name=name\nx509_extensions=extensions\n[name]\n[extensions]"
        let settings = "\(sections)\n\(extensions)\n"
        try openssl.write(Array(settings.utf8), "settings")
        try openssl.run(
            "req -x509 -newkey \(OpenSSL.p256) -nodes -keyout key -config settings -subj /CN=a -outform DER -out certificate"
        )
        return try addresses(in: openssl.read("certificate"))
    }

    private func addresses(in der: [UInt8]) throws -> CertificateAddresses {
        CertificateAddresses(try Certificate(der: der.span))
    }

    @Test("responders, issuers and lists have their addresses, in the order of the certificate")
    func kinds() throws {
        let found = try addresses(
            """
            authorityInfoAccess = @access
            crlDistributionPoints = first,second,third,fourth
            [access]
            OCSP;URI.1 = http://a/1
            caIssuers;URI.1 = https://b:80/ca.cer
            OCSP;URI.2 = HTTPS://a/2?x=y
            OCSP;URI.3 = http://a/1
            [first]
            fullname = URI:http://[::1]/1.crl,URI:http://c/2.crl
            [second]
            fullname = URI:http://c/3.crl
            reasons = keyCompromise
            [third]
            fullname = URI:http://c/4.crl
            CRLissuer = dirName:issuer
            [issuer]
            CN = b
            [fourth]
            fullname = URI:https://c/5.crl
            """)
        #expect(found.responders == ["http://a/1", "HTTPS://a/2?x=y"])
        #expect(found.issuers == ["https://b:80/ca.cer"])
        #expect(found.lists == ["http://[::1]/1.crl", "http://c/2.crl", "https://c/5.crl"])
        #expect(found.haveStates)
    }

    @Test("other schemes, names of users, spaces, and more than a few addresses are passed over")
    func others() throws {
        let openssl = try OpenSSL()
        try openssl.run(
            "req -x509 -newkey \(OpenSSL.p256) -nodes -keyout key -subj /CN=a -outform DER -out certificate")
        let none = try addresses(in: openssl.read("certificate"))
        #expect(!none.haveStates)
        let urls = [
            "ftp://a/1", "ldap://a/1", "file:///etc/passwd", "http://user@a/1", "http:///1", "http://a b/1", "http://",
            "--output", "http://a/\u{7}", "http://a/" + String(repeating: "x", count: 2048),
        ]
        for url in urls {
            let found = try addresses(
                "authorityInfoAccess = @access\ncrlDistributionPoints = @points\n"
                    + "[access]\nOCSP;URI = \(url)\ncaIssuers;URI = \(url)\n[points]\nURI = \(url)")
            #expect(found == none, "\(url)")
        }
        let many = try addresses(
            "authorityInfoAccess = " + (1...9).map { "OCSP;URI:http://a/\($0)" }.joined(separator: ","))
        #expect(many.responders == (1...4).map { "http://a/\($0)" })
    }

    @Test("an extension that is cut or changed has no more addresses, and ends nothing")
    func damaged() throws {
        for (kind, index) in [("authorityInfoAccess", 0), ("crlDistributionPoints", 1)] {
            let value = index == 0 ? "OCSP;URI:http://a/1" : "URI:http://a/1"
            let openssl = try OpenSSL()
            try openssl.run(
                "req -x509 -newkey \(OpenSSL.p256) -nodes -keyout key -subj /CN=a -outform DER -out certificate"
                    + " -addext \(kind)=\(value)")
            let der = try openssl.read("certificate")
            let place = try #require(der.firstRange(of: Array("http://a/1".utf8)))
            for position in (place.lowerBound - 20)..<place.lowerBound {
                for bit in [UInt8(1), 0x80] {
                    var changed = der
                    changed[position] ^= bit
                    guard let found = try? addresses(in: changed) else { continue }
                    for address in found.responders + found.lists + found.issuers { #expect(address == "http://a/1") }
                }
            }
        }
    }
}
