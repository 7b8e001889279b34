// SPDX-License-Identifier: Apache-2.0

/// Which readers reach their cards over the air (GSC/1, 4). Each sign counts: the reader's name, the reader's report on
/// the card's contacts, or the card's answer to reset.
enum WirelessReaders {
    /// Words in the names that pcscd's drivers give such readers, or the wireless side of a reader with two.
    private static let words: Set<String> = [
        "ble", "bluetooth", "bt", "cl", "cli", "contactless", "felica", "nfc", "nfcd", "picc", "rf", "rfid", "wireless",
    ]

    /// Whether a reader's name has one of the words, alone or as the letters before a number: "502-CL" and "CL1356A"
    /// do, "CLOUD 2980" does not.
    static func areNamed(by name: String) -> Bool {
        name.lowercased().split { !$0.isLetter && !$0.isNumber }
            .contains { words.contains(String($0.prefix { $0.isLetter })) }
    }

    /// Whether an answer to reset is the form readers make up for a contactless card (PC/SC part 3, 3.1.3.2.3): T=0
    /// and T=1 offered without any parameter. Contacts of the cards that are driven here have others.
    static func answer(with atr: [UInt8]) -> Bool {
        atr.count > 4 && atr[0] == 0x3B && atr[1] & 0xF0 == 0x80 && atr[2] == 0x80 && atr[3] == 0x01
    }
}
