// SPDX-License-Identifier: Apache-2.0

import Secrets
import Token
import Tokens

/// A key container of CryptoPro CSP on a token, as everybody may see it without a PIN.
public struct KeyContainer: Sendable, Equatable {
    /// The place of its files: the number of a directory in `1000/1003`, in four hexadecimal digits.
    public let place: String
    /// Its name; empty if the token does not report it.
    public let name: String
}

extension KeyContainer {
    init(_ place: ContainerPlace) {
        self.place = place.directory.hexadecimal(digits: 4).uppercased()
        name = place.name
    }
}
