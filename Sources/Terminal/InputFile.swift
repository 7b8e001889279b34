// SPDX-License-Identifier: Apache-2.0
import Glibc
import Locking
package import Translation

/// A file that is read piece by piece, or standard input, which is called `-`.
package final class InputFile: Sendable {
    /// The bytes of a piece.
    package static let pieceSize = 1 << 20

    /// The number of times that each file is open or reserved. No result replaces one.
    private static let open = Lock<[FileIdentity: Int]>([:])
    /// The number of files that a command holds open when it has read them as a whole.
    private static let wholeLimit = 64

    package let name: String
    /// The name for people.
    package let shownName: Phrase
    /// The number of bytes that come; nil if unknown before the end.
    package let length: Int?
    private let descriptor: Int32
    private let isStandardInput: Bool
    /// nil unless it is a regular file.
    private let identity: FileIdentity?

    /// - Throws: ``SystemError`` if it cannot be read, as no directory can.
    package init(_ path: String) throws(SystemError) {
        isStandardInput = path == "-"
        name = isStandardInput ? "standard input" : path
        shownName = isStandardInput ? Phrase("standard input") : Phrase(verbatim: path.printable)
        // A pipe that has no other end yet is waited for where it is read.
        descriptor =
            isStandardInput
            ? ProgramContext.current.input : unsafe Glibc.open(path.path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemError(errno, path) }
        var status = stat()
        let isKnown = unsafe fstat(descriptor, &status) == 0
        let form = isKnown ? status.st_mode & S_IFMT : 0
        guard form != S_IFDIR else {
            if !isStandardInput { close(descriptor) }
            throw SystemError(EISDIR, path)
        }
        identity = form == S_IFREG ? FileIdentity(status) : nil
        if let identity { Self.count(identity, by: 1) }
        let place = lseek(descriptor, 0, SEEK_CUR)
        // Files of the kernel are empty until they are read.
        length = form == S_IFREG && place >= 0 && status.st_size > place ? status.st_size - place : nil
    }

    /// Whether a name refers to a regular file. Nothing is opened, so that no writer to a pipe is disturbed.
    package static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path.path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether a name refers to something else than a file, which is read only once.
    package static func isPipe(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path.path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    /// Finds out whether a file can be read, before the work with it begins. Nothing is opened.
    ///
    /// - Throws: ``SystemError``, as the initialiser does.
    package static func check(_ path: String) throws(SystemError) {
        guard path != "-" else { return }
        var status = stat()
        guard unsafe stat(path.path, &status) == 0,
            unsafe faccessat(AT_FDCWD, path.path, R_OK, AT_EACCESS) == 0
        else { throw SystemError(errno, path) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw SystemError(EISDIR, path) }
    }

    static func hasOpened(_ file: FileIdentity) -> Bool { open.withLock { $0[file] != nil } }

    static func count(_ file: FileIdentity, by difference: Int) {
        open.withLock { open in
            let count = open[file, default: 0] + difference
            open[file] = count > 0 ? count : nil
        }
    }

    deinit {
        if let identity { Self.count(identity, by: -1) }
        if !isStandardInput { close(descriptor) }
    }

    /// The next bytes; nil at the end.
    ///
    /// - Parameter limit: The greatest number of bytes.
    /// - Throws: ``SystemError``; ``Console/Failure/interrupted`` after a request to end.
    package func next(limit: Int = pieceSize) throws -> [UInt8]? {
        while true {
            do throws(SystemError) { try Interruption.wait(for: descriptor, POLLIN, shownName) } catch {
                throw error.isInterruption ? Console.Failure.interrupted : error
            }
            var result = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
                unsafe result = read(descriptor, buffer.baseAddress, buffer.count)
                count = max(0, result)
            }
            if result >= 0 { return result == 0 ? nil : bytes }
            guard errno == EINTR || errno == EAGAIN else { throw SystemError(errno, shownName) }
        }
    }

    /// All bytes.
    ///
    /// - Parameter limit: The greatest number of bytes.
    /// - Throws: As ``next(limit:)``; ``SystemError`` with `EFBIG` for more.
    package func all(limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try next() {
            guard piece.count <= limit - bytes.count else { throw SystemError(EFBIG, shownName) }
            bytes += piece
        }
        ProgramContext.current.files.whole.withLock { if $0.count < Self.wholeLimit { $0.append(self) } }
        return bytes
    }
}
