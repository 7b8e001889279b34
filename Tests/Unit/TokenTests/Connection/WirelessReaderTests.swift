// SPDX-License-Identifier: Apache-2.0
import Testing
import Token

@Suite("Which readers count as wireless by their names (GSC/1, 4)")
struct WirelessReaderTests {
    @Test(
        "The words that pcscd's drivers have for it count, in any case, alone or before a number",
        arguments: [
            "ACS ACR122U PICC Interface 00 00", "Feitian 502-CL 00 00", "Circle CIR215 CL 00 00",
            "Identiv uTrust 3700 F CL Reader [CL Reader Interface] (1234) 00 00", "OMNIKEY 6321 CLi USB 00 00",
            "id3 Semiconductors CL1356A_HID 00 00", "Feitian BLE CCID Dongle 00 00", "KRONEGGER NFC blue 00 00",
            "REINER SCT cyberJack RFID basis 00 00", "ASK-RFID CPL108 00 00", "SONY FeliCa RC-S300/P 00 00",
            "SCM Microsystems Inc. SDI011 Contactless Reader 00 00", "Gemalto Prox-DU Contactless_12400038 00 00",
            "Acme Wireless Reader 00 00", "Thales RF Reader 00 00", "ifd-nfcd-handler 00 00", "Rutoken BT 00 00",
            "REINER SCT tanJack Bluetooth 00 00", "SpringCard NFC'Roll 00 00", "acme cl 00 00", "NFC2 00 00",
        ])
    func wireless(_ name: String) { #expect(TokenPolicy().isWireless(name)) }

    @Test(
        "A word within another does not count, and readers that are tokens stay what they are",
        arguments: [
            "Aktiv Rutoken ECP 00 00", "Aktiv Rutoken lite 00 00", "Aktiv Rutoken SCR 3001 Reader 00 00",
            "Aktiv Rutoken UART SC Reader 00 00", "Aktiv Rutoken PINPad 2 00 00", "Aktiv Rutoken Magistra 00 00",
            "Identive CLOUD 2700 F Smart Card Reader 00 00", "Generic Smart Card Reader Interface 00 00",
            "Lenovo Lenovo Smartcard Wired Keyboard II 00 00", "SCM Microsystems Inc. SCR 355 00 00",
            "Gemalto Prox-DU Contact_12400038 00 00", "Virtual PCD 00 00", "Cherry ECLIPSE 00 00", "Table Top 00 00",
            "",
        ])
    func wired(_ name: String) { #expect(!TokenPolicy().isWireless(name)) }
}
