// SPDX-License-Identifier: Apache-2.0
import Asking
import Foundation
import TestSupport
import Testing

/// Questions of a process of its own, which can be changed: Tests/Programs/Asking.
@Suite("Whatever its host does, a question is asked, and the host stays as it is")
struct HostTests {
    private let standIn: StandIn

    init() throws { standIn = try StandIn() }

    /// Lets a process ask.
    ///
    /// - Returns: The lines that it prints: the outcome, which of descriptors 0 to 2 are open, whether it has children.
    private func ask(
        _ behaviour: String, limit: Int = 20, _ changes: String..., kind: String = "secret",
        environment: [String: String] = ["PATH": "/usr/bin:/bin"]
    ) throws -> [String] {
        try run("pinentry:" + standIn.path(behaviour), limit, kind, changes, environment)
    }

    private func run(
        _ setting: String, _ limit: Int, _ kind: String, _ changes: [String], _ environment: [String: String]
    ) throws -> [String] {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let built = [CommandLine.arguments.first ?? "", Bundle.main.bundlePath + "/x", program]
            .map { URL(filePath: $0).deletingLastPathComponent().appending(path: "asking-host") }
        let host = try #require(built.first { FileManager.default.isExecutableFile(atPath: $0.path) })
        let process = Process()
        let pipe = Pipe()
        process.executableURL = host
        process.arguments = [setting, String(limit), kind] + changes
        process.environment = environment
        process.standardOutput = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private let answered = ["answer 31323334", "open [0, 1, 2]", "children false"]

    @Test("No child is left, neither running nor a zombie", arguments: ["good", "cancel", "die", "flood"])
    func children(_ behaviour: String) throws {
        #expect(try ask(behaviour).last == "children false")
    }

    @Test("Writing to a program that no longer reads sends the host no signal")
    func deaf() throws {
        let lines = try ask("deaf")
        #expect(lines.first?.contains("it ended before its answer") == true)
        #expect(lines.last == "children false")
    }

    @Test(
        "The host ignores SIGCHLD, has no zombies, or reaps all children itself",
        arguments: ["ignore-children", "no-zombies", "reap"])
    func reaping(_ change: String) throws {
        #expect(try ask("good", change) == answered)
        #expect(try ask("cancel", change).first == "cancelled")
        #expect(try ask("die", change).first?.contains("it ended before its answer") == true)
        #expect(try ask("hang", limit: 1, change).first?.contains("the time ran out") == true)
        #expect(Processes.running(try standIn.path("hang")) == [])
    }

    @Test("Each of the descriptors 0 to 2 may be closed, and stays so")
    func closed() throws {
        for (changes, open) in [
            (["close-0"], "[1, 2]"), (["close-1"], "[0, 2]"), (["close-2"], "[0, 1]"),
            (["close-0", "close-1", "close-2"], "[]"),
        ] {
            let lines = try run(
                "pinentry:" + standIn.path("record"), 20, "secret", changes, ["PATH": "/usr/bin:/bin"])
            #expect(lines == ["answer 31323334", "open \(open)", "children false"])
            try expectDescriptors()
        }
    }

    @Test("A host with 10,000 descriptors gives none away, and one that has no more fails")
    func descriptors() throws {
        #expect(try ask("record", "files") == answered)
        try expectDescriptors()
        #expect(try ask("good", "no-files").first?.contains("Too many open files") == true)
    }

    @Test("A child that the host forks meanwhile, and that lives on, keeps no question open")
    func fork() throws {
        let start = ContinuousClock.now
        #expect(try ask("late", "fork").first?.contains("it ended before its answer") == true)
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test("The program gets the variables of the list and no others, its path as the only argument, default signals")
    func surroundings() throws {
        let passed = [
            "PATH": "/usr/bin:/bin", "HOME": "/home/user", "USER": "user", "LOGNAME": "user", "LANG": "C.UTF-8",
            "LANGUAGE": "ru", "LC_ALL": "C.UTF-8", "LC_CTYPE": "C", "LC_MESSAGES": "C", "TERM": "xterm",
            "GPG_TTY": "/dev/null", "DISPLAY": ":7", "XAUTHORITY": "/x", "WAYLAND_DISPLAY": "w",
            "XDG_RUNTIME_DIR": "/run/user/1", "XDG_SESSION_TYPE": "x11", "XDG_CURRENT_DESKTOP": "XFCE",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/bus", "PINENTRY_USER_DATA": "data",
        ]
        let kept = [
            "PASSWORD": "secret", "KANAL_LOG": "/dev/null", "LD_LIBRARY_PATH": "/nowhere", "IFS": "x", "ENV": "/x",
            "XDG_CONFIG_HOME": "/x", "SSH_AUTH_SOCK": "/x", "LC_TIME": "C", "EMPTY": "", "MALLOC_CHECK_": "3",
        ]
        let lines = try ask("record", "signals", environment: passed.merging(kept) { $1 })
        #expect(lines == answered)
        // The shell adds variables of its own.
        let got = try standIn.lines("environment").filter { !$0.hasPrefix("PWD=") && !$0.hasPrefix("OLDPWD=") }
        #expect(got.sorted() == passed.map { "\($0)=\($1)" }.sorted())
        let path = try standIn.path("record")
        #expect(try standIn.lines("arguments") == ["/bin/sh", path])
        let status = try standIn.lines("status")
        for line in ["SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000"] { #expect(status.contains(line)) }
        #expect(try standIn.lines("limits").contains { $0.hasPrefix("Max core file size        0 ") })
        // Process group and session have the process's own number.
        let stat = try standIn.lines("stat")[0].split(separator: " ")
        #expect(stat[4] == stat[0] && stat[5] == stat[0])
        try expectDescriptors()
        let options = try standIn.lines("commands").filter { $0.hasPrefix("OPTION") }
        #expect(options.prefix(3) == ["OPTION display=:7", "OPTION lc-ctype=C.UTF-8", "OPTION lc-messages=C.UTF-8"])
        #expect(options.dropFirst(3).first?.hasPrefix("OPTION owner=") == true)
    }

    @Test("A new PIN stands in no argument and no variable, and neither does an answer")
    func hidden() throws {
        #expect(try ask("record", kind: "new") == answered)
        for name in ["environment", "arguments", "commands", "descriptors"] {
            // Not in the number of a process or a socket.
            let numbers = try standIn.lines(name).flatMap { $0.split { !$0.isNumber } }
            #expect(!numbers.contains("1234"))
        }
    }

    @Test("A program without a path is looked for in three directories, whatever PATH says")
    func path() throws {
        try FileManager.default.copyItem(atPath: standIn.path("good"), toPath: standIn.folder + "/kanal-none")
        let outcome = try run(
            "pinentry:kanal-none", 20, "secret", [], ["DISPLAY": ":7", "PATH": standIn.folder])
        #expect(outcome.first == "notInstalled(kanal-none: not in /usr/local/bin, /usr/bin, /bin)")
    }

    @Test("A credential lies in the service manager's directory; its group may read it, others may not")
    func credentials() throws {
        func ask(_ directory: String?) throws -> String? {
            try run("credential:pin", 20, "secret", [], directory.map { ["CREDENTIALS_DIRECTORY": $0] } ?? [:]).first
        }
        #expect(try ask(nil)?.hasPrefix("notInstalled") == true)
        #expect(try ask(standIn.folder)?.hasPrefix("notInstalled") == true)
        try standIn.file("pin", Array("1234\n".utf8), mode: 0o440)
        #expect(try ask(standIn.folder) == "answer 31323334")
        try standIn.file("pin", Array("1234\n".utf8), mode: 0o444)
        #expect(try ask(standIn.folder)?.contains("group or others") == true)
    }

    /// Expects three recorded descriptors beside the script that the shell reads.
    private func expectDescriptors() throws {
        let links = try standIn.lines("descriptors").filter { !$0.hasSuffix("authenticator.sh") }
        #expect(links.map { $0.split(separator: ":")[0] } == ["0 pipe", "1 pipe", "2 /dev/null"])
    }
}
