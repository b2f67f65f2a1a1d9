internal import Platform
internal import Serialization

/// Reads a file of profiles strictly: what is not understood is an error with its position.
///
///     {"profiles":[{"name":"partner","extends":"afnetworking","options":{"nulls":"drop","max-nesting-depth":32},
///       "fetch":{"headers":{"accept-language":"en"},"timeoutSeconds":10}}]}
///
/// The form is that of the response of `GET /v1/profiles`, which can be loaded again. There every value is text, as it is in a query;
/// here numbers, `true`, `false` and arrays of text are accepted too.
///
/// The JSON reader checks the grammar. Then one walk over the same bytes collects the profiles (``Draft``), and ``ProfileResolver`` makes
/// them complete. Errors of the second and third step are collected, so that one attempt reports them all.
struct ProfilesReader {
    /// A profile as it is written in the file.
    struct Draft {
        var name = ""
        var summary: String?
        var extends: (name: String, position: FilePosition)?
        var rules: RuleSet?
        var options: [(name: OptionName, value: Value, position: FilePosition)] = []
        var fetch: [(value: FetchDefaults.Value, position: FilePosition)] = []
        /// The options that the profile does not set, as in the response of `GET /v1/profiles`.
        var derived: [(name: OptionName, position: FilePosition)] = []
        var position: FilePosition
        /// Whether the profile has an error, so that it is not completed.
        var isInvalid = false
    }

    /// The value of an option.
    struct Value {
        /// One text. Thumbnails may have several texts.
        var texts: [String]
        /// The elements of an array, each with its position.
        var elements: [(text: String, position: FilePosition)] = []
    }

    /// The maximum size of a file in bytes, inclusive. The response of `GET /v1/profiles` has the same maximum, so that it can be loaded.
    static let maxBytes = 4 << 20

    /// The maximum number of profiles besides the built-in ones.
    static let maxProfiles = 256

    /// The maximum length of a value or a summary, in bytes. A value may be shorter than this in a request, whose head is limited.
    static let maxValueBytes = 4 << 10

    /// The maximum length of a name, in bytes.
    static let maxNameBytes = 64

    /// The nesting depth of the format.
    private static let maxNestingDepth = 8

    var file: JSONFileCursor

    /// The settings of fetching.
    let bounds: FetchDefaults.Bounds

    /// Reads a regular file. Other files, such as pipes, cannot be read again.
    static func read(
        path: String,
        limits: Limits,
        fetch: FetchDefaults.Bounds
    ) throws(ConfigurationFileError) -> ProfileSet {
        let text = try ConfigurationFile.read(path, maxBytes: maxBytes, content: "profiles")
        return try read(text.span, path: path, limits: limits, fetch: fetch)
    }

    /// - Parameters:
    ///   - path: the name of the file, for errors.
    ///   - limits: the limits of the service, which a profile may lower.
    ///   - fetch: the settings of fetching, which a profile may lower.
    static func read(
        _ text: Span<UInt8>,
        path: String,
        limits: Limits,
        fetch: FetchDefaults.Bounds = FetchDefaults.Bounds()
    ) throws(ConfigurationFileError) -> ProfileSet {
        var reader = ProfilesReader(
            file: try JSONFileCursor(text, path: path, maxNestingDepth: maxNestingDepth),
            bounds: fetch
        )
        let drafts = reader.document(in: text)
        var resolver = ProfileResolver(drafts, limits: limits, faults: reader.file.faults)
        let profiles = resolver.resolve()
        guard resolver.faults.isEmpty else { throw .invalid(resolver.faults.located(in: text), path: path) }
        let set = ProfileSet(profiles, limits: limits)
        guard set.document.count <= maxBytes else {
            let message =
                "GET /v1/profiles would return \(set.document.count) bytes, and at most \(maxBytes) are allowed; "
                + "shorten what many profiles inherit"
            throw .invalid([.init(message: message, at: SourceLocation(byte: 0, line: 1, column: 1))], path: path)
        }
        set.document.prepare()
        return set
    }

    // MARK: The document

    private mutating func document(in text: Span<UInt8>) -> [Draft] {
        guard file.expect(.object, in: text) else { return [] }
        let start = file.cursor.position
        var drafts: [Draft]?
        file.cursor.enter(in: text)
        while file.cursor.next(in: text) {
            let (name, position) = file.member(in: text)
            guard name == "profiles" else {
                file.reportUnknown("member", name, known: ["profiles"], position)
                _ = file.cursor.skip(in: text)
                continue
            }
            drafts = profiles(in: text)
            file.pointer = ""
        }
        if drafts == nil, file.faults.isEmpty {
            file.faults.report(
                "expected the member 'profiles', an array of profiles",
                FilePosition(byte: start, pointer: "")
            )
        }
        return drafts ?? []
    }

