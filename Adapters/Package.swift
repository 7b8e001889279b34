// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// Kanal as another package depends on it: a repository, KANAL, and a tag of it, KANAL_VERSION. Without them, it is the
/// checkout that these adapters are part of.
let kanal: Package.Dependency =
    if let url = Context.environment["KANAL"], let version = Version(Context.environment["KANAL_VERSION"] ?? "") {
        .package(url: url, exact: version)
    } else {
        .package(name: "kanal", path: "..")
    }

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let kit = Target.Dependency.product(name: "KanalKit", package: "kanal")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let tls = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nio = ["NIOCore", "NIOPosix", "NIOHTTP1"].map { Target.Dependency.product(name: $0, package: "swift-nio") }

let package = Package(
    name: "adapters",
    products: [
        .library(name: "KanalCertificates", targets: ["KanalCertificates"]),
        .library(name: "KanalNIOSSL", targets: ["KanalNIOSSL"]),
    ],
    dependencies: [
        kanal,
        .package(url: "https://github.com/apple/swift-asn1", exact: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", exact: "1.21.1"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    ],
    targets: [
        .target(name: "TokenKeys", dependencies: [kit], swiftSettings: settings),
        .target(
            name: "KanalCertificates", dependencies: ["TokenKeys", kit, x509, asn1], swiftSettings: settings),
        .target(name: "KanalNIOSSL", dependencies: ["TokenKeys", kit, nio[0], tls], swiftSettings: settings),
        .executableTarget(
            name: "authority", dependencies: ["KanalCertificates", kit, x509, asn1],
            swiftSettings: settings),
        .executableTarget(
            name: "tls-server", dependencies: ["KanalNIOSSL", kit, tls] + nio,
            swiftSettings: settings),
        .testTarget(
            name: "AdaptersTests", dependencies: ["KanalCertificates", "KanalNIOSSL", kit, x509, asn1, tls] + nio,
            swiftSettings: settings),
    ]
)
