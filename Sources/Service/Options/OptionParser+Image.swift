internal import Serialization

// The options of the image serializer.

extension OptionParser {
    /// Reads the scale: a decimal number above 0, at most ``maxScale``.
    static func scale(_ value: String) -> Double? {
        let parts = value.parts(separatedBy: ".", maxSplits: 1, omittingEmpty: false)
        // Digits only: `Double` would accept signs, exponents and infinities.
        guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDecimalDigit) }), value.utf8.count <= 16,
            let scale = Double(value), scale > 0, scale <= Double(maxScale)
        else { return nil }
        return scale
    }

    /// The scale as it is written in a query.
    static func text(ofScale scale: Double) -> String {
        let text = String(scale)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    static let maxScale = 100

    /// Adds one thumbnail, or sets the empty list for `none`, which cannot be combined with thumbnails.
    static func addThumbnail(_ value: String, to options: inout RequestOptions) throws(OptionError) {
        let others = options.serialization.thumbnails
        guard value != "none" else {
            guard others == nil else { throw .repeated(.thumbnail) }
            options.serialization.thumbnails = []
            return
        }
        guard others?.isEmpty != true else { throw .repeated(.thumbnail) }
        do throws(ThumbnailRequest.Fault) {
            options.serialization.thumbnails = (others ?? []) + [try ThumbnailRequest(parsing: value)]
        } catch { throw .invalidPart(.thumbnail, got: value, part: error.part, expected: error.expected) }
    }

    /// Checks options that depend on each other. All options must have been read, because a limit may follow the option
    /// that it limits.
    static func checkImageOptions(_ options: RequestOptions, _ given: [(OptionName, String)]) throws(OptionError) {
        guard let thumbnails = options.serialization.thumbnails, !thumbnails.isEmpty else {
            return try checkHeaderOnly(options)
        }
        let limits = options.limits
        // The query does not contain the thumbnails of a profile.
        let isGiven = given.contains { $0.0 == .thumbnail }
        let values = isGiven ? given.filter { $0.0 == .thumbnail }.map { $0.1 } : thumbnails.map(\.text)
        guard thumbnails.count <= limits.maxThumbnails else {
            let got = values.last ?? ""
            throw .invalidValue(.thumbnail, got: got, expected: ["at most \(limits.maxThumbnails) thumbnails"])
        }
        for (thumbnail, value) in zip(thumbnails, values)
        where max(thumbnail.width, thumbnail.height) > limits.maxThumbnailSide {
            throw .invalidValue(.thumbnail, got: value, expected: ["sides of 1 to \(limits.maxThumbnailSide) pixels"])
        }
        try checkHeaderOnly(options)
    }

    /// Rejects `decode=header`, which decodes no pixels, in combination with options that require pixels.
    private static func checkHeaderOnly(_ options: RequestOptions) throws(OptionError) {
        let serialization = options.serialization
        guard serialization.decode == .header,
            serialization.thumbnails?.isEmpty == false || !serialization.placeholders.isEmpty
                || serialization.fingerprints.contains(.phash)
        else { return }
        throw .invalidValue(
            .decode,
            got: "header",
            expected: ["auto or full with thumbnail, placeholder or fingerprint=phash"]
        )
    }
}

extension ThumbnailRequest {
    /// The reason why a text is rejected.
    struct Fault: Error {
        /// The first part that is not allowed.
        let part: String
        /// The allowed alternatives.
        let expected: [String]
    }

    /// A part of the text after the size: `fit=inside`.
    private enum Part: String, CaseIterable {
        case fit, enlarge, format, quality, background

        var allowed: [String] {
            switch self {
            case .fit: ThumbnailFit.allCases.map { "fit=\($0.rawValue)" }
            case .enlarge: ["enlarge=true", "enlarge=false"]
            case .format: ThumbnailFormat.allCases.map { "format=\($0.rawValue)" }
            case .quality: ["quality=1 to quality=100"]
            case .background: ["background=rrggbb", "background=rrggbbaa"]
            }
        }
    }

    /// Reads `WxH[,fit=…][,enlarge=…][,format=…][,quality=…][,background=…]`, each part at most once.
    init(parsing text: String) throws(Fault) {
        let parts = text.parts(separatedBy: ",", omittingEmpty: false)
        let sides = parts[0].parts(separatedBy: "x", omittingEmpty: false)
        guard sides.count == 2, let width = Self.side(sides[0]), let height = Self.side(sides[1]) else {
            let maxSide = Limits.hardMaxima.maxThumbnailSide
            throw Fault(part: String(parts[0]), expected: ["WxH with sides of 1 to \(maxSide) pixels", "none"])
        }
        self.init(width: width, height: height)
        var seen: Set<Part> = []
        for text in parts.dropFirst() {
            let pair = text.parts(separatedBy: "=", maxSplits: 1, omittingEmpty: false)
            guard let part = Part(rawValue: String(pair[0])) else {
                throw Fault(part: String(text), expected: Part.allCases.flatMap(\.allowed))
            }
            guard pair.count == 2, seen.insert(part).inserted, set(part, String(pair[1])) else {
                throw Fault(part: String(text), expected: part.allowed)
            }
        }
    }

    /// Sets one part, and returns whether it is allowed.
    private mutating func set(_ part: Part, _ value: String) -> Bool {
        switch part {
        case .fit:
            guard let fit = ThumbnailFit(rawValue: value) else { return false }
            self.fit = fit
        case .enlarge:
            guard value == "true" || value == "false" else { return false }
            enlarge = value == "true"
        case .format:
            guard let format = ThumbnailFormat(rawValue: value) else { return false }
            self.format = format
        case .quality:
            guard let quality = Self.side(value[...]), quality <= 100 else { return false }
            self.quality = quality
        case .background:
            guard let background = RGBA(parsing: value) else { return false }
            self.background = background
        }
        return true
    }

    /// Reads a number from 1 to 99999, which consists of digits.
    private static func side(_ text: Substring) -> Int? {
        guard text.utf8.count <= 5, let side = text.decimal(), side > 0 else { return nil }
        return side
    }
}

extension ThumbnailRequest {
    /// The value as it is written in a query. Parts that have their default are omitted.
    var text: String {
        let initial = ThumbnailRequest(width: width, height: height)
        var parts = ["\(width)x\(height)"]
        if fit != initial.fit { parts.append("fit=\(fit.rawValue)") }
        if enlarge { parts.append("enlarge=true") }
        if let format { parts.append("format=\(format.rawValue)") }
        if quality != initial.quality { parts.append("quality=\(quality)") }
        if let background { parts.append("background=\(background.hexadecimal)") }
        return parts.joined(separator: ",")
    }
}

extension RGBA {
    /// The channels as `rrggbbaa`.
    fileprivate var hexadecimal: String { Hexadecimal.text(of: [red, green, blue, alpha]) }

    /// Reads `rrggbb` and `rrggbbaa`, with or without a leading `#`. Returns `nil` for anything else.
    init?(parsing text: String) {
        let digits = text.utf8.first == UInt8(ascii: "#") ? text.utf8.dropFirst() : text.utf8[...]
        guard let channels = Hexadecimal.bytes(digits.span), 3...4 ~= channels.count else { return nil }
        self.init(
            red: channels[0],
            green: channels[1],
            blue: channels[2],
            alpha: channels.count == 4 ? channels[3] : 0xFF
        )
    }
}
