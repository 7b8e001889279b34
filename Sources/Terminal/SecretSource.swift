// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostProcess
package import Secrets
package import Translation

/// The source of a PIN or a password that is not typed: the first line of a file, of a descriptor or of standard input,
/// or an environment variable.
package enum SecretSource: Sendable, Equatable {
    case file(String)
    case variable(String)
    case descriptor(Int32)
    /// A program that asks, of which the caller knows.
    case authenticator

    /// The longest first line, in bytes.
    private static let limit = 4096

    /// Reads `file:PATH`, `env:NAME`, `fd:NUMBER`, `authenticator`, or `-` for standard input. A path without `file:` is a path, too, as in
    /// the `pin-source` of a `pkcs11:` URI (RFC 7512). After `file://` there is a URI of RFC 8089, of a file of this machine.
    package init?(_ text: String) {
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (halves.first ?? "", halves.count == 2 ? halves[1] : "") {
        case ("-", _) where halves.count == 1: self = .descriptor(0)
        case (let scheme, let path) where scheme.lowercased() == "file" && !path.isEmpty:
            guard path.hasPrefix("//") else {
                self = .file(path)
                return
            }
            guard let decoded = Self.path(ofURI: path.dropFirst(2)) else { return nil }
            self = .file(decoded)
        case ("authenticator", _) where halves.count == 1: self = .authenticator
        case ("env", let name) where !name.isEmpty && !name.contains("="): self = .variable(name)
        case ("fd", let number):
            guard let number = Int32(number), number >= 0 else { return nil }
            self = .descriptor(number)
        case _ where text.hasPrefix("/") || text.hasPrefix("."): self = .file(text)
        default: return nil
        }
    }

    /// The path in a URI after `file://`, percent-encoded, behind no host or this one (RFC 8089, 2; RFC 3986, 2.1).
    private static func path(ofURI rest: Substring) -> String? {
        let host = rest.prefix { $0 != "/" }
        guard host.isEmpty || host.lowercased() == "localhost", host.endIndex != rest.endIndex,
            let bytes = PercentEncoding.decoded(rest[host.endIndex...]), !bytes.contains(0)
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    package enum Failure: Explained, Equatable {
        case system(SystemError)
        case notSet(String)
        case noAuthenticator
        case empty(Phrase)
        case tooLong(Phrase)

        package var explanation: Phrase {
            switch self {
            case .system(let error): error.explanation
            case .noAuthenticator: "the authenticator of kanal.conf is not asked for this"
            case .notSet(let name): "the environment variable \(name.printable) is not set"
            case .empty(let name): "\(name) has no first line"
            case .tooLong(let name):
                "the first line of \(name) is longer than \(SecretSource.limit) bytes"
            }
        }
    }

    /// The secret: the first line, without its end.
    ///
    /// - Parameter canBeEmpty: Whether an empty line, or none, is an empty secret, and not an error.
    package func read(canBeEmpty: Bool = false) throws(Failure) -> Secret {
        switch self {
        case .variable(let name): return try Self.variable(name, canBeEmpty)
        case .file(let path):
            let file = unsafe open(path.path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
            guard file >= 0 else { throw .system(SystemError(errno, path)) }
            defer { close(file) }
            return try Self.firstLine(of: file, Phrase(verbatim: path.printable), canBeEmpty)
        case .authenticator: throw .noAuthenticator
        case .descriptor(let number):
            return try Self.firstLine(
                of: number == 0 ? ProgramContext.current.input : number,
                number == 0 ? Phrase("standard input") : Phrase("descriptor \(number)"), canBeEmpty)
        }
    }

    private static func variable(_ name: String, _ canBeEmpty: Bool) throws(Failure) -> Secret {
        if let variables = ProgramContext.current.variables {
            guard let value = variables[name].map({ Array($0.utf8) }) else { throw .notSet(name) }
            return try secret(value.span, name, canBeEmpty)
        }
        guard let value = unsafe getenv(name) else { throw .notSet(name) }
        let bytes = unsafe UnsafeRawBufferPointer(start: value, count: strlen(value))
        return try unsafe secret(Span(_unsafeElements: bytes.bindMemory(to: UInt8.self)), name, canBeEmpty)
    }

    private static func secret(_ value: Span<UInt8>, _ name: String, _ canBeEmpty: Bool) throws(Failure) -> Secret {
        guard canBeEmpty || !value.isEmpty else { throw .empty(Phrase(verbatim: name.printable)) }
        return Secret(copying: value)
    }

    private static func firstLine(of file: Int32, _ name: Phrase, _ canBeEmpty: Bool) throws(Failure) -> Secret {
        var line = Secret(count: limit)
        var count = 0
        while true {
            // Byte by byte: the rest after the line is for the next reader of the descriptor.
            var byte: UInt8 = 0
            do throws(SystemError) { try Interruption.wait(for: file, POLLIN, name) } catch { throw .system(error) }
            let result = unsafe Glibc.read(file, &byte, 1)
            if result < 0 {
                guard errno == EINTR || errno == EAGAIN else { throw .system(SystemError(errno, name)) }
                continue
            }
            if result == 0 || byte == 0x0A { break }
            guard count < limit else { throw .tooLong(name) }
            var bytes = line.mutableBytes
            bytes[count] = byte
            count += 1
        }
        let bytes = line.bytes
        if count > 0, bytes[count - 1] == 0x0D { count -= 1 }
        guard canBeEmpty || count > 0 else { throw .empty(name) }
        return line.extracting(0..<count)
    }
}
