// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CVersion
import Emulator
import Glibc
import Secrets
import Storage
import VirtualReaders

/// The command, with a property for each of its options.
@main
struct KanalEmulator: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kanal-emulator",
        abstract: "A Rutoken token in software, in a virtual reader of pcscd.",
        discussion: """
            The token attaches to vpcd, the virtual reader of vsmartcard (Debian package vsmartcard-vpcd), and stays \
            there until it is told to stop by SIGTERM or SIGINT. pcscd may start later than the emulator, and may be \
            restarted. SIGUSR1 takes the token out of the reader, as if it were carried away, and SIGUSR2 puts it \
            back; what it held in memory without power, sessions and logins, is lost.

            Standard output tells one fact a line: 'identity:', 'serial:', 'activation password:' for each password \
            that was made, 'attached:' each time that the token is in the reader, 'removed:' each time that SIGUSR1 \
            took it out, 'rotated:' each time that --rotate rewrote a container, and 'power cut:' when \
            --fail-after-writes ended it.

            With --state the token remembers everything across runs, even if it is killed; without, it is a new one \
            each time. What is said of a new token (--label, --activation-password, --container) does not change one that is \
            remembered. A new token is formatted; its user PIN is 12345678 and its administrator's PIN 87654321. A \
            Bluetooth token (bt) also gets activation passwords. They are printed when the token is made and are \
            stored nowhere: write them down.

            EXAMPLES
              kanal-emulator --identity usb
              kanal-emulator --identity bt --state ~/.token --label 'My token'
              kanal-emulator --identity bt --trace apdu.log --port 35964
              kanal-emulator --identity bt --profiles modern --sessions 1 --no-batch
              kanal-emulator --identity lite --container signature.000
            """,
        version: "\(KANAL_VERSION_MAJOR).\(KANAL_VERSION_MINOR).\(KANAL_VERSION_PATCH)")

    enum IdentityName: String, ExpressibleByArgument, CaseIterable {
        case usb
        case usb3
        case flash3
        case ecp2
        case sc
        case lite
        case bt
    }

    @Option(
        help: ArgumentHelp(
            "Which token: usb3 (or usb), Rutoken ECP 3.0; flash3, the same with a drive; ecp2, Rutoken ECP 2.0; sc,"
                + " Rutoken ECP SC, which speaks T=0; lite, Rutoken Lite, which keeps files and computes nothing; bt, a"
                + " Bluetooth token, which requires a secure channel."))
    var identity: IdentityName

    @Option(help: ArgumentHelp("The private directory of the token's memory, made if missing.", valueName: "dir"))
    var state: String?

    @Option(
        help: ArgumentHelp(
            "An activation password for a new bt token: 16 to 32 symbols (12 to 32 with --profiles modern), of which"
                + " the first names the slot (1-6 or A-F). Repeatable. Without it two are made.",
            valueName: "password"))
    var activationPassword: [String] = []

    @Option(
        help: ArgumentHelp(
            "The serial number, 8 or 16 hexadecimal digits. A new token gets a random one from 0e000000.",
            valueName: "hex"))
    var serial: String?

    @Option(help: ArgumentHelp("The label of a new token.", valueName: "text"))
    var label: String?

    @Option(
        help: ArgumentHelp(
            "For a new token: put the key container of CryptoPro CSP in this folder on it, with the sizes and rights of a"
                + " Rutoken Lite. Repeatable.",
            valueName: "dir"))
    var container: [String] = []

    @OptionGroup(title: "Secure Channel")
    var channel: ChannelOptions

    @Option(help: ArgumentHelp("The address of vpcd: a numeric IPv4 address.", valueName: "address"))
    var host = "127.0.0.1"

    @Option(help: "The port of the virtual reader; the second reader of Debian's vpcd is 35964.")
    var port: UInt16 = 35963

    @Option(help: ArgumentHelp("The time to wait for vpcd, and for another token to leave it.", valueName: "seconds"))
    var wait = 30

    @Flag(inversion: .prefixedNo, help: "Whether to wait for vpcd again when the connection ends.")
    var reattach = true

    @Option(
        help: ArgumentHelp(
            "Append each command and response APDU to this file. It shows PINs that a host sends in plain.",
            valueName: "file"))
    var trace: String?

    @Option(help: ArgumentHelp("Wait before each reply, up to 60000 ms.", valueName: "ms"))
    var latency = 0

    @Flag(
        help: ArgumentHelp(
            "Rewrite masks and keys of the containers again and again, as CryptoPro CSP does, in PC/SC transactions of its"
                + " own. Each fourth time the second of both files stays as it was, as if the token were pulled out."))
    var rotate = false

    @Flag(help: "Format and make keys as slowly as a real token does.")
    var slow = false

    @Flag(help: "Let only the administrator erase by the command of OpenSC.")
    var eraseNeedsSo = false

    @Flag(help: "Answer VERIFY of a PIN that is verified already by 9000, not 6F86.")
    var verifyAgain = false

    @Option(
        help: ArgumentHelp(
            "Die at the Nth write to the memory, which does not happen, as if the power were cut; no reply is sent."
                + " The making of a new token does not count.",
            valueName: "N"))
    var failAfterWrites: Int?

    @Flag(help: "Print the keys of each session of the secure channel, to look for what a host has left of them.")
    var showKeys = false

    func validate() throws {
        guard serial == nil || serialBytes != nil else {
            throw ValidationError("\(EmulatorError.invalidSerial)")
        }
        guard VirtualReader.isAddress(host) else { throw ValidationError("--host is a numeric IPv4 address") }
        guard (0...86_400).contains(wait) else { throw ValidationError("--wait is 0 to 86400 seconds") }
        guard (0...60_000).contains(latency) else { throw ValidationError("--latency is 0 to 60000 ms") }
        guard !rotate || host.hasPrefix("127.") && Rotation.ports.contains(port) else {
            throw ValidationError("--rotate is for a virtual reader of this machine")
        }
        guard (failAfterWrites ?? 1) > 0 else { throw ValidationError("--fail-after-writes is at least 1") }
    }

    func run() throws {
        // The memory is sound at every moment, so that the program just ends.
        for number in [SIGTERM, SIGINT] { signal(number) { _ in _exit(0) } }
        Presence.listen()
        guard let state else { return try run(with: VolatileMemory()) }
        let result: Result<Void, any Error>
        do throws(StorageError) {
            let directory = try Directory(path: state, create: true)
            result = try directory.withLock(waiting: false) { () throws(StorageError) in
                Result { try run(with: DirectoryMemory(directory)) }
            }
        } catch .locked {
            throw Failure("another emulator uses the state directory '\(state)'")
        } catch {
            throw Failure("\(state): \(error)")
        }
        try result.get()
    }

    private func run(with memory: any CardMemory) throws {
        guard let known = Identity(name: identity.rawValue) else { throw ValidationError("no such identity") }
        var identity = try channel.apply(to: known)
        guard activationPassword.isEmpty || identity.channel != nil else { throw ChannelOptions.noChannel(identity) }
        guard identity.channel == nil || container.isEmpty && !rotate else {
            throw ValidationError("--container and --rotate are for tokens without a secure channel")
        }
        identity.isSlow = slow
        identity.erasesForAdministratorOnly = eraseNeedsSo
        identity.verifiesAgain = verifyAgain
        let output = LineWriter.standardOutput
        let fallible = FallibleMemory(memory) { number in
            LineWriter.standardOutput.write("power cut: write \(number)")
            _exit(EXIT_SUCCESS)
        }
        let isRevealing = showKeys
        let card = try EmulatedCard(
            identity, memory: fallible, activationPasswords: activationPassword, serial: serialBytes, label: label,
            pause: { usleep(useconds_t($0) * 1000) },
            reveal: { secrets in
                for secret in secrets where isRevealing {
                    LineWriter.standardOutput.write("session key: \(secret.hexadecimal)")
                }
            })
        if card.isNew { try card.store(container.map { path in try folder(path) }) }
        output.write("identity: \(identity.name)")
        output.write("serial: \(Self.description(of: card.serial))")
        for password in card.newActivationPasswords { output.write("activation password: \(password)") }
        if !Libcrypto.isThere {
            LineWriter.standardError.write(
                "keys of RSA and ECDSA do not work: libcrypto.so.4 or .3 cannot be loaded. Install OpenSSL's library"
                    + " (libssl4 or libssl3, openssl-libs)")
        }
        if let failAfterWrites { fallible.fail(at: failAfterWrites) }
        if rotate {
            let rotation = Rotation(card: card, port: port)
            Task.detached { rotation.run() }
        }
        try Reader(host: host, port: port, wait: wait, reattach: reattach, latency: latency, trace: trace)
            .serve(card, output)
    }

    private func folder(_ path: String) throws -> ContainerFolder {
        do throws(EmulatorError) {
            return try ContainerFolder(path: path)
        } catch {
            throw Failure("\(path): \(error)")
        }
    }

    private var serialBytes: [UInt8]? {
        guard let bytes = serial.flatMap({ [UInt8](hexadecimal: $0.utf8) }), [4, 8].contains(bytes.count) else {
            return nil
        }
        return bytes
    }

    /// The number in hexadecimal and in decimal, as reader names have it.
    private static func description(of serial: [UInt8]) -> String {
        let number = serial.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return number.hexadecimal(digits: number >> 32 == 0 ? 8 : 16) + " (decimal \(number))"
    }
}

/// The reason why the emulator stops.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
