import CHeapMeter
import Serialization

/// Measures the working memory of one serialization: the peak of the heap, minus the content, minus the response.
///
///     MemoryProbe FAMILY SEED BYTES [OPTION…]      e.g. plist-binary 7 29360128 archive=resolve
///
/// A family is a kind of content (``DocumentFamily``); its seed selects the shape of the document. The output is one
/// line: the bytes of the content, of the response, and of the working memory, and the outcome.
@main enum MemoryProbe {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count >= 3, let family = DocumentFamily(rawValue: arguments[1]),
            let seed = UInt64(arguments[2]), let bytes = Int(arguments[3])
        else {
            print("usage: MemoryProbe FAMILY SEED BYTES [OPTION…]")
            print("families:", DocumentFamily.allCases.map(\.rawValue).joined(separator: " "))
            return
        }
        let document = family.document(seed: seed, bytes: bytes)
        var options = SerializationOptions()
        for option in arguments.dropFirst(3) where !options.set(option) {
            print("unknown option: \(option)")
            return
        }
        var response = UpstreamResponse(status: 200)
        response.fields.append(name: "Content-Type", value: document.type)
        // Tables that are made once per process are not part of a serialization.
        measure(DocumentFamily.warmUp(for: document), response, options)
        let (working, responseBytes, outcome) = measure(document.content, response, options)
        print(document.content.count, responseBytes, working, outcome)
    }

    @discardableResult
    private static func measure(
        _ content: [UInt8],
        _ response: UpstreamResponse,
        _ options: SerializationOptions
    ) -> (working: Int, responseBytes: Int, outcome: String) {
        var limits = Limits()
        limits.maxWarnings = 10
        let serializer = ResponseSerializer(options: options, limits: limits)
        heapmeter_begin()
        do throws(SerializationFailure) {
            let answer = try serializer.serialize(response, content: content.span)
            let peak = Int(heapmeter_peak())
            let count = answer.json.count
            return (peak - count, count, "value")
        } catch {
            return (Int(heapmeter_peak()), 0, "failure \(error.chain.first.map { "\($0)".prefix(120) } ?? "")")
        }
    }
}

extension SerializationOptions {
    /// Sets one option by its name in the HTTP contract.
    /// - Returns: false for an option or value that is not known here.
    fileprivate mutating func set(_ option: String) -> Bool {
        switch option {
        case "http": serializer = .one(.http)
        case "xml-document": serializer = .one(.xmlDocument)
        case "keys=sorted": keys = .sorted
        case "canonical=true": canonical = true
        case "archive=resolve": archive = .resolve
        case "hints=true": hints = true
        case "records=many": records = .many
        case "duplicates=first": duplicates = .first
        case "duplicates=keep": duplicates = .keep
        case "nulls=keep": nulls = .keep
        case "surrogates=replace": surrogates = .replace
        case "lenient": leniencies = [.trailingCommas, .comments, .nan, .singleQuotes, .unquotedKeys]
        default: return false
        }
        return true
    }
}
