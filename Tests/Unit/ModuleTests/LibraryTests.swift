// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("libkanal-pkcs11.so", .enabled(if: Tool.libraryIsBuilt, "the library of a release build: make build"))
struct LibraryTests {
    let path = Tool.library.path

    @Test("R18: exports the 92 functions of the standard, the 34 of the extension and 6 of its own, and nothing else")
    func exports() throws {
        let names = try Tool.run("nm", "-D", "--defined-only", "--format=posix", path).output
            .split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(names.filter { !$0.hasPrefix("C_") } == [])
        #expect(names.filter { !$0.hasPrefix("C_EX_") && !$0.hasPrefix("C_KANAL_") }.count == 92)
        #expect(names.filter { $0.hasPrefix("C_EX_") }.count == 34)
        #expect(names.filter { $0.hasPrefix("C_KANAL_") }.count == 6)
    }

    @Test("leaves no function of its own undefined")
    func undefined() throws {
        let names = try Tool.run("nm", "-D", "--undefined-only", "--format=posix", path).output
            .split(separator: "\n").filter { $0.hasPrefix("C_") || $0.hasPrefix("$s") || $0.hasPrefix("swift_") }
        #expect(names == [])
    }

    @Test("takes no memory that the C library allocates by itself: a program with RTLD_DEEPBIND has another allocator")
    func allocation() throws {
        let allocating: Set = [
            "asprintf", "vasprintf", "__asprintf_chk", "__vasprintf_chk", "strdup", "__strdup", "strndup", "__strndup",
            "wcsdup", "getline", "getdelim", "__getdelim", "realpath", "__realpath_chk", "canonicalize_file_name",
            "getcwd", "get_current_dir_name", "__getcwd_chk", "scandir", "scandir64", "scandirat", "getaddrinfo",
            "getifaddrs", "if_nameindex", "open_memstream", "open_wmemstream", "tempnam", "getpass", "glob", "glob64",
            "wordexp", "backtrace_symbols", "fts_open", "argz_create", "argz_append", "envz_add",
        ]
        let names = try Tool.run("nm", "-D", "--undefined-only", "--format=posix", path).output
            .split(separator: "\n").compactMap { $0.split { " @".contains($0) }.first.map(String.init) }
        #expect(names.contains("free"))
        #expect(allocating.intersection(names) == [])
    }

    @Test("R19: carries the runtimes of Swift and C++ for good, and is loaded with the C library alone")
    func dependencies() throws {
        let entries = try Tool.run("readelf", "--dynamic", "--wide", path).output.split(separator: "\n")
        func values(_ tag: String) -> Set<String> {
            Set(
                entries.filter { $0.contains("(\(tag))") }.compactMap { $0.split(separator: "[").last?.dropLast() }.map(
                    String.init))
        }
        #expect(values("NEEDED") == ["libc.so.6", "libm.so.6"])
        #expect(values("SONAME") == ["libkanal-pkcs11.so"])
        #expect(entries.contains { $0.contains("(FLAGS_1)") && $0.contains("NODELETE") })
        #expect(values("RUNPATH").union(values("RPATH")) == [])
    }

    @Test("each function that is looked up in libcrypto when it is first needed is there")
    func libcrypto() throws {
        let list = Project.root.appending(path: "Sources/COpenSSL/include/libcrypto.inc")
        let names = try String(contentsOf: list, encoding: .utf8)
            .matches(of: /(?m)^(?:FUNCTION|LIBRARY|PROVIDER)\((\w+)\)/).map { String($0.1) }
        let folder = try Tool.run("pkg-config", "--variable=libdir", "libcrypto").output
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let libraries = ["3", "4"].map { "\(folder)/libcrypto.so.\($0)" }
            .filter { FileManager.default.fileExists(atPath: $0) }
        #expect(!names.isEmpty && !libraries.isEmpty)
        for library in libraries {
            let exports = try Tool.run("nm", "-D", "--defined-only", "--format=posix", library).output
                .matches(of: /(?m)^(\w+)/).map { String($0.1) }
            #expect(Set(names).subtracting(exports).isEmpty, "\(library)")
        }
    }

    @Test("R17: hands out its tables before C_Initialize: 2.40 and 3.0, each entry the exported function of its name")
    func tables() throws {
        try Tool.compile("tables.c", ["-rdynamic", "-ldl"]) { outcome, executable in
            try #require(outcome.status == 0, "\(outcome.output)")
            let run = try Tool.run(executable.path, path)
            #expect(run.status == 0, "\(run.output)")
        }
    }

    @Test("N7, R2, R4: keeps the rules that hold without a token: initialisation, bad arguments, forked children")
    func rules() throws {
        let folder = Tool.library.deletingLastPathComponent().path
        let options = ["-Wno-cast-function-type", "-L\(folder)", "-lkanal-pkcs11", "-Wl,-rpath,\(folder)"]
        try Tool.compile("rules.c", with: ["cc", "-std=gnu99"], options) { outcome, executable in
            try #require(outcome.status == 0, "\(outcome.output)")
            let run = try Tool.run(executable.path)
            #expect(run.status == 0, "\(run.output)")
        }
    }

    @Test(
        "serves a program that is linked against it",
        arguments: [["cc", "-std=c89"], ["c++", "-x", "c++", "-std=c++17"]])
    func linked(language: [String]) throws {
        let folder = Tool.library.deletingLastPathComponent().path
        // -x would hold for the library too, so it goes in by -l.
        let options = ["-L\(folder)", "-lkanal-pkcs11", "-Wl,-rpath,\(folder)"]
        try Tool.compile("linked.c", with: language, options) { outcome, executable in
            try #require(outcome.status == 0, "\(outcome.output)")
            let run = try Tool.run(executable.path)
            #expect(run.status == 0, "\(run.output)")
        }
    }
}
