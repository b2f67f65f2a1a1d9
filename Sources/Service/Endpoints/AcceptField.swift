internal import Serialization

/// The field `Accept` (RFC 9110 §12.5.1): media ranges with weights.
///
/// Clients deviate from the grammar: Java sends `*` for `*/*`, and `.2` for `0.2`. Both are read as intended. An
/// element that is not a media range is ignored.
struct AcceptField: Equatable, Sendable {
    struct Range: Equatable, Sendable {
        /// The type and the subtype in lower case; either may be `*`.
        var essence: String
        /// Whether the range has parameters, so that it contains only a part of the type.
        var isNarrowed = false
        /// The weight, from 0 to 1; 0 means not acceptable.
        var weight = 1.0

        /// Whether it is a media type of problem details (RFC 9457 §6).
        var isProblem: Bool { essence == "application/problem+json" || essence == "application/problem+xml" }
    }

    /// The preference for a type: its weight, then the specificity of the range that contains it.
    struct Preference: Equatable, Comparable, Sendable {
        var weight: Double
        /// The specificity of the range: 0 for `*/*`, 1 for a range such as `image/*`, 2 for a type.
        var specificity: Int

        static func < (first: Preference, second: Preference) -> Bool {
            (first.weight, first.specificity) < (second.weight, second.specificity)
        }
    }

    private(set) var ranges: [Range] = []

    /// The maximum number of elements that are read. The others are ignored, which RFC 9110 §12.5.1 permits.
    static let maxElements = 256

    init(parsing field: String) { ranges = Self.elements(of: field).compactMap(Range.init(parsing:)) }

    /// Returns the preference of the most specific range that contains a type without parameters.
    /// - Parameter names: the names of the type, in lower case.
    /// - Returns: `nil` if no range contains the type.
    func preference(for names: [String]) -> Preference? {
        let wildcards = [["*/*"], names.map { $0.prefix { $0 != "/" } + "/*" }, names]
        for (specificity, essences) in wildcards.enumerated().reversed() {
            let matching = ranges.filter { essences.contains($0.essence) && !$0.isNarrowed }
            if let weight = matching.map(\.weight).max() { return Preference(weight: weight, specificity: specificity) }
        }
        return nil
    }

    /// Returns the elements between commas. A comma in a quoted string is not a separator.
    private static func elements(of field: String) -> [String] {
        let bytes = field.utf8.span
        var elements: [String] = []
        var start = 0
        while start <= bytes.count, elements.count < maxElements {
            let end = bytes.endOfListElement(from: start)
            elements.append(bytes.text(start..<end))
            start = end + 1
        }
        return elements
    }
}

extension AcceptField.Range {
    fileprivate init?(parsing element: String) {
        let text = element.trimmingBlanks()
        let isBareWildcard = text.utf8.first == UInt8(ascii: "*") && text.utf8.dropFirst().first != UInt8(ascii: "/")
        guard let type = try? MediaType(parsing: isBareWildcard ? "*/" + text : text) else { return nil }
        essence = type.essence
        // Parameters after the weight are not parameters of the type.
        isNarrowed = !type.parameters.isEmpty && type.parameters[0].name != "q"
        if let value = type.parameter("q") {
            guard let weight = Self.weight(value) else { return nil }
            self.weight = weight
        }
    }

    /// Reads a weight (RFC 9110 §12.4.2). It may begin with the decimal point.
    private static func weight(_ text: String) -> Double? {
        let isDecimal = text.utf8.allSatisfy { $0.isDecimalDigit || $0 == UInt8(ascii: ".") }
        guard isDecimal, 1...8 ~= text.utf8.count, let weight = Double("0" + text), weight <= 1 else { return nil }
        return weight
    }
}

extension AcceptField {
    /// Whether HTML is preferred to JSON, as browsers do. Programs that accept everything do not prefer it.
    var prefersHTML: Bool {
        guard let html = preference(for: ["text/html"]), html.weight > 0 else { return false }
        return preference(for: ["application/json"]).map { html > $0 } ?? true
    }

    enum ThumbnailChoice: Equatable, Sendable {
        /// JPEG for an opaque image, PNG for a transparent one.
        case byImage
        case format(ThumbnailFormat)
        /// No format is acceptable.
        case none
    }

    /// The format with the highest weight. If several formats have it, the one that the most specific range names. If
    /// there are still several, the format that suits the image, or WebP, which suits every image.
    ///
    /// Media types of problems are ignored: clients list them because a response may be a problem, which is sent in any
    /// case (RFC 9110 §15.5.7).
    var thumbnailChoice: ThumbnailChoice {
        // An empty list accepts everything.
        guard ranges.contains(where: { !$0.isProblem }) else { return .byImage }
        let choices = ThumbnailFormat.allCases.compactMap { format in
            preference(for: format.names).map { (format: format, preference: $0) }
        }
        guard let best = choices.map(\.preference).max(), best.weight > 0 else { return .none }
        let formats = choices.filter { $0.preference == best }.map(\.format)
        if formats.contains(.jpeg), formats.contains(.png) { return .byImage }
        return .format(formats.contains(.webp) ? .webp : formats[0])
    }
}

extension ThumbnailFormat {
    /// The names of the media type.
    fileprivate var names: [String] {
        switch self {
        case .jpeg: [mediaType, "image/jpg"]
        case .png: [mediaType, "image/x-png"]
        case .webp: [mediaType]
        }
    }
}
