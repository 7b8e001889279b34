// SPDX-License-Identifier: Apache-2.0
import Translation

/// The work of a batch, in sentences.
enum BatchWork {
    case signing, verification, encryption, decryption, stamping, `extension`

    var title: Phrase {
        switch self {
        case .signing: "Signing"
        case .verification: "Verifying"
        case .encryption: "Encrypting"
        case .decryption: "Decrypting"
        case .stamping: "Stamping"
        case .extension: "Extending"
        }
    }

    var failure: Phrase {
        switch self {
        case .signing: "it was not signed"
        case .verification: "it was not accepted"
        case .encryption: "it was not encrypted"
        case .decryption: "it was not decrypted"
        case .stamping: "it was not stamped"
        case .extension: "it was not extended"
        }
    }

    func sum(_ done: Int, of count: Int) -> Phrase {
        switch self {
        case .signing: "signed \(done) of \(count) files"
        case .verification: "accepted \(done) of \(count) files"
        case .encryption: "encrypted \(done) of \(count) files"
        case .decryption: "decrypted \(done) of \(count) files"
        case .stamping: "stamped \(done) of \(count) files"
        case .extension: "extended \(done) of \(count) files"
        }
    }

    /// The files without a result, behind ``sum(_:of:)``.
    func without(_ names: Phrase) -> Phrase {
        switch self {
        case .signing: "; without a signature: \(names)"
        case .verification: "; not accepted: \(names)"
        case .encryption: "; not encrypted: \(names)"
        case .decryption: "; not decrypted: \(names)"
        case .stamping: "; without a time stamp: \(names)"
        case .extension: "; not extended: \(names)"
        }
    }
}
