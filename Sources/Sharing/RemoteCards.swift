// SPDX-License-Identifier: Apache-2.0

package import APDU
import Glibc
import Locking
import Secrets
package import TokenEnd
import Translation

/// The card in the far reader.
package protocol RemoteCard: AnyObject {
    /// Whether the token failed to answer: it has to be found again before anything else is sent to it.
    var isLost: Bool { get }

    /// The far reader took the power from the card, or reset it.
    func reset()

    /// The answer to a command APDU; nil if the token was lost with it.
    func answer(_ apdu: [UInt8]) -> [UInt8]?
}

/// The share's own end of a channel, before a token that has none.
package final class TerminatingCard: RemoteCard {
    private let card: SharedCard
    private let interface: CardInterface

    /// The channel that the share offers: the channel on every reader, sessions of which the last counts, and batches,
    /// with replies that have room for all that 16 commands read.
    package static var offer: ChannelOffer {
        var offer = ChannelOffer()
        offer.endsOthers = true
        offer.maximumReply = 4096
        return offer
    }

    package init(_ card: SharedCard, offer: ChannelOffer = TerminatingCard.offer) {
        self.card = card
        interface = CardInterface(card, offer: offer)
    }

    package var isLost: Bool { card.condition.loss != nil }

    package func reset() {
        interface.reset()
        card.settle()
    }

    package func answer(_ apdu: [UInt8]) -> [UInt8]? {
        let response = interface.process(apdu.span)
        card.settle()
        return isLost ? nil : response
    }
}

/// A token that has a channel: only what belongs to the channel goes to it (GSC/1, 6 and 13).
package final class PassingCard: RemoteCard {
    private let card: any OwnedCard
    private let report: @Sendable (ShareEvent) -> Void
    private let follow: (PassingSessions) -> Void
    private var sessions = PassingSessions()
    /// Whether the token has more of its last answer.
    private var hasMore = false
    private var isUsed = false
    package private(set) var isLost = false

    /// - Parameter follow: Receives the state of the sessions after each command and reset.
    package init(
        _ card: any OwnedCard, report: @escaping @Sendable (ShareEvent) -> Void,
        follow: @escaping (PassingSessions) -> Void = { _ in }
    ) {
        self.card = card
        self.report = report
        self.follow = follow
    }

    package func reset() {
        hasMore = false
        sessions.end()
        follow(sessions)
        guard isUsed, !isLost else { return }
        isUsed = false
        isLost = (try? card.reset()) == nil
    }

    package func answer(_ apdu: [UInt8]) -> [UInt8]? {
        guard let command = try? Command(parsing: apdu.span) else { return Response(.wrongLength).encoded }
        let isRest = hasMore && Self.isGetResponse(command)
        guard isRest || Self.passes(command) else {
            report(.refusedPlain([command.cla, command.ins, command.p1, command.p2]))
            return Response(.securityStatusNotSatisfied).encoded
        }
        guard !isLost else { return nil }
        isUsed = true
        guard let response = try? card.transmit(command) else {
            isLost = true
            return nil
        }
        hasMore = response.status.bytesAvailable != nil
        sessions.follow(command, isRest: isRest, response)
        follow(sessions)
        return response.encoded
    }

    private static func isGetResponse(_ command: borrowing Command) -> Bool {
        command.cla & ~0x03 == 0x00 && command.ins == 0xC0 && command.p1 == 0 && command.p2 == 0
            && command.data.isEmpty
    }

    /// Discovery, pairing, opening, and commands in the form of protected ones.
    private static func passes(_ command: borrowing Command) -> Bool {
        switch (command.cla, command.ins, command.p1) {
        case (0x80, 0xCA, 0x47): return command.p2 <= 6 && command.data.isEmpty
        case (0x80, 0x86, 0x01...0x04): return true
        default: return command.cla & 0x6C == 0x0C && isProtected([UInt8](copying: command.data))
        }
    }

    /// Objects 87, 97 and 8E and nothing else: a command that merely claims to be protected has parts in clear.
    private static func isProtected(_ body: [UInt8]) -> Bool {
        var cursor = ByteCursor(body)
        var tags: [UInt8] = []
        while !cursor.isAtEnd {
            guard tags.count < 3, let object = try? cursor.object() else { return false }
            if object.tag == 0x8E, object.value.count != 8 { return false }
            tags.append(object.tag)
        }
        return [[0x87, 0x97, 0x8E], [0x87, 0x8E], [0x97, 0x8E], [0x8E]].contains(tags)
    }
}

/// A connection to vpcd, the virtual reader of vsmartcard, on the far machine: by TCP, or by a command that makes it.
///
/// A frame of one byte controls the card: 00 power off, 01 power on, 02 reset, all without an answer, and 04, which asks
/// for the answer to reset. Longer frames are command APDUs, each answered by a response APDU.
struct RemoteReader: ~Copyable {
    /// Why a connection ended or did not come about.
    enum Failure: Error, Equatable {
        case invalidAddress
        case system(errno: Int32)
        /// The other end closed the connection.
        case closed
        /// The command that made the connection has ended.
        case ended
        /// The other end has said nothing for too long: a reader that works asks for the card several times a second.
        case silent
        /// The token's answer has more bytes than a frame.
        case tooLong

        var text: Phrase {
            switch self {
            case .invalidAddress: "not a dotted IPv4 address"
            case .system(EAGAIN), .system(EINPROGRESS): "no answer"
            case .system(let code): Phrase(errno: code)
            case .closed: "the reader closed the connection"
            case .ended: "the command of the tunnel has ended"
            case .silent: "the reader has fallen silent"
            case .tooLong: "the token's answer is longer than the reader can transfer"
            }
        }
    }

    /// The time limit of a connection, or of an answer on its way.
    private static let patience = timeval(tv_sec: 5, tv_usec: 0)

    let socket: Int32
    private let tunnel: Tunnel?
    private var frames: FrameStream

    init(host: String, port: UInt16) throws(Failure) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard unsafe inet_pton(AF_INET, host, &address.sin_addr) == 1 else { throw .invalidAddress }
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw .system(errno: errno) }
        // On Linux it holds for connect(2), too.
        Self.limitSending(socket)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe Glibc.connect(socket, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            close(socket)
            throw .system(errno: code)
        }
        self.socket = socket
        tunnel = nil
        frames = FrameStream(input: socket, output: socket)
    }

    /// - Parameter command: For /bin/sh; its standard input and output are the connection.
    init(tunnel command: String) throws(Failure) {
        let tunnel = try Tunnel(command)
        socket = tunnel.socket
        self.tunnel = tunnel
        frames = FrameStream(input: socket, output: socket)
        Self.limitSending(socket)
    }

    deinit { close(socket) }

    private static func limitSending(_ socket: Int32) {
        var patience = Self.patience
        unsafe setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Whether it is an address that a reader can have.
    static func isAddress(_ host: String) -> Bool {
        var address = in_addr()
        return unsafe inet_pton(AF_INET, host, &address) == 1
    }

    /// The next frame; nil if it is not whole within the time.
    mutating func frame(within milliseconds: Int) throws(Failure) -> [UInt8]? {
        do throws(Failure) { return try frames.frame(within: milliseconds) } catch {
            throw error == .closed && tunnel != nil ? .ended : error
        }
    }

    borrowing func send(_ bytes: [UInt8], while mayGoOn: () -> Bool = { true }) throws(Failure) {
        try frames.send(bytes, while: mayGoOn)
    }
}
