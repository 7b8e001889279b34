// SPDX-License-Identifier: Apache-2.0
import Glibc
import Translation

/// The identity of a file.
struct FileIdentity: Hashable, Sendable {
    private let device: dev_t
    private let number: ino_t

    init(_ status: stat) { (device, number) = (status.st_dev, status.st_ino) }

    /// The identity of a regular file; nil for anything else.
    init?(of path: String) {
        var status = stat()
        guard path != "-", unsafe stat(path.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(status)
    }
}
