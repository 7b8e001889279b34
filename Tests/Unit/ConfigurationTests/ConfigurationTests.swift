// SPDX-License-Identifier: Apache-2.0
import Configuration
import SecureChannel
import Storage
import Testing
import Token
import Translation

@Suite("What kanal.conf says to a program")
struct ConfigurationTests {
    private func configuration(system: String? = nil, user: String? = nil, program: String = "program") -> Configuration
    {
        Configuration(
            system: system.map { Array($0.utf8) }, user: user.map { Array($0.utf8) }, program: program)
    }

    @Test("Without files every setting has its default, and those of a token are the same")
    func defaults() {
        let configuration = configuration()
        #expect(configuration == Configuration())
        #expect(configuration.store == .user)
        #expect(configuration.policy.minimumProfile == .classic)
        #expect(!configuration.policy.requireSM)
        #expect(configuration.policy.pinRetention == .session)
        #expect(configuration.policy.reconnectWindow == 20)
        #expect(configuration.policy.reconnectWindowWired == 0)
        #expect(configuration.policy.busyWindow == 60)
        #expect(configuration.policy.wirelessReaders == [])
        #expect(!configuration.policy.plainBluetooth)
        #expect(configuration.policy.plainLogin == .reset)
        #expect(!configuration.isClosed)
        #expect(configuration.remarks == [])
    }

    @Test("Folders with key containers of all places count; ~/ is the user's home, and one that is no path is an error")
    func folders() {
        let read = configuration(
            system: "containers = /srv/keys, /srv/others\n[program program]\ncontainers = /opt/keys",
            user: "containers = ~/containers/\ncontainers = /home/more")
        #expect(read.containers == ["/srv/keys", "/srv/others", "/opt/keys", "~/containers/", "/home/more"])
        #expect(read.containerFolders(home: "/home/ann").contains("/home/ann/containers/"))
        #expect(read.containerFolders(home: nil) == ["/srv/keys", "/srv/others", "/opt/keys", "/home/more"])
        let wrong = configuration(user: "containers = /srv/keys, keys")
        #expect(wrong.containers.isEmpty && wrong.remarks.count == 1 && !wrong.isClosed)
        #expect(configuration(user: "containers = /srv/keys\nrequire_sm = yes").containers.isEmpty)
    }

    @Test("Every key is read; white space and comments do not count")
    func keys() {
        let configuration = configuration(
            system: """
                # a comment
                   application=mail   # another
                minimum_profile = modern
                require_sm\t=\ton
                pin_retention = none
                reconnect_window = 7
                reconnect_window_wired = 3600
                busy_window = 5
                wireless_readers = Virtual PCD*, ACME #1 ,, B?
                wireless_readers = Other
                plain_bluetooth = on
                plain_login = sticky\r
                hide_keys = gost , other-curves
                cache = on
                pin_pad = off
                """)
        #expect(configuration.remarks == [])
        #expect(configuration.store == .application("mail"))
        #expect(configuration.policy.minimumProfile == .modern)
        #expect(configuration.policy.requireSM)
        #expect(configuration.policy.pinRetention == .none)
        #expect(configuration.policy.reconnectWindow == 7)
        #expect(configuration.policy.reconnectWindowWired == 3600)
        #expect(configuration.policy.busyWindow == 5)
        #expect(configuration.policy.wirelessReaders.map(\.text) == ["Virtual PCD*", "ACME", "Other"])
        #expect(configuration.policy.plainBluetooth)
        #expect(configuration.policy.plainLogin == .sticky)
        #expect(!configuration.policy.usesPINPads)
        #expect(configuration.policy.hiddenKeys == [.gost, .otherCurves])
        #expect(configuration.policy.cachesObjects)
    }

