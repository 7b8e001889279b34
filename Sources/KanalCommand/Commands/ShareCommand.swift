// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct ShareCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "share",
            abstract: translated(
                "Put a token of this machine into a virtual reader of another one, over a path that is not trusted."),
            discussion: translated(
                """
                The other machine runs pcscd with vsmartcard-vpcd, which is reached for instance by --tunnel "ssh -W \
                127.0.0.1:35963 server", or at a port that is forwarded here. There, "kanal pair" activates the token \
                with the password that this command prints once; then every program works with it.

                The secure channel of a token that has one is passed through: no program here can read its traffic. For \
                any other token this command is the end of the channel. Commands that do not come through the channel \
                are refused.

                The token belongs to the share until it ends: no program of this machine can use it. Ctrl-C ends the \
                share and logs the token out.
                """))
    }

    @Option(
        help: .saying(
            "The address of the far reader, as a dotted IPv4 address. (default: 127.0.0.1)", valueName: "host"),
        completion: .addresses)
    var host: String?

    @Option(help: .saying("The port of the far reader. (default: 35963)", valueName: "port"))
    var port: UInt16?

    @Option(
        help: .saying(
            """
            A command of the shell whose standard input and output lead to the far reader, in place of --host \
            and --port. It is started again when the connection breaks.
            """,
            valueName: "command"),
        completion: .tunnels)
    var tunnel: String?

    @Flag(
        name: .customLong("far-end"),
        help: .saying(
            """
            Be the far end of a tunnel, on the machine of the far reader: --tunnel "ssh server kanal share --far-end". \
            Only --host and --port go with it.
            """))
    var remoteEnd = false

    @Option(
        help: .saying(
            "The permissions of the far side: a list of read, sign, write and admin with commas between. (default: all)",
            valueName: "list"),
        completion: .list(["read", "sign", "write", "admin"]))
    var allow: String?

    @Option(
        help: .saying(
            """
            When to ask the user of this machine, through the authenticator of kanal.conf: never, login, or \
            signature, which includes logins.
            """,
            valueName: "what"),
        completion: .list(["never", "login", "signature"]))
    var confirm = "never"

    @Flag(
        help: .saying(
            """
            End when the far side has logged in, and then has had no open session for three seconds, or for twenty if \
            its sessions were interrupted.
            """))
    var once = false

    @Option(
        name: .customLong("for"), help: .saying("End after this time, such as 90s, 30m or 8h.", valueName: "time"))
    var duration: String?

    @Option(
        help: .saying(
            "Give up if the far reader is not reached for this time. (default: never)", valueName: "time"))
    var patience: String?

    @Flag(
        help: .saying("Make a new activation password in place of the last one. Machines that are paired stay paired."))
    var newPassword = false

    @Argument(
        help: .saying(
            "The token: its serial number or label, or a part of its reader's name. (default: the only one)",
            valueName: "token"),
        completion: .tokens)
    var token: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        _ = try settings()
        let isOfToken =
            tunnel != nil || token != nil || allow != nil || confirm != "never" || once || duration != nil
            || patience != nil || newPassword
        guard !remoteEnd || !isOfToken else {
            throw ValidationError(translated("--far-end accepts only --host and --port beside it"))
        }
    }

    func run() async throws {
        if remoteEnd {
            let settings = try settings()
            return try await Share.remoteEnd(host: settings.host, port: settings.port)
        }
        let (settings, output) = (try settings(), output)
        try TokenAccess.current.sayFaults()
        let context = ProgramContext.current
        try await TokenAccess.current.share(settings) { event in
            // A log without a reader does not end the share.
            ProgramContext.$current.withValue(context) {
                try? output.show(ShareReport(event), isOneOfMany: true)
            }
        }
    }

    private func settings() throws -> Share.Settings {
        var settings = Share.Settings()
        guard tunnel == nil || host == nil && port == nil else {
            throw ValidationError(translated("--tunnel takes the place of --host and --port"))
        }
        guard tunnel != "" else { throw ValidationError(translated("--tunnel is a command")) }
        guard port != 0 else { throw ValidationError(translated("--port is 1 to 65535")) }
        settings.host = host ?? settings.host
        settings.port = port ?? settings.port
        settings.tunnel = tunnel
        settings.token = token
        settings.makesPassword = newPassword
        settings.isOnce = once
        settings.duration = try duration.map { try Self.time($0, "--for") }
        settings.patience = try patience.map { try Self.time($0, "--patience") }
        guard let confirmation = Share.Confirmation(rawValue: confirm) else {
            throw ValidationError(translated("--confirm is never, login or signature"))
        }
        settings.confirmation = confirmation
        if let allow { settings.permissions = try Self.permissions(allow) }
        return settings
    }

    private static func permissions(_ list: String) throws -> Share.Permissions {
        let names: [Substring: Share.Permissions] = [
            "read": .read, "sign": .sign, "write": .write, "admin": .administer,
        ]
        let parts = list.split(separator: ",", omittingEmptySubsequences: false)
        return try parts.reduce(into: []) { permissions, name in
            guard let permission = names[name] else {
                throw ValidationError(
                    translated("--allow is a list of read, sign, write and admin with commas between"))
            }
            permissions.formUnion(permission)
        }
    }

    /// A number with s, m or h behind it: at most a year.
    private static func time(_ text: String, _ option: String) throws -> Duration {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()),
            (1...31_536_000 / unit).contains(number)
        else { throw ValidationError(translated("\(option) is a number with s, m or h behind it, such as 30m")) }
        return .seconds(number * unit)
    }
}
