// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostProcess
import KanalKit
import Secrets
import Storage
import Translation

/// Receives answers through the application's own scheme: the desktop starts a program with the answer, which passes it
/// to the waiting program over a socket in the user's runtime directory.
///
/// The socket of a program is `$XDG_RUNTIME_DIR/kanal/SCHEME.NUMBER`. The client sends the answer and a line feed, and
/// gets one line: ``Receipt``.
enum SchemeReceiver {
    static func callback(_ scheme: String) -> String { "\(scheme):/authorization" }

    /// Opens the socket.
    ///
    /// - Parameter runtime: The user's runtime directory; nil if not set.
    static func open(
        _ requests: PendingRequests, scheme: String, in runtime: String?
    ) throws(AuthorizationError) -> CallbackReceiver {
        let path: String
        do throws(CallbackError) { path = try directory(in: runtime, create: true).path } catch {
            throw .notConfigured(Explanation(error.explanation))
        }
        guard let random = try? SystemRandom().bytes(8) else { throw .failed(.system("there are no random numbers")) }
        let name = "\(scheme).\(random.reduce(0 as UInt64) { $0 << 8 | UInt64($1) })"
        let number = try listen(at: path, as: name)
        let callback = callback(scheme)
        let listener = try AnswerListener(number, admits: LocalSocket.isOfThisUser) { heard in
            guard let end = heard.firstIndex(of: 0x0A) else {
                return heard.count <= Answer.limit ? nil : (Receipt.refused(.tooLong).bytes, {})
            }
            do throws(CallbackError) {
                let tell = try requests.take(String(decoding: heard[..<end], as: UTF8.self), callback: callback)
                return (Receipt.taken.bytes, tell)
            } catch {
                return (Receipt.refused(error).bytes, {})
            }
        }
        return CallbackReceiver(callback: callback, listener: listener, path: "\(path)/\(name)")
    }

    /// Delivers an answer to the program of this user that waits for it.
    static func deliver(_ url: String, in runtime: String?) throws(CallbackError) {
        guard url.utf8.count <= Answer.limit else { throw .tooLong }
        guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let colon = url.firstIndex(of: ":"),
            Authorization.isScheme(url[..<colon].lowercased())
        else { throw .malformed("it is not an address") }
        let directory = try directory(in: runtime, create: false)
        let names: [String]
        do throws(StorageError) { names = try directory.names() } catch { throw .unreachable("\(error)") }
        var refusal = CallbackError.notAwaited
        for name in names where name.hasPrefix(url[..<colon].lowercased() + ".") {
            switch ask("\(directory.path)/\(name)", url) {
            case .taken?: return
            case .refused(let reason)? where Receipt.rank(reason) > Receipt.rank(refusal): refusal = reason
            default: continue
            }
        }
        throw refusal
    }

    /// The directory of the sockets, which only this user may enter.
    private static func directory(in runtime: String?, create: Bool) throws(CallbackError) -> Directory {
        guard let runtime, runtime.hasPrefix("/") else {
            throw .unreachable("XDG_RUNTIME_DIR is not set: the answer returns only within a session of the desktop")
        }
        do throws(StorageError) {
            _ = try Directory(reading: runtime)
        } catch {
            throw .unreachable("XDG_RUNTIME_DIR cannot be used: \(error)")
        }
        do throws(StorageError) {
            return try Directory(path: runtime + "/kanal", create: create)
        } catch .notFound {
            throw .notAwaited
        } catch {
            throw .unreachable("\(runtime)/kanal cannot be used: \(error)")
        }
    }

    /// Listens under another name until the socket is ready: so no program mistakes it for a stale socket.
    private static func listen(at path: String, as name: String) throws(AuthorizationError) -> Int32 {
        let temporary = "\(path)/.\(name)"
        guard let socket = LocalSocket(path: temporary) else {
            throw .notConfigured("\(path) is too long for a socket, or no descriptors are left")
        }
        guard socket.listens(), unsafe rename(temporary, "\(path)/\(name)") == 0 else {
            let reason = Phrase(errno: errno)
            close(socket.number)
            unsafe unlink(temporary)
            throw .failed(.system("nothing can listen in \(path): \(reason)"))
        }
        return socket.number
    }

    /// - Returns: nil if no program listens there any more.
    private static func ask(_ path: String, _ url: String) -> Receipt? {
        guard let socket = LocalSocket(path: path) else { return nil }
        defer { close(socket.number) }
        switch socket.connects() {
        case 0: break
        case ECONNREFUSED:
            // A program that was killed left it behind.
            unsafe unlink(path)
            return nil
        default: return nil
        }
        guard LocalSocket.isOfThisUser(socket.number), let line = socket.exchange(url + "\n") else { return nil }
        return Receipt(line)
    }
}
