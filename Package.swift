// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
]

/// The library carries its own Swift runtime and shows `C_*` names only. SwiftPM does not pass `--static-swift-stdlib`
/// on to a dynamic product, so the linker is told here; `Sources/CModule/link` holds what it needs.
let moduleLinking: [String] =
    ["-static-stdlib", "-use-ld=lld", "-L\(Context.packageDirectory)/Sources/CModule/link"]
    + [
        "--version-script=\(Context.packageDirectory)/Sources/CModule/link/exports.map",
        "--gc-sections", "--as-needed", "-z", "nodelete",
    ].flatMap { ["-Xlinker", $0] }

func kanal(_ name: String, on dependencies: [Target.Dependency] = [], swift more: [SwiftSetting] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings + more)
}

func tests(_ name: String, on dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
    name: "kanal",
    products: [],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0")
    ],
    targets: [
        .systemLibrary(name: "CCryptoki", path: "Include/CCryptoki"),
        .systemLibrary(
            name: "CPCSC", path: "Include/CPCSC", pkgConfig: "libpcsclite", providers: [.apt(["libpcsclite-dev"])]),
        .systemLibrary(
            name: "COpenSSL", path: "Include/COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),

        kanal("Locking"),
        kanal("Secrets"),
        kanal("APDU", on: ["Secrets"]),
        // Unoptimised, the ciphers are hundreds of times slower, and every test that pairs would wait for them.
        kanal("GOST", on: ["Secrets", "COpenSSL"], swift: [.unsafeFlags(["-O"], .when(configuration: .debug))]),
        kanal("Storage", on: ["Secrets"]),
        kanal("SecureChannel", on: ["APDU", "GOST", "Secrets", "Storage"]),
        kanal("Emulator", on: ["APDU", "GOST", "Locking", "Secrets", "Storage"]),
        .executableTarget(
            name: "kanal-emulator",
            dependencies: ["Emulator", "Storage", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: settings),

        .target(
            name: "TestSupport", dependencies: ["APDU", "Secrets"], path: "Tests/Support", swiftSettings: settings),
        tests("GOSTTests", on: ["GOST", "Secrets", "TestSupport"]),
        tests("StorageTests", on: ["Storage", "Secrets", "TestSupport"]),
        tests("SecureChannelTests", on: ["SecureChannel", "APDU", "GOST", "Secrets", "Storage", "TestSupport"]),
        tests("EmulatorTests", on: ["Emulator", "APDU", "GOST", "Secrets", "Storage", "TestSupport"]),
    ]
)
