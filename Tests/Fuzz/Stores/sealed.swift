// SPDX-License-Identifier: Apache-2.0
import APDU
import Foundation
import GOST
import Secrets
import Storage
@testable import SecureChannel

/// Files of a synchronised store. The first byte chooses whether the rest is a raw file, which no key opens; the sealed
/// content, raw or in parts, or a secret's content; or several files for a store to cope with.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSealed(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let rest = input.dropFirst()
    do {
        switch first & 7 {
        case 0: try damage(rest)
        case 1: read(try seal(Array(rest)))
        case 2: read(try seal(content(rest)))
        case 4: try readSecret(Array(rest))
        default: try Store.one.read(rest)
        }
    } catch {
        fatalError("\(error)")
    }
    return 0
}

/// A file as it comes, or a sealed one with changes.
private func damage(_ input: ArraySlice<UInt8>) throws {
    guard SealedFile(opening: Array(input), key: key()) == nil else { fatalError("a tag was guessed") }
    let file = try seal(content([]))
    let changes = input.prefix(file.count).enumerated()
    var changed = file
    for (place, change) in changes { changed[place] ^= change }
    guard changed == file || SealedFile(opening: changed, key: key()) == nil else { fatalError("a tag was guessed") }
}

/// A sealed file opens, and its entry survives a round trip.
private func read(_ file: [UInt8]) {
    guard let sealed = SealedFile(opening: file, key: key()) else { fatalError("a seal that does not open") }
    guard let entry = SealedEntry(sealed, file: "file") else { return }
    let hostKey = sealed.content.extracting(0..<SealedEntry.keySize)
    guard let again = try? seal(entry.content(hostKey)), let reopened = SealedFile(opening: again, key: key()),
        let other = SealedEntry(reopened, file: "file")
    else { fatalError("an entry that cannot be written") }
    guard (entry.record, entry.label, entry.revision) == (other.record, other.label, other.revision) else {
        fatalError("another entry than was read")
    }
    guard !(entry.supersedes(other) && other.supersedes(entry)), !(entry.isYounger(than: other)) else {
        fatalError("two states of which each counts")
    }
}

/// The content of a secret is read or refused, and a tombstone is the same when it is written again.
private func readSecret(_ content: [UInt8]) throws {
    let kind = SealedFile.Kind.secret(of: [1])
    func state(_ content: borrowing Secret) throws -> SecretState? {
        let file = try SealedFile.seal(
            content, identity: [UInt8](repeating: 9, count: 16), key: key(), random: SystemRandom(), kind: kind)
        guard SealedFile(opening: file, key: key(), kind: .pairing) == nil else { fatalError("a seal of another kind") }
        return SecretState(file: file, key: key(), kind: kind)
    }
    guard let first = try state(Secret(copying: content)) else { return }
    guard first.name == nil else { fatalError("a name was guessed") }
    let again = try state(SecretState.content(nil, first.version, Secret(count: 0)))
    guard again?.version == first.version, again?.name == nil else { fatalError("another state than was read") }
}

private func seal(_ content: borrowing Secret) throws -> [UInt8] {
    try SealedFile.seal(
        content, identity: [UInt8](repeating: 9, count: 16), key: key(), random: SystemRandom())
}

private func seal(_ content: [UInt8]) throws -> [UInt8] { try seal(Secret(copying: content)) }

private func key() -> Secret { Secret(copying: [UInt8](repeating: 5, count: 32)) }

/// An entry's content in its form, with state, revision, label and changes to the record from the input.
private func content(_ input: ArraySlice<UInt8>) -> [UInt8] {
    var rest = input
    let state = rest.popFirst() ?? 1
    let revision = Array((Array(rest.prefix(4)) + [0, 0, 0, 0]).prefix(4))
    rest = rest.dropFirst(4)
    let labelLength = Int(rest.popFirst() ?? 0)
    let label = Array(rest.prefix(labelLength))
    rest = rest.dropFirst(labelLength)
    var record = Array(valid.encoded.dropLast(Streebog256.digestSize))
    for (place, change) in rest.prefix(record.count).enumerated() { record[place] ^= change }
    record += Streebog256.hash(record)
    let fields: [UInt8] = .object(0x80, [state & 1]) + .object(0x81, revision) + .object(0x82, label)
    return [UInt8](repeating: 1, count: 32) + fields + (state & 1 == 1 ? .object(0x83, record) : [])
        + (state & 0x80 == 0 ? [] : [0])
}

private let valid: PairingRecord = {
    let sizes: [UInt8] = [0x83, 2, 0, 238, 0x84, 2, 0, 238, 0x85, 1, 0, 0x86, 1, 16, 0x87, 1, 6, 0x88, 1, 4]
    let head: [UInt8] = .object(0x80, Array("GSC/1".utf8)) + .object(0x81, [0, 0, 0, 0, 1, 2, 3, 4])
    guard let capabilities = try? Capabilities(parsing: .object(0xE1, head + [0x82, 1, 3] + sizes)) else {
        fatalError("capabilities")
    }
    return PairingRecord(
        profile: .modern, capabilities: capabilities, tokenKey: [UInt8](repeating: 2, count: 64),
        hostID: [UInt8](repeating: 1, count: 8), index: 1, created: 1_000_000_000)
}()

/// A store with the input's files in its replicated directory.
private final class Store: Sendable {
    static let one = Store()

    private let path = FileManager.default.temporaryDirectory.path + "/kanal-fuzz-\(UUID().uuidString)"
    private let store: PairingStore
    private let shared: String

    private init() {
        do {
            shared = path + "/shared"
            try Directory(path: path + "/own", create: true).write(SealedDirectory.keyName, key().bytes)
            _ = try Directory(path: shared, create: true)
            guard
                let store = try PairingStore.open(
                    .synchronised(shared, local: path + "/own"), create: true, random: SystemRandom())
            else { fatalError("no store") }
            self.store = store
            atexit { Store.one.forget() }
        } catch {
            fatalError("\(error)")
        }
    }

    private func forget() { try? FileManager.default.removeItem(atPath: path) }

    /// Up to four entries of two identities, each behind its length. A tombstone counts for good.
    func read(_ input: ArraySlice<UInt8>) throws {
        var rest = input
        var deleted: Set<[UInt8]> = [], alive: Set<[UInt8]> = []
        for number in 0..<4 as Range<UInt8> {
            let name = shared + "/\(number).pairing"
            guard let length = rest.popFirst() else {
                try? FileManager.default.removeItem(atPath: name)
                continue
            }
            let identity = [UInt8](repeating: length >> 7, count: 16)
            let fields = content(rest.prefix(Int(length & 0x7F)))
            rest = rest.dropFirst(Int(length & 0x7F))
            let file = try SealedFile.seal(
                Secret(copying: fields), identity: identity, key: key(), random: SystemRandom())
            if let sealed = SealedFile(opening: file, key: key()), let entry = SealedEntry(sealed, file: name) {
                if entry.record == nil { deleted.insert(identity) } else { alive.insert(identity) }
            }
            try Data(file).write(to: URL(filePath: name))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: name)
        }
        let records = try store.records().map(\.record)
        guard records.count == alive.subtracting(deleted).count else { fatalError("\(records)") }
        for record in records { _ = try store.hostKey(for: record) }
    }
}
