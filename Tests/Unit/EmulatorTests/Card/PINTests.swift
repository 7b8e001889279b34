// SPDX-License-Identifier: Apache-2.0
import Emulator
import TestSupport
import Testing

@Suite("PINs (Card, 7)")
struct PINTests {
    @Test("Ten wrong PINs answer 6300, the eleventh try 6983; every place that shows the tries shows them")
    func blocking() throws {
        let card = try EmulatedCard.usb()
        for left in (0...9).reversed() {
            #expect(card.send("0020000208" + PIN.wrong) == "6300")
            let nibble = String(left, radix: 16)
            #expect(card.send("00CA010226").hasPrefix("62248506010680a" + nibble))
            #expect(card.send("00200002") == (left == 0 ? "6983" : "63c" + nibble))
        }
        #expect(card.send("0020000208" + PIN.wrong) == "6983")
        #expect(card.loginUser() == "6983", "the right PIN too")
        #expect(card.send("002C0302") == "6982")
        #expect(card.loginAdministrator() == "9000")
        #expect(card.send("002C0302") == "9000")
        #expect(card.send("00200002") == "63ca")
        #expect(card.loginUser() == "9000", "the value is unchanged")
    }

    @Test("A right PIN restores the tries and moves the change counter only then")
    func restore() throws {
        let card = try EmulatedCard.usb()
        card.loginUser()
        #expect(card.changes == 0)
        card.send("80400000")
        card.send("0020000204" + "31323334")
        #expect(card.changes == 1)
        #expect(card.send("00200002") == "63c9")
        card.loginUser()
        #expect(card.changes == 2)
        #expect(card.send("00200002") == "63ca")
    }

    @Test("A try is in the memory before the PIN is compared, so that taking the power away wins none")
    func spentBefore() throws {
        let memory = FaultyMemory()
        let card = try EmulatedCard.usb(memory)
        memory.fail(at: 1, .before)
        #expect(card.loginUser() == "6400", "the second write gives the try back")
        #expect(try EmulatedCard(.usb, memory: FaultyMemory(memory.states.last)).send("00200002") == "63c9")
        memory.fail(at: 0, .before)
        #expect(card.send("0020000208" + PIN.wrong) == "6400")
        #expect(card.send("00200002") == "63c9")
    }

