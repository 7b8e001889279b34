// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import GOST
import Secrets

/// An encryption or decryption (PKCS #11 v2.40, 5.8 and 5.9).
package final class CipherOperation {
    private let cipher: any RunningCipher
    private let direction: CipherDirection
    /// Bytes that wait for the rest of their block, or of the text.
    private var pending: [UInt8] = []
    private(set) var isMultiPart = false
    /// The result that a question for the length has computed. It is computed once, and given out once.
    private var answer: Answer?

    /// A text and the cipher's result.
    private final class Answer {
        let text: [UInt8]
        let result: Secret

        init(_ text: [UInt8], _ result: consuming Secret) {
            self.text = text
            self.result = result
        }
    }

    init(_ cipher: any RunningCipher, _ direction: CipherDirection) {
        self.cipher = cipher
        self.direction = direction
    }

    deinit { pending.wipe() }

    /// The number of bytes that the text as a whole gives, or a limit.
    package func size(ofWhole count: Int) throws(CKError) -> Int {
        guard !isMultiPart else { throw .operationActive }
        return cipher.outputSize(for: count)
    }

    /// As ``size(ofWhole:)``, exactly, unless the key cannot be used yet.
    package func exactSize(of data: Span<UInt8>) throws(CKError) -> Int {
        let limit = try size(ofWhole: data.count)
        return cipher.knowsOutputSize ? limit : try exactSize(of: [UInt8](copying: data), atMost: limit)
    }

    private func exactSize(of text: [UInt8], atMost limit: Int) throws(CKError) -> Int {
        guard !cipher.knowsOutputSize, (try? cipher.checkUse()) != nil else { return limit }
        if let answer, answer.text == text { return answer.result.count }
        let result = try cipher.process(text.span)
        let count = result.count
        answer = Answer(text, result)
        return count
    }

    /// The cipher's result for a text that comes as a whole.
    private func result(of text: [UInt8]) throws(CKError) -> Secret {
        guard let known = answer.take(), known.text == text else { return try cipher.process(text.span) }
        try cipher.checkUse()
        return known.result.copy()
    }

    /// The number of bytes that a further part gives.
    package func size(ofPart count: Int) -> Int {
        guard let granularity = cipher.granularity else { return 0 }
        return (pending.count + count) / granularity * granularity
    }

    /// The number of bytes that the end gives, or a limit.
    package var finalSize: Int { cipher.granularity == nil ? cipher.outputSize(for: pending.count) : 0 }

    /// As ``finalSize``, exactly, unless the key cannot be used yet.
    package func exactFinalSize() throws(CKError) -> Int { try exactSize(of: pending, atMost: finalSize) }

    func process(_ data: Span<UInt8>) throws(CKError) -> Secret {
        guard let granularity = cipher.granularity else {
            return answer == nil ? try cipher.process(data) : try result(of: [UInt8](copying: data))
        }
        guard data.count % granularity == 0 else { throw direction.lengthRange }
        return try cipher.process(data)
    }

    func update(_ data: Span<UInt8>) throws(CKError) -> Secret {
        isMultiPart = true
        answer = nil
        let size = size(ofPart: data.count)
        guard cipher.granularity == nil || !pending.isEmpty || size < data.count else {
            return try cipher.process(data)
        }
        for index in data.indices { pending.append(data[index]) }
        guard cipher.granularity != nil else { return Secret(count: 0) }
        var text: [UInt8] = []
        swap(&text, &pending)
        defer { text.wipe() }
        for octet in text.dropFirst(size) { pending.append(octet) }
        return try cipher.process(text.span.extracting(first: size))
    }

    func finalize() throws(CKError) -> Secret {
        guard cipher.granularity != nil else { return try result(of: pending) }
        guard pending.isEmpty else { throw direction.lengthRange }
        return Secret(count: 0)
    }
}
