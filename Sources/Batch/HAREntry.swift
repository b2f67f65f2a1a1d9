internal import Primitives
package import Serialization

/// The response of an entry of an HTTP archive (HAR 1.2).
///
/// The content of an archive is decoded: `Content-Encoding` is not applied, the length of the content need not be that
/// of the message, and text is Unicode, whatever the type declares. `"encoding":"base64"` is applied. Unknown members
/// are ignored, because every browser adds some, and so are faults in their values.
package struct HAREntry: Equatable, Sendable {
    package var response: UpstreamResponse

    /// The content, which the text of the entry contains; `nil` if there is none, which differs from content of zero
    /// bytes.
    package var content: ContainedBytes?

    /// Reads the JSON text of an entry.
    /// - Parameters:
    ///   - byte: the offset of the entry in the file, from which errors are located.
    ///   - surrogates: the handling of escaped lone surrogates.
    ///   - memory: the source of memory for tables of many names.
    package init(
        parsing text: Span<UInt8>,
        at byte: Int,
        surrogates: LoneSurrogates = .reject,
        memory: any MemoryGrant
    ) throws(BatchItemError) {
        if let json = try? Self.reader(of: text, .reject, at: byte, memory) {
            self = try Self.entry(HAREntryReader(json), in: text, at: byte)
            return
        }
        // The fault may be in a value that is not read.
        let copy = HARUnreadValues.removed(from: text)
        let json: JSONDocumentReader
        var warnings: [Warning] = []
        do throws(BatchItemError) {
            json = try Self.reader(of: copy.span, .reject, at: byte, memory)
        } catch {
            guard surrogates == .replace else { throw error }
            json = try Self.reader(of: copy.span, .replace, at: byte, memory)
            warnings.append(Warning(.loneSurrogate))
        }
        self = try Self.entry(HAREntryReader(json, warnings), in: copy.span, at: byte)
    }

    private static func reader(
        of text: Span<UInt8>,
        _ surrogates: LoneSurrogates,
        at byte: Int,
        _ memory: any MemoryGrant
    ) throws(BatchItemError) -> JSONDocumentReader {
        var limits = Limits()
        limits.maxNestingDepth = Limits.hardMaxNestingDepth
        do throws(JSONDocumentError) {
            return try JSONDocumentReader(text, limits: limits, errors: .first, surrogates: surrogates, memory: memory)
        } catch { throw .malformed(BatchFault(error, at: byte)) }
    }

    private static func entry(
        _ reader: HAREntryReader,
        in text: Span<UInt8>,
        at byte: Int
    ) throws(BatchItemError) -> HAREntry {
        var reader = reader
        do throws(JSONDocumentFault) {
            return try reader.entry(in: text)
        } catch { throw .malformed(BatchFault(error, at: byte)) }
    }

    init(response: UpstreamResponse, content: ContainedBytes?) {
        self.response = response
        self.content = content
    }
}

extension BatchFault {
    fileprivate init(_ error: JSONDocumentError, at byte: Int) {
        switch error {
        case .malformed(let error):
            self.init("the entry is not JSON: \(error.reasonDiagnostic.sentence)", at: byte + error.location.byte)
        case .notUTF8(let encoding): self.init("the entry is encoded in \(encoding), not in UTF-8", at: byte)
        }
    }

    fileprivate init(_ fault: JSONDocumentFault, at byte: Int) {
        let sentence =
            switch fault.reason {
            case .unexpected(let found, let expected): "expected \(expected.joined(separator: " or ")), found \(found)"
            case .number(let digits, let bounds):
                "expected \(bounds.lowerBound) to \(bounds.upperBound), found \(digits.excerpt)"
            case .unknown(let kind, let name, _): "there is no \(kind) '\(name.excerpt)'"
            case .duplicate(let name, _): "the member '\(name.excerpt)' is repeated"
            case .other(let sentence, _): sentence
            }
        let pointer = fault.location.pointer
        self.init(pointer.isEmpty ? sentence : "\(pointer): \(sentence)", at: byte + fault.location.byte)
    }
}
