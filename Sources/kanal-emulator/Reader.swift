// SPDX-License-Identifier: Apache-2.0
import Emulator
import Glibc
import PCSC
import Secrets
import VirtualReaders

/// The virtual reader that holds the token, for as long as the reader exists.
struct Reader {
    let host: String
    let port: UInt16
    /// The seconds to wait for it.
    let wait: Int
    let reattach: Bool
    /// The delay of each reply in milliseconds.
    let latency: Int
    let trace: String?

    private static let pollsPerSecond = 5

    /// For how many seconds at least it waits until the reader looks: a reader does so several times a second.
    private static let patience = 3

    /// The time for which the reader stays empty before the token comes, in microseconds. pcscd looks every 400 ms, and
    /// would take a token that comes sooner after another for that one.
    private static let absence: useconds_t = 600_000

    /// The number of attempts to reach a reader between two requests to start pcscd.
    private static let attemptsPerStart = 5 * pollsPerSecond

    private let presence = ServicePresence()

    init(host: String, port: UInt16, wait: Int, reattach: Bool, latency: Int, trace: String?) {
        (self.host, self.port, self.wait, self.reattach) = (host, port, wait, reattach)
        (self.latency, self.trace) = (latency, trace)
    }

    /// Keeps the pcscd of this machine from ending without clients, and has it started where that is done on demand.
    private func keepService() {
        if host.hasPrefix("127.") { presence.keep() }
    }

    /// Attaches the card, again and again if it shall. Ends by an error only.
    func serve(_ card: EmulatedCard, _ output: borrowing LineWriter) throws {
        let log = try openTrace()
        repeat {
            usleep(Reader.absence)
            Presence.wait()
            var connection = try connect()
            guard connection.isLooking(within: max(wait, Reader.patience)) else {
                throw Failure("the reader at \(host):\(port) does not look at this token. Is another one in it?")
            }
            keepService()
            output.write("attached: \(host):\(port)")
            let failure = serve(card, over: &connection, log)
            card.powerOff()
            guard let failure else {
                output.write("removed: \(host):\(port)")
                continue
            }
            guard reattach else { throw Failure("the reader at \(host):\(port) is gone: \(failure)") }
        } while true
    }

    /// The reason why the connection ended; nil if the card was taken out.
    private func serve(
        _ card: EmulatedCard, over connection: inout VirtualReader, _ log: borrowing LineWriter?
    ) -> VirtualReaderError? {
        do throws(VirtualReaderError) {
            try connection.serve(card, while: { Presence.isPresent }) { command, response in
                log?.write("> " + command.hexadecimal)
                log?.write("< " + response.hexadecimal)
                if latency > 0 { usleep(useconds_t(latency) * 1000) }
            }
            return nil
        } catch {
            return error
        }
    }

    /// Tries five times a second until pcscd listens.
    private func connect() throws -> VirtualReader {
        var last = VirtualReaderError.closed
        for attempt in 0...(wait * Reader.pollsPerSecond) {
            if attempt > 0 { usleep(useconds_t(1_000_000 / Reader.pollsPerSecond)) }
            if attempt.isMultiple(of: Reader.attemptsPerStart) { keepService() }
            do throws(VirtualReaderError) {
                return try VirtualReader(host: host, port: port)
            } catch {
                last = error
            }
        }
        throw Failure(
            "no virtual reader at \(host):\(port) within \(wait) s: \(last). Does pcscd run, with vsmartcard-vpcd?")
    }

    private func openTrace() throws -> LineWriter? {
        guard let trace else { return nil }
        guard let file = LineWriter(path: trace) else { throw Failure("the trace file '\(trace)' cannot be written") }
        return file
    }
}