    private mutating func profiles(in text: Span<UInt8>) -> [Draft] {
        file.pointer = "/profiles"
        guard file.expect(.array, in: text) else { return [] }
        var drafts: [Draft] = []
        file.cursor.enter(in: text)
        var custom = 0
        var index = 0
        while file.cursor.next(in: text) {
            file.pointer = "/profiles/\(index)"
            index += 1
            guard custom <= Self.maxProfiles else {
                _ = file.cursor.skip(in: text)
                continue
            }
            let draft = profile(in: text)
            if BuiltInProfile(rawValue: draft.name) == nil { custom += 1 }
            if custom > Self.maxProfiles {
                file.faults.report(
                    "there are more than \(Self.maxProfiles) profiles besides the built-in ones",
                    draft.position
                )
            } else {
                drafts.append(draft)
            }
        }
        return drafts
    }

    // MARK: One profile

    private enum Member: String, CaseIterable {
        case name, summary, extends, rules, options, derived, fetch
    }

    private mutating func profile(in text: Span<UInt8>) -> Draft {
        let parent = file.pointer
        let found = file.faults.count
        guard file.expect(.object, in: text) else {
            return Draft(position: FilePosition(byte: file.cursor.position, pointer: parent), isInvalid: true)
        }
        var draft = Draft(position: FilePosition(byte: file.cursor.position, pointer: parent))
        file.cursor.enter(in: text)
        while file.cursor.next(in: text) {
            file.pointer = parent
            let (name, position) = file.member(in: text)
            guard let member = Member(rawValue: name) else {
                file.reportUnknown("member", name, known: Member.allCases.map(\.rawValue), position)
                _ = file.cursor.skip(in: text)
                continue
            }
            switch member {
            case .name: draft.name = self.name(in: text)?.name ?? ""
            case .summary: draft.summary = line(in: text)
            case .extends: draft.extends = self.name(in: text)
            case .rules: draft.rules = rules(in: text)
            case .options: options(in: text, into: &draft)
            case .derived: derived(in: text, into: &draft)
            case .fetch: draft.fetch = fetch(in: text)
            }
        }
        file.pointer = parent
        if draft.name.isEmpty, file.faults.count == found {
            file.faults.report("the profile has no name", draft.position)
        }
        draft.isInvalid = file.faults.count > found
        return draft
    }

    private mutating func name(in text: Span<UInt8>) -> (name: String, position: FilePosition)? {
        guard file.expect(.string, in: text) else { return nil }
        let position = file.position
        let name = file.cursor.string(in: text).text(in: text)
        let isName = name.utf8.allSatisfy {
            0x61...0x7A ~= $0 || $0.isDecimalDigit || $0 == UInt8(ascii: "-")
        }
        guard isName, 1...Self.maxNameBytes ~= name.utf8.count else {
            file.faults.report(
                "the name '\(name.excerpt)' is not allowed; a name has 1 to \(Self.maxNameBytes) characters: a-z, 0-9 and -",
                position
            )
            return nil
        }
        return (name, position)
    }

    private mutating func rules(in text: Span<UInt8>) -> RuleSet? {
        guard file.expect(.string, in: text) else { return nil }
        let position = file.position
        let value = file.cursor.string(in: text).text(in: text)
        guard let rules = RuleSet(rawValue: value) else {
            file.reportUnknown("set of rules", value, known: RuleSet.allCases.map(\.rawValue), position)
            return nil
        }
        return rules
    }

