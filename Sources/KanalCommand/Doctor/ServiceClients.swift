// SPDX-License-Identifier: Apache-2.0
import Glibc
import Translation

/// The programs that are connected to pcscd, by the kernel's list of Unix sockets (sock_diag(7)).
struct ServiceClients {
    /// A program, with the number of its connections.
    struct Program: Equatable {
        let process: RunningProcess
        let connections: Int

        var phrase: Phrase { connections > 1 ? "\(process.phrase) with \(connections) connections" : process.phrase }
    }

    /// The connections that pcscd has accepted, of this process too.
    let count: Int
    /// The programs that this user may look at, the most connections first. Without pcscd's own helpers and this process.
    let programs: [Program]
    /// Whether others have connections, too.
    let hasHidden: Bool

    static let none = ServiceClients(count: 0, programs: [], hasHidden: false)

    private static let helpers: Set<String> = ["pcscd", "kanal-emulator"]

    private init(count: Int, programs: [Program], hasHidden: Bool) {
        (self.count, self.programs, self.hasHidden) = (count, programs, hasHidden)
    }

    /// - Parameter path: Of the service's socket.
    init(of path: String, among processes: [RunningProcess]) {
        let peers = Set(UnixSockets.peers(of: path))
        var programs: [Program] = []
        var seen = 0
        for process in processes {
            let number = process.sockets.count(where: peers.contains)
            guard number > 0 else { continue }
            seen += number
            guard process.id != getpid(), !Self.helpers.contains(process.name) else { continue }
            programs.append(Program(process: process, connections: number))
        }
        if programs.isEmpty {
            // The kernel may not report them, or pcscd may be reached by another program's socket.
            programs = processes.filter { $0.usesReaders && $0.id != getpid() && !Self.helpers.contains($0.name) }
                .map { Program(process: $0, connections: 1) }
        }
        self.init(
            count: peers.count, programs: programs.sorted { $0.connections > $1.connections },
            hasHidden: seen < peers.count)
    }

    var names: Phrase { Phrase(listing: programs.prefix(5).map(\.phrase)) }

    /// Steps that leave the work of others alone come first. What ends it is the last one, and says so.
    ///
    /// - Parameter otherwise: If no program is known.
    func remedy(for person: CurrentUser, otherwise: Phrase) -> Phrase {
        guard let first = programs.first?.process else {
            return hasHidden && !person.isRoot ? .command("sudo kanal doctor") : otherwise
        }
        guard programs.count == 1 else {
            return "Let these programs finish their work with the card, or close those that are not needed: \(names)"
        }
        return first.end(for: person)
    }
}

extension RunningProcess {
    /// The step that ends it, with what is lost.
    func end(for person: CurrentUser) -> Phrase {
        let kill: Phrase = owner == person.id ? .command("kill \(id)") : person.asRoot("kill \(id)")
        return """
            Let \(name) finish its work with the card, or close it. As a last resort, which ends the work of that program: \
            \(kill)
            """
    }

    /// The inodes of its sockets; empty if they are not shown to this user.
    fileprivate var sockets: [UInt32] {
        let folder = "/proc/\(id)/fd"
        return Files.names(in: folder).compactMap { name in
            guard let link = Files.link("\(folder)/\(name)"), link.hasPrefix("socket:[") else { return nil }
            return UInt32(link.dropFirst(8).dropLast())
        }
    }
}

/// The kernel's list of Unix sockets.
enum UnixSockets {
    /// What is read of it at most.
    private static let limit = 16 << 20

    /// NETLINK_SOCK_DIAG.
    private static let diagnosis: Int32 = 4

    /// The inodes of the sockets at the far ends of those with this path; empty if the kernel does not report them.
    static func peers(of path: String) -> [UInt32] {
        let descriptor = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), diagnosis)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 1, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        // nlmsghdr: length, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST | NLM_F_DUMP, number, process.
        // unix_diag_req: AF_UNIX, all states, no inode, UDIAG_SHOW_NAME | UDIAG_SHOW_PEER, no cookie.
        let question: [UInt32] = [40, 0x0301_0014, 1, 0, 1, ~0, 0, 5, ~0, ~0]
        let sent = unsafe question.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, 0) }
        guard sent == 40 else { return [] }
        var peers: [UInt32] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var total = 0
        while total < limit {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            total += count
            var rest = buffer[..<count]
            while let message = part(of: &rest, header: 16, length: { $0.number(at: 0, bytes: 4) }) {
                // The list ends, or cannot be had.
                guard message.number(at: 4, bytes: 2) == 20 else { return peers }
                if let peer = peer(in: message, at: path) { peers.append(peer) }
            }
        }
        return peers
    }

    /// unix_diag_msg has 16 bytes, and attributes behind it: UNIX_DIAG_NAME is 0, UNIX_DIAG_PEER 2.
    private static func peer(in message: ArraySlice<UInt8>, at path: String) -> UInt32? {
        var rest = message.dropFirst(32)
        var (isThere, peer) = (false, UInt32?.none)
        while let attribute = part(of: &rest, header: 4, length: { $0.number(at: 0, bytes: 2) }) {
            let value = attribute.dropFirst(4)
            switch attribute.number(at: 2, bytes: 2) {
            case 0: isThere = value.prefix { $0 != 0 }.elementsEqual(path.utf8)
            case 2: peer = UInt32(truncatingIfNeeded: value.number(at: 0, bytes: 4))
            default: break
            }
        }
        return isThere ? peer : nil
    }

    /// Takes a part with its header, and the padding to four bytes behind it.
    private static func part(
        of rest: inout ArraySlice<UInt8>, header: Int, length: (ArraySlice<UInt8>) -> Int
    ) -> ArraySlice<UInt8>? {
        guard rest.count >= header else { return nil }
        let count = length(rest)
        guard count >= header, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst((count + 3) & ~3) }
        return rest.prefix(count)
    }
}

extension ArraySlice<UInt8> {
    /// A number in the byte order of the machine, which is little-endian wherever this runs; 0 where bytes are missing.
    fileprivate func number(at offset: Int, bytes: Int) -> Int {
        dropFirst(offset).prefix(bytes).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
