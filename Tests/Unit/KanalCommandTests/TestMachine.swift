// SPDX-License-Identifier: Apache-2.0
import APDU
import Configuration
import EmulatedTokens
import Emulator
import Foundation
import KanalCommand
import KanalKit
import Locking
import Secrets
import SecureChannel
import Terminal
import TestSupport
import Token
import Translation

/// A machine on which a test types commands: readers with emulated tokens, a user's files, variables and pairings.
///
/// Each command is a new program: it begins with what is stored, and in a context of its own. The test compares what
/// all have shown with the file of a ``Screen``.
final class TestMachine {
    let readers: Readers
    let time = TestTime()
    var screen = Screen()
    /// Changed before a command to have tokens treated differently.
    var policy = TokenPolicy()
    var hostLabel = "ann@desk kanal"
    /// The time of the clock, in seconds since 1970; nil for the present.
    var now: Int64?
    /// Whether a person reads results at the terminal, and gets hints.
    var isRead = false
    /// A directory that is replicated, and has the user's pairings; nil for those of this machine.
    var synchronised: String?
    /// The user's kanal.conf; nil without one.
    var settings: Configuration?
    /// Other access to the machine than the emulated readers.
    var adjust: (inout TokenAccess) -> Void = { _ in }
    var variables = [
        "PIN": EmulatedReader.userPIN, "WRONG": "00000000", "OFFICER": "87654321", "NEW": "11223344",
        "PASSWORD": EmulatedReader.password, "OTHER": "1BCD-EFGH-JKLM-NPQ2", "SECRET": "secret",
    ]
    private let folder = Folder()

    /// - Parameter identities: A token in a reader for each; nil for an empty reader.
    init(_ identities: [Identity?] = [.usb]) throws {
        readers = try Readers(
            identities.enumerated().map { number, identity in
                let reader = try EmulatedReader(
                    identity ?? .usb, passwords: identity?.channel == nil ? [] : [EmulatedReader.password],
                    serial: [0x0E, 0x12, 0x34, UInt8(0x56 + number)])
                if identity == nil { reader.removeCard() }
                return reader
            })
        try makeFolders()
    }

    /// Another user's machine, with the same tokens.
    init(sharing other: TestMachine) throws {
        readers = other.readers
        hostLabel = "bob@lab kanal"
        try makeFolders()
    }

    private func makeFolders() throws {
        for name in ["files", "pairings"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
        screen.mask(folder.path + "/files/", as: "~/")
    }

    /// The reader of the first token.
    var reader: EmulatedReader { readers.all[0] }

    /// The last command's standard error.
    private(set) var messages = ""

    /// The path of a file.
    func path(_ name: String) -> String { "\(folder.path)/files/\(name)" }

    /// The directory of the user's pairings, where ``settings`` are.
    var pairings: String { folder.path + "/kanal/pairings" }

    func write(_ content: String, _ name: String) throws { try Data(content.utf8).write(to: URL(filePath: path(name))) }

    func write(_ content: [UInt8], _ name: String) throws { try Data(content).write(to: URL(filePath: path(name))) }

    func read(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: URL(filePath: path(name)))) }

    /// Puts a file of the folder Files among the user's: in base64 without its ending, or as it is.
    func copy(_ name: String) throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Files/\(name).txt")
        var content = try Data(contentsOf: source)
        if name.hasSuffix(".pfx") {
            content = Data(base64Encoded: content, options: .ignoreUnknownCharacters) ?? Data()
        }
        try content.write(to: URL(filePath: path(name)))
    }

    /// Types a command.
    ///
    /// - Parameters:
    ///   - line: The words behind `kanal`, with spaces between; `'` is around a word with spaces. `~/` is the folder of
    ///     the user's files.
    ///   - input: Standard input.
    ///   - answers: A person's answers at the terminal, one for each question; nil without a terminal.
    ///   - isShown: Whether the command comes onto the screen.
    @discardableResult
    func type(
        _ line: String, input: [UInt8] = [], answers: [String]? = nil, _ language: Screen.Language = .english,
        isShown: Bool = true
    ) async throws -> (status: ExitStatus, output: [UInt8]) {
        let (given, output, errors) = try (capture("in"), capture("out"), capture("errors"))
        try given.write(input)
        let person = answers.map { Person($0) }
        var context = ProgramContext()
        context.input = given.descriptor
        context.output = OutputStream(descriptor: output.descriptor)
        context.error = OutputStream(descriptor: errors.descriptor)
        context.variables = variables
        context.catalogue = language.catalogue
        context.helpWidth = 80
        context.hasReader = isRead
        if let now { context.now = { now } }
        context.terminal = { () throws(Console.Failure) in
            guard let person else { throw .none }
            return person
        }
        let status = await Invocation(Self.words(line).map { $0.replacing("~/", with: path("")) })
            .run(in: context, tokens: try access())
        let (written, told) = try (output.content(), errors.content())
        messages = String(decoding: told, as: UTF8.self)
        if isShown {
            screen.add(line, language, terminal: person?.shown ?? "", output: written, errors: told, status)
        }
        return (status, written)
    }

    /// The machine, as a command sees it.
    func access() throws -> TokenAccess {
        let (readers, clocks, policy, label) = (readers, time.clocks, settings?.policy ?? policy, hostLabel)
        let own = folder.path + "/pairings"
        let place = synchronised.map { PairingStore.Location.synchronised($0, local: own) } ?? .directory(own)
        let pairings = settings.map { $0.location(data: folder.path, home: folder.path) } ?? place
        var access = TokenAccess()
        let configuration = settings ?? Configuration()
        let found = UserDirectories.Found(home: folder.path, configuration: folder.path, data: folder.path)
        access.localState = { LocalState(configuration, in: found) }
        access.manager = {
            var settings = TokenSettings(
                pairings: pairings, hostLabel: label, random: SystemRandom(), log: Journal().logger)
            settings.clocks = clocks
            settings.policy = policy
            return TokenManager(readers: readers, settings: settings)
        }
        adjust(&access)
        return access
    }

    private func capture(_ name: String) throws -> Capture { try Capture("\(folder.path)/\(name)") }

    private static func words(_ line: String) -> [String] {
        line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { number, part in
            number.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
        }
    }
}

