// SPDX-License-Identifier: Apache-2.0
// find: looks five times, once a second, for a token that can be worked with.
import KanalKit

let manager = try TokenManager()
var seen: Set<String> = []
do {
    // The predicate runs on the main actor, as this file does.
    let token = try await manager.find(attempts: 5, delay: .seconds(1)) { token, stop in
        if seen.insert(token.information.serialText).inserted { print("looking at \(token.information.serialText)") }
        // A token that wants to be activated ends the search: waiting does not help.
        stop = !token.isActivated
        return token.isActivated
    }
    print("found: \(token.information)")
} catch {
    print("not found: \(error)")
}
