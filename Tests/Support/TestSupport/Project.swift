package import Foundation

/// Where the project lies.
package enum Project {
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    package static let tests = root.appending(path: "Tests")
}
