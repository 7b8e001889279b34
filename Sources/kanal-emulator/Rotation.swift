// SPDX-License-Identifier: Apache-2.0
import APDU
import Emulator
import Glibc
import PCSC
import Secrets

/// Another program that uses the keys of the token's containers, as CryptoPro CSP does: it rewrites masks and keys.
///
/// A card sees no transactions. So the program is a client of pcscd, and changes the token while it has one of its own: between
/// any two commands of other programs that are not in one of theirs.
struct Rotation: Sendable {
    /// The ports of the readers of Debian's vpcd, of which it has two, and others that it may be configured to have.
    static let ports: ClosedRange<UInt16> = 35963...35978

    let card: EmulatedCard
    /// The port of the token's virtual reader.
    let port: UInt16

    /// The time that other programs have between two changes, and until the token is looked for again, in microseconds.
    private static let pause: useconds_t = 3000
    private static let absence: useconds_t = 100_000

    /// Of so many uses of a container the last one is ended by a pull.
    private static let pulled = 4

    private var reader: String { "Virtual PCD 00 " + (port - Self.ports.lowerBound).twoDigits }

    /// Goes on until the process ends, or a container turns out to be unusable.
    func run() {
        let readers = PCSCReaders()
        var uses = 0
        while true {
            do throws(LinkError) {
                let link = try readers.connect(to: reader)
                while use(link, uses) {
                    uses &+= 1
                    usleep(Self.pause)
                }
                link.disconnect()
                // The token is not there, or its reader is not.
            } catch {}
            usleep(Self.absence)
        }
    }

    /// Uses one container after the other.
    ///
    /// - Returns: Whether the token is still there.
    private func use(_ link: any CardLink, _ number: Int) -> Bool {
        do throws(LinkError) { _ = try link.beginTransaction() } catch { return false }
        defer { link.endTransaction() }
        let directories = card.containerDirectories
        guard !directories.isEmpty else { return true }
        let directory = directories[number % directories.count]
        let isPulled = number / directories.count % Self.pulled == Self.pulled - 1
        let place = "1003/" + UInt16(directory >> 8).twoDigits + UInt16(directory & 0xFF).twoDigits
        do throws(EmulatorError) {
            guard try card.rotateContainer(in: directory, isPulled: isPulled) else { return true }
            LineWriter.standardOutput.write("rotated: \(place)" + (isPulled ? ", pulled after primary" : ""))
        } catch {
            LineWriter.standardError.write("not rotated: \(place): \(error)")
        }
        return true
    }
}

extension UInt16 {
    fileprivate var twoDigits: String { hexadecimal(digits: 2).uppercased() }
}
