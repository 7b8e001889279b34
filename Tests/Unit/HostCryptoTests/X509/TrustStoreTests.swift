// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostCrypto
import TestSupport
import Testing

@Suite("Paths to trusted certificates", .usesGOSTEngine)
struct TrustStoreTests {
    static let algorithms = ["gost2012_256 -pkeyopt paramset:A", "rsa:2048"]

    /// A root, an authority that the root certifies, and a signer that the authority certifies, made by the program.
    final class Chain {
        let openssl: OpenSSL
        private let newKey: String
        private var serial = 1

        init(_ newKey: String = OpenSSL.p256, authority: String = "", signer: String = "keyUsage=digitalSignature")
            throws
        {
            openssl = try OpenSSL()
            self.newKey = newKey
            try openssl.run(
                "req -x509 -newkey \(newKey) -nodes -keyout root.key -out root.pem -subj /CN=root -days 30"
                    + " -addext basicConstraints=critical,CA:true -addext keyUsage=keyCertSign,cRLSign")
            try openssl.run("x509 -in root.pem -outform DER -out root")
            try issue("authority", by: "root", "basicConstraints=CA:true\nkeyUsage=keyCertSign,cRLSign\n" + authority)
            try issue("signer", by: "authority", signer)
            let settings = """
                [ca]
                default_ca = settings
                [settings]
                database = index
                default_md = \(newKey.hasPrefix("gost") ? "md_gost12_256" : "sha256")
                """
            try openssl.write(Array(settings.utf8), "ca.cnf")
            try openssl.write([], "index")
        }

        func issue(_ name: String, by issuer: String, _ extensions: String) throws {
            serial += 1
            try openssl.run("req -newkey \(newKey) -nodes -keyout \(name).key -out request -subj /CN=\(name)")
            try openssl.write(Array(extensions.utf8), "extensions")
            try openssl.run(
                "x509 -req -in request -CA \(issuer).pem -CAkey \(issuer).key -set_serial \(serial) -days 30"
                    + " -extfile extensions -out \(name).pem")
            try openssl.run("x509 -in \(name).pem -outform DER -out \(name)")
        }

        func revocationList(of issuer: String, days: Int = 5) throws -> [UInt8] {
            let key = "-config ca.cnf -keyfile \(issuer).key -cert \(issuer).pem"
            try openssl.run("ca -gencrl \(key) -crldays \(days) -out crl.pem")
            try openssl.run("crl -in crl.pem -outform DER -out crl")
            return try openssl.read("crl")
        }

        func revoke(_ name: String, by issuer: String) throws {
            try openssl.run("ca -revoke \(name).pem -config ca.cnf -keyfile \(issuer).key -cert \(issuer).pem")
        }

        func certificates(_ names: [String]) throws -> [[UInt8]] { try names.map { try openssl.read($0) } }

        func trusts(
            _ name: String = "signer", trusted: [String] = ["root"], certificates: [String] = ["authority"],
            days: Int = 0, change: (inout TrustStore) throws -> Void = { _ in }
        ) throws -> Bool {
            var store = TrustStore(
                trusted: try self.certificates(trusted), certificates: try self.certificates(certificates))
            try change(&store)
            return try store.trusts(
                openssl.read(name), at: Int(Date().timeIntervalSince1970) + 60 + days * 86_400)
        }
    }

