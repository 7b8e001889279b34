// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostProcess

/// A terminal, open beside the program that uses it.
struct UserTerminal: ~Copyable {
    let descriptor: Int32
    private let settings: termios

    /// - Returns: nil if the path does not lead to a terminal, or it cannot be opened.
    init?(_ path: String) {
        let number = StandardDescriptors.avoid(otherwise: -1) {
            unsafe open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        }
        guard number >= 0 else { return nil }
        var settings = termios()
        guard unsafe tcgetattr(number, &settings) == 0 else {
            close(number)
            return nil
        }
        descriptor = number
        self.settings = settings
    }

    deinit { close(descriptor) }

    /// Reserves the terminal for a question, so that questions of threads and processes take turns.
    ///
    /// - Returns: Whether it was free before the deadline.
    func take(until deadline: Deadline) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { return true }
            guard !deadline.isOver else { return false }
            var pause = timespec(tv_sec: 0, tv_nsec: 50_000_000)
            unsafe nanosleep(&pause, nil)
        }
        return true
    }

    /// Ends that. A forked child has the same lock, so that closing the file would not be enough.
    func giveBack() { flock(descriptor, LOCK_UN) }

    /// Sets the terminal as it was, after a program that could not do so. A process in the background may, too.
    func restore() {
        var signals = sigset_t(), before = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGTTOU)
        guard unsafe pthread_sigmask(SIG_BLOCK, &signals, &before) == 0 else { return }
        var settings = settings
        unsafe tcsetattr(descriptor, TCSANOW, &settings)
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }
}
