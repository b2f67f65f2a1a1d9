internal import Serialization

/// Converts names and values to ``RequestOptions``. The profile is applied first, and the options override it.
enum OptionParser {
    /// - Parameters:
    ///   - query: the raw query of the request target, without its `?`.
    ///   - purpose: the purpose of the options.
    ///   - profiles: the source of the profile. It is not accessed if the request does not name a profile.
    static func parse(
        query: String,
        limits: Limits,
        for purpose: OptionPurpose = .normalize,
        profiles: ProfileRegistry = .builtIn
    ) throws(OptionError) -> RequestOptions {
        try parse(QueryString.pairs(parsing: query), limits: limits, for: purpose, profiles: profiles)
    }

    /// - Parameters:
    ///   - limits: the service's own limits, which a request may lower, but not raise.
    ///   - purpose: the purpose of the options.
    ///   - profiles: the source of the profile. It is not accessed if the request does not name a profile.
    static func parse(
        _ pairs: [QueryString.Pair],
        limits: Limits,
        for purpose: OptionPurpose,
        profiles: ProfileRegistry = .builtIn
    ) throws(OptionError) -> RequestOptions {
        switch purpose {
        case .normalize: try parse(pairs, limits: limits, profiles: profiles)
        case .value: try parseForValue(pairs, limits: limits, profiles: profiles)
        case .thumbnail: try parseForThumbnail(pairs, limits: limits, profiles: profiles)
        }
    }

    /// - Parameter limits: the service's own limits, which a request may lower, but not raise.
    static func parse(
        _ pairs: [QueryString.Pair],
        limits: Limits,
        profiles: ProfileRegistry
    ) throws(OptionError) -> RequestOptions {
        let given = try named(pairs, limits)
        var options = RequestOptions(limits: limits)
        for (name, value) in given where name == .profile {
            options = try profiles.set.profile(named: value).options(limits: limits)
        }
        // The thumbnails of the request replace those of the profile.
        if given.contains(where: { $0.0 == .thumbnail }) { options.serialization.thumbnails = nil }
        for (name, value) in given { try apply(name, value, to: &options, within: limits) }
        try checkImageOptions(options, given)
        return options
    }

    /// The maximum length of a value, in bytes, inclusive: a list of more types, paths or names takes too long for an
    /// HTTP thread.
    static let maxValueBytes = 2 << 10

    /// Returns the pairs with known names, each at most once, except that thumbnails may be repeated.
    private static func named(
        _ pairs: [QueryString.Pair],
        _ limits: Limits
    ) throws(OptionError) -> [(OptionName, String)] {
        var given: [(name: OptionName, value: String)] = []
        for (name, value) in pairs {
            guard let option = OptionName(rawValue: name) else { throw .unknownName(name) }
            // Only `thumbnail` may be repeated: each occurrence adds one thumbnail.
            guard option == .thumbnail || !given.contains(where: { $0.name == option }) else { throw .repeated(option) }
            guard given.count <= OptionTable.all.count + limits.maxThumbnails else { throw .repeated(option) }
            guard value.utf8.count <= maxValueBytes else {
                throw .invalidValue(option, got: value, expected: ["at most \(maxValueBytes) bytes"])
            }
            given.append((option, value))
        }
        return given
    }

    /// Sets one option. The profile is applied before all others, and is skipped here.
    /// - Parameter limits: the service's own limits, which are the maximum values of the limits in the options.
    static func apply(
        _ name: OptionName,
        _ value: String,
        to options: inout RequestOptions,
        within limits: Limits
    ) throws(OptionError) {
        let definition = OptionTable[name]
        switch definition.target {
        case .profile: break
        case .thumbnails: try addThumbnail(value, to: &options)
        case .limit(let path, _, _): try lower(path, name, value, in: &options, within: limits)
        case .property(_, let write):
            do throws(OptionDefinition.ValueFault) {
                try write(value, &options)
            } catch {
                switch error {
                case .unknown: throw invalid(name, value)
                case .syntax(let fault, let intended):
                    let expected = OptionTable[name].allowed()
                    throw .invalidSyntax(name, got: value, fault, expected: expected, intended: intended)
                }
            }
        }
    }

    // MARK: Values

    /// Lowers a limit.
    ///
    /// A generated client may send the built-in default explicitly. This must not fail on a service with a lower limit.
    /// Therefore a value that is the built-in default and exceeds the service's limit is treated as absent.
    private static func lower(
        _ path: OptionDefinition.Path<Int>,
        _ name: OptionName,
        _ value: String,
        in options: inout RequestOptions,
        within limits: Limits
    ) throws(OptionError) {
        let max = RequestOptions(limits: limits)[keyPath: path]
        let digits = value.utf8.span
        // A number that does not fit into an Int exceeds every limit.
        guard let number = digits.decimal(0..<digits.count, clampedTo: .max) else {
            throw .invalidValue(name, got: value, expected: ["1 to \(max)"])
        }
        guard number <= max else {
            guard number == RequestOptions()[keyPath: path] else { throw .limitRaised(name, got: value, max: max) }
            return
        }
        guard number >= 1 else { throw .invalidValue(name, got: value, expected: ["1 to \(max)"]) }
        options[keyPath: path] = number
    }

    static func invalid(_ name: OptionName, _ value: String) -> OptionError {
        .invalidValue(name, got: value, expected: OptionTable[name].allowed())
    }
}

extension SerializerChoice {
    /// Reads a list of names, which may include `auto`. Each name may occur once.
    init?(parsing text: String) {
        var kinds: [SerializerKind?] = []
        for part in text.parts(separatedBy: ",", omittingEmpty: false).map(String.init) {
            let kind = SerializerKind(rawValue: part)
            guard kind.name == part, !kinds.contains(kind) else { return nil }
            kinds.append(kind)
        }
        self = kinds.count == 1 ? kinds[0].map { .one($0) } ?? .auto : .compound(kinds)
    }

    /// The value as it is written in a query.
    var text: String {
        switch self {
        case .auto: "auto"
        case .one(let kind): kind.rawValue
        case .compound(let kinds): kinds.map(\.name).joined(separator: ",")
        }
    }
}

extension XMLArrays {
    /// The value as it is written in a query.
    var text: String {
        switch self {
        case .auto: "auto"
        case .always: "always"
        case .paths(let paths): paths.map { "/" + $0.map(\.text).joined(separator: "/") }.joined(separator: ",")
        }
    }
}
