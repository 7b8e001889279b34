// SPDX-License-Identifier: Apache-2.0

/// A field that cards are held to.
package protocol CardField {
    /// Whether no card will come any more: the user has closed it, or its time is over.
    var isOver: Bool { get }

    /// Lets the cards in it go, for others to come, because they are not those that are wanted.
    func letCardsGo()
}
