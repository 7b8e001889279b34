// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing
import Translation

/// Phrases: the translation of their words, and of their variable parts.
@Suite struct PhraseTests {
    private let name = "ab12"

    @Test("without a catalogue a phrase is what its literal says")
    func english() {
        let phrase: Phrase = "no token is called \(name): \(3) are there"
        #expect(phrase.key == "no token is called {0}: {1} are there")
        #expect(phrase.description == "no token is called ab12: 3 are there")
        #expect(phrase.text(in: nil) == phrase.description)
        #expect(Phrase("plain").description == "plain")
        #expect(Phrase(verbatim: "a {0} b").description == "a {0} b")
        #expect(Phrase(key: "a {0} b").description == "a {0} b")
    }

    @Test("arguments stand where the translation wants them, and as often")
    func order() throws {
        let catalogue = try #require(CatalogueFile(["{0} of {1}": "{1} — {0}, {1}"]).catalogue)
        #expect(("\("a") of \("b")" as Phrase).text(in: catalogue) == "b — a, b")
    }

    @Test(
        "a translation that lacks an argument, or has one too many, is not used",
        arguments: ["без", "{0}", "{1}", "{0} {1} {2}", "{0} {1} {99}", "{0} %s"])
    func wrongArguments(_ translation: String) throws {
        let catalogue = try #require(CatalogueFile(["{0} of {1}": translation]).catalogue)
        #expect(("\("a") of \("b")" as Phrase).text(in: catalogue) == "a of b")
    }

    @Test("what is inserted is not looked at for places of arguments, in any language")
    func inserted() throws {
        let catalogue = try #require(CatalogueFile(["called {0}: {1}": "{0} и {1}"]).catalogue)
        let phrase: Phrase = "called \("{1}%n"): \("{0}%s{2}")"
        #expect(phrase.description == "called {1}%n: {0}%s{2}")
        #expect(phrase.text(in: catalogue) == "{1}%n и {0}%s{2}")
    }

    @Test("braces that hold no number are text")
    func braces() throws {
        let catalogue = try #require(
            CatalogueFile(["{callback} and {0}": "{0}, {callback}, {", "plain": "{ {x} {0"]).catalogue)
        #expect(("{callback} and \(1)" as Phrase).text(in: catalogue) == "1, {callback}, {")
        #expect(("plain" as Phrase).text(in: catalogue) == "{ {x} {0")
    }

    @Test("a phrase within a phrase is translated, whether the outer one is or not")
    func nested() throws {
        let catalogue = try #require(CatalogueFile(["wrong": "неверно"]).catalogue)
        #expect(("\("file"): \("wrong" as Phrase)" as Phrase).text(in: catalogue) == "file: неверно")
    }

    @Test("a whole text of others is found as it is, and never by its parts")
    func key() throws {
        let file = CatalogueFile(["No such file": "Нет файла", "{0} bytes": "октетов: {0}"])
        let catalogue = try #require(file.catalogue)
        func text(_ key: String) -> String { Phrase(key: key).text(in: catalogue) }
        #expect(text("No such file") == "Нет файла")
        #expect(("\("x"); \(Phrase(key: "No such file"))" as Phrase).text(in: catalogue) == "x; Нет файла")
        for other in ["12 bytes", "No such file: x", "no such file", ""] { #expect(text(other) == other) }
        #expect(Phrase(errno: 2).description == "No such file or directory")
    }

    @Test("an error within a phrase is translated")
    func explained() throws {
        struct Wrong: Explained { let explanation: Phrase = "it is wrong" }
        let catalogue = try #require(CatalogueFile(["it is wrong": "неверно"]).catalogue)
        #expect(("\("x"): \(Wrong())" as Phrase).text(in: catalogue) == "x: неверно")
    }

    @Test("a text that is the same in every language is never looked up")
    func verbatim() throws {
        let catalogue = try #require(CatalogueFile(["kill": "убить"]).catalogue)
        #expect(Phrase(verbatim: "kill").text(in: catalogue) == "kill")
    }
}
