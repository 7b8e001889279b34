// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// Other compilers than the one that the project is written with may warn of other things.
#if compiler(>=6.3) && compiler(<6.4)
    let warnings: [SwiftSetting] = [.treatAllWarnings(as: .error)]
#else
    let warnings: [SwiftSetting] = []
#endif

let settings: [SwiftSetting] =
    warnings + [
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableExperimentalFeature("Lifetimes"),
    ]

/// What makes it harder to get hold of the process through a fault: everything that the loader resolves, and the
/// constants, are read-only before the first function runs.
let hardening =
    ["-z", "now", "-z", "relro", "-T", "\(Context.packageDirectory)/Sources/CModule/sections.ld"]
    .flatMap { ["-Xlinker", $0] }

/// A command carries its own Swift and C++ runtimes, too: to load and bind libstdc++ costs a twentieth of the time of
/// `kanal readers`. Packed relocations are for glibc 2.36 and later.
let staticExecutable =
    ["-static-stdlib", "-use-ld=lld", "-l_FoundationCollections", "-l_FoundationCShims"]
    + ["-Xclang-linker", "--config=\(Context.packageDirectory)/Sources/CModule/static/first.cfg"]
    + ["-L\(Context.packageDirectory)/Sources/CModule/static"]
    + ["-Xlinker", "--wrap=hypotf"] + hardening

/// For C: canaries in stack frames, checked copies, and marks where an indirect call or jump may go.
let hardenedC: [CSetting] = {
    // By the processor that is compiled for, which need not be this machine's.
    let marks =
        ["--start-no-unused-arguments"]
        + ["-Xarch_x86_64", "-fcf-protection=full", "-Xarch_aarch64", "-mbranch-protection=standard"]
        + ["--end-no-unused-arguments"]
    return [
        .unsafeFlags(["-fstack-protector-strong"] + marks),
        // glibc's checks need the optimiser.
        .unsafeFlags(["-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=3"], .when(configuration: .release)),
    ]
}()

/// The linker's way to replace these functions.
func wrapped(_ functions: [String]) -> [String] {
    functions.flatMap { ["-Xlinker", "--wrap=\($0)"] }
}

/// CModule replaces these functions of libc, in libraries of every configuration.
let ownHeap = wrapped(["malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "free", "malloc_usable_size"])

/// The library carries its own Swift and C++ runtimes, which SwiftPM does not do for a dynamic product by itself, shows
/// `C_*` names only, and names the C libraries that it needs: the default ones would add the dynamic loader.
let moduleLinking: [String] = {
    let module = "\(Context.packageDirectory)/Sources/CModule"
    var flags = ["-static-stdlib", "-use-ld=lld", "-Xclang-linker", "-nodefaultlibs"]
    flags += ["-Xclang-linker", "--config=\(module)/static/first.cfg", "-L\(module)/static"]
    flags += [
        "--version-script=\(module)/exports.map", "-soname=libkanal-pkcs11.so", "--gc-sections", "-z", "nodelete",
        "-T", "\(module)/runtime.ld", "-lgcc_eh", "-lgcc", "-l:libc.so.6", "-l:libc_nonshared.a",
    ].flatMap { ["-Xlinker", $0] }
    flags += wrapped(["strdup", "vasprintf", "asprintf", "__getdelim", "hypotf", "_dl_find_object"])
    flags += wrapped([
        "swift_slowDealloc", "_ZN5swift7runtime11environment10initializeEPv", "_swift_stdlib_getScalarName",
    ])
    return flags + ownHeap + hardening
}()

/// Code in C, every warning of which ends the build.
func c(_ name: String, on others: [Target.Dependency] = [], _ more: [CSetting] = []) -> Target {
    .target(
        name: name, dependencies: others,
        cSettings: hardenedC + [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])] + more)
}

func kanal(_ name: String, on dependencies: [Target.Dependency] = [], swift more: [SwiftSetting] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings + more)
}

/// To optimise what calls the optimised library lasts three times as long, and finds no more.
let testSettings = settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

func tests(_ name: String, on dependencies: [Target.Dependency], data: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "Tests/Unit/\(name)", exclude: data, swiftSettings: testSettings)
}

