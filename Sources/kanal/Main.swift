// SPDX-License-Identifier: Apache-2.0
import Glibc
import KanalCommand
import Terminal

/// The program: it takes signals and descriptors over, and leaves the rest to `KanalCommand`.
@main
enum Main {
    static func main() async {
        unsafe setlocale(LC_CTYPE, "")
        OutputStream.takeFreeNumbers()
        Interruption.listen()
        let work = Task { await Invocation(FileName.arguments.dropFirst()).run() }
        Interruption.onRequest({ work.cancel() }, again: { _exit(ExitStatus.cancelled.rawValue) })
        // Everything is written, and nothing that a library does at its end is missed.
        _exit(await work.value.rawValue)
    }
}