    @Test("Keys are hidden by families; hide_gost_keys hides one, and is not set beside hide_keys")
    func hiddenKeys() {
        for (text, hidden) in [
            ("hide_keys = gost", .gost), ("hide_keys = other-curves", .otherCurves), ("hide_keys =", []),
            ("hide_gost_keys = on", .gost), ("hide_gost_keys = off", []),
        ] as [(String, KeyFamilies)] {
            let read = configuration(system: text)
            #expect(read.policy.hiddenKeys == hidden && read.remarks.isEmpty, "\(text)")
        }
        let both = configuration(user: "hide_gost_keys = on\nhide_keys = other-curves")
        #expect(
            both.remarks.map(\.description) == [
                "~/.config/kanal/kanal.conf:2: hide_keys and hide_gost_keys exclude each other"
            ])
        #expect(!both.isClosed)
        #expect(configuration(system: "hide_keys = gost, rsa").remarks.map(\.isError) == [true])
    }

    @Test("Programs that are known to fail at keys are not shown them, unless a file says which they are shown")
    func programDefaults() {
        #expect(configuration(program: "ssh-keygen").policy.hiddenKeys == [.gost, .otherCurves])
        #expect(configuration(program: "gnupg-pkcs11-scd").policy.hiddenKeys == .gost)
        #expect(configuration(program: "openssl").policy.hiddenKeys.isEmpty)
        for text in ["hide_keys =", "[program ssh-keygen]\nhide_keys =", "[program ssh-keygen]\nhide_gost_keys = off"] {
            #expect(configuration(system: text, program: "ssh-keygen").policy.hiddenKeys.isEmpty)
            #expect(configuration(user: text, program: "ssh-keygen").policy.hiddenKeys.isEmpty)
        }
        #expect(
            configuration(system: "hide_keys = x", program: "ssh-keygen").policy.hiddenKeys == [.gost, .otherCurves])
    }

    @Test("The user can turn the cache on, and not where the administrator has turned it off")
    func cache() {
        let (on, off) = ("cache = on", "cache = off")
        for (system, user, isOn) in [
            (nil, on, true), (on, nil, true), (on, off, false), (off, on, false), (nil, "cache = yes", false),
            ("cache = yes", on, false), (on, "x = 1", false),
        ] as [(String?, String?, Bool)] {
            #expect(configuration(system: system, user: user).policy.cachesObjects == isOn)
        }
    }

    @Test("Only the administrator can allow Bluetooth tokens in plain, and the user can take it back")
    func plainBluetooth() {
        let (on, off) = ("plain_bluetooth = on", "plain_bluetooth = off")
        for (system, user, isOn) in [
            (on, nil, true), (on, off, false), (off, on, false), (nil, on, false), (on, on, true),
            (off, "[program program]\n" + on, false), (off + "\n[program program]\n" + on, nil, true),
        ] as [(String?, String?, Bool)] {
            let configuration = configuration(system: system, user: user)
            #expect(configuration.policy.plainBluetooth == isOn)
            #expect(!configuration.isClosed)
            #expect(configuration.remarks.isEmpty == (isOn || user?.contains(on) != true))
        }
        let wrong = configuration(system: "plain_bluetooth = yes")
        #expect(!wrong.policy.plainBluetooth && !wrong.isClosed)
        #expect(wrong.remarks.map(\.isError) == [true])
    }

    @Test("A section counts for the program that it names, and overrides what stands before all sections")
    func sections() {
        let text = """
            pin_retention = none
            reconnect_window = 1
            [program mail client]
            reconnect_window = 2
            [program other]
            reconnect_window = 3
            [program mail client]
            application = mail
            """
        let mail = configuration(system: text, program: "mail client")
        #expect(mail.policy.reconnectWindow == 2)
        #expect(mail.store == .application("mail"))
        #expect(mail.policy.pinRetention == .none)
        #expect(configuration(system: text, program: "other").policy.reconnectWindow == 3)
        #expect(configuration(system: text, program: "third").policy.reconnectWindow == 1)
        #expect(configuration(system: text, program: "third").store == .user)
    }

    @Test("The user's file overrides the administrator's, its sections included")
    func precedence() {
        let configuration = configuration(
            system: "group = staff\nplain_login = sticky\n[program program]\nreconnect_window = 7",
            user: "application = own\nreconnect_window = 6")
        #expect(configuration.store == .application("own"))
        #expect(configuration.policy.reconnectWindow == 6)
        #expect(configuration.policy.plainLogin == .sticky)
        #expect(self.configuration(system: "group = staff", user: "group =").store == .user)
    }

    @Test("The user can raise protection and not lower it")
    func protection() {
        let strict = "minimum_profile = modern\nrequire_sm = on\nwireless_readers = A"
        let lax = "minimum_profile = classic\nrequire_sm = off\nwireless_readers = B"
        for (system, user) in [(strict, lax), (lax, strict)] {
            let configuration = configuration(system: system, user: user)
            #expect(configuration.policy.minimumProfile == .modern)
            #expect(configuration.policy.requireSM)
            #expect(Set(configuration.policy.wirelessReaders.map(\.text)) == ["A", "B"])
            #expect(!configuration.isClosed)
        }
        let remarks = configuration(system: strict, user: lax).remarks
        #expect(remarks.map(\.isError) == [false, false])
        #expect(remarks.allSatisfy { $0.text.description.contains("has no effect") })
        #expect(remarks.map(\.line) == [1, 2])
    }

    @Test("Of the settings of sessions, too, the user's count only where they are not laxer than the administrator's")
    func sessions() {
        let strict = "pin_retention = none\nreconnect_window = 5\nreconnect_window_wired = 0\nplain_login = reset"
        let lax = "pin_retention = session\nreconnect_window = 20\nreconnect_window_wired = 9\nplain_login = sticky"
        for (system, user) in [(strict, lax), (lax, strict)] {
            let policy = configuration(system: system, user: user).policy
            #expect(policy.pinRetention == .none)
            #expect(policy.reconnectWindow == 5)
            #expect(policy.reconnectWindowWired == 0)
            #expect(policy.plainLogin == .reset)
        }
        let remarks = configuration(system: strict, user: lax).remarks
        #expect(remarks.map(\.line) == [1, 2, 3, 4])
        #expect(remarks.allSatisfy { !$0.isError && $0.text.description.contains("has no effect") })
        #expect(configuration(system: lax, user: strict).remarks == [])
        // The user's value counts if the administrator sets none.
        #expect(configuration(user: lax).policy.plainLogin == .sticky)
        let wrong = configuration(system: "pin_retention = nonce", user: "pin_retention = session")
        #expect(wrong.policy.pinRetention == .none)
    }

    @Test("Whether the system's log is told anything only the administrator says")
    func syslog() {
        #expect(Configuration().reportsToSyslog)
        #expect(!configuration(system: "syslog = off").reportsToSyslog)
        #expect(!configuration(system: "syslog = off", user: "syslog = on").reportsToSyslog)
        let user = configuration(user: "syslog = off")
        #expect(user.reportsToSyslog)
        #expect(user.remarks.map(\.line) == [1])
        #expect(configuration(system: "syslog = no").reportsToSyslog)
        #expect(!configuration(system: "syslog = no").isClosed)
    }

    @Test("An administrator's section may protect a program less than the rest")
    func exception() {
        let text = "require_sm = on\n[program program]\nrequire_sm = off"
        #expect(!configuration(system: text).policy.requireSM)
        #expect(configuration(system: text, program: "other").policy.requireSM)
    }

    @Test("Of several groups the first counts, and it is said")
    func groups() {
        for text in ["group = a, b", "group = a\ngroup = b"] {
            let configuration = configuration(system: text)
            #expect(configuration.store == .groups(["a", "b"]))
            #expect(configuration.location(data: nil, home: "/h") == .group("/var/lib/kanal/groups/a"))
            #expect(configuration.remarks.map(\.isError) == [false])
        }
    }

    @Test("Where each store lies")
    func locations() {
        func location(_ text: String, data: String? = "/d", home: String? = "/h") -> PairingStore.Location {
            configuration(user: text).location(data: data, home: home, groups: "/g")
        }
        #expect(location("") == .directory("/d/kanal/pairings"))
        #expect(location("", data: nil) == .nowhere)
        #expect(location("application = a") == .directory("/d/kanal/applications/a"))
        #expect(location("application = a", data: nil) == .unusable(.notFound))
        #expect(location("group = a") == .group("/g/a", memory: "/d/kanal/groups/a"))
        #expect(location("group = a", data: nil) == .group("/g/a"))
        #expect(location("synchronised = /s") == .synchronised("/s", local: "/d/kanal/synchronised"))
        #expect(location("synchronised = ~/s") == .synchronised("/h/s", local: "/d/kanal/synchronised"))
        #expect(location("synchronised = ~/s", home: nil) == .unusable(.notFound))
    }

    @Test("Secrets of programs are in the directory that is named; a wrong one is no reason to use this machine's")
    func secrets() {
        #expect(configuration(user: "").secrets == .machine)
        #expect(configuration(user: "secrets = ~/s").secrets == .directory("~/s"))
        #expect(configuration(user: "secrets = /s\n[program program]\nsecrets =").secrets == .machine)
        for wrong in ["secrets = s", "secrets = ~user/s", "secrets = /a\nsecrets = /b", "secret = /a"] {
            #expect(configuration(user: wrong).secrets == .unusable, "\(wrong)")
        }
        #expect(!configuration(user: "secrets = s").isClosed)
    }
}