let package = Package(
    name: "kanal",
    products: [
        .library(name: "kanal-pkcs11", type: .dynamic, targets: ["CModule"]),
        .library(name: "KanalKit", targets: ["KanalKit"]),
        .library(name: "KanalESIA", targets: ["KanalESIA"]),
        .library(name: "KanalXML", targets: ["KanalXML"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    ],
    targets: [
        .systemLibrary(name: "CCryptoki", path: "Include/CCryptoki"),
        .systemLibrary(
            name: "CPCSC", path: "Include/CPCSC", pkgConfig: "libpcsclite", providers: [.apt(["libpcsclite-dev"])]),
        .systemLibrary(name: "CHostProcess", path: "Include/CHostProcess"),
        .systemLibrary(name: "CVersion", path: "Include/CVersion"),

        c("CReserve"),
        // The headers of OpenSSL, and jumps to the libcrypto that the machine has: no product is linked with one.
        c("COpenSSL", on: ["CProcess"]),
        // Functions of the libxml2 that the machine has, in the same way: no product is linked with it.
        c("CXML", on: ["CProcess"], [.unsafeFlags(["-iwithsysroot", "/usr/include/libxml2"])]),
        c("CGlibc"),
        kanal("Locking"),
        c("CProcess"),
        kanal("HostProcess", on: ["CHostProcess", "CProcess"]),
        kanal("Translation", on: ["CHostProcess", "HostProcess", "Secrets"]),
        // Unoptimised, every test would wait for the memory of secrets.
        kanal("Secrets", swift: [.unsafeFlags(["-O"], .when(configuration: .debug))]),
        kanal("APDU", on: ["Secrets"]),
        // Unoptimised, the ciphers are hundreds of times slower, and every test that pairs would wait for them.
        c("GOSTKernels", [.unsafeFlags(["-O2"], .when(configuration: .debug))]),
        kanal(
            "GOST", on: ["GOSTKernels", "Secrets"],
            swift: [.unsafeFlags(["-O"], .when(configuration: .debug))]),
        kanal("Containers", on: ["GOST", "Secrets"]),
        kanal("HostCrypto", on: ["COpenSSL", "GOST", "HostProcess", "Locking", "Secrets"]),
        kanal("Storage", on: ["HostProcess", "Secrets", "Translation"]),
        kanal("ContainerFolders", on: ["APDU", "Containers", "Locking", "Secrets", "Storage"]),
        kanal("Asking", on: ["CProcess", "HostProcess", "Locking", "Secrets", "Translation"]),
        kanal("SecureChannel", on: ["APDU", "GOST", "Locking", "Secrets", "Storage"]),
        kanal("TokenEnd", on: ["APDU", "GOST", "Secrets"]),
        kanal("VirtualReaders", on: ["HostProcess", "Translation"]),
        kanal(
            "Emulator",
            on: [
                "APDU", "COpenSSL", "Containers", "GOST", "Locking", "Secrets", "Storage", "TokenEnd", "VirtualReaders",
            ]),
        kanal("PCSC", on: ["APDU", "CPCSC", "HostProcess", "Locking", "Secrets"]),
        kanal(
            "Token",
            on: [
                "APDU", "Containers", "GOST", "HostCrypto", "Locking", "SecureChannel", "Secrets", "Storage",
                "Translation",
                .product(name: "Logging", package: "swift-log"),
            ]),
        kanal(
            "Tokens",
            on: [
                "APDU", "Asking", "CCryptoki", "Containers", "GOST", "HostCrypto", "HostProcess", "Locking",
                "SecureChannel", "Secrets", "Storage", "Token", "Translation",
                .product(name: "Logging", package: "swift-log"),
            ]),
        kanal(
            "Cryptoki",
            on: [
                "APDU", "Asking", "CCryptoki", "Containers", "GOST", "HostCrypto", "Locking", "SecureChannel",
                "Secrets", "Storage", "Token", "Tokens", "Translation",
                .product(name: "Logging", package: "swift-log"),
            ]),
        kanal(
            "Configuration",
            on: [
                "Asking", "ContainerFolders", "HostProcess", "Locking", "SecureChannel", "Secrets", "Storage", "Token",
                "Translation", .product(name: "Logging", package: "swift-log"),
            ]),
        kanal("Terminal", on: ["CHostProcess", "HostProcess", "Locking", "Secrets", "Translation"]),
        kanal(
            "KanalCommand",
            on: [
                "CVersion", "Configuration", "KanalESIA", "KanalKit", "KanalXML", "Locking", "Secrets", "Storage",
                "Terminal",
                "Translation",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .executableTarget(
            name: "kanal", dependencies: ["CGlibc", "CProcess", "KanalCommand", "Locking", "Terminal"],
            swiftSettings: settings,
            linkerSettings: [
                .unsafeFlags(staticExecutable, .when(platforms: [.linux], configuration: .release))
            ]),
        .executableTarget(
            name: "kanal-emulator",
            dependencies: [
                "APDU", "CGlibc", "CVersion", "Emulator", "PCSC", "Secrets", "Storage", "VirtualReaders",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings,
            linkerSettings: [
                .unsafeFlags(staticExecutable, .when(platforms: [.linux], configuration: .release))
            ]),
        kanal(
            "Provider",
            on: [
                "APDU", "CCryptoki", "CReserve", "CVersion", "Configuration", "ContainerFolders", "Cryptoki",
                "HostProcess", "Locking", "PCSC",
                "SecureChannel", "Secrets", "Storage", "Token", "Tokens", "Translation",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "CModule", dependencies: ["Provider", "CCryptoki", "CGlibc", "CReserve"],
            exclude: ["exports.map", "runtime.ld", "sections.ld", "static"], publicHeadersPath: ".",
            cSettings: hardenedC + [.headerSearchPath("../../Include/CCryptoki")],
            linkerSettings: [
                .unsafeFlags(moduleLinking, .when(platforms: [.linux], configuration: .release)),
                .unsafeFlags(ownHeap, .when(platforms: [.linux], configuration: .debug)),
            ]),

        kanal(
            "KanalKit",
            on: [
                "APDU", "Asking", "CCryptoki", "CHostProcess", "Configuration", "ContainerFolders", "Containers",
                "GOST", "HostCrypto", "HostProcess", "Locking", "PCSC", "SecureChannel", "Secrets", "Storage", "Token",
                "TokenEnd", "Tokens", "Translation", "VirtualReaders",
                .product(name: "Logging", package: "swift-log"),
            ]),
        kanal(
            "KanalESIA",
            on: [
                "CHostProcess", "GOST", "HostCrypto", "HostProcess", "KanalKit", "Locking", "Secrets", "Storage",
                "Translation", .product(name: "Logging", package: "swift-log"),
            ]),
        kanal("KanalXML", on: ["CXML", "HostCrypto", "KanalKit", "Locking", "Secrets", "Translation"]),

        .target(
            name: "TestSupport",
            dependencies: [
                "APDU", "GOST", "HostCrypto", "Locking", "Secrets", "Token", "Translation",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Support/TestSupport", swiftSettings: settings),
        .target(
            name: "TokenScenes",
            dependencies: [
                "EmulatedTokens", "Emulator", "KanalKit", "Secrets", "SecureChannel", "TestSupport", "Token", "Tokens",
            ],
            path: "Tests/Support/TokenScenes", swiftSettings: settings),
        .target(
            name: "EmulatedTokens", dependencies: ["APDU", "Emulator", "Locking", "Secrets"],
            path: "Tests/Support/EmulatedTokens", swiftSettings: settings),
        tests("AskingTests", on: ["Asking", "Secrets", "TestSupport", "Translation", "asking-host"]),
        tests("LockingTests", on: ["Locking", "TestSupport"]),
        tests("HostProcessTests", on: ["HostProcess", "TestSupport"]),
        tests(
            "ProviderTests",
            on: [
                "HostProcess", "Locking", "Provider", "TestSupport", "Token", "Tokens", "Translation",
                .product(name: "Logging", package: "swift-log"),
            ]),
        tests("APDUTests", on: ["APDU", "Secrets", "TestSupport"]),
        tests(
            "TokenTests",
            on: [
                "APDU", "EmulatedTokens", "Emulator", "GOST", "HostCrypto", "Locking", "SecureChannel", "Secrets",
                "TestSupport", "Token",
                .product(name: "Logging", package: "swift-log"),
            ]),
        tests(
            "ConfigurationTests",
            on: [
                "Asking", "Configuration", "SecureChannel", "Secrets", "Storage", "TestSupport", "Token", "Translation",
            ]),
        tests("GOSTTests", on: ["GOST", "Secrets", "TestSupport"]),
        tests("ContainersTests", on: ["Containers", "GOST", "Secrets", "TestSupport"]),
        tests("HostCryptoTests", on: ["COpenSSL", "GOST", "HostCrypto", "Secrets", "TestSupport"]),
        .target(name: "CSystem", path: "Tests/Support/CSystem"),
        tests("SecretsTests", on: ["CSystem", "Secrets"]),
        tests("StorageTests", on: ["CSystem", "Storage", "Secrets", "TestSupport"]),
        // The other end of a channel, for tests, fuzzing and measurements.
        .target(
            name: "ChannelToken", dependencies: ["APDU", "GOST", "Secrets"], path: "Tests/Support/ChannelToken",
            swiftSettings: settings),
        tests(
            "SecureChannelTests",
            on: [
                "CSystem", "ChannelToken", "SecureChannel", "APDU", "GOST", "Locking", "Secrets", "Storage",
                "TestSupport",
            ]),
        tests(
            "CryptokiTests",
            on: [
                "APDU", "Asking", "CCryptoki", "CSystem", "Configuration", "ContainerFolders", "Containers",
                "Cryptoki", "EmulatedTokens",
                "Emulator",
                "GOST", "HostCrypto", "Locking", "SecureChannel", "Secrets", "Storage", "TestSupport", "Token",
                "Tokens",
                "Translation", .product(name: "Logging", package: "swift-log"),
            ]),
        tests(
            "KanalKitTests",
            on: [
                "APDU", "Asking", "CCryptoki", "Configuration", "Cryptoki", "EmulatedTokens", "Emulator", "GOST",
                "KanalKit", "Locking", "PCSC", "Secrets", "SecureChannel", "Storage", "TestSupport", "Token",
                "TokenEnd", "Tokens",
                .product(name: "Logging", package: "swift-log"),
            ]),
        tests("TranslationTests", on: ["Secrets", "TestSupport", "Translation"]),
        tests(
            "KanalCommandTests",
            on: [
                "APDU", "Configuration", "EmulatedTokens", "Emulator", "KanalCommand", "KanalESIA", "KanalKit",
                "Locking",
                "Secrets", "SecureChannel", "Terminal", "TestSupport", "Token", "Translation",
            ],
            data: ["Files", "Screens"]),
        tests(
            "KanalESIATests",
            on: [
                "EmulatedTokens", "Emulator", "KanalESIA", "KanalKit", "Locking", "Secrets", "SecureChannel",
                "TestSupport",
                "Token", "TokenScenes", "Tokens",
                .product(name: "Logging", package: "swift-log"),
            ]),
        tests("KanalXMLTests", on: ["GOST", "HostCrypto", "KanalKit", "KanalXML", "TestSupport", "TokenScenes"]),
        tests("TerminalTests", on: ["Secrets", "Terminal", "TestSupport", "Translation"]),
        tests("PCSCTests", on: ["APDU", "PCSC", "Secrets", "TestSupport"]),
        tests(
            "ContractTests",
            on: [
                "APDU", "Emulator", "GOST", "HostCrypto", "PCSC", "SecureChannel", "Secrets", "TestSupport", "Token",
                .product(name: "Logging", package: "swift-log"),
            ]),
        tests(
            "EmulatorTests",
            on: ["Emulator", "APDU", "Containers", "GOST", "Secrets", "Storage", "TestSupport", "VirtualReaders"]),
        .target(name: "CMemcheck", path: "Tests/Support/CMemcheck"),
        .target(name: "CStack", path: "Tests/Support/CStack"),
        .executableTarget(
            name: "constant-time", dependencies: ["CMemcheck", "CStack", "Containers", "GOST", "Secrets"],
            path: "Tests/Programs/ConstantTime", swiftSettings: settings,
            // valgrind 3.19 cannot read the compiler's debugging information.
            linkerSettings: [.unsafeFlags(["-Xlinker", "--strip-debug"])]),
        .executableTarget(
            name: "asking-host", dependencies: ["Asking", "CSystem", "Secrets", "Translation"],
            path: "Tests/Programs/Asking",
            swiftSettings: settings),
        tests("ModuleTests", on: ["TestSupport"]),
    ]
)

// "make bench" compares with libraries whose headers nothing else needs; "make nightly" needs a program more.
if Context.environment["KANAL_BENCHMARKS"] != nil {
    package.targets += [
        .target(
            name: "Libraries", path: "Benchmarks/Libraries",
            linkerSettings: ["crypto", "gcrypt", "nettle", "hogweed", "gmp"].map { .linkedLibrary($0) }),
        .executableTarget(
            name: "benchmark", dependencies: ["Containers", "GOST", "Libraries", "Secrets"],
            path: "Benchmarks/Benchmark",
            swiftSettings: settings),
        .executableTarget(
            name: "channel-benchmark",
            dependencies: ["APDU", "ChannelToken", "GOST", "Secrets", "SecureChannel", "Storage"],
            path: "Benchmarks/Channel", swiftSettings: settings),
        .executableTarget(name: "kit-benchmark", dependencies: ["KanalKit"], path: "Benchmarks/Kit"),
        .executableTarget(
            name: "message-benchmark", dependencies: ["KanalKit"], path: "Benchmarks/Messages", exclude: ["messages.c"]),
        .executableTarget(name: "share-traffic", dependencies: ["KanalKit"], path: "Tests/Programs/Share"),
    ]
}
