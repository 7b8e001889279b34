// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A file that another program has made, of the table Tests/Vectors/files/files.tsv.
package struct OtherProgramFile: Sendable, CustomStringConvertible {
    package let name, kind: String
    /// The password of a key, the trusted certificate of a message, the number of certificates; `-` for nothing.
    package let with: String
    package let maker, how, answer: String

    package var description: String { name }

    /// The folder of the files: `KANAL_VECTOR_FILES`, in which a script has made them again, or the project's.
    private static let folder =
        ProcessInfo.processInfo.environment["KANAL_VECTOR_FILES"].map { URL(filePath: $0) }
        ?? Project.tests.appending(path: "Vectors/files")

    package static let all: [OtherProgramFile] = {
        let table = Project.tests.appending(path: "Vectors/files/files.tsv")
        let lines = ((try? String(contentsOf: table, encoding: .utf8)) ?? "").split(separator: "\n").dropFirst()
        return lines.map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            let field = { (index: Int) in index < fields.count ? fields[index] : "" }
            return OtherProgramFile(
                name: field(0), kind: field(1), with: field(2), maker: field(3), how: field(4), answer: field(5))
        }
    }()

    package static func all(_ kind: String) -> [OtherProgramFile] { all.filter { $0.kind == kind } }

    package static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: name)))
    }

    package func bytes() throws -> [UInt8] { try Self.bytes(name) }
}
