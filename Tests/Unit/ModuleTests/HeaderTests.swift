// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("rtpkcs11.h")
struct HeaderTests {
    static let languages: [[String]] =
        ["c89", "c99", "c11", "c17", "c2x"].map { ["cc", "-std=\($0)"] }
        + ["c++11", "c++17", "c++20"].map { ["c++", "-x", "c++", "-std=\($0)"] }
        + [["clang", "-std=c89"], ["clang", "-std=c2x"], ["clang++", "-x", "c++", "-std=c++17"]]

    @Test("compiles without a warning, and every structure and table has the layout of the ABI", arguments: languages)
    func layout(language: [String]) throws {
        try Tool.compile("layout.c", with: language) { outcome, _ in
            #expect(outcome.status == 0, "\(outcome.output)")
        }
    }

    @Test("gives every constant its value", arguments: [["cc", "-std=c89"], ["c++", "-x", "c++", "-std=c++17"]])
    func constants(language: [String]) throws {
        try Tool.compile("constants.c", with: language) { outcome, _ in
            #expect(outcome.status == 0, "\(outcome.output)")
        }
    }

    @Test("finds p11-kit's header by the flags of pkg-config, or without any")
    func includes() throws {
        let flags = try Tool.run("pkg-config", "--cflags", "p11-kit-1").output.split(whereSeparator: \.isWhitespace)
        try #require(!flags.isEmpty)
        for options in [[], flags.map(String.init)] {
            try Tool.compile("constants.c", options) { outcome, _ in
                #expect(outcome.status == 0, "\(outcome.output)")
            }
        }
    }

    @Test("goes with the header of OASIS, if that comes first", arguments: languages)
    func otherHeader(language: [String]) throws {
        try Tool.compile("oasis.c", with: language) { outcome, _ in
            #expect(outcome.status == 0, "\(outcome.output)")
        }
    }

    @Test("refuses p11-kit's other set of names, instead of failing in the middle")
    func refusal() throws {
        try Tool.compile("constants.c", with: ["cc", "-DCRYPTOKI_GNU"]) { outcome, _ in
            #expect(outcome.status != 0)
            #expect(outcome.output.contains("do not define CRYPTOKI_GNU"))
        }
    }
}
