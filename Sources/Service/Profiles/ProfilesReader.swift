internal import Platform
internal import Serialization

/// Reads a file of profiles strictly: what is not understood is an error with its location.
///
///     {"profiles":[{"name":"partner","extends":"afnetworking","options":{"nulls":"drop","max-nesting-depth":32},
///       "fetch":{"headers":{"accept-language":"en"},"timeoutSeconds":10}}]}
///
/// The form is that of the response of `GET /v1/profiles`, which can be loaded again. There every value is text, as it
/// is in a query; here numbers, `true`, `false` and arrays of text are accepted too.
///
/// The JSON reader checks the grammar. Then one walk over the same bytes collects the profiles (``Draft``), and
/// ``ProfileResolver`` makes them complete. Errors of the second and third step are collected, so that one attempt
/// reports them all.
struct ProfilesReader: ConfigurationFileReader, HeaderFieldsReader {
    /// A profile as it is written in the file.
    struct Draft {
        var name = ""
        var summary: String?
        var extends: (name: String, location: JSONDocumentLocation)?
        var rules: RuleSet?
        var options: [(name: OptionName, value: Value, location: JSONDocumentLocation)] = []
        var fetch: [FetchMember] = []
        /// The options that the profile does not set, as in the response of `GET /v1/profiles`.
        var derived: [(name: OptionName, location: JSONDocumentLocation)] = []
        var location: JSONDocumentLocation
        /// Whether the profile has an error, so that it is not completed.
        var isInvalid = false
    }

    struct FetchMember {
        let parameter: FetchParameter
        /// Sets the value in the inherited preferences.
        let set: (inout FetchPreferences) -> Void
        let location: JSONDocumentLocation
    }

    /// The value of an option.
    struct Value {
        /// One text. Thumbnails may have several texts.
        var texts: [String]
        /// The elements of an array, each with its location.
        var elements: [(text: String, location: JSONDocumentLocation)] = []
    }

    /// The maximum size of a file in bytes, inclusive. The response of `GET /v1/profiles` has the same maximum, so that
    /// it can be loaded.
    static let maxBytes = 4 << 20

    /// The maximum number of profiles besides the built-in ones.
    static let maxProfiles = 256

    /// The maximum length of a value or a summary, in bytes. A value may be shorter than this in a request, whose head
    /// is limited.
    static let maxValueBytes = 4 << 10

    /// The maximum length of a name, in bytes.
    static let maxNameBytes = 64

    var json: JSONDocumentReader

    /// The settings of fetching.
    let bounds: FetchPreferences.Bounds

    /// Reads a regular file. Other files, such as pipes, cannot be read again.
    static func read(
        path: String,
        limits: Limits,
        fetch: FetchPreferences.Bounds
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
        fetch: FetchPreferences.Bounds
    ) throws(ConfigurationFileError) -> ProfileSet {
        var reader = ProfilesReader(json: try JSONDocumentReader(file: text, path: path), bounds: fetch)
        let drafts = reader.document(with: DocumentMember.profiles, "an array of profiles", in: text) {
            reader throws(JSONDocumentFault) in try reader.profiles(in: text)
        }
        var resolver = ProfileResolver(drafts ?? [], limits: limits, faults: ConfigurationFileFaults(reader.json))
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

    private enum DocumentMember: String, CaseIterable {
        case profiles
    }

    private mutating func profiles(in text: Span<UInt8>) throws(JSONDocumentFault) -> [Draft] {
        var drafts: [Draft] = []
        try json.enterArray(in: text)
        var custom = 0
        while json.nextElement(in: text) {
            guard custom <= Self.maxProfiles else {
                _ = json.skip(in: text)
                continue
            }
            let location = json.location(of: json.mark(in: text), in: text)
            let read = recovering(in: text) { reader throws(JSONDocumentFault) in
                try reader.profile(at: location, in: text)
            }
            let draft = read ?? Draft(location: location, isInvalid: true)
            if BuiltInProfile(rawValue: draft.name) == nil { custom += 1 }
            if custom <= Self.maxProfiles {
                drafts.append(draft)
            } else {
                json.record(
                    JSONDocumentFault(
                        "there are more than \(Self.maxProfiles) profiles besides the built-in ones",
                        at: location
                    )
                )
            }
        }
        return drafts
    }

    // MARK: One profile

    private enum Member: String, CaseIterable {
        case name, summary, extends, rules, options, derived, fetch
    }

    private mutating func profile(
        at location: JSONDocumentLocation,
        in text: Span<UInt8>
    ) throws(JSONDocumentFault) -> Draft {
        let found = json.faultCount
        var draft = Draft(location: location)
        try json.enterObject(in: text)
        while let member: Member = try json.nextMember(in: text) {
            recovering(in: text) { reader throws(JSONDocumentFault) in
                switch member {
                case .name: draft.name = try reader.name(in: text)
                case .summary: draft.summary = try reader.line(in: text)
                case .extends:
                    let start = reader.json.mark(in: text)
                    let location = reader.json.location(of: start, in: text)
                    draft.extends = (try reader.name(in: text), location)
                case .rules: draft.rules = try reader.json.choice("set of rules", in: text)
                case .options: draft.options = try reader.options(in: text)
                case .derived: draft.derived = try reader.derived(in: text)
                case .fetch: draft.fetch = try reader.fetch(in: text)
                }
            }
        }
        if draft.name.isEmpty, json.faultCount == found {
            json.record(JSONDocumentFault("the profile has no name", at: location))
        }
        draft.isInvalid = json.faultCount > found
        return draft
    }

    private mutating func name(in text: Span<UInt8>) throws(JSONDocumentFault) -> String {
        let start = json.mark(in: text)
        let name = try json.string(in: text)
        let isName = name.utf8.allSatisfy { $0.isLowercaseLetter || $0.isDecimalDigit || $0 == UInt8(ascii: "-") }
        guard isName, 1...Self.maxNameBytes ~= name.utf8.count else {
            throw fault(
                "the name '\(name.excerpt)' is not allowed; a name has 1 to \(Self.maxNameBytes) characters: "
                    + "a-z, 0-9 and -",
                at: start,
                in: text
            )
        }
        return name
    }

    /// A string without control characters, of limited length.
    mutating func line(in text: Span<UInt8>) throws(JSONDocumentFault) -> String {
        let start = json.mark(in: text)
        let line = try json.string(in: text)
        guard line.utf8.count <= Self.maxValueBytes else {
            let message = "the text has \(line.utf8.count) bytes; at most \(Self.maxValueBytes) are allowed"
            throw fault(message, at: start, in: text)
        }
        guard line.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw fault("the text contains a control character", at: start, in: text)
        }
        return line
    }

