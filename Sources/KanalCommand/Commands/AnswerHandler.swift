// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import KanalESIA
import Terminal
import Translation

/// The desktop file by which answers of a scheme come to "kanal callback".
struct AnswerHandler: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "handler",
            abstract: translated(
                "Register \"kanal callback\" on the desktop for answers of a scheme, and check the registration."),
            discussion: translated(
                """
                A desktop file of the user is written and named as the scheme's application, by the programs of \
                xdg-utils. A scheme of another application is left to it, unless --replace says otherwise.
                """))
    }

    @Flag(help: .saying("Change nothing: only show which application has the scheme."))
    var check = false

    @Flag(help: .saying("Remove the desktop file."))
    var remove = false

    @Flag(help: .saying("Take the place of another application."))
    var replace = false

    @OptionGroup var output: OutputOptions

    @Argument(help: .saying("The scheme by which answers return.", valueName: "scheme"))
    var scheme: String

    func validate() throws {
        guard [check, remove, replace].filter({ $0 }).count <= 1 else {
            throw ValidationError(translated("--check, --remove and --replace exclude each other"))
        }
        guard Authorization.isOwnScheme(scheme) else {
            throw ValidationError(
                translated(
                    "a scheme of an application has 1 to 64 letters, digits, \"+\", \"-\" and \".\"; it is not file, http or https"
                ))
        }
    }

    private var name: String { "kanal-\(scheme).desktop" }

    func run() async throws {
        let directory = try Self.directory()
        let present = try handler(in: directory)
        if remove {
            guard unsafe unlink(directory + "/" + name) == 0 || errno == ENOENT else {
                throw SystemError(errno, directory + "/" + name)
            }
            try update(directory)
        } else if !check {
            guard present.isEmpty || present == name || replace else {
                throw CommandError(
                    .failed, "the desktop opens \(scheme): by \(present.printable); --replace takes its place")
            }
            try install(in: directory)
        }
        let handler = try handler(in: directory)
        guard remove || handler == name else {
            throw CommandError(
                .notConfigured,
                handler.isEmpty
                    ? "the desktop has no application for \(scheme): addresses"
                    : "the desktop opens \(scheme): by \(handler.printable)")
        }
        try output.show(HandlerReport(scheme: scheme, handler: handler, file: remove ? nil : directory + "/" + name))
    }

    /// The directory of the user's desktop files.
    private static func directory() throws -> String {
        for (name, rest) in [("XDG_DATA_HOME", ""), ("HOME", "/.local/share")] {
            if let path = ProgramContext.current.variable(name), path.hasPrefix("/") {
                return path + rest + "/applications"
            }
        }
        throw CommandError(.notConfigured, "the user has no home directory")
    }

    /// The desktop file of the scheme's application; empty without one.
    private func handler(in directory: String) throws -> String {
        let result = try Self.run(["xdg-mime", "query", "default", "x-scheme-handler/\(scheme)"])
        let handler = String(decoding: result.prefix { $0 > 0x20 }, as: UTF8.self)
        // xdg-mime also reports a file that is gone.
        let isGone = unsafe handler == name && access(directory + "/" + name, F_OK) != 0
        return isGone ? "" : handler
    }

    private func install(in directory: String) throws {
        var path = ""
        for part in directory.split(separator: "/") {
            path += "/" + part
            guard unsafe mkdir(path, 0o755) == 0 || errno == EEXIST else { throw SystemError(errno, path) }
        }
        let file = try ResultFile(directory + "/" + name)
        try file.write(
            Array(
                """
                [Desktop Entry]
                Type=Application
                Name=\(scheme)
                NoDisplay=true
                Exec=\(try Self.executable()) callback %u
                MimeType=x-scheme-handler/\(scheme);

                """.utf8))
        try file.finish()
        try update(directory)
        _ = try Self.run(["xdg-mime", "default", name, "x-scheme-handler/\(scheme)"])
    }

    /// The index of the directory. Desktops that read the files themselves may be without the program.
    private func update(_ directory: String) throws {
        do { _ = try Self.run(["update-desktop-database", directory]) } catch ChildProgram.Failure.absent {}
    }

    /// This program's path, which needs no quotes in a desktop file.
    private static func executable() throws -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
        let path = String(decoding: bytes.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        let isPlain = path.utf8.allSatisfy { byte in
            switch byte {
            case 0x2B, 0x2D...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
            default: false
            }
        }
        guard path.hasPrefix("/"), isPlain else {
            throw CommandError(.failed, "a desktop file cannot name this program: \(path.printable)")
        }
        return path
    }

    private static func run(_ arguments: [String]) throws -> [UInt8] {
        let names = [
            "PATH", "HOME", "DISPLAY", "WAYLAND_DISPLAY", "DESKTOP_SESSION", "DBUS_SESSION_BUS_ADDRESS",
            "XDG_DATA_HOME",
            "XDG_DATA_DIRS", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_CURRENT_DESKTOP", "XDG_RUNTIME_DIR",
            "KDE_FULL_SESSION", "KDE_SESSION_VERSION", "GNOME_DESKTOP_SESSION_ID",
        ]
        let program = try ChildProgram(
            arguments,
            environment: names.compactMap { name in
                ProgramContext.current.variable(name).map { name + "=" + $0 }
            })
        return try program.run(input: [], limit: 4096, until: .now + .seconds(20)).output
    }
}

private struct HandlerReport: Report {
    let scheme: String
    let handler: String
    let file: String?

    func text(_ style: Style) -> String {
        guard file != nil else { return translated("The desktop file was removed.") + "\n" }
        return translated("The desktop passes answers of \(scheme): to \"kanal callback\".") + "\n"
    }
}
