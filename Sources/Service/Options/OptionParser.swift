internal import Serialization

/// Turns names and values into ``RequestOptions``: the profile first, then every option over it.
enum OptionParser {
    /// - Parameters:
    ///   - query: the raw query of the request target, without its `?`.
    ///   - form: what the options are for.
    static func parse(
        query: String,
        limits: Limits,
        for form: OptionForm = .normalize
    ) throws(OptionError) -> RequestOptions {
        let pairs = try QueryString.pairs(parsing: query)
        return switch form {
        case .normalize: try parse(pairs, limits: limits)
        case .thumbnail: try parseForThumbnail(pairs, limits: limits)
        }
    }

    /// - Parameter limits: the service's own, which a request may lower and never raise.
    static func parse(_ pairs: [QueryString.Pair], limits: Limits) throws(OptionError) -> RequestOptions {
        let given = try named(pairs, limits)
        var options = RequestOptions(limits: limits)
        for (name, value) in given where name == .profile {
            let profile: Profile = try choice(name, value)
            options.serialization = profile.serialization
        }
        for (name, value) in given {
            try apply(name, value, to: &options)
        }
        try checkImageOptions(options, given)
        return options
    }

    /// The same pairs with names that are known to exist, each once.
    private static func named(
        _ pairs: [QueryString.Pair],
        _ limits: Limits
    ) throws(OptionError) -> [(OptionName, String)] {
        var given: [(name: OptionName, value: String)] = []
        for (name, value) in pairs {
            guard let option = OptionName(rawValue: name) else {
                if let planned = PlannedOption(rawValue: name) { throw .optionNotBuilt(planned) }
                throw .unknownName(name)
            }
            // Only `thumbnail` may repeat: it adds one thumbnail each time.
            guard option == .thumbnail || !given.contains(where: { $0.name == option }) else { throw .repeated(option) }
            guard given.count <= OptionName.allCases.count + limits.maxThumbnails else { throw .repeated(option) }
            given.append((option, value))
        }
        return given
    }

    private static func apply(
        _ name: OptionName,
        _ value: String,
        to options: inout RequestOptions
    ) throws(OptionError) {
        switch name {
        case .profile: break  // applied before all others
        case .serializer: options.serialization.serializer = try serializer(value)
        case .view: options.serialization.view = try choice(name, value)
        case .type: options.serialization.declaredType = try mediaType(value)
        case .acceptStatus: options.serialization.acceptableStatusCodes = try statusCodes(value)
        case .acceptTypes: options.serialization.acceptableMediaTypes = try mediaTypes(value)
        case .nulls: options.serialization.nulls = try choice(name, value) as NullPolicy
        case .upstreamHeaders: options.serialization.upstreamHeaders = try upstreamHeaders(value)
        case .hints: options.serialization.hints = try boolean(name, value)
        case .archive: options.serialization.archive = try choice(name, value)
        case .fragments: options.serialization.fragments = try boolean(name, value)
        case .duplicates: options.serialization.duplicates = try choice(name, value)
        case .surrogates: options.serialization.surrogates = try choice(name, value)
        case .lenient: options.serialization.leniencies = try leniencies(value)
        case .records: options.serialization.records = try choice(name, value)
        case .keys: options.serialization.keys = try choice(name, value)
        case .canonical: options.serialization.canonical = try boolean(name, value)
        case .prefixes: options.serialization.prefixes = try choice(name, value) as PrefixPolicy
        case .xmlArrays: options.serialization.xmlArrays = try xmlArrays(value)
        case .xmlText: options.serialization.xmlText = try choice(name, value)
        case .xmlNames: options.serialization.xmlNames = try choice(name, value)
        case .xmlTrim: options.serialization.xmlTrim = try boolean(name, value)
        case .scale: options.serialization.scale = try scale(value)
        case .thumbnail: try addThumbnail(value, to: &options)
        case .decode: options.serialization.decode = try choice(name, value)
        case .placeholder: options.serialization.placeholders = try placeholders(value)
        case .fingerprint: options.serialization.fingerprints = try fingerprints(value)
        case .exif: options.serialization.exif = try choice(name, value)
        case .truncated: options.serialization.truncated = try choice(name, value)
        case .maxContentBytes: try lower(\.maxContentBytes, name, value, in: &options.limits)
        case .maxOutputBytes: try lower(\.maxOutputBytes, name, value, in: &options.limits)
        case .maxNestingDepth: try lower(\.maxNestingDepth, name, value, in: &options.limits)
        case .maxNumberBytes: try lower(\.maxNumberBytes, name, value, in: &options.limits)
        case .maxKeyBytes: try lower(\.maxKeyBytes, name, value, in: &options.limits)
        case .maxObjectMembers: try lower(\.maxObjectMembers, name, value, in: &options.limits)
        case .maxWarnings: try lower(\.maxWarnings, name, value, in: &options.limits)
        case .maxPointerBytes: try lower(\.maxPointerBytes, name, value, in: &options.limits)
        case .maxXMLEntityExpansionBytes: try lower(\.maxXMLEntityExpansionBytes, name, value, in: &options.limits)
        case .maxXMLAttributes: try lower(\.maxXMLAttributes, name, value, in: &options.limits)
        case .maxImagePixels: try lower(\.maxImagePixels, name, value, in: &options.limits)
        case .maxImageSide: try lower(\.maxImageSide, name, value, in: &options.limits)
        case .maxImageFrames: try lower(\.maxImageFrames, name, value, in: &options.limits)
        case .maxJPEGScans: try lower(\.maxJPEGScans, name, value, in: &options.limits)
        case .maxThumbnails: try lower(\.maxThumbnails, name, value, in: &options.limits)
        case .maxThumbnailSide: try lower(\.maxThumbnailSide, name, value, in: &options.limits)
        }
    }

