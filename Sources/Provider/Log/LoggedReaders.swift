// SPDX-License-Identifier: Apache-2.0
import APDU
import Cryptoki
import Logging
import Secrets
import Token
import Tokens

/// Readers whose cards' traffic is logged as it crosses the interface, with everything that could be a secret left out.
final class LoggedReaders: ReaderService {
    private let service: any ReaderService
    private let log: Logger

    init(_ service: any ReaderService, log: Logger) {
        self.service = service
        self.log = log
    }

    func readers() throws(LinkError) -> [ReaderState] { try service.readers() }
    func recentReaders() throws(LinkError) -> [ReaderState] { try service.recentReaders() }

    func connect(to reader: String) throws(LinkError) -> any CardLink {
        do {
            return LoggedLink(try service.connect(to: reader), log: log)
        } catch {
            let reason = Reason(error)
            log.identified(.warning, reason.id, "the card cannot be reached: \(reason)", reader: reader)
            throw error
        }
    }

    func watch() -> (any ReaderWatch)? { service.watch() }
}

private final class LoggedLink: CardLink {
    private let link: any CardLink
    private let log: Logger

    init(_ link: any CardLink, log: Logger) {
        self.link = link
        self.log = log
    }

    var atr: [UInt8] { link.atr }
    var maximumLength: Int { link.maximumLength }
    var isContactless: Bool { link.isContactless }
    var insertions: Int? { link.insertions }

    func beginTransaction() throws(LinkError) -> Bool { try link.beginTransaction() }
    func endTransaction() { link.endTransaction() }
    func limitWaits(to limit: Duration) { link.limitWaits(to: limit) }
    func canDisconnect(within limit: Duration) -> Bool { link.canDisconnect(within: limit) }
    func disconnect() { link.disconnect() }
    func abandon() { link.abandon() }

    func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        let header = [command.cla, command.ins, command.p1, command.p2].hexadecimal
        let isProtected = command.cla & 0x0C == 0x0C || (command.cla == 0x80 && command.ins == 0x86)
        let data = isProtected ? " " + command.data.bytes.hexadecimal : ""
        log.trace("> \(header) Lc \(command.data.count)\(data)")
        do {
            let response = try link.transmit(command)
            let body = isProtected ? " " + response.data.hexadecimal : ""
            log.trace("< \(response.status) \(response.data.count) bytes\(body)")
            return response
        } catch {
            log.trace("< \(error)")
            throw error
        }
    }
}

extension Span<UInt8> {
    /// The bytes as hexadecimal digits.
    fileprivate var hexadecimal: String {
        var text = ""
        for index in indices { text += self[index].hexadecimal(digits: 2) }
        return text
    }
}
