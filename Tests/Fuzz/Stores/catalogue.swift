// SPDX-License-Identifier: Apache-2.0
import Translation

/// A file of translations, which may be damaged: each translation has all arguments of the phrase.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCatalogue(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let catalogue = Catalogue(input) else { return 0 }
    let phrases: [Phrase] = [
        "cancelled", "no token is called \("[a]"): \("[b]")", "\("[a]") of \("[b]")",
        "the PIN is wrong: \("\("[a]") of \("[b]")" as Phrase)",
    ]
    for phrase in phrases {
        let text = phrase.text(in: catalogue)
        for part in ["[a]", "[b]"] where phrase.description.contains(part) && !text.contains(part) {
            fatalError("\(part) is lost in \(text)")
        }
    }
    _ = Phrase(errno: 2).text(in: catalogue)
    return 0
}
