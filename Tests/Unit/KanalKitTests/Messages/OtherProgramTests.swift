// SPDX-License-Identifier: Apache-2.0
import Foundation
import GOST
import HostCrypto
import KanalKit
import TestSupport
import Testing

@Suite("Files that other programs have made, with their defaults")
struct OtherProgramTests {
    private static let files = OtherProgramFile.all

    @Test("The table has each file, and docs/OtherPrograms.md the table")
    func table() throws {
        let folder = Project.tests.appending(path: "Vectors/files")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let others: Set = ["Maker.java", "content", "files.tsv", "make.sh"]
        #expect(Set(names).subtracting(others) == Set(Self.files.map(\.name)))
        let page = try String(
            contentsOf: Project.root.appending(path: "docs/OtherPrograms.md"), encoding: .utf8)
        for file in Self.files {
            #expect(page.contains("| `\(file.name)` | \(file.maker) | `\(file.how)` | \(file.answer) |"), "\(file)")
        }
    }

    private static func verifier(_ file: OtherProgramFile) throws -> MessageVerifier {
        MessageVerifier(trusting: [try OtherProgramFile.bytes(file.with)])
    }

    /// The message in BER, and its content if that is beside it.
    private static func message(_ file: OtherProgramFile) throws -> (bytes: [UInt8], content: [UInt8]?) {
        let content = file.name.hasSuffix(".p7s") ? try OtherProgramFile.bytes("content") : nil
        let bytes = try file.bytes()
        guard bytes.first != 0x30 else { return (bytes, content) }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("-----") }
        return (Array(try #require(Data(base64Encoded: lines.joined()))), content)
    }

    @Test("Messages are good for who trusts their signer", arguments: OtherProgramFile.all("message"))
    func messages(file: OtherProgramFile) throws {
        let (message, content) = try Self.message(file)
        let verified = try Self.verifier(file).verify(message, content: content)
        #expect(verified.signers.count == 1)
        #expect(try verified.content == OtherProgramFile.bytes("content"))
        #expect(throws: KanalError.self) { _ = try MessageVerifier(trusting: []).verify(message, content: content) }
    }

    @Test("Certificates are read, also of messages without signers")
    func certificates() throws {
        for file in OtherProgramFile.all("certificate") {
            let summary = try CertificateSummary(of: file.bytes())
            #expect(summary.key != .other && summary.notBefore != nil, "\(file)")
        }
        for file in OtherProgramFile.all("certificates") {
            let found = try #require(CertificateBundle.certificates(in: file.bytes()))
            #expect(found.count == Int(file.with), "\(file)")
            for certificate in found { _ = try CertificateSummary(of: certificate) }
        }
    }

    @Test("Keys open, and are those of their certificates", arguments: OtherProgramFile.all("key"))
    func keys(file: OtherProgramFile) throws {
        let password = file.with == "-" ? "" : file.with
        let beside = file.name.replacing(".key", with: ".cer")
        let certificate = file.name.hasSuffix(".key") ? try? OtherProgramFile.bytes(beside) : nil
        do throws(KanalError) {
            _ = try KeyFile(file.read(), password: PIN(password), certificate: certificate)
            #expect(file.answer == "good")
        } catch {
            let cause = file.answer.replacing("refused: ", with: "")
            #expect(file.answer != "good" && "\(error)".contains(cause), "\(file): \(error)")
        }
        guard !password.isEmpty else { return }
        #expect(throws: KanalError.passwordIncorrect(triesLeft: nil)) {
            _ = try KeyFile(file.read(), password: PIN("another"))
        }
    }

