import Images
import Serialization

/// The properties of the complete serializer for any response.
///
/// The first bytes of an input select options and status; the media type follows up to the first line feed, then the
/// content.
///
///     byte 0   serializer (bits 0–2; 6 and 7 with parts), rules (3), view (4), nulls (5–6), kind of fields (7)
///     byte 1   duplicates (0–1), records (2–3), keys (4), canonical (5), small output limit (6), any status (7)
///     byte 2   leniencies (0–4, all of them imply the others), surrogates (5), any type (6), HEAD (7)
///     byte 3   the status, from 100 in steps of two
package struct ResponseOracle {
    package static let headBytes = 4

    /// Returns a description of the violated property, or `nil` if all properties hold for `input`.
    package static func violation(for input: [UInt8]) -> String? {
        guard input.count >= headBytes else { return nil }
        let rest = input[headBytes...]
        let type = rest.prefix { $0 != 0x0A }
        let content = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(0, rest.count - type.count - 1))
        defer { content.deallocate() }
        _ = content.initialize(fromContentsOf: rest.dropFirst(type.count + 1))

        var response = UpstreamResponse(status: 100 + 2 * Int(input[3]))
        if input[2] & 0x80 != 0 { response.method = "HEAD" }
        let field = String(decoding: type, as: UTF8.self)
        if !field.isEmpty { response.fields.append(name: "Content-Type", value: field) }
        if input[0] & 0x80 != 0 { response.url = field }

        let serializer = serializer(input[0], input[1], input[2])
        do throws(SerializationFailure) {
            let answer = try serializer.serialize(response, content: content.span, memory: .unlimited)
            let text = [UInt8](answer.json)
            if answer.outcome == .empty, serializer.options.view == .value {
                return text.isEmpty ? nil : "an empty response has a value"
            }
            return violation(ofText: text, serializer)
        } catch {
            if error.chain.isEmpty { return "a failure without an error" }
            return error.value.flatMap { violation(ofText: $0, serializer) }
        }
    }

    private static func serializer(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> ResponseSerializer {
        var options = SerializationOptions()
        options.serializer =
            [.auto, .auto, .one(.http), .one(.json), .compound([.json, .http]), .compound([.http, .json])][
                Int(first & 7) % 6
            ]
        if first & 7 > 5 {
            if first & 1 != 0 { options.parts.selected = (try? PartPointer(parsing: "/a")) ?? .whole }
            options.parts.omitted = (try? ValueParts.patterns(parsing: "/*/a,/a/0,/1,/*/*/b/*")) ?? []
            options.parts.missing = .empty
        }
        options.rules = first & 8 == 0 ? .decant : .afnetworking
        options.view = first & 16 == 0 ? .full : .value
        options.nulls = [nil, .keep, .drop, .dropAll][Int(first >> 5 & 3)]
        options.duplicates = DuplicateNames.allCases[Int(second & 3)]
        options.records = Records.allCases[Int(second >> 2 & 3) % 3]
        options.keys = second & 0x10 == 0 ? .source : .sorted
        options.canonical = second & 0x20 != 0
        if second & 0x80 != 0 { options.acceptableStatusCodes = nil }
        options.leniencies = third & 0x1F == 0x1F ? .all : Leniencies(rawValue: UInt16(third & 0x1F))
        options.surrogates = third & 0x20 == 0 ? .reject : .replace
        if third & 0x40 != 0 { options.acceptableMediaTypes = try? MediaTypeSet(parsing: "*/*") }
        var limits = Limits()
        if second & 0x40 != 0 { limits.maxOutputBytes = 16 }
        return ResponseSerializer(
            options: options,
            limits: limits,
            reader: ImageContentReader(renderer: DeferringRenderer.shared)
        )
    }

    /// Checks that the strict reader accepts the complete answer and leaves it unchanged.
    private static func violation(ofText text: [UInt8], _ serializer: ResponseSerializer) -> String? {
        var options = JSONReader.Options()
        options.nulls = .keep
        options.duplicates = serializer.options.duplicates == .keep ? .keep : .reject
        options.prefixes = .reject
        options.limits.maxNestingDepth = Limits.hardMaxNestingDepth
        var writer = JSONWriter()
        var warnings = WarningList(max: 100)
        do throws(JSONError) {
            _ = try JSONReader.read(text.span, options: options, memory: .unlimited, into: &writer, warnings: &warnings)
            if [UInt8](writer.buffer) == text { return nil }
            return "the answer is not minified: \(String(decoding: text, as: UTF8.self))"
        } catch {
            return "the answer is not JSON: \(error) in \(String(decoding: text, as: UTF8.self))"
        }
    }
}
