// SPDX-License-Identifier: Apache-2.0

/// A property that does not make values differ which are equal in all that an application sees.
@propertyWrapper
struct Uncompared<Value: Sendable>: Sendable, Equatable {
    var wrappedValue: Value

    static func == (first: Self, second: Self) -> Bool { true }
}