    @Test("No change of a message is accepted as another content, signer or certificate: 10,000 mutants")
    func mutants() throws {
        let files = OtherProgramFile.all("message")
        let count = 10_000 / files.count + 1
        var accepted = 0
        for file in files {
            let (message, content) = try Self.message(file)
            let verifier = try Self.verifier(file)
            let good = try verifier.verify(message, content: content)
            let signed = try Set(SignedParts.all(of: message))
            let random = Seeded("mutants of \(file.name)")
            let tree = BERTree(message)
            for number in 0..<count {
                let ofTree = number % 2 == 0 ? nil : tree?.mutated(random)
                let mutant = ofTree ?? message.mutated(random)
                guard mutant != message, let found = try? verifier.verify(mutant, content: content) else { continue }
                accepted += 1
                // What no signature covers may change: names of algorithms, the form of lengths, other attributes, and
                // certificates, of which the verifier has the signer's from who trusts it. A signer may be there twice.
                #expect(found.content == good.content, "\(file): \(mutant.hex)")
                let isSame = !found.signers.isEmpty && found.signers.allSatisfy(good.signers.contains)
                #expect(isSame, "\(file): \(mutant.hex)")
                #expect(try Set(SignedParts.all(of: mutant)) == signed, "\(file): \(mutant.hex)")
            }
            for place in good.content.indices {
                var other = good.content
                other[place] ^= 1
                if content != nil { #expect((try? verifier.verify(message, content: other)) == nil, "\(file)") }
            }
        }
        #expect(accepted < count * files.count / 2)
    }
}

/// The parts of a signer that its signature covers, and the signature.
private struct SignedParts: Hashable {
    let attributes: [UInt8]?
    let signature: [UInt8]
    let hash: DigestAlgorithm

    static func all(of message: [UInt8]) throws -> [SignedParts] {
        try SignedData(ber: message.span).signers.map { signer in
            SignedParts(attributes: signer.signedAttributes, signature: signer.signature, hash: signer.digest)
        }
    }
}

extension OtherProgramFile {
    fileprivate func read() -> [UInt8] { (try? bytes()) ?? [] }
}

extension BERTree {
    /// The message after one change of an element, in BER with right lengths: it is missing, there twice, exchanged with its
    /// neighbour, has another's contents, or one byte of them is changed.
    fileprivate func mutated(_ random: Seeded) -> [UInt8] {
        var tree = self
        let paths = tree.paths
        let path = paths[random.number(in: 0...paths.count - 1)]
        guard let last = path.last else { return tree.encoded { _, _ in .indefinite } }
        let outer = Array(path.dropLast())
        switch random.number(in: 0...4) {
        case 0: tree[outer].members.remove(at: last)
        case 1: tree[outer].members.insert(tree[path], at: last)
        case 2: tree[outer].members.swapAt(last, (last + 1) % tree[outer].members.count)
        case 3:
            let other = tree[paths[random.number(in: 0...paths.count - 1)]]
            tree[path].contents = other.contents
            tree[path].members = other.members
        default:
            guard !tree[path].contents.isEmpty else { break }
            let place = random.number(in: 0...tree[path].contents.count - 1)
            tree[path].contents[place] ^= 1 << UInt8(random.number(in: 0...7))
        }
        let isIndefinite = random.number(in: 0...1) == 1
        return tree.encoded { path, _ in isIndefinite && path.count < 4 ? .indefinite : .definite }
    }

    private var paths: [[Int]] {
        [[]] + members.enumerated().flatMap { number, member in member.paths.map { [number] + $0 } }
    }
}

extension [UInt8] {
    /// The bytes after one change: of a bit, a byte, a piece that is missing, doubled or moved, or an element's length.
    fileprivate func mutated(_ random: Seeded) -> [UInt8] {
        var bytes = self
        let place = random.number(in: 0...count - 1), other = random.number(in: 0...count - 1)
        let length = Swift.min(1 + random.number(in: 0...39), count - place)
        switch random.number(in: 0...5) {
        case 0: bytes[place] ^= 1 << UInt8(random.number(in: 0...7))
        case 1: bytes[place] = UInt8(random.number(in: 0...255))
        case 2: bytes.removeSubrange(place..<place + length)
        case 3: bytes.insert(contentsOf: self[place..<place + length], at: other)
        case 4: bytes.replaceSubrange(place..<place + length, with: self[other..<Swift.min(other + length, count)])
        default: bytes.swapAt(place, other)
        }
        return bytes
    }
}
