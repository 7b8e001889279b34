// SPDX-License-Identifier: Apache-2.0

import APDU
import Locking

extension ConnectedToken {
    /// Asks the token known, reading commands: none that presents a PIN, writes, computes or moves a counter. No content
    /// of a file is in the result.
    ///
    /// Through a channel if the token has one that this host may open; where it has one and may not, nothing is asked.
    package func probe() throws(TokenError) -> TokenProbe {
        let way: TokenProbe.Way = !isActivated ? .closed : isProtected ? .channel : .plain
        let probe = TokenProbe(way, model, atr: atr)
        guard way != .closed else { return probe }
        let label = try info(evicting: false).label
        let personal = PersonalBytes(serial: serial, label: label)
        return try transaction(first: .read) { card throws(TokenError) in
            var probing = Probing(probe, personal)
            // What was answered before a failure is worth a report.
            do throws(TokenError) { try probing.run(card) } catch {
                guard !probing.probe.exchanges.isEmpty else { throw error }
                probing.probe.isComplete = false
            }
            return probing.probe
        }
    }
}

/// A probe under way.
private struct Probing {
    var probe: TokenProbe
    let personal: PersonalBytes

    /// The most files that one directory is asked for.
    private static let limit = 40

    init(_ probe: TokenProbe, _ personal: PersonalBytes) {
        self.probe = probe
        self.personal = personal
    }

    /// Commands that concern the whole token (Card, 5 and 13).
    private static let general: [(CardCommand, ProbeView)] = [
        (.versions, .tokenInformation), (.serial, .length), (.flags, .everything), (.changeCounter, .length),
        (.pinState(.securityOfficer), .everything), (.pinState(.user), .everything), (.pinChangeFlag, .everything),
        (.modelName, .everything), (.freeMemory, .everything), (.getData(0x8C, ne: 256), .start(8)),
        (.getData(0xF1, ne: 32), .everything), (.productName, .everything), (.firmwareChecksum, .everything),
        (.driveSize, .everything), (.driveVolumes, .everything), (.battery, .everything), (.button, .everything),
    ]

    mutating func run(_ card: borrowing Transaction) throws(TokenError) {
        for (command, view) in Self.general { try ask(card, command, view) }
        // Directories of the vendor's layout, and of a smart card profile's (Card, 6.1 and 12).
        for path in [[0x1000], [0x1000, 0x1000], [0x1000, 0x1001], [0x1000, 0x1004], [0x5000]] as [FilePath] {
            try ask(card, .select(path, ne: 256), .template)
        }
        try list(card, .containers, depth: 1)
    }

    /// The templates of a directory and of the files in it, and of those in directories in it.
    private mutating func list(
        _ card: borrowing Transaction, _ directory: FilePath, depth: Int
    ) throws(TokenError) {
        guard try ask(card, .select(directory, ne: 256), .template).status == .success else { return }
        var directories: [UInt16] = []
        var answer = try ask(card, .selectChild(after: nil), .template)
        for _ in 0..<Self.limit {
            guard answer.status == .success, let file = ListedFile(answer.data) else { break }
            if file.isDirectory {
                directories.append(file.identifier)
                // A directory that is listed as the first one becomes the current one.
                try ask(card, .select(directory, ne: 256), .template)
            }
            answer = try ask(card, .selectChild(after: file.identifier), .template)
        }
        guard depth > 0 else { return }
        for identifier in directories { try list(card, directory.file(identifier), depth: depth - 1) }
    }

    @discardableResult
    private mutating func ask(
        _ card: borrowing Transaction, _ command: CardCommand, _ view: ProbeView
    ) throws(TokenError) -> Response {
        let clock = card.settings.clocks.uptime
        let start = clock.now
        let response = try card.send(command)
        probe.exchanges.append(
            TokenProbe.Exchange(
                command: command.encoded, status: response.status.rawValue,
                answer: view.shown(response.data, without: personal), time: clock.now - start))
        return response
    }
}

/// A file as a listing answers it.
private struct ListedFile {
    let identifier: UInt16
    let isDirectory: Bool

    init?(_ template: [UInt8]) {
        var outer = ByteCursor(template)
        guard let object = try? outer.object().value else { return nil }
        var inner = ByteCursor(object)
        var (identifier, kind): (UInt16?, UInt8?)
        while !inner.isAtEnd, let (tag, value) = try? inner.object() {
            var cursor = ByteCursor(value)
            switch tag {
            case 0x82: kind = try? cursor.byte()
            case 0x83: identifier = (try? cursor.uint16()).flatMap { UInt16(exactly: $0) }
            default: break
            }
        }
        guard let identifier, let kind else { return nil }
        self.identifier = identifier
        isDirectory = kind == FileKind.directory.type
    }
}

extension CardCommand {
    /// The battery of a token with a radio.
    fileprivate static let battery = CardCommand(0x80, 0x55, 0x01, 0x02, ne: 6)
    /// The button of a token that has one.
    fileprivate static let button = CardCommand(0x80, 0x56, 0x03, 0x00, ne: 32)

    /// The command's bytes, as a short APDU.
    fileprivate var encoded: [UInt8] {
        var encoded = [header.cla, header.ins, header.p1, header.p2]
        if !bytes.isEmpty { encoded += [UInt8(truncatingIfNeeded: bytes.count)] + bytes }
        if let ne { encoded.append(UInt8(truncatingIfNeeded: ne)) }
        return encoded
    }
}
