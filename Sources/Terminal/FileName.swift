// SPDX-License-Identifier: Apache-2.0
import Glibc
import Locking
import Secrets

/// Names of files, which are any bytes, in texts: a byte that is not UTF-8 is a character of Plane 16's private use
/// there, U+10FE80 for 80 and so on. If a name contains these characters, each counts as four such bytes, so that
/// different names have different texts.
package enum FileName {
    private static let base: UInt32 = 0x10FE00

    /// The texts of the command line's arguments.
    package static var arguments: [String] {
        (0..<Int(CommandLine.argc)).compactMap { number in
            guard let argument = unsafe CommandLine.unsafeArgv[number] else { return nil }
            return unsafe text(of: Array(UnsafeRawBufferPointer(start: argument, count: strlen(argument))))
        }
    }

    /// An argument that is the name of a file.
    @Sendable
    package static func argument(_ text: String) -> String {
        if hasBytes(text) { ProgramContext.current.files.names.withLock { _ = $0.insert(text) } }
        return text
    }

    /// The first argument that is not UTF-8, unless it is the name of a file.
    package static func intruder(in arguments: some Collection<String>) -> String? {
        let names = ProgramContext.current.files.names.withLock { $0 }
        return arguments.first { argument in hasBytes(argument) && !names.contains { argument.hasSuffix($0) } }
    }

    package static func text(of bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !hasBytes(text) { return text }
        var scalars = String.UnicodeScalarView()
        var rest = bytes[...]
        while let first = rest.first {
            let character = (1...4).lazy.compactMap { String(validating: rest.prefix($0), as: UTF8.self) }.first
            if let scalar = character?.unicodeScalars.first, byte(of: scalar) == nil {
                scalars.append(scalar)
                rest = rest.dropFirst(UTF8.width(scalar))
            } else {
                if let scalar = Unicode.Scalar(base + UInt32(first)) { scalars.append(scalar) }
                rest = rest.dropFirst()
            }
        }
        return String(scalars)
    }

    /// The bytes of a name, as system calls take them.
    package static func bytes(of text: String) -> [UInt8] {
        guard hasBytes(text) else { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar in
            byte(of: scalar).map { [$0] } ?? Array(UTF8.encode(scalar) ?? .init())
        }
    }

    private static func hasBytes(_ text: String) -> Bool { text.unicodeScalars.contains { byte(of: $0) != nil } }

    /// The byte that a character stands for; nil for the character itself.
    static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        (base + 0x80...base + 0xFF).contains(scalar.value) ? UInt8(scalar.value - base) : nil
    }
}

extension String {
    /// The name of a file as system calls take it.
    var path: [CChar] { FileName.bytes(of: self).map(CChar.init(bitPattern:)) + [0] }

    /// The name of a file for people and programs: bytes that are not UTF-8 as `\xe0`.
    package var shownName: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.flatMap { scalar in
                    FileName.byte(of: scalar).map { Array("\\x\($0.hexadecimal())".unicodeScalars) } ?? [scalar]
                }))
    }
}