/// Readers of one service, each with a name of its own.
final class Readers: ReaderService {
    let all: [EmulatedReader]

    init(_ all: [EmulatedReader]) { self.all = all }

    private static func name(_ number: Int) -> String { "Virtual PCD 00 0\(number)" }

    func readers() throws(LinkError) -> [ReaderState] {
        var states: [ReaderState] = []
        for (number, reader) in all.enumerated() {
            for state in try reader.readers() {
                states.append(ReaderState(name: Self.name(number), atr: state.atr, events: state.events))
            }
        }
        return states
    }

    func connect(to reader: String) throws(LinkError) -> any CardLink {
        guard let number = all.indices.first(where: { Self.name($0) == reader }) else { throw .noCard }
        return try all[number].connect(to: EmulatedReader.name)
    }
}

/// A person at a terminal, whose answers are known before. After the last one it is Ctrl-C.
final class Person: Conversation, Sendable {
    private let answers: Lock<ArraySlice<String>>
    private let text = Lock("")

    init(_ answers: [String]) { self.answers = Lock(answers[...]) }

    var style: Style { Style(width: 80, hasColor: false) }
    /// All that the terminal has shown.
    var shown: String { text.withLock { $0 } }

    func show(_ text: String) { self.text.withLock { $0 += text } }

    func line(_ prompt: String) throws(Console.Failure) -> String {
        guard let answer = answers.withLock({ $0.popFirst() }) else {
            show(prompt + "^C\n")
            throw .interrupted
        }
        show(prompt + answer + "\n")
        return answer
    }

    func secret(_ prompt: String) throws(Console.Failure) -> Secret {
        guard let answer = answers.withLock({ $0.popFirst() }) else {
            show(prompt + "^C\n")
            throw .interrupted
        }
        show(prompt + "\n")
        return Secret(copying: Array(answer.utf8))
    }
}

/// A file in the place of a standard stream.
private final class Capture {
    let descriptor: Int32

    init(_ path: String) throws {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        unsafe unlink(path)
    }

    deinit { close(descriptor) }

    func write(_ bytes: [UInt8]) throws {
        try OutputStream(descriptor: descriptor).write(bytes)
        lseek(descriptor, 0, SEEK_SET)
    }

    func content() throws -> [UInt8] {
        lseek(descriptor, 0, SEEK_SET)
        return try Array(FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).readToEnd() ?? Data())
    }
}
