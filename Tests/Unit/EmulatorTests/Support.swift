// SPDX-License-Identifier: Apache-2.0
import APDU
import Emulator
import GOST
import Locking
import Secrets
import Storage
import TestSupport

extension EmulatedCard {
    /// Sends a command in hexadecimal and gives the response in hexadecimal.
    @discardableResult
    func send(_ command: String) -> String { process([UInt8](hex: command)).hex }

    /// A new USB token.
    static func usb(_ memory: any CardMemory = VolatileMemory()) throws -> EmulatedCard {
        try EmulatedCard(.usb, memory: memory, serial: [0x0E, 0x12, 0x34, 0x56])
    }

    /// The change counter.
    var changes: Int { [UInt8](hex: send("00CA013204")).dropLast(2).reduce(0) { $0 << 8 | Int($1) } }

    /// VERIFY of the user's and the administrator's standard PINs.
    @discardableResult
    func loginUser() -> String { send("0020000208" + PIN.user) }
    @discardableResult
    func loginAdministrator() -> String { send("0020000108" + PIN.administrator) }
}

enum PIN {
    static let user = [UInt8]("12345678".utf8).hex
    static let administrator = [UInt8]("87654321".utf8).hex
    static let wrong = [UInt8]("00000000".utf8).hex
}

/// Gives out prepared bytes first, and the operating system's afterwards.
final class PreparedRandom: RandomSource {
    private let queue: Lock<[UInt8]>

    init(_ bytes: [UInt8] = []) { queue = Lock(bytes) }

    func prepare(_ bytes: [UInt8]) { queue.withLock { $0 += bytes } }

    func fill(_ bytes: inout MutableSpan<UInt8>) throws(RandomUnavailable) {
        let prepared = queue.withLock { queue in
            defer { queue.removeFirst(min(bytes.count, queue.count)) }
            return Array(queue.prefix(bytes.count))
        }
        guard prepared.count == bytes.count else { return try SystemRandom().fill(&bytes) }
        for index in bytes.indices { bytes[index] = prepared[index] }
    }
}

/// A memory that keeps every state it was given, and can fail before or after it takes one.
final class FaultyMemory: CardMemory {
    enum Fault { case before, after }

    private struct Content {
        var states: [[UInt8]] = []
        var fault: (write: Int, kind: Fault)?
        var writes = 0
    }

    private let content: Lock<Content>

    init(_ state: [UInt8]? = nil) { content = Lock(Content(states: state.map { [$0] } ?? [])) }

    /// All states that were stored, oldest first.
    var states: [[UInt8]] { content.withLock { $0.states } }

    /// Makes the write with this number from now on fail; the first is 0.
    func fail(at write: Int, _ kind: Fault) {
        content.withLock { content in
            content.fault = (write, kind)
            content.writes = 0
        }
    }

    func load() throws(EmulatorError) -> Secret? {
        guard let last = states.last else { return nil }
        return Secret(copying: last)
    }

    func save(_ state: borrowing Secret) throws(EmulatorError) {
        let bytes = (0..<state.count).map { state.bytes[$0] }
        try content.withLock { content throws(EmulatorError) in
            let isFault = content.fault?.write == content.writes
            content.writes += 1
            if isFault, content.fault?.kind == .before { throw .storage(.full) }
            content.states.append(bytes)
            if isFault { throw .storage(.full) }
        }
    }
}

/// Four-digit status word at the end of a response in hexadecimal.
func status(_ response: String) -> String { String(response.suffix(4)) }

/// The data of a response in hexadecimal.
func data(_ response: String) -> String { String(response.dropLast(4)) }

/// Bodies of CREATE FILE as the vendor's library sends them (Card, 6.4).
enum KeyFiles {
    static func privateKey(_ number: String, type: String = "03", set: String = "20", size: String = "20") -> String {
        "6225800200\(size)82021000830200\(number)860F470202020000000200000000000000" + "8506\(type)\(set)00AA0000"
    }

    static func publicKey(_ number: String, type: String = "13", set: String = "20", size: String = "40") -> String {
        "6225800200\(size)82021000830200\(number)860F460002000000000200000000000000" + "8506\(type)\(set)00AA0000"
    }

    static func localPIN(_ number: String) -> String {
        "62258202100080020008830200\(number)85062106" + "00AA0000860F430104000000" + "00FF00\(number)00000000\(number)"
    }
}

extension OpenSSL {
    /// Runs a command of openssl in a folder of its own, with these files. Returns its output, or nil if it failed.
    static func run(_ arguments: [String], files: [String: [UInt8]]) throws -> [UInt8]? {
        let openssl = try OpenSSL()
        for (name, content) in files { try openssl.write(content, name) }
        return try openssl.output(arguments.joined(separator: " "))
    }

    /// A public key of RSA in DER (RFC 5280 and RFC 8017), from little-endian numbers.
    static func rsaPublicKey(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        let key = [UInt8].object(0x30, integer(modulus.reversed()) + integer(exponent.reversed()))
        return publicKey("300d06092a864886f70d0101010500", key)
    }

    /// A public key of ECDSA in DER (RFC 5480), from X ‖ Y, both little-endian.
    ///
    /// - Parameter curve: Its object identifier, in DER.
    static func ecPublicKey(_ point: [UInt8], curve: [UInt8]) -> [UInt8] {
        publicKey(
            [UInt8].object(0x30, [UInt8](hex: "06072a8648ce3d0201") + curve).hex,
            [0x04] + point.prefix(32).reversed() + point.suffix(32).reversed())
    }

    /// A signature of ECDSA in DER (RFC 3279, 2.2.3), from r ‖ s, both little-endian.
    static func signature(_ bytes: [UInt8]) -> [UInt8] {
        .object(0x30, integer(bytes.prefix(32).reversed()) + integer(bytes.suffix(32).reversed()))
    }

    private static func publicKey(_ algorithm: String, _ key: [UInt8]) -> [UInt8] {
        .object(0x30, [UInt8](hex: algorithm) + [UInt8].object(0x03, [0x00] + key))
    }

    private static func integer(_ bigEndian: [UInt8]) -> [UInt8] {
        let digits = bigEndian.drop { $0 == 0 }
        return .object(0x02, (digits.first ?? 0x80) >= 0x80 ? [0] + digits : Array(digits))
    }
}