    // MARK: Values

    static func choice<Choice: RawRepresentable<String>>(
        _ name: OptionName,
        _ value: String
    ) throws(OptionError) -> Choice {
        guard let choice = Choice(rawValue: value) else { throw invalid(name, value) }
        return choice
    }

    static func boolean(_ name: OptionName, _ value: String) throws(OptionError) -> Bool {
        switch value {
        case "true": true
        case "false": false
        default: throw invalid(name, value)
        }
    }

    /// Serializers by name, `auto` among them, each once.
    private static func serializer(_ value: String) throws(OptionError) -> SerializerChoice {
        var components: [SerializerChoice.Component] = []
        for part in value.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            let kind = SerializerKind(rawValue: part)
            guard kind != nil || part == "auto" else { throw invalid(.serializer, value) }
            guard !components.contains(.init(kind)) else { throw invalid(.serializer, value) }
            components.append(.init(kind))
        }
        guard components.count == 1 else { return .compound(components) }
        return components[0].kind.map { .one($0) } ?? .auto
    }

    /// Leniencies by name, each once.
    private static func leniencies(_ value: String) throws(OptionError) -> JSONLeniencies {
        var leniencies: JSONLeniencies = []
        for part in value.split(separator: ",", omittingEmptySubsequences: false) {
            guard let named = JSONLeniencies.named.first(where: { $0.name == part }),
                leniencies.insert(named.leniency).inserted
            else { throw invalid(.lenient, value) }
        }
        return leniencies
    }

    private static func xmlArrays(_ value: String) throws(OptionError) -> XMLArrays {
        guard let arrays = XMLArrays(parsing: value) else { throw invalid(.xmlArrays, value) }
        return arrays
    }

    private static func upstreamHeaders(_ value: String) throws(OptionError) -> UpstreamHeaderPolicy {
        guard let policy = UpstreamHeaderPolicy(parsing: value) else { throw invalid(.upstreamHeaders, value) }
        return policy
    }

    private static func mediaType(_ value: String) throws(OptionError) -> String {
        do {
            _ = try MediaType(parsing: value)
        } catch {
            throw invalid(.type, value)
        }
        return value
    }

    /// Nil accepts any.
    private static func statusCodes(_ value: String) throws(OptionError) -> StatusCodes? {
        if value == "*" { return nil }
        do {
            return try StatusCodes(parsing: value)
        } catch {
            throw invalid(.acceptStatus, value)
        }
    }

    private static func mediaTypes(_ value: String) throws(OptionError) -> MediaTypeSet {
        do {
            return try MediaTypeSet(parsing: value)
        } catch {
            throw invalid(.acceptTypes, value)
        }
    }

    private static func lower(
        _ limit: WritableKeyPath<Limits, Int>,
        _ name: OptionName,
        _ value: String,
        in limits: inout Limits
    ) throws(OptionError) {
        let max = limits[keyPath: limit]
        guard !value.isEmpty, value.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            throw .invalidValue(name, got: value, expected: ["1 to \(max)"])
        }
        // Digits that are no Int are more than any limit.
        guard let number = Int(value), number <= max else { throw .limitRaised(name, got: value, max: max) }
        guard number >= 1 else { throw .invalidValue(name, got: value, expected: ["1 to \(max)"]) }
        limits[keyPath: limit] = number
    }

    static func invalid(_ name: OptionName, _ value: String) -> OptionError {
        .invalidValue(name, got: value, expected: OptionTable.definition(of: name).values.descriptions)
    }
}
