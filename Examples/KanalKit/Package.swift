// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// Kanal as a program depends on it: a repository, KANAL, and a tag of it, KANAL_VERSION. Without them, it is the checkout
/// that these examples are part of.
let kanal: Package.Dependency =
    if let url = Context.environment["KANAL"], let version = Version(Context.environment["KANAL_VERSION"] ?? "") {
        .package(url: url, exact: version)
    } else {
        .package(name: "kanal", path: "../..")
    }

let package = Package(
    name: "journeys",
    dependencies: [kanal],
    targets: ["watch", "find", "activate", "certificates", "cancel", "messages", "secrets"].map { name in
        .executableTarget(
            name: name, dependencies: [.product(name: "KanalKit", package: "kanal")],
            swiftSettings: [.treatAllWarnings(as: .error)])
    }
)
