// SPDX-License-Identifier: Apache-2.0
import Configuration
import Testing

@Suite("A host's name in a token's list of hosts")
struct HostLabelTests {
    @Test(
        "names user, machine and application, and has at most 32 bytes of whole characters",
        arguments: [
            ("ann", "desk", "firefox", "ann@desk firefox"),
            ("ann", "desk", "", "ann@desk"),
            ("", "desk", "firefox", "desk firefox"),
            ("ann", "", "firefox", "ann firefox"),
            ("", "", "", ""),
            ("ann", "a-machine-with-a-long-name-indeed", "openvpn", "ann@a-machine-with-a-lon openvpn"),
            ("ann", "a-machine-with-a-long-name-indeed", "chromium-browser", "ann@a-machine-with-a-lo chromium"),
            ("ann", "desk", "a-program-with-a-very-long-name", "ann@desk a-program-with-a-very-l"),
            ("иван", "сервер", "подписание", "иван@сервер подпи"),
            ("😀", "😀😀😀😀😀😀", "😀", "😀@😀😀😀😀😀 😀"),
        ])
    func form(_ user: String, _ machine: String, _ program: String, _ text: String) {
        let label = HostLabel(user: user, machine: machine, program: program).text
        #expect(label == text)
        #expect(label.utf8.count <= 32)
    }

    @Test("tells two users of one machine, and two applications of one user, apart")
    func different() {
        let long = String(repeating: "x", count: 40)
        let labels = [("ann", "a"), ("bob", "a"), ("ann", "b")].map { user, program in
            HostLabel(user: user, machine: long, program: program).text
        }
        #expect(Set(labels).count == 3)
    }
}
