// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// KANAL is a checkout of Kanal, and KANAL_VERSION a tag in it.
let url = Context.environment["KANAL"] ?? "https://github.com/kanal-project/kanal"
let version = Version(Context.environment["KANAL_VERSION"] ?? "") ?? "0.1.0"

let package = Package(
    name: "journeys",
    dependencies: [.package(url: url, exact: version)],
    targets: ["watch", "find", "activate", "certificates", "cancel"].map { name in
        .executableTarget(
            name: name, dependencies: [.product(name: "KanalKit", package: "kanal")],
            swiftSettings: [.treatAllWarnings(as: .error)])
    }
)