    /// A string without control characters, of limited length.
    mutating func line(in text: Span<UInt8>) -> String? {
        guard file.expect(.string, in: text) else { return nil }
        let position = file.position
        let line = file.cursor.string(in: text).text(in: text)
        guard line.utf8.count <= Self.maxValueBytes else {
            file.faults.report(
                "the text has \(line.utf8.count) bytes; at most \(Self.maxValueBytes) are allowed",
                position
            )
            return nil
        }
        guard line.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            file.faults.report("the text contains a control character", position)
            return nil
        }
        return line
    }

    // MARK: Options

    private mutating func options(in text: Span<UInt8>, into draft: inout Draft) {
        guard file.expect(.object, in: text) else { return }
        file.cursor.enter(in: text)
        let parent = file.pointer
        while file.cursor.next(in: text) {
            file.pointer = parent
            let (name, position) = file.member(in: text)
            guard let option = option(name, position) else {
                _ = file.cursor.skip(in: text)
                continue
            }
            let start = file.position(in: text)
            guard let value = value(of: option, in: text) else { continue }
            draft.options.append((option, value, start))
        }
        file.pointer = parent
    }

    /// The response of `GET /v1/profiles` describes in `derived` the defaults of the options that the profile does not fix.
    private mutating func derived(in text: Span<UInt8>, into draft: inout Draft) {
        guard file.expect(.object, in: text) else { return }
        file.cursor.enter(in: text)
        let parent = file.pointer
        while file.cursor.next(in: text) {
            file.pointer = parent
            let (name, position) = file.member(in: text)
            if let option = option(name, position) { draft.derived.append((option, position)) }
            _ = file.cursor.skip(in: text)
        }
        file.pointer = parent
    }

    private mutating func option(_ name: String, _ position: FilePosition) -> OptionName? {
        guard let option = OptionName(rawValue: name) else {
            file.reportUnknown("option", name, known: ProfileResolver.names.map(\.rawValue), position)
            return nil
        }
        guard option != .profile else {
            file.faults.report("a profile cannot set the option 'profile'; use the member 'extends'", position)
            return nil
        }
        return option
    }

    /// Reads the value of an option. Only thumbnails can have several texts.
    private mutating func value(of option: OptionName, in text: Span<UInt8>) -> Value? {
        switch file.cursor.kind(in: text) {
        case .string:
            guard let value = line(in: text) else { return nil }
            guard option == .thumbnail else { return Value(texts: [value]) }
            return Value(texts: value.split(separator: "&", omittingEmptySubsequences: false).map(String.init))
        case .number where option.acceptsNumber, .boolean where OptionTable[option].values == .boolean:
            let range = file.cursor.skip(in: text)
            guard range.count <= Self.maxValueBytes else { return nil }
            return Value(texts: [String(decoding: range.map { text[$0] }, as: UTF8.self)])
        case .array where option.acceptsList:
            return list(of: option, in: text)
        case .number, .boolean, .array, .object, .null:
            var expected = ["a string"]
            if option.acceptsNumber { expected.append("a number") }
            if OptionTable[option].values == .boolean { expected.append("true or false") }
            if option.acceptsList { expected.append("an array of strings") }
            file.reportKind(expected: expected, in: text)
            return nil
        }
    }

    private mutating func list(of option: OptionName, in text: Span<UInt8>) -> Value? {
        let position = file.position
        let parent = file.pointer
        var elements: [(text: String, position: FilePosition)]? = []
        var bytes = 0
        file.cursor.enter(in: text)
        var index = 0
        while file.cursor.next(in: text) {
            file.pointer = "\(parent)/\(index)"
            index += 1
            let start = file.position
            guard let element = line(in: text) else {
                elements = nil
                continue
            }
            bytes += element.utf8.count + 1
            // The others are counted for the error.
            if bytes <= Self.maxValueBytes { elements?.append((element, start)) }
        }
        file.pointer = parent
        guard let elements else { return nil }
        guard bytes <= Self.maxValueBytes else {
            file.faults.report("the list has \(bytes) bytes; at most \(Self.maxValueBytes) are allowed", position)
            return nil
        }
        guard !elements.isEmpty else {
            guard option.canBeNone else {
                file.faults.report("the list is empty", position)
                return nil
            }
            return Value(texts: ["none"])
        }
        let texts = elements.map(\.text)
        return Value(texts: option == .thumbnail ? texts : [texts.joined(separator: ",")], elements: elements)
    }
}

extension OptionName {
    /// Whether the value may be a JSON number.
    fileprivate var acceptsNumber: Bool {
        switch OptionTable[self].values {
        case .number, .limit: true
        case .boolean, .oneOf, .known, .list, .text: false
        }
    }

    /// Whether the value may be an array of strings: those of a comma-separated list, or thumbnails.
    fileprivate var acceptsList: Bool {
        if case .list = OptionTable[self].values { return true }
        return [.thumbnail, .acceptStatus, .acceptTypes, .upstreamHeaders, .xmlArrays].contains(self)
    }

    /// Whether an empty list stands for `none`.
    fileprivate var canBeNone: Bool {
        if case .list(_, let alternative) = OptionTable[self].values { return alternative == "none" }
        return [.thumbnail, .acceptStatus, .acceptTypes, .upstreamHeaders].contains(self)
    }
}
