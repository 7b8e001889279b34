// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Secrets
import TestSupport
import Testing

extension [UInt8] {
    /// The ContentInfos of a file.
    fileprivate func authenticatedSafe() throws -> [[UInt8]] {
        var outer = DERReader(span)
        var pfx = DERReader(try outer.contents(.sequence))
        _ = try pfx.contents(.integer)
        var info = DERReader(try pfx.contents(.sequence))
        _ = try info.objectIdentifier()
        var explicit = DERReader(try info.contents(.context0))
        var bytes = DERReader(try explicit.contents(.octetString))
        var safe = DERReader(try bytes.contents(.sequence))
        var parts: [[UInt8]] = []
        while !safe.isAtEnd { parts.append([UInt8](copying: try safe.element(.sequence))) }
        return parts
    }
}

@Suite("Files with keys and certificates (PFX)")
struct PFXTests {
    private func vector(_ id: String) throws -> JSON {
        try #require(JSON(vectors: "cms_pkcs12.json").vectors.list.first { $0.id.text == id })
    }

    private func open(_ vector: JSON, _ password: [UInt8]? = nil) throws -> PFX {
        let der = vector.der.bytes
        return try PFX(parsing: der.span, password: Secret(copying: password ?? vector.password.bytes))
    }

    @Test("The files of RFC 9548 hold their key and its certificate", arguments: ["cms-028", "cms-029"])
    func rfc9548(id: String) throws {
        let vector = try vector(id)
        let pfx = try open(vector)
        #expect(pfx.keys.count == 1 && pfx.certificates.count == 1)
        let (key, expected) = (try #require(pfx.keys.first), vector.key.bytes)
        let info = try PrivateKeyInfo(der: expected.span)
        #expect(key.gostScalar == [UInt8](copying: info.key.scalar))
        #expect(info.algorithm.algorithm == .gostR34102012512 && info.algorithm.curve == .tc26512A)
        let certificate = try #require(pfx.certificate(of: key))
        #expect(certificate.name == key.name)
        #expect(key.name.label == "p12FriendlyName")
        #expect(key.name.id.hex == "795574f9d4b6e4c2022428699867 3ff00a14c04d".filter { $0 != " " })
        let parsed = try Certificate(der: certificate.der.span)
        #expect(parsed.subjectPublicKeyInfo == key.publicKey.der)
    }

    @Test(
        "A file opens in BER as it does in DER, with its content in pieces, too",
        arguments: ["cms-018", "cms-028", "cms-029"], BERTree.Length.allCases)
    func ber(id: String, form: BERTree.Length) throws {
        let vector = try vector(id)
        let (password, expected) = (vector.password.bytes, try open(vector))
        var tree = try #require(BERTree(vector.der.bytes))
        for isInPieces in [false, true] {
            // The AuthenticatedSafe.
            if isInPieces { tree[[1, 1, 0]] = tree[[1, 1, 0]].inPieces(of: 100) }
            let file = tree.encoded { _, _ in form }
            let pfx = try PFX(parsing: file.span, password: Secret(copying: password))
            #expect(pfx.keys.map(\.gostScalar) == expected.keys.map(\.gostScalar))
            #expect(pfx.certificates.map(\.der) == expected.certificates.map(\.der))
        }
    }

    @Test("The file of R 50.1.112-2016 holds a masked key and its certificate")
    func r501112() throws {
        let vectors = try JSON(vectors: "cms_pkcs12.json").vectors.list
        let pfx = try open(vector("cms-018"))
        let key = try #require(pfx.keys.first)
        let masked = try #require(vectors.first { $0.id.text == "cms-019" }).der.bytes
        let info = try PrivateKeyInfo(der: masked.span)
        #expect(key.gostScalar == [UInt8](copying: info.key.scalar))
        #expect(key.name.id == [1, 0, 0, 0])
        #expect(pfx.certificate(of: key) == pfx.certificates.first && pfx.certificates.count == 1)
    }

    private static let cryptoProFiles: [(String, PublicKeyAlgorithm)] = [
        ("cms-030", .gostR34102001), ("cms-031", .gostR34102012256), ("cms-032", .gostR34102012512),
    ]

    @Test("The files of CryptoPro's program hold the key of their certificate", arguments: cryptoProFiles)
    func cryptoPro(id: String, algorithm: PublicKeyAlgorithm) throws {
        let vector = try vector(id)
        let pfx = try open(vector)
        #expect(pfx.keys.count == 1 && pfx.certificates.count == 1)
        let key = try #require(pfx.keys.first)
        guard case .gost(let info) = key.publicKey else { throw PFXError.invalidKey }
        #expect(info.algorithm.algorithm == algorithm)
        #expect(pfx.certificate(of: key) == pfx.certificates.first)
        #expect(key.name.id == [1, 0, 0, 0] && key.name.label.hasPrefix("0000_tinyCA_"))
        #expect(PFX.refusal(vector.der.bytes, "1") == .wrongPassword)
    }

    @Test("A key of CryptoPro's form counts only with its certificate, and only whole")
    func cryptoProAlone() throws {
        let parts = try vector("cms-031").der.bytes.authenticatedSafe()
        var made = MadePFX(parts)
        made.password = ""
        #expect(PFX.refusal(made.der, "") == nil)
        made.parts.removeLast()
        #expect(PFX.refusal(made.der, "") == .keyMismatch)
        made.parts.append(try vector("cms-032").der.bytes.authenticatedSafe()[1])
        #expect(PFX.refusal(made.der, "") == .keyMismatch)
        made = MadePFX(parts)
        made.password = ""
        // The wrapped key is enciphered byte by byte.
        let contents = parts[0]
        let start = try #require(contents.firstRange(of: [0x04, 0x81, 0x8B])).upperBound
        for index in stride(from: start, to: start + 139, by: 9) {
            made.parts[0] = contents.changed(at: index, bit: 3)
            let refusal = PFX.refusal(made.der, "")
            #expect(refusal != .wrongPassword && refusal != .libraryFailure)
            if (start + 40..<start + 60).contains(index) { #expect(refusal != nil, "\(index - start)") }
        }
    }

    @Test("A wrong password is told from a damaged file", arguments: ["cms-028", "cms-029"])
    func wrongPassword(id: String) throws {
        let vector = try vector(id)
        for password in [[], Array(vector.password.bytes.dropLast()), vector.password.bytes + [0x21]] {
            #expect(throws: PFXError.wrongPassword) { try open(vector, password) }
        }
        let cut = Array(vector.der.bytes.dropLast(100))
        #expect(PFX.refusal(cut, "") == .damaged)
        #expect(PFX.refusal(vector.der.bytes + [0], "") == .damaged)
    }

    @Test("A file made for a test is read; cut off anywhere, or followed by an byte, it is not")
    func truncated() throws {
        let made = MadePFX.bareKey
        let pfx = try PFX(made.der)
        #expect(pfx.keys.first?.name.label == "имя")
        #expect(pfx.keys.first?.gostScalar?.first == 7)
        #expect(try pfx.certificate(of: #require(pfx.keys.first)) == nil)
        for count in made.der.indices { #expect(PFX.refusal(Array(made.der.prefix(count))) == .damaged) }
        #expect(PFX.refusal(made.der + [0]) == .damaged)
    }

    @Test("A changed bit is refused by the code; with a right code, it gives a typed error or other keys")
    func changedBits() throws {
        let made = MadePFX.bareKey
        let contents = try #require(made.parts.first)
        for bit in 0..<(8 * contents.count) {
            var changed = contents
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let refusal = PFX.refusal(MadePFX([changed]).der)
            if case .wrongPassword = refusal { Issue.record("bit \(bit)") }
        }
        let der = made.der
        for index in stride(from: 30, to: der.count - 100, by: 7) {
            #expect(PFX.refusal(der.changed(at: index)) == .wrongPassword)
        }
    }

    @Test("What is not known is named by its object identifier")
    func unsupported() throws {
        let signed = DERTag.sequence.element(MadePFX.pkcs([7, 2]) + [0xA0, 0])
        #expect(PFX.refusal(MadePFX([signed]).der) == .unsupported("1.2.840.113549.1.7.2"))
        let bags = MadePFX.part([MadePFX.bag(6, [0x30, 0])])
        #expect(PFX.refusal(MadePFX([bags]).der) == .unsupported("1.2.840.113549.1.12.10.1.6"))
        for kind in [4, 5] as [UInt8] {
            #expect(PFX.refusal(MadePFX([MadePFX.part([MadePFX.bag(kind, [0x30, 0])])]).der) == nil)
        }
        let cipher = DERTag.objectIdentifier.element([0x2A, 0x03])
        let unknown = MadePFX.encrypted(MadePFX.pbes2(cipher, []), [1])
        #expect(PFX.refusal(MadePFX([unknown]).der) == .unsupported("1.2.3"))
        let other = MadePFX.encrypted(DERTag.sequence.element(MadePFX.pkcs([12, 1, 1])), [1])
        #expect(PFX.refusal(MadePFX([other]).der) == .unsupported("1.2.840.113549.1.12.1.1"))
        let huge = DERTag.objectIdentifier.element([UInt8](repeating: 0xFF, count: 20) + [1])
        #expect(PFX.refusal(MadePFX([MadePFX.encrypted(MadePFX.pbes2(huge, []), [1])]).der) == .damaged)
    }

    @Test("Iterations, sizes and numbers are limited, and a file without a code is refused")
    func limits() throws {
        var made = MadePFX.bareKey
        // A block of HMAC makes the code's key: two computations in each iteration.
        made.iterations = [0x01, 0x31, 0x2D, 0x01]
        #expect(PFX.refusal(made.der) == .tooManyIterations(20_000_001))
        made.iterations = [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        #expect(PFX.refusal(made.der) == .tooManyIterations(Int(UInt32.max)))
        made.iterations = [0]
        #expect(PFX.refusal(made.der) == .damaged)
        made.iterations = [0xFF]
        #expect(PFX.refusal(made.der) == .damaged)
        made = MadePFX.bareKey
        #expect(PFX.refusal(made.der, limit: 2) == nil)
        #expect(PFX.refusal(made.der, limit: 1) == .tooManyIterations(1))
        made.macData = []
        #expect(PFX.refusal(made.der) == .unauthenticated)
        made = MadePFX.bareKey
        made.version = 4
        #expect(PFX.refusal(made.der) == .damaged)
        let many = [[UInt8]](repeating: MadePFX.bag(4, []), count: PFX.bagLimit)
        #expect(PFX.refusal(MadePFX([MadePFX.part(Array(many.dropLast()))]).der) == nil)
        #expect(PFX.refusal(MadePFX([MadePFX.part(many)]).der) == .tooLarge)
        let keys = [[UInt8]](repeating: MadePFX.bag(1, MadePFX.gostKey), count: PFX.keyLimit)
        #expect(try PFX(MadePFX([MadePFX.part(keys)]).der).keys.count == PFX.keyLimit)
        #expect(PFX.refusal(MadePFX([MadePFX.part(keys), MadePFX.bareKey.parts[0]]).der) == .tooLarge)
        #expect(PFX.refusal([UInt8](repeating: 0, count: PFX.sizeLimit + 1)) == .tooLarge)
    }

    private static let ciphers: [(arcs: [UInt8], half: Int)] = [
        ([5, 1, 1], 4), ([5, 1, 2], 4), ([5, 2, 1], 8), ([5, 2, 2], 8),
    ]

    @Test("Iterations of all parts count together, and parameters of other lengths are refused", arguments: ciphers)
    func parts(cipher: [UInt8], half: Int) throws {
        let oid = MadePFX.tc26(cipher)
        func refusal(_ ukm: Int, _ iterations: [UInt8] = [1], limit: Int = 100, parts: Int = 1) -> PFXError? {
            let parameters = DERTag.sequence.element(DERTag.octetString.element([UInt8](repeating: 0, count: ukm)))
            let algorithm = MadePFX.pbes2(oid, parameters, iterations: iterations)
            let part = MadePFX.encrypted(algorithm, [UInt8](repeating: 1, count: 40))
            return PFX.refusal(MadePFX([[UInt8]](repeating: part, count: parts)).der, limit: limit)
        }
        #expect(refusal(half + 8) == .damaged, "the contents are none")
        #expect(refusal(half + 7) == .damaged)
        #expect(refusal(0) == .damaged)
        #expect(refusal(half + 8, [50]) == .tooManyIterations(50))
        #expect(refusal(half + 8, [49]) == .damaged)
    }

    @Test("Long work says how far it is, and ends when it must not go on", arguments: [0, 1, 40])
    func progress(end: Int) throws {
        var made = MadePFX.bareKey
        // 5,000 iterations. The code's key is in the second block of 96 bytes, and the first one is not computed.
        made.iterations = [0x13, 0x88]
        let der = made.der
        var (steps, refusal): ([Int], PFXError?) = ([], nil)
        do throws(PFXError) {
            _ = try PFX(parsing: der.span, password: .of("another")) { done, total in
                steps.append(done)
                return steps.count <= end && (0...total).contains(done)
            }
        } catch {
            refusal = error
        }
        #expect(refusal == (end == 40 ? .wrongPassword : .cancelled))
        // Older files make the code's key otherwise, which is tried last.
        #expect(steps == Array([4096, 4096].prefix(end + 1)))
    }

    @Test("A part in Kuznyechik or Magma longer than a section opens", arguments: ciphers)
    func sections(cipher: [UInt8], half: Int) throws {
        let ukm = [UInt8](1...UInt8(half + 8))
        let part = MadePFX.bag(1, MadePFX.gostKey) + MadePFX.bag(4, [UInt8](repeating: 0, count: 300_000))
        let plaintext = DERTag.sequence.element(part)
        let ciphertext =
            half == 4
            ? try encrypted(plaintext, .magma, ukm, 1 << 13, hasCode: cipher == [5, 1, 2])
            : try encrypted(plaintext, .kuznyechik, ukm, 1 << 18, hasCode: cipher == [5, 2, 2])
        let parameters = DERTag.sequence.element(DERTag.octetString.element(ukm))
        func file(_ ciphertext: [UInt8]) -> [UInt8] {
            MadePFX([MadePFX.encrypted(MadePFX.pbes2(MadePFX.tc26(cipher), parameters), ciphertext)]).der
        }
        let pfx = try PFX(file(ciphertext))
        #expect(pfx.keys.first?.gostScalar?.first == 7)
        if cipher.last == 2 { #expect(PFX.refusal(file(ciphertext.changed(at: 250_000))) == .damaged) }
    }

    private func encrypted(
        _ plaintext: [UInt8], _ algorithm: CipherAlgorithm, _ ukm: [UInt8], _ section: Int, hasCode: Bool
    ) throws -> [UInt8] {
        let iv = Array(ukm.prefix(algorithm.blockSize / 2))
        var key = MadePFX.key()
        var text = plaintext
        if hasCode {
            let keys = try KDFTree<Streebog256>.derive(
                key: key.bytes, label: Array("kdf tree".utf8).span, seed: Array(ukm.suffix(8)).span, count: 64)
            key = keys.extracting(0..<32)
            let code = try OMAC.authenticate(plaintext.span, algorithm, key: keys.bytes.extracting(last: 32))
            text += [UInt8](copying: code)
        }
        return [UInt8](
            copying: try CipherMessage.encrypt(
                text.span, algorithm, .ctr, key: key.bytes, iv: iv.span, section: section))
    }
}
