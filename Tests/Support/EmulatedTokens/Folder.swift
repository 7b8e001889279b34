import Foundation

/// A directory for one test.
package final class Folder: Sendable {
    package let path: String

    package init() {
        path = FileManager.default.temporaryDirectory.appending(path: "kanal-\(UUID().uuidString)").path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