    @Test("VERIFY of the PIN that is held already answers 6F86; rights of different PINs coexist")
    func alreadyHeld() throws {
        let card = try EmulatedCard.usb()
        #expect(card.loginAdministrator() == "9000")
        #expect(card.loginUser() == "9000")
        #expect(card.loginUser() == "6f86")
        #expect(card.loginAdministrator() == "6f86")
        #expect(card.send("80400002") == "9000")
        #expect(card.loginUser() == "9000", "only the user's right was dropped")
        #expect(card.loginAdministrator() == "6f86")
        var identity = Identity.usb
        identity.verifiesAgain = true
        let other = try EmulatedCard(identity)
        for _ in 0..<2 { #expect(other.loginUser() == "9000") }
        #expect(other.send("0020000208" + PIN.wrong) == "6300")
        #expect(other.loginUser() == "9000", "the wrong PIN took the right away")
        #expect(card.send("80400000") == "9000")
        #expect(card.loginAdministrator() == "9000")
    }

    @Test("Power off and reset drop all rights")
    func power() throws {
        let card = try EmulatedCard.usb()
        for takeAway in [{ card.powerOff() }, { _ = card.reset() }] {
            #expect(card.loginUser() == "9000")
            takeAway()
            #expect(card.loginUser() == "9000", "not 6F86")
            takeAway()
        }
    }

    @Test("The user changes the own PIN; the template says that it is no longer the default")
    func change() throws {
        let card = try EmulatedCard.usb()
        #expect(card.send("002401020C 80020008A608" + "3131313131313131") == "6700", "Lc is wrong")
        #expect(card.send("002401020E 80020008A608 3131313131313131") == "6982")
        card.loginUser()
        #expect(card.send("002401020E 80020007A608 3131313131313131") == "6a80", "the lengths differ")
        #expect(card.send("002401020B 80020005A605 3131313131") == "6a80", "too short")
        #expect(card.send("002401020E 80020008A608 3131313131313131") == "9000")
        #expect(card.send("00CA010226").hasPrefix("62248506010684aa"))
        card.send("80400000")
        #expect(card.loginUser() == "6300")
        #expect(card.send("0020000208 3131313131313131") == "9000")
        #expect(card.send("002401020E 80020008A508" + PIN.user) == "9000")
        #expect(card.send("00CA010226").hasPrefix("62248506010600aa"), "the default again, given as raw bytes")
    }

    @Test("The policy says who changes the user's PIN: not the administrator, with the conditions of the factory")
    func policy() throws {
        let card = try EmulatedCard.usb()
        card.loginAdministrator()
        #expect(card.send("002401020E 80020008A608 3131313131313131") == "6982")
        #expect(card.send("0024010206 80020000A500") == "6982", "nor resets it")
        #expect(card.send("002401010E 80020008A608 3131313131313131") == "9000", "but changes the own one")
        #expect(card.send("002C0301") == "6982", "which nobody unblocks")
    }

    @Test("With the policy for both the administrator sets the user's PIN, and resets it to the default that is stored")
    func defaults() throws {
        let card = try EmulatedCard.usb()
        Format.vendor(card, policy: "03")
        #expect(card.send("00CA01890C").hasPrefix("0143100122020" + "3"))
        card.loginUser()
        #expect(card.send("0024010206 80020000A500") == "6982", "the user cannot reset")
        #expect(card.send("00DA01610A A608 3232323232323232") == "6982")
        card.loginAdministrator()
        #expect(card.send("002401020E 80020008A608 3131313131313131") == "9000")
        #expect(card.send("00DA01610A A608 3232323232323232") == "9000")
        #expect(card.send("0024010206 80020000A500") == "9000")
        card.send("80400000")
        #expect(card.send("0020000208 3232323232323232") == "9000")
        card.loginAdministrator()
        #expect(card.send("00DA016102 A600") == "9000")
        #expect(card.send("0024010206 80020000A500") == "9000")
        card.send("80400000")
        #expect(card.loginUser() == "9000")
    }

    @Test("A forced change is set by the administrator and cleared by the user's own change")
    func forcedChange() throws {
        let card = try EmulatedCard.usb()
        card.loginUser()
        #expect(card.send("00DA016204 02000000") == "6982")
        card.loginAdministrator()
        #expect(card.send("00DA016204 02000000") == "9000")
        #expect(card.send("00CA016200") == "020000009000")
        #expect(card.send("002401020E 80020008A608" + PIN.user) == "9000", "the same value is accepted")
        #expect(card.send("00CA016200") == "000000009000")
    }

    @Test("A local PIN is made by the user, verified and changed by who knows it, and counts its own tries")
    func localPIN() throws {
        let card = try EmulatedCard.usb()
        let path = "00A4080408 1000 1000 6005 0003"
        #expect(card.send(path + "FF") == "6a82")
        card.loginUser()
        #expect(card.send("00E0000027" + KeyFiles.localPIN("03")) == "9000")
        #expect(card.send(path) == "9000")
        #expect(card.send("002401000E 80020008A608 3333333333333333") == "9000")
        card.send("80400000")
        #expect(card.send(path + "FF").hasPrefix("622c800200088102004885062106" + "83aa0000"))
        #expect(card.send("0020008308 3434343434343434") == "6300")
        #expect(card.send("00200083") == "63c9")
        #expect(card.send("00200002") == "63ca")
        card.send(path)
        #expect(card.send("002401000E 80020008A608 3535353535353535") == "6982")
        #expect(card.send("0020008308 3333333333333333") == "9000")
        #expect(card.send("002401000E 80020008A608 3535353535353535") == "9000")
        #expect(card.send("80400003") == "9000")
        #expect(card.send("0020008308 3535353535353535") == "9000")
        #expect(card.send("0020008408 3535353535353535") == "6a82")
    }

    @Test("Licences are written by the user or the administrator, whole, and leave the change counter alone")
    func licences() throws {
        let card = try EmulatedCard.usb()
        let licence = String(repeating: "a5", count: 72)
        #expect(card.send("00DA017248" + licence) == "6982")
        card.loginUser()
        #expect(card.send("00DA017248" + licence) == "9000")
        #expect(card.send("00DA017547" + licence.dropLast(2)) == "6700")
        #expect(card.send("00CA017248") == licence + "9000")
        #expect(card.changes == 0)
        card.send("808A0000")
        #expect(card.send("00CA017248") == licence + "9000", "and survive a format")
    }
}
