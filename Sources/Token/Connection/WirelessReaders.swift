// SPDX-License-Identifier: Apache-2.0

/// Which readers reach their cards over the air (GSC/1, 4). Whatever says so counts: the reader's name, what the reader
/// says of the card's contacts, or the card's answer to reset.
enum WirelessReaders {
    /// What the drivers of pcscd call such readers, or that side of a reader which has two.
    private static let words: Set<String> = [
        "ble", "bluetooth", "bt", "cl", "cli", "contactless", "felica", "nfc", "nfcd", "picc", "rf", "rfid", "wireless",
    ]

    /// Whether one of the words stands in the name of a reader, alone or as the letters before a number: "502-CL" and
    /// "CL1356A" say it, "CLOUD 2980" does not.
    static func areNamed(by name: String) -> Bool {
        name.lowercased().split { !$0.isLetter && !$0.isNumber }
            .contains { words.contains(String($0.prefix { $0.isLetter })) }
    }

    /// Whether an answer to reset is the one that readers make up for a contactless card (PC/SC part 3, 3.1.3.2.3): T=0
    /// and T=1 offered without any parameter. Contacts of the cards that are driven here have others.
    static func answer(with atr: [UInt8]) -> Bool {
        atr.count > 4 && atr[0] == 0x3B && atr[1] & 0xF0 == 0x80 && atr[2] == 0x80 && atr[3] == 0x01
    }
}
