// SPDX-License-Identifier: Apache-2.0

/// The way in which a mode links each block to the one before, when its register is one block.
package enum Chain: Sendable {
    /// The sum of register and text is enciphered, is put out and goes into the register: CBC (GOST R 34.13-2015, 5.4).
    case input
    /// The sum of the enciphered register and the text is put out and goes into the register: CFB (5.5).
    case output
    /// The enciphered register stays in the register; the sum of it and the text is put out: OFB (5.3).
    case gamma
}
