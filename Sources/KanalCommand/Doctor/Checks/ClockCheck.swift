// SPDX-License-Identifier: Apache-2.0
import Glibc
import Translation

/// The time, by which certificates are valid, and pairings young or old.
struct ClockCheck {
    let person: CurrentUser

    /// The first moment of 2026, when this version did not exist yet.
    private static let earliest = 1_767_225_600
    private static let day = 86_400

    func findings() -> [Finding] {
        let now = time(nil)
        if let hardware = hardwareClock, (0..<1 << 40).contains(hardware), abs(now - hardware) > 2 * Self.day {
            return [
                .error(
                    "clock.drift", "the clock shows \(date(now)), and the machine's hardware clock \(date(hardware))",
                    remedy: remedy(byHardware: hardware >= Self.earliest))
            ]
        }
        // The file was there before this moment, so that the clock cannot be earlier.
        let installed = Files.status("/proc/self/exe")?.modified ?? 0
        guard now < max(Self.earliest, installed - Self.day) || now > Self.earliest + 50 * 365 * Self.day else {
            return []
        }
        return [
            .error(
                "clock.wrong",
                "the clock shows \(date(now)), which cannot be right: this command was built on \(date(installed))",
                remedy: remedy(byHardware: false))
        ]
    }

    private func remedy(byHardware: Bool) -> Phrase {
        if person.hasSystemd { return person.asRoot("timedatectl set-ntp true") }
        return byHardware ? person.asRoot("hwclock --hctosys") : "Set the clock, as root: date -s 'YYYY-MM-DD hh:mm:ss'"
    }

    /// In seconds since 1970, if it counts in UTC; by local time it is hours off.
    private var hardwareClock: Int? {
        Files.lines("/sys/class/rtc/rtc0/since_epoch").first.flatMap { Int($0) }
    }

    private func date(_ seconds: Int) -> String {
        var seconds = seconds
        var parts = unsafe tm()
        guard unsafe gmtime_r(&seconds, &parts) != nil else { return "\(seconds) s" }
        func digits(_ value: Int32) -> String { (value < 10 ? "0" : "") + String(value) }
        return unsafe "\(Int(parts.tm_year) + 1900)-\(digits(parts.tm_mon &+ 1))-\(digits(parts.tm_mday))"
    }
}
