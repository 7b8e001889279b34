public import APDU
import Secrets

/// An open session with a token: takes commands in plain, sends them protected, and returns replies that were verified
/// (GSC/1, 12 and 13).
///
/// Whatever goes wrong closes the channel and wipes its keys: the caller opens a new one. Until the first verified reply
/// the channel is provisional, and the first command must be one that may run twice (SELECT, MSE SET), because the
/// token's last word in the opening is not authenticated (10).
///
/// A channel belongs to one thread at a time and to the process that opened it.
public final class SecureChannel: CardConnection {
    /// E1 of the token, confirmed by it.
    public let capabilities: Capabilities
    /// Whether no reply has been verified yet.
    public private(set) var isProvisional = true

    private let link: any CardConnection
    private var session: Session?

    /// The number of commands after which a session should be replaced (12), far enough from the limit for the call
    /// that is under way.
    private static let renewal: UInt32 = 61_440

    init(_ session: consuming Session, over link: any CardConnection, capabilities: Capabilities) {
        self.session = .some(session)
        self.link = link
        self.capabilities = capabilities
    }

    /// Whether commands can be sent. A channel that has come near its greatest number of commands says no, so that the
    /// next call opens a new one, but goes on for the present call.
    public var isOpen: Bool {
        guard let number = session?.number else { return false }
        return number < SecureChannel.renewal
    }

    /// Sends one command protected and returns the verified reply.
    ///
    /// Data that do not fit one message are sent as a command chain (11.3), and a reply that the token gives in pieces
    /// (61xx) is fetched up to the command's Ne (11.4).
    ///
    /// - Throws: ``LinkError/malformed`` for a CLA other than 00, 10, 80, 90 or more data than the profile allows, with
    ///   nothing sent; ``LinkError/reset`` if the channel is closed; ``LinkError/channelBroken`` if the reply cannot be
    ///   trusted; and what the link throws. All but the first leave the channel closed.
    public func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        guard let number = session?.number, number < Session.maximum, let limit = session?.suite.maximumMessage else {
            discard()
            throw .reset
        }
        guard [0x00, 0x10, 0x80, 0x90].contains(command.cla), command.data.count <= limit,
            (0...65_536).contains(command.ne ?? 0)
        else { throw .malformed }
        do throws(LinkError) {
            var response = try sendChain(command)
            try fetchRest(of: &response, for: command)
            return response
        } catch {
            discard()
            throw error
        }
    }

    /// Ends the session on the token too, if the token can still be reached, and wipes the keys.
    public func close() {
        guard session != nil else { return }
        _ = try? transmit(Command(0x80, 0x86, 0x0F, 0x00))
        discard()
    }

    /// Wipes the keys without a word to the token: it is gone, or this is a forked child.
    public func discard() { session = nil }
}

extension SecureChannel {
    /// Sends a command in as many messages as its data need.
    private func sendChain(_ command: borrowing Command) throws(LinkError) -> Response {
        let padded = command.carriesPIN
        let size = Session.capacity(for: command, padded: padded, limit: capabilities.maxCommand)
        var start = 0
        while command.data.count - start > size {
            let data = command.data.extracting(start..<start + size)
            let link = Command(command.cla | 0x10, command.ins, command.p1, command.p2, data: data)
            let response = try send(link, padded: padded)
            guard response.status == .success else { return response }
            guard response.data.isEmpty else { throw .channelBroken }
            start += size
        }
        let data = command.data.extracting(start..<command.data.count)
        let last = Command(command.cla, command.ins, command.p1, command.p2, data: data, ne: command.ne)
        return try send(last, padded: padded)
    }

    /// Fetches what the token holds back, with protected GET RESPONSE, as far as the command wanted it.
    private func fetchRest(of response: inout Response, for command: borrowing Command) throws(LinkError) {
        let wanted = command.ne ?? 0
        while let available = response.status.bytesAvailable, response.data.count < wanted {
            let ne = min(available, wanted - response.data.count)
            let rest = try send(Command(0x00, 0xC0, 0x00, 0x00, ne: ne), padded: false)
            guard !rest.data.isEmpty || rest.status.bytesAvailable == nil else { throw .channelBroken }
            response = Response(rest.status, data: response.data + rest.data)
        }
    }

    /// Sends one message and verifies its reply.
    private func send(_ command: borrowing Command, padded: Bool) throws(LinkError) -> Response {
        do throws(ChannelError) {
            guard let message = try session?.protect(command, padded: padded), let channel = session?.channel else {
                throw .link(.reset)
            }
            let reply = try linking { () throws(LinkError) in try link.exchange(message, channel: channel) }
            guard let response = try session?.verify(reply) else { throw .link(.reset) }
            isProvisional = false
            return response
        } catch .link(let error) where error != .malformed {
            throw error
        } catch {
            throw .channelBroken
        }
    }
}
