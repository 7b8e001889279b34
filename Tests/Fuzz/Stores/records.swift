// SPDX-License-Identifier: Apache-2.0
import Foundation
import GOST
import Storage
@testable import SecureChannel

/// Records of pairings, and the notes on them: refused, or read, and then written as they were. The first byte chooses
/// whether the rest is read as it is, with the right hash behind it, or added, modulo 2, to a valid record's content;
/// or whether it is the content of a file of notes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecords(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let rest = Array(input.dropFirst())
    switch first & 3 {
    case 0: read(rest)
    case 1: read(hashed(rest))
    case 2: read(hashed(changed(valid.encoded.dropLast(Streebog256.digestSize), rest)))
    default: Store.one.read(notes: rest)
    }
    return 0
}

private func read(_ bytes: [UInt8]) {
    guard let record = PairingRecord(parsing: bytes) else { return }
    guard record.encoded == bytes else { fatalError("a record that is written in another form") }
    guard record.hostID.count == 8, record.tokenKey.count == 64, record.capabilities.serial.count == 8 else {
        fatalError("another record")
    }
    _ = record.capabilities.bestProfile
}

private func hashed(_ content: [UInt8]) -> [UInt8] { content + Streebog256.hash(content) }

private func changed(_ bytes: ArraySlice<UInt8>, _ changes: [UInt8]) -> [UInt8] {
    let bytes = Array(bytes)
    return bytes.enumerated().map { $0.element ^ (changes.indices.contains($0.offset) ? changes[$0.offset] : 0) }
        + changes.dropFirst(bytes.count)
}

private let valid: PairingRecord = {
    let sizes: [UInt8] = [
        0x83, 2, 0, 238, 0x84, 2, 0, 238, 0x85, 1, 0, 0x86, 1, 16, 0x87, 1, 6, 0x88, 1, 4, 0x89, 1, 1,
    ]
    let head: [UInt8] = .object(0x80, Array("GSC/1".utf8)) + .object(0x81, [0, 0, 0, 0, 1, 2, 3, 4])
    guard let capabilities = try? Capabilities(parsing: .object(0xE1, head + [0x82, 1, 3] + sizes)) else {
        fatalError("capabilities")
    }
    return PairingRecord(
        profile: .modern, capabilities: capabilities, tokenKey: [UInt8](repeating: 2, count: 64),
        hostID: [UInt8](repeating: 1, count: 8), index: 1, created: 1_000_000_000)
}()

/// A store with one record.
private final class Store: Sendable {
    static let one = Store()

    private let path = FileManager.default.temporaryDirectory.path + "/kanal-fuzz-\(UUID().uuidString)"
    private let store: PairingStore
    private let notes: Directory

    private init() {
        do {
            let directory = try Directory(path: path, create: true)
            store = PairingStore(directory: directory)
            try store.save(valid)
            store.markUsed(valid, label: "label", at: 1_000_000_100)
            notes = try directory.subdirectory("notes")
            atexit { Store.one.forget() }
        } catch {
            fatalError("\(error)")
        }
    }

    private func forget() { try? FileManager.default.removeItem(atPath: path) }

    func read(notes bytes: [UInt8]) {
        do {
            let names = try notes.names()
            guard names.count == 1 else { fatalError("\(names)") }
            try Data(bytes).write(to: URL(filePath: path + "/notes/" + names[0]))
            let entries = try store.records()
            guard entries.map(\.record) == [valid] else { fatalError("\(entries)") }
            // An invalid note is ignored; a valid one is not from before the pairing.
            guard entries[0].lastUsed ?? valid.created >= valid.created else { fatalError("\(entries)") }
        } catch {
            fatalError("\(error)")
        }
    }
}