    // MARK: Options

    private mutating func options(
        in text: Span<UInt8>
    ) throws(JSONDocumentFault) -> [(name: OptionName, value: Value, location: JSONDocumentLocation)] {
        var options: [(name: OptionName, value: Value, location: JSONDocumentLocation)] = []
        try json.enterObject(in: text)
        while let option: OptionName = try json.nextMember("option", known: ProfileResolver.names, in: text) {
            let start = json.mark(in: text)
            let value = recovering(in: text) { reader throws(JSONDocumentFault) in
                try reader.checkIsAllowed(option, in: text)
                return try reader.value(of: option, in: text)
            }
            if let value = value ?? nil { options.append((option, value, json.location(of: start, in: text))) }
        }
        return options
    }

    /// The response of `GET /v1/profiles` describes in `derived` the defaults of the options that the profile does not
    /// fix.
    private mutating func derived(
        in text: Span<UInt8>
    ) throws(JSONDocumentFault) -> [(name: OptionName, location: JSONDocumentLocation)] {
        var derived: [(name: OptionName, location: JSONDocumentLocation)] = []
        try json.enterObject(in: text)
        while let option: OptionName = try json.nextMember("option", known: ProfileResolver.names, in: text) {
            let location = json.location(of: json.nameMark, in: text)
            recovering(in: text) { reader throws(JSONDocumentFault) in
                try reader.checkIsAllowed(option, in: text)
                derived.append((option, location))
                _ = reader.json.skip(in: text)
            }
        }
        return derived
    }

    private func checkIsAllowed(_ option: OptionName, in text: Span<UInt8>) throws(JSONDocumentFault) {
        guard option == .profile else { return }
        throw fault("a profile cannot set the option 'profile'; use the member 'extends'", at: json.nameMark, in: text)
    }

    /// Reads the value of an option. Only thumbnails can have several texts.
    private mutating func value(of option: OptionName, in text: Span<UInt8>) throws(JSONDocumentFault) -> Value? {
        switch json.kind(in: text) {
        case .string:
            let value = try line(in: text)
            guard option == .thumbnail else { return Value(texts: [value]) }
            return Value(texts: value.split(separator: "&", omittingEmptySubsequences: false).map(String.init))
        case .number where option.acceptsNumber, .boolean where OptionTable[option].values == .boolean:
            return Value(texts: [text.text(json.skip(in: text))])
        case .array where option.acceptsList: return try list(of: option, in: text)
        case .number, .boolean, .array, .object, .null:
            var expected = ["a string"]
            if option.acceptsNumber { expected.append("a number") }
            if OptionTable[option].values == .boolean { expected.append("true or false") }
            if option.acceptsList { expected.append("an array of strings") }
            throw json.unexpectedKind(expected, in: text)
        }
    }

    private mutating func list(of option: OptionName, in text: Span<UInt8>) throws(JSONDocumentFault) -> Value? {
        let start = json.mark(in: text)
        let found = json.faultCount
        var elements: [(text: String, location: JSONDocumentLocation)] = []
        var bytes = 0
        try json.enterArray(in: text)
        while json.nextElement(in: text) {
            let element = json.mark(in: text)
            guard let line = recovering(in: text, { reader throws(JSONDocumentFault) in try reader.line(in: text) })
            else { continue }
            bytes += line.utf8.count + 1
            // The others are counted for the error.
            if bytes <= Self.maxValueBytes { elements.append((line, json.location(of: element, in: text))) }
        }
        guard json.faultCount == found else { return nil }
        guard bytes <= Self.maxValueBytes else {
            let message = "the list has \(bytes) bytes; at most \(Self.maxValueBytes) are allowed"
            throw fault(message, at: start, in: text)
        }
        guard !elements.isEmpty else {
            guard option.canBeNone else { throw fault("the list is empty", at: start, in: text) }
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
        return [.thumbnail, .acceptStatus, .acceptTypes, .upstreamHeaders, .xmlArrays, .formArrays, .omit].contains(
            self
        )
    }

    /// Whether an empty list stands for `none`.
    fileprivate var canBeNone: Bool {
        if case .list(_, let alternative) = OptionTable[self].values { return alternative == "none" }
        return [.thumbnail, .acceptStatus, .acceptTypes, .upstreamHeaders, .omit].contains(self)
    }
}
