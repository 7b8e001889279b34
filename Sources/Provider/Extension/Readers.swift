// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import Cryptoki
import Token
import Tokens

@c @implementation
public func C_KANAL_GetReaders(
    _ pReaders: UnsafeMutablePointer<CK_KANAL_READER>?, _ pulReaderCount: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        let place = try unsafe Output(pReaders, pulReaderCount, "pulReaderCount")
        let readers = try library.readerList()
        try place.fill(size: readers.count) { () throws(CKError) in readers.map { CK_KANAL_READER($0) } }
    }
}

extension CK_KANAL_READER {
    fileprivate init(_ reader: ReaderReport) {
        self.init()
        slotID = CK_SLOT_ID(reader.slot)
        flags = reader.flags
        pad(&nickname, with: reader.nickname.utf8)
        pad(&name, with: reader.name.utf8)
        let media = reader.token.flatMap {
            $0.isActivated ? ReaderReport.media($0.info.serial, isFolder: $0.info.isFolder) : nil
        }
        pad(&self.media, with: (media ?? "").utf8)
    }
}

extension ReaderReport {
    fileprivate var flags: CK_FLAGS {
        var flags: CK_FLAGS = isOccupied ? CKF_KANAL_READER_PRESENT : 0
        if isWireless { flags |= CKF_KANAL_READER_WIRELESS }
        guard let token else { return flags }
        if token.protection.isAvailable { flags |= CKF_KANAL_READER_CHANNEL_OFFERED }
        if token.protection.isAvailable, token.isActivated { flags |= CKF_KANAL_READER_CHANNEL_ACTIVE }
        if token.isActivated, token.info.user.triesLeft == 0 { flags |= CKF_KANAL_READER_PIN_LOCKED }
        return flags
    }
}
