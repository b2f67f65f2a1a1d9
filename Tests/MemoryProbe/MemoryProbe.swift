import CHeapMeter
import Serialization
import Synchronization

/// Measures the memory of one serialization, and the memory that was accounted for it.
///
///     MemoryProbe FAMILY SEED BYTES [OPTION…]      e.g. plist-binary 7 29360128 archive=resolve
///
/// A family is a kind of content (``DocumentFamily``); its seed selects the shape of the document. The output is one
/// line: the length of the content and of the response, the peak of the heap without the content, and the accounted
/// memory, all in bytes; and the outcome.
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
        // Tables that are created once per process are not part of a serialization.
        measure(DocumentFamily.warmUp(for: document), response, options)
        let result = measure(document.content, response, options)
        print(document.content.count, result.responseBytes, result.peakBytes, result.accountedBytes, result.outcome)
    }

    private struct Result {
        /// The peak of the heap, without the content.
        var peakBytes: Int
        /// The memory that was reserved before, plus the grants.
        var accountedBytes: Int
        var responseBytes: Int
        var outcome: String
    }

    @discardableResult
    private static func measure(
        _ content: [UInt8],
        _ response: UpstreamResponse,
        _ options: SerializationOptions
    ) -> Result {
        var limits = Limits()
        limits.maxWarnings = 10
        limits.maxOutputBytes = 512 << 20
        let serializer = ResponseSerializer(options: options, limits: limits)
        let reservedBytes = serializer.memoryBytes(for: content.span, of: response)
        let grants = CountedGrants()
        heapmeter_begin()
        do throws(SerializationFailure) {
            let answer = try serializer.serialize(response, content: content.span, memory: grants)
            let peak = Int(heapmeter_peak())
            return Result(
                peakBytes: peak,
                accountedBytes: reservedBytes + grants.bytes,
                responseBytes: answer.json.count,
                outcome: "value"
            )
        } catch {
            return Result(
                peakBytes: Int(heapmeter_peak()),
                accountedBytes: reservedBytes + grants.bytes,
                responseBytes: 0,
                outcome: "failure \(error.chain.first.map { "\($0)".prefix(120) } ?? "")"
            )
        }
    }
}

/// Grants everything and counts it.
private final class CountedGrants: MemoryGrant {
    private let sum = Atomic<Int>(0)

    var bytes: Int { sum.load(ordering: .relaxed) }

    func grow(by bytes: Int) -> Bool {
        sum.wrappingAdd(bytes, ordering: .relaxed)
        return true
    }
}

extension SerializationOptions {
    /// Sets one option by its name in the HTTP contract.
    /// - Returns: `false` for an unknown option or value.
    fileprivate mutating func set(_ option: String) -> Bool {
        switch option {
        case "http": serializer = .one(.http)
        case "feed": serializer = .one(.feed)
        case "xml-document": serializer = .one(.xmlDocument)
        case "keys=sorted": keys = .sorted
        case "canonical=true": canonical = true
        case "archive=resolve": archive = .resolve
        case "hints=true": hints = true
        case "csv-header=absent": csvHeader = .absent
        case "events-data=json": eventsData = .json
        case "xml-names=clark": xmlNames = .clark
        case "records=many": records = .many
        case "duplicates=first": duplicates = .first
        case "duplicates=keep": duplicates = .keep
        case "nulls=keep": nulls = .keep
        case "surrogates=replace": surrogates = .replace
        case "lenient": leniencies = .all
        case "lenient=single-quotes": leniencies = .singleQuotes
        default: return false
        }
        return true
    }
}
