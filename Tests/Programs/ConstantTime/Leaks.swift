// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// Leaks that valgrind must report: the harness's own test.
extension Claim {
    static let leaks = [
        Claim("table") { inputs in
            let table = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 5) }
            let secret = inputs.secret(32)
            return revealed(secret.bytes.indices.map { table[Int(secret.bytes[$0])] })
        },
        // The answer is published, and the branch after it is not.
        Claim("answer") { inputs in
            let secret = inputs.secret(32)
            guard published(secret.bytes[0] != 0) else { return [0] }
            return secret.bytes[1] == 0 ? [1] : [2]
        },
        Claim("branch") { inputs in
            let secret = inputs.secret(32)
            var steps: UInt8 = 0
            for index in secret.bytes.indices {
                if secret.bytes[index] == 0 { break }
                steps += 1
            }
            return revealed([steps])
        },
    ]
}