    @Test("findings of a path before are no answer for another key, time, list or byte", arguments: algorithms)
    func findingsBefore(_ newKey: String) throws {
        let (chain, other) = (try Chain(newKey), try Chain(newKey))
        let now = Int(Date().timeIntervalSince1970) + 60
        let leaf = try chain.openssl.read("signer")
        var store = TrustStore(
            trusted: try chain.certificates(["root"]), certificates: try chain.certificates(["authority"]))
        #expect(try store.trusts(leaf, at: now))
        #expect(try store.trusts(leaf, at: now))
        #expect(try !store.trusts(leaf, at: now + 40 * 86_400))
        #expect(try !store.trusts(leaf, at: now - 40 * 86_400))
        for place in [leaf.count - 1, leaf.count / 2] {
            var changed = leaf
            changed[place] ^= 1
            #expect((try? store.trusts(changed, at: now)) != true)
        }
        // Other keys under the same names.
        store.trusted = try other.certificates(["root"])
        #expect(try !store.trusts(leaf, at: now))
        store.certificates = try other.certificates(["authority"])
        #expect(try !store.trusts(leaf, at: now))
        #expect(try store.trusts(other.openssl.read("signer"), at: now))
        store.trusted = try chain.certificates(["root"])
        store.certificates = try chain.certificates(["authority"])
        #expect(try store.trusts(leaf, at: now))
        try chain.revoke("signer", by: "authority")
        store.revocationLists = [try chain.revocationList(of: "authority")]
        #expect(try !store.trusts(leaf, at: now))
    }

    @Test("a path leads over authorities to a trusted root, as the program finds it", arguments: algorithms)
    func paths(_ newKey: String) throws {
        let chain = try Chain(newKey)
        try chain.openssl.run("verify -CAfile root.pem -untrusted authority.pem signer.pem")
        #expect(try chain.trusts())
        #expect(try chain.trusts(trusted: ["root", "authority"], certificates: []))
        #expect(try !chain.trusts(certificates: []))
        #expect(try !chain.trusts(trusted: []))
        #expect(try !chain.trusts(trusted: [], certificates: ["authority", "root", "signer"]))
    }

    @Test("a trusted certificate that others have issued ends a path only if that is allowed")
    func partialPaths() throws {
        let chain = try Chain()
        for trusted in ["authority", "signer"] {
            #expect(try !chain.trusts(trusted: [trusted], certificates: []))
            #expect(try !chain.openssl.succeeds("verify -CAfile \(trusted).pem signer.pem"))
            #expect(try chain.trusts(trusted: [trusted], certificates: []) { $0.allowsPartialPaths = true })
            try chain.openssl.run("verify -partial_chain -CAfile \(trusted).pem signer.pem")
        }
    }

