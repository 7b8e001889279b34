// SPDX-License-Identifier: Apache-2.0
import Emulator
import EmulatedTokens
import Foundation
import Testing
import Token

@Suite("The models of tokens")
struct ModelTests {
    /// The cells of a table's rows in docs/Mechanisms.md, by the heading of its first column.
    private static func table(_ heading: String) throws -> [[String]] {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/Mechanisms.md")
        let lines = try String(contentsOf: path, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        return lines.drop { !$0.hasPrefix("| \(heading) |") }.dropFirst(2).prefix { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    private static func cell(_ version: UInt8?) -> String { version.map { "\($0)" } ?? "any" }

    @Test("docs/Mechanisms.md has every model with its versions and mechanisms, and a source of each")
    func documented() throws {
        let rows = try Self.table("model")
        #expect(
            rows.map { Array($0.dropLast()) }
                == KnownModel.all.map { model in
                    [
                        model.name, "\(model.family)", Self.cell(model.hardware), Self.cell(model.firmware),
                        model.hasDrive ? "yes" : "no", model.listing.rawValue,
                    ]
                })
        #expect(rows.allSatisfy { $0.last?.isEmpty == false })
    }

    @Test("docs/Mechanisms.md has every text of an answer to reset, and a source of each")
    func answersToReset() throws {
        let rows = try Self.table("text in the answer to reset")
        #expect(
            rows.map { Array($0.dropLast()) }
                == TokenModel.names.map { name, model in
                    ["`\(name)`", "\(model)", "`\(model.name)`"]
                })
        #expect(rows.allSatisfy { $0.last?.isEmpty == false })
    }

    @Test("a model is told by its versions and its drive")
    func found() {
        func versions(_ hardware: UInt8, _ firmware: UInt8) -> TokenVersions {
            var versions = TokenVersions()
            versions.hardware = TokenVersion(major: hardware, minor: 1)
            versions.firmware = TokenVersion(major: firmware, minor: 2)
            return versions
        }
        let find = { KnownModel.find($0, versions($1, $2), hasDrive: $3)?.name }
        #expect(find(.ecp, 60, 30, false) == "Rutoken ECP 3.0 3100 or 3110")
        #expect(find(.ecp, 59, 26, false) == "Rutoken ECP 2.0 2000")
        #expect(find(.ecp, 59, 26, true) == "Rutoken ECP 2.0 Flash 4500 or 4900")
        #expect(find(.lite, 51, 8, false) == "Rutoken Lite")
        #expect(find(.ecp, 99, 99, false) == nil)
        #expect(KnownModel.listing(of: .ecp, versions(99, 99)) == .unknown)
    }

    @Test("a Lite makes and takes no keys, and is sent no command for it")
    func noKeys() throws {
        let driver = try Driver.loggedIn(.lite)
        let before = driver.reader.commands
        #expect(throws: TokenError.keepsFilesOnly) { try driver.generateGOST() }
        #expect(throws: TokenError.keepsFilesOnly) { try driver.generateRSA(1024) }
        #expect(driver.reader.commands == before)
    }

    @Test("a token without the command for versions tells them in data object 0189")
    func lite() throws {
        let driver = try Driver(try EmulatedReader(.lite))
        #expect(driver.token.model == .lite && driver.token.knownAbilities == nil)
        #expect(try driver.token.abilities() == TokenAbilities.none)
        #expect(try driver.token.info(evicting: false, detailed: false).versions.firmware.major == 8)
        let info = try driver.token.info(evicting: true)
        #expect(info.versions.firmware == TokenVersion(major: 8, minor: 0))
        #expect(info.versions.hardware.major == 51 && info.versions.protocolNumber == 2)
        #expect(driver.reader.headers.count { $0 == [0x00, 0xCA, 0x01, 0x89] } == 2)
    }
}
