import Glibc
import Images
package import Serialization

extension CostOracle {
    /// Measures the peak of the heap in the body. The fuzz targets set it; without it, memory is not compared.
    nonisolated(unsafe) package static var heapPeak: (_ body: () -> Void) -> Int = { body in
        body()
        return 0
    }

    /// Returns a description of the violated bound for an input that has grown, or `nil` if all hold.
    /// - Parameters:
    ///   - headBytes: The number of bytes at the start of the input that are not content.
    ///   - head: The start of the content, which inputs omit.
    package static func violation(
        for input: [UInt8],
        headBytes: Int,
        head: [UInt8] = [],
        _ kind: SerializerKind,
        _ bounds: Bounds = Bounds()
    ) -> String? {
        guard input.count > headBytes else { return nil }
        let content = head + input[headBytes...]
        var random = RandomSource(seed: seed(of: input))
        let options = options(kind, &random)
        let grown = GrownContent(content, seed: random.next())
        let violation = violation(bounds, always: random.oneIn(64)) { bytes in
            var content = grown.content(bytes: bytes)
            // UTF-16 and UTF-32 with an incomplete code unit are rejected at once.
            if head.isEmpty, kind != .image { content.removeLast(content.count % 4) }
            return cost(of: content, kind, options)
        }
        return violation.map { "\($0): \(String(describing: options))" }
    }

    /// Reads content with the complete serializer.
    private static func cost(of content: [UInt8], _ kind: SerializerKind, _ options: SerializationOptions) -> Cost {
        var response = UpstreamResponse()
        let type =
            switch kind {
            case .http: "text/plain"
            case .json: "application/json"
            case .xml, .xmlDocument, .feed: "application/xml"
            case .plist: "application/x-plist"
            case .image: "image/png"
            case .form: "application/x-www-form-urlencoded"
            case .csv: "text/csv"
            case .events: "text/event-stream"
            }
        response.fields.append(name: "Content-Type", value: type)
        let limits = Limits()
        let serializer = ResponseSerializer(
            options: options,
            limits: limits,
            reader: ImageContentReader(renderer: DeferringRenderer.shared)
        )
        let account = Account()
        var cost = Cost(contentBytes: content.count, nanoseconds: 0)
        let heapBytes = heapPeak {
            let start = processorNanoseconds()
            do throws(SerializationFailure) {
                cost.outputBytes = try serializer.serialize(response, content: content.span, memory: account).json.count
            } catch {
                cost.outputBytes = error.value?.count ?? 0
                // Without the numbers, which are offsets.
                cost.rejection = String(describing: error.chain.last).filter { !$0.isNumber }
            }
            cost.nanoseconds = processorNanoseconds() - start
        }
        cost.heapBytes = max(0, heapBytes - account.bytes)
        return cost
    }

    /// Returns options of which each may multiply the cost.
    private static func options(_ kind: SerializerKind, _ random: inout RandomSource) -> SerializationOptions {
        var options = SerializationOptions()
        options.duplicates = random.pick(DuplicateNames.allCases)
        options.nulls = random.pick([nil, .dropAll])
        options.surrogates = random.oneIn(2) ? .reject : .replace
        options.serializer = .one(kind)
        switch kind {
        case .json:
            options.keys = random.oneIn(2) ? .source : .sorted
            options.canonical = random.oneIn(3)
            options.records = random.pick(Records.allCases)
            if random.oneIn(2) {
                options.leniencies = Leniencies(rawValue: random.pick([1, 2, 4, 8, 16, 31, 32, 64, 128, 0x1FFF]))
            }
        case .xml:
            if !random.oneIn(2) { options.serializer = .one(.xmlDocument) }
            options.xmlNames = random.pick([.prefixed, .local, .clark])
            options.xmlText = random.oneIn(2) ? .auto : .object
            options.xmlArrays = random.oneIn(2) ? .auto : .always
            options.hints = random.oneIn(2)
            if random.oneIn(2) { options.leniencies = .all }
        case .plist:
            options.archive = random.oneIn(2) ? .keep : .resolve
            options.hints = random.oneIn(2)
        case .form:
            options.formArrays = random.oneIn(2) ? .auto : .always
        case .csv:
            options.csvDelimiter = random.oneIn(2) ? .auto : .character(UInt8(ascii: ","))
            options.csvQuote = random.oneIn(2) ? .double : .none
            options.csvEscape = random.oneIn(2) ? .quote : .backslash
            options.csvHeader = random.oneIn(2) ? .present : .absent
            options.csvEmpty = random.oneIn(2) ? .string : .null
            options.hints = random.oneIn(2)
            if random.oneIn(2) { options.leniencies = [.ragged, .declaredCharset] }
        case .events:
            options.eventsData = random.oneIn(2) ? .text : .json
            options.truncated = random.oneIn(2) ? .reject : .allow
        case .http, .xmlDocument, .feed: break
        case .image:
            options.thumbnails = []
            options.exif = random.pick([.typed, .public])
            options.truncated = random.oneIn(2) ? .reject : .allow
            options.acceptableMediaTypes = try? MediaTypeSet(parsing: "*/*")
        }
        return options
    }

    /// A hash of the input (FNV-1a), so that the same input always grows in the same way.
    private static func seed(of input: [UInt8]) -> UInt64 {
        input.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// The processor time of this thread, which does not depend on other processes.
    private static func processorNanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// Counts the memory that is granted.
    private final class Account: MemoryGrant, @unchecked Sendable {
        // One thread serializes.
        private(set) var bytes = 0

        func grow(by bytes: Int) -> Bool {
            self.bytes += bytes
            return true
        }
    }
}