    @Test("all certificates must be valid at the time")
    func times() throws {
        let chain = try Chain()
        #expect(try chain.trusts(days: 29))
        for days in [-1, 31] { #expect(try !chain.trusts(days: days)) }
    }

    @Test("a changed certificate, one of another key and a circle lead nowhere", arguments: algorithms)
    func forgeries(_ newKey: String) throws {
        let chain = try Chain(newKey)
        let other = try Chain(newKey)
        let authority = try chain.openssl.read("authority")
        #expect(try !chain.trusts { $0.certificates = [authority.changed(at: authority.count - 1)] })
        #expect(try !chain.trusts { $0.certificates = [try other.openssl.read("authority")] })
        #expect(try !chain.trusts { $0.trusted = [try other.openssl.read("root")] })
        #expect(try !chain.trusts(trusted: [], certificates: ["authority", "authority", "root", "root"]))
    }

    @Test("who is no authority certifies nobody, and no authority more authorities than it may")
    func authorities() throws {
        let chain = try Chain(authority: "", signer: "keyUsage=digitalSignature,keyCertSign")
        try chain.issue("second", by: "signer", "keyUsage=digitalSignature")
        #expect(try !chain.trusts("second", certificates: ["authority", "signer"]))

        let long = try Chain(signer: "basicConstraints=CA:true,pathlen:0")
        try long.issue("second", by: "signer", "keyUsage=digitalSignature")
        try long.issue("lower", by: "signer", "basicConstraints=CA:true")
        try long.issue("third", by: "lower", "keyUsage=digitalSignature")
        let certificates = ["authority", "signer", "lower"]
        #expect(try long.trusts("second", certificates: certificates))
        #expect(try !long.trusts("third", certificates: certificates))
    }

    @Test(
        "a root of version 1 is an authority if it is trusted and signs itself, as the program has it",
        arguments: algorithms)
    func version1(_ newKey: String) throws {
        let chain = try Chain(newKey)
        let openssl = chain.openssl
        for name in ["old", "other"] {
            try openssl.run("req -newkey \(newKey) -nodes -keyout \(name).key -out request -subj /CN=old")
            try openssl.run("x509 -req -in request -signkey \(name).key -days 30 -out \(name).pem")
            try openssl.run("x509 -in \(name).pem -outform DER -out \(name)")
        }
        #expect(try openssl.run("x509 -in old.pem -noout -text").contains("Version: 1 "))
        try chain.issue("new", by: "old", "keyUsage=digitalSignature")
        try openssl.run("verify -CAfile old.pem new.pem")
        #expect(try chain.trusts("new", trusted: ["old"], certificates: []))
        #expect(try chain.trusts("new", trusted: ["other", "old"], certificates: []))
        // An untrusted authority, or a different one from the signer's.
        #expect(try !chain.trusts("new", certificates: ["old"]))
        #expect(try !chain.trusts("new", trusted: ["other"], certificates: ["old"]))
        // An authority of the same name and key, but changed.
        let old = try openssl.read("old")
        #expect(try !chain.trusts("new", certificates: []) { $0.trusted = [old.changed(at: old.count - 1)] })
        // A certificate of version 1 that is not self-signed counts as an end entity's, not as an authority's.
        try openssl.run("req -newkey \(newKey) -nodes -keyout middle.key -out request -subj /CN=middle")
        try openssl.run(
            "x509 -req -in request -CA root.pem -CAkey root.key -set_serial 9 -days 30 -out middle.pem")
        try openssl.run("x509 -in middle.pem -outform DER -out middle")
        try chain.issue("end", by: "middle", "keyUsage=digitalSignature")
        #expect(try !openssl.succeeds("verify -CAfile root.pem -untrusted middle.pem end.pem"))
        #expect(try !chain.trusts("end", certificates: ["middle"]))
        #expect(try !chain.trusts("end", trusted: ["root", "middle"]) { $0.allowsPartialPaths = true })
    }

    @Test(
        "a certificate that must be understood and is not, or that is not for messages, is not trusted",
        arguments: [
            "1.2.3.4=critical,ASN1:UTF8String:x", "keyUsage=keyEncipherment",
            "nameConstraints=critical,permitted;email:example.org",
        ])
    func constraints(_ extensions: String) throws {
        let chain = try Chain(signer: extensions)
        #expect(try !chain.trusts())
    }

    @Test(
        "a list of revoked certificates counts where there is one, and is missed where it must be",
        arguments: algorithms)
    func revocation(_ newKey: String) throws {
        let chain = try Chain(newKey)
        let empty = [try chain.revocationList(of: "authority")]
        let ofRoot = try chain.revocationList(of: "root")
        try chain.revoke("signer", by: "authority")
        let full = [try chain.revocationList(of: "authority")]
        // The certificate was on hold, and is so no more.
        try chain.openssl.write([], "index")
        let later = [try chain.revocationList(of: "authority", days: 20)]
        func trusts(_ lists: [[UInt8]], _ check: TrustStore.RevocationCheck, days: Int = 0) throws -> Bool {
            try chain.trusts(days: days) { store in
                store.revocationLists = lists
                store.revocationCheck = check
            }
        }
        for check in [TrustStore.RevocationCheck.none, .leaf, .all] {
            #expect(try trusts([], check) == (check == .none))
            #expect(try trusts(empty, check) == (check != .all))
            #expect(try trusts(empty + [ofRoot], check))
            #expect(try !trusts(full, check))
            #expect(try !trusts(full + empty + [ofRoot], check))
            // An expired list does not prove that a certificate is not revoked, but that it was.
            #expect(try trusts(empty, check, days: 10) == (check == .none))
            #expect(try !trusts(full, check, days: 10))
            #expect(try !trusts(full + empty, check, days: 10))
            #expect(try trusts(full + later, check, days: 10) == (check != .all))
            #expect(try !trusts(full + later, check))
            // A forged one proves nothing.
            #expect(try trusts(full.map { $0.changed(at: $0.count - 1) }, check) == (check == .none))
        }
        #expect(throws: HostCryptoError.invalidEncoding) { try trusts([[1]], .none) }
    }
}
