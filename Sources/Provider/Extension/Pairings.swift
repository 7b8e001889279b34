// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import Cryptoki
import SecureChannel
import Token
import Tokens

@c @implementation
public func C_KANAL_GetChannelInfo(
    _ slotID: CK_SLOT_ID, _ pInfo: UnsafeMutablePointer<CK_KANAL_CHANNEL_INFO>?
) -> CK_RV {
    call { library throws(CKError) in
        let info = try unsafe output(pInfo, "pInfo")
        unsafe info.pointee = try CK_KANAL_CHANNEL_INFO(library.channelInfo(in: slotID))
    }
}

@c @implementation
public func C_KANAL_GetPairedHosts(
    _ slotID: CK_SLOT_ID, _ pHosts: UnsafeMutablePointer<CK_KANAL_PAIRED_HOST>?,
    _ pulHostCount: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        let place = try unsafe Output(pHosts, pulHostCount, "pulHostCount")
        let hosts = try library.pairedHosts(in: slotID)
        try place.fill(size: hosts.count) { () throws(CKError) in hosts.map { CK_KANAL_PAIRED_HOST($0) } }
    }
}

@c @implementation
public func C_KANAL_RemovePairedHost(
    _ hSession: CK_SESSION_HANDLE, _ pHost: UnsafeMutablePointer<CK_KANAL_PAIRED_HOST>?
) -> CK_RV {
    call { library throws(CKError) in
        let host = try unsafe output(pHost, "pHost").pointee
        try library.withSession(hSession) { session throws(CKError) in
            try session.removePairedHost(PairedHost.ID(host))
        }
    }
}

@c @implementation
public func C_KANAL_GetPairedTokens(
    _ pTokens: UnsafeMutablePointer<CK_KANAL_PAIRED_TOKEN>?, _ pulTokenCount: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        let place = try unsafe Output(pTokens, pulTokenCount, "pulTokenCount")
        let tokens = try library.pairedTokens()
        try place.fill(size: tokens.count) { () throws(CKError) in tokens.map { CK_KANAL_PAIRED_TOKEN($0) } }
    }
}

@c @implementation
public func C_KANAL_RemovePairedToken(
    _ pSerialNumber: UnsafeMutablePointer<CK_BYTE>?, _ ulSerialNumberLen: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        let serial = try unsafe bytes(pSerialNumber, ulSerialNumberLen, "pSerialNumber")
        guard serial.count == 8 else { throw .argumentsBad("ulSerialNumberLen is \(serial.count), and must be 8") }
        try library.removePairings(withToken: serial)
    }
}

extension PairedHost.ID {
    /// - Throws: `CKR_ARGUMENTS_BAD` for an entry that is not from a list.
    fileprivate init(_ host: CK_KANAL_PAIRED_HOST) throws(CKError) {
        guard let index = UInt8(exactly: host.ulIndex),
            let profile = UInt8(exactly: host.ulProfile).flatMap(Profile.init(rawValue:))
        else {
            throw .argumentsBad("pHost has the index \(host.ulIndex) and the profile \(host.ulProfile)")
        }
        self.init(index: index, profile: profile, hostID: bytes(of: host.hostID))
    }
}

extension CK_KANAL_PAIRED_HOST {
    fileprivate init(_ host: PairedHost) {
        self.init()
        ulIndex = CK_ULONG(host.index)
        ulProfile = CK_ULONG(host.profile.rawValue)
        flags = (host.isSelf ? CKF_KANAL_HOST_SELF : 0) | (host.isActive ? CKF_KANAL_HOST_ACTIVE : 0)
        copy(host.hostID, into: &hostID)
        pad(&label, with: host.label.utf8)
    }
}

extension CK_KANAL_PAIRED_TOKEN {
    fileprivate init(_ token: PairedToken) {
        self.init()
        copy(token.serial, into: &serialNumber)
        ulProfile = CK_ULONG(token.profile.rawValue)
        flags = token.isKeyChanged ? CKF_KANAL_TOKEN_KEY_CHANGED : 0
        copy(token.hostID, into: &hostID)
        ulCreated = CK_ULONG(exactly: token.created) ?? .unavailable
        ulLastUsed = token.lastUsed.flatMap { CK_ULONG(exactly: $0) } ?? .unavailable
        pad(&label, with: token.label.utf8)
    }
}

extension CK_KANAL_CHANNEL_INFO {
    fileprivate init(_ info: ChannelInfo) {
        self.init()
        ulState = info.state.number
        let told: [(Bool, CK_FLAGS)] = [
            (info.needsActivation, CKF_KANAL_ACTIVATION_NEEDED), (info.isWireless, CKF_KANAL_WIRELESS),
            (info.needsButton, CKF_KANAL_BUTTON_NEEDED), (info.isPairingOpen, CKF_KANAL_PAIRING_OPEN),
            (info.isInUse, CKF_KANAL_IN_USE),
        ]
        flags = told.reduce(0) { $1.0 ? $0 | $1.1 : $0 }
        ulProfiles = info.profiles.reduce(0) { $0 | CK_ULONG($1.rawValue) }
        ulProfile = CK_ULONG(info.profile?.rawValue ?? 0)
        copy(info.serial, into: &serialNumber)
        pad(&label, with: info.label.utf8)
        ulPasswordCount = CK_ULONG(info.passwords.count)
        let numbers = info.passwords.flatMap { password in
            [CK_ULONG(password.state.rawValue), password.triesLeft.map(CK_ULONG.init) ?? .unavailable]
        }
        copy(numbers.flatMap { number in bytes(of: number) }, into: &passwords)
    }
}

extension ChannelInfo.State {
    /// `KANAL_CHANNEL_`
    fileprivate var number: CK_ULONG {
        switch self {
        case .none: KANAL_CHANNEL_NONE
        case .active: KANAL_CHANNEL_ACTIVE
        case .inactive: KANAL_CHANNEL_INACTIVE
        case .forgotten: KANAL_CHANNEL_FORGOTTEN
        case .keyChanged: KANAL_CHANNEL_KEY_CHANGED
        case .missing: KANAL_CHANNEL_MISSING
        case .unusable: KANAL_CHANNEL_UNUSABLE
        }
    }
}
