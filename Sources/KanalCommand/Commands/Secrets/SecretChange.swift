// SPDX-License-Identifier: Apache-2.0
import Terminal
import Translation

struct SecretChange: Report {
    enum State: String, Encodable { case added, changed, deleted }

    struct Entry: Encodable {
        let service: String
        let account: String
    }

    let secret: Entry
    let state: State

    init(_ name: SecretName, _ state: State) {
        secret = Entry(service: name.service, account: name.account)
        self.state = state
    }

    func text(_ style: Style) -> String {
        let text: Phrase =
            switch state {
            case .added: "The secret was added."
            case .changed: "The secret has another value."
            case .deleted: "The secret was deleted."
            }
        return translated(text) + "\n"
    }
}
