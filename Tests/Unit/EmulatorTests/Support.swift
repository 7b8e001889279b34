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
