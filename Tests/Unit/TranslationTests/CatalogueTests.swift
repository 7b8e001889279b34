// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing
import Translation

/// Files of translations, and which of them is taken.
@Suite struct CatalogueTests {
    private let entries = ["a": "б", "cancelled": "отменено", "no token": "нет токена", "z": "я"]

    @Test("every text of a file is found, in both orders of bytes", arguments: [true, false])
    func lookup(isLittle: Bool) throws {
        let catalogue = try #require(CatalogueFile(entries, isLittle: isLittle).catalogue)
        for (key, text) in entries { #expect(catalogue[key] == text) }
        for key in ["", "A", "cancel", "no tokens", "zz"] { #expect(catalogue[key] == nil) }
    }

    @Test("an empty translation, and one that is no UTF-8, is none")
    func unusable() throws {
        #expect(try #require(CatalogueFile(["a": ""]).catalogue)["a"] == nil)
        var bytes = CatalogueFile(["a": "xy"]).bytes
        let place = try #require(bytes.lastIndex(of: UInt8(ascii: "x")))
        bytes[place] = 0xFF
        #expect(try #require(Catalogue(bytes))["a"] == nil)
    }

    @Test("a file that is cut anywhere, or damaged in any byte, ends in no translation or in some text")
    func damaged() {
        let bytes = CatalogueFile(entries).bytes
        for count in bytes.indices {
            let catalogue = Catalogue(Array(bytes[..<count]))
            for key in entries.keys { _ = catalogue?[key] }
        }
        for index in bytes.indices {
            for value: UInt8 in [0, 0x7F, 0x80, 0xFF] {
                var damaged = bytes
                damaged[index] = value
                let catalogue = Catalogue(damaged)
                for key in entries.keys { _ = catalogue?[key] }
            }
        }
        #expect(Catalogue([]) == nil)
        #expect(Catalogue([UInt8](repeating: 0, count: 64)) == nil)
    }

    @Test(
        "the languages are those of gettext's variables, where texts are in UTF-8",
        arguments: [
            ([:], []),
            (["LANG": "ru_RU.UTF-8"], ["ru_RU", "ru"]),
            (["LANG": "ru_RU.utf8@x"], ["ru_RU", "ru"]),
            (["LANG": "ru_RU.KOI8-R"], []),
            (["LANG": "ru_RU"], []),
            (["LANG": "C", "LANGUAGE": "ru"], []),
            (["LANG": "C.UTF-8", "LANGUAGE": "ru"], ["ru"]),
            (["LANG": "C.UTF-8"], []),
            (["LANG": "en_US.UTF-8"], []),
            (["LANG": "en_US.UTF-8", "LANGUAGE": "ru:en"], ["ru"]),
            (["LANG": "ru_RU.UTF-8", "LANGUAGE": "en:ru"], []),
            (["LANG": "ru_RU.UTF-8", "LC_ALL": "C"], []),
            (["LANG": "en_US.UTF-8", "LC_MESSAGES": "ru_RU.UTF-8"], ["ru_RU", "ru"]),
            (["LANG": "ru_RU.UTF-8", "LC_CTYPE": "C"], []),
            (["LANG": "ru_RU.UTF-8", "LANGUAGE": "../../etc:/tmp:de"], ["de"]),
        ] as [([String: String], [String])])
    func languages(_ environment: [String: String], _ names: [String]) {
        #expect(Language.names { environment[$0] } == names)
    }

    @Test("the catalogue of the first language that there is one for is taken, and a broken one is none")
    func choice() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "translation-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (name, bytes) in [("ru", CatalogueFile(entries).bytes), ("be", [1, 2, 3])] {
            let place = "\(folder)/\(name)/LC_MESSAGES"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            try #require(FileManager.default.createFile(atPath: place + "/kanal.mo", contents: Data(bytes)))
        }
        let catalogue = try #require(Language.find(["xx", "be", "ru_RU", "ru"], in: ["/nowhere", folder]))
        #expect(catalogue["a"] == "б")
        #expect(Language.find(["xx", "be"], in: [folder]) == nil)
        #expect(Language.find([], in: [folder]) == nil)
    }
}
