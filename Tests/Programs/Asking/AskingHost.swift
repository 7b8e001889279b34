// SPDX-License-Identifier: Apache-2.0
// asking-host SETTING SECONDS [secret|confirm|new|wrong] [CHANGE…]: changes its process, asks once, and prints the outcome.
import Asking
import CSystem
import Glibc
import Secrets
import Translation

/// The descriptors that are open before the library is called, of which some show the test that the process has ended. A
/// process can be started with any number of them.
let own = (0..<Int32(clamping: min(sysconf(Int32(_SC_OPEN_MAX)), 65_536))).filter { fcntl($0, F_GETFD) >= 0 }

/// Changes to its process that a host may have made before it asks.
func change(_ word: String) -> Bool {
    switch word {
    case "ignore-children": signal(SIGCHLD, SIG_IGN)
    case "no-zombies":
        var action = sigaction()
        action.sa_flags = SA_NOCLDWAIT
        unsafe sigaction(SIGCHLD, &action, nil)
    case "reap":
        signal(SIGCHLD) { _ in while waitpid(-1, nil, WNOHANG) > 0 {} }
    case "signals":
        for number in 1...31 as ClosedRange<Int32> where number != SIGCHLD { signal(number, SIG_IGN) }
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, nil)
    case "close-0": close(0)
    case "close-1": close(1)
    case "close-2": close(2)
    case "files":
        var limit = rlimit(rlim_cur: 10_100, rlim_max: 10_100)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        for _ in 0..<10_000 where unsafe open("/", O_RDONLY) < 0 { return false }
    case "no-files":
        var limit = rlimit(rlim_cur: 64, rlim_max: 64)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        while unsafe open("/", O_RDONLY) >= 0 {}
    case "fork":
        // Another thread forks a child while the question is open, which outlives it. It keeps the library's descriptors.
        guard !own.isEmpty else { return false }
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, nil,
            { _ in
                usleep(500_000)
                unsafe fork_waiting_child(own, Int32(own.count))
                return nil
            }, nil)
        return code == 0
    default: return false
    }
    return true
}

@main
enum AskingHost {
    static func main() {
        // The parent may have blocked signals.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
        let words = CommandLine.arguments
        guard words.count >= 4, var authenticator = Authenticator(setting: words[1]), let limit = Int(words[2]) else {
            exit(2)
        }
        // The descriptor for the outcome, also if the standard ones are closed.
        let output = fcntl(1, F_DUPFD_CLOEXEC, 100)
        for word in words.dropFirst(4) where !change(word) { exit(2) }
        authenticator.timeLimit = limit
        let isNew = words[3] == "new"
        let question = Question(
            title: "Kanal", text: "PIN of token 100%\nfor \u{1B}[31masking-host", prompt: "PIN:",
            button: words[3] == "confirm" ? "Sign" : nil,
            error: words[3] == "wrong" ? "Wrong PIN." : nil, repeatPrompt: isNew ? "Again:" : nil,
            key: isNew ? nil : "kanal/test")
        var text: String
        do throws(AskingError) {
            if words[3] == "confirm" {
                try authenticator.confirm(question)
                text = "confirmed"
            } else {
                let secret = try authenticator.secret(for: question)
                let digits = [UInt8](copying: secret).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
                text = "answer " + digits.joined()
            }
        } catch {
            text = "\(error)"
        }
        let open = (0...2 as ClosedRange<Int32>).filter { fcntl($0, F_GETFD) >= 0 }
        var info = unsafe siginfo_t()
        let hasChildren = unsafe waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD
        text += "\nopen \(open)\nchildren \(hasChildren)\n"
        _ = unsafe text.utf8CString.withUnsafeBytes { unsafe write(output, $0.baseAddress, $0.count - 1) }
    }
}
