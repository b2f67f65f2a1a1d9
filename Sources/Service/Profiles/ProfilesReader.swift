internal import Platform
internal import Serialization

/// Reads a file of profiles strictly: unknown members, names and values are errors with a position.
///
///     {"profiles":[{"name":"partner","extends":"afnetworking","options":{"nulls":"drop","max-nesting-depth":32}}]}
///
/// The form is that of the response of `GET /v1/profiles`, which can be loaded again. In that response every value is text, as in a
/// query. A file may also contain numbers, `true`, `false` and arrays of strings.
///
/// The JSON reader checks the grammar. Then one pass over the same bytes collects the profiles (``Draft``), and ``ProfileResolver``
/// completes them. The errors of the second and third step are collected, so that one attempt reports all of them.
struct ProfilesReader {
    /// A profile as it is written in the file.
    struct Draft {
        var name = ""
        var summary: String?
        var extends: (name: String, position: Position)?
        var rules: RuleSet?
        var options: [(name: OptionName, values: [String], position: Position)] = []
        /// The options that the profile does not set, as in the response of `GET /v1/profiles`.
        var derived: [(name: OptionName, position: Position)] = []
        var position: Position
        /// Whether the profile has an error, so that it is not completed.
        var isInvalid = false
    }

    /// A position in the file.
    struct Position {
        var byte: Int
        var pointer: String
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

    private var cursor: JSONCursor
    private(set) var faults: ProfileFaults
    private var pointer = ""

    /// Reads a regular file. Other files, such as pipes, cannot be read again.
    static func read(path: String, limits: Limits) throws(ProfilesError) -> ProfileSet {
        let text: [UInt8]
        do throws(ReadError) {
            text = try read(path)
        } catch {
            throw .unreadable(error)
        }
        return try read(text.span, path: path, limits: limits)
    }

    private static func read(_ path: String) throws(ReadError) -> [UInt8] {
        let file: FileDescriptor
        do throws(SystemError) {
            file = try FileDescriptor.openingRegularFile(path)
        } catch {
            throw .system(error)
        }
        return try file.readAll(maxBytes: maxBytes)
    }

    /// - Parameters:
    ///   - path: the name of the file, for errors.
    ///   - limits: the limits of the service, which a profile may lower.
    static func read(_ text: Span<UInt8>, path: String, limits: Limits) throws(ProfilesError) -> ProfileSet {
        try validate(text, path: path)
        // RFC 8259 §8.1: a byte order mark may be ignored.
        let hasMark = text.count >= 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF
        var reader = ProfilesReader(cursor: JSONCursor(at: hasMark ? 3 : 0), faults: ProfileFaults())
        let drafts = reader.document(in: text)
        var resolver = ProfileResolver(drafts, limits: limits, faults: reader.faults)
        let profiles = resolver.resolve()
        guard resolver.faults.isEmpty else { throw .invalid(resolver.faults.located(in: text), path: path) }
        let set = ProfileSet(profiles, limits: limits)
        guard set.document.count <= maxBytes else {
            let message =
                "GET /v1/profiles would return \(set.document.count) bytes; at most \(maxBytes) are allowed; "
                + "shorten the values that many profiles inherit"
            throw .invalid([.init(message: message, at: SourceLocation(byte: 0, line: 1, column: 1))], path: path)
        }
        set.document.prepare()
        return set
    }

    private static func validate(_ text: Span<UInt8>, path: String) throws(ProfilesError) {
        var options = JSONReader.Options()
        options.nulls = .keep
        options.duplicates = .reject
        options.prefixes = .reject
        options.limits.maxNestingDepth = maxNestingDepth
        options.limits.maxOutputBytes = .max  // never longer than the file itself
        var writer = JSONWriter(capacity: text.count)
        var warnings = WarningList(max: 0)
        let encoding: String
        do {
            encoding = try JSONReader.read(text, options: options, into: &writer, warnings: &warnings).encoding
        } catch {
            throw .malformed(error, path: path)
        }
        guard encoding == UnicodeEncoding.utf8.rawValue else { throw .notUTF8(encoding: encoding, path: path) }
    }

    // MARK: The document

    private mutating func document(in text: Span<UInt8>) -> [Draft] {
        guard expect(.object, in: text) else { return [] }
        let start = cursor.position
        var drafts: [Draft]?
        cursor.enter(in: text)
        while cursor.next(in: text) {
            let (name, position) = member(in: text)
            guard name == "profiles" else {
                reportUnknown("member", name, known: ["profiles"], position)
                _ = cursor.skip(in: text)
                continue
            }
            drafts = profiles(in: text)
            pointer = ""
        }
        if drafts == nil, faults.isEmpty {
            faults.report("expected the member 'profiles', an array of profiles", Position(byte: start, pointer: ""))
        }
        return drafts ?? []
    }

    private mutating func profiles(in text: Span<UInt8>) -> [Draft] {
        pointer = "/profiles"
        guard expect(.array, in: text) else { return [] }
        var drafts: [Draft] = []
        cursor.enter(in: text)
        var custom = 0
        var index = 0
        while cursor.next(in: text) {
            pointer = "/profiles/\(index)"
            index += 1
            guard custom <= Self.maxProfiles else {
                _ = cursor.skip(in: text)
                continue
            }
            let draft = profile(in: text)
            if BuiltInProfile(rawValue: draft.name) == nil { custom += 1 }
            if custom > Self.maxProfiles {
                faults.report(
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
        case name, summary, extends, rules, options, derived
    }

    private mutating func profile(in text: Span<UInt8>) -> Draft {
        let parent = pointer
        let found = faults.count
        guard expect(.object, in: text) else {
            return Draft(position: Position(byte: cursor.position, pointer: parent), isInvalid: true)
        }
        var draft = Draft(position: Position(byte: cursor.position, pointer: parent))
        cursor.enter(in: text)
        while cursor.next(in: text) {
            pointer = parent
            let (name, position) = member(in: text)
            guard let member = Member(rawValue: name) else {
                reportUnknown("member", name, known: Member.allCases.map(\.rawValue), position)
                _ = cursor.skip(in: text)
                continue
            }
            switch member {
            case .name: draft.name = self.name(in: text)?.name ?? ""
            case .summary: draft.summary = line(in: text)
            case .extends: draft.extends = self.name(in: text)
            case .rules: draft.rules = rules(in: text)
            case .options: options(in: text, into: &draft)
            case .derived: derived(in: text, into: &draft)
            }
        }
        pointer = parent
        if draft.name.isEmpty, faults.count == found {
            faults.report("the profile has no name", draft.position)
        }
        draft.isInvalid = faults.count > found
        return draft
    }

    private mutating func name(in text: Span<UInt8>) -> (name: String, position: Position)? {
        guard expect(.string, in: text) else { return nil }
        let position = position
        let name = cursor.string(in: text).text(in: text)
        let isName = name.utf8.allSatisfy {
            0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "-")
        }
        guard isName, 1...Self.maxNameBytes ~= name.utf8.count else {
            faults.report(
                "the name '\(name.excerpt)' is not allowed; a name has 1 to \(Self.maxNameBytes) characters: a-z, 0-9 and -",
                position
            )
            return nil
        }
        return (name, position)
    }

    private mutating func rules(in text: Span<UInt8>) -> RuleSet? {
        guard expect(.string, in: text) else { return nil }
        let position = position
        let value = cursor.string(in: text).text(in: text)
        guard let rules = RuleSet(rawValue: value) else {
            reportUnknown("set of rules", value, known: RuleSet.allCases.map(\.rawValue), position)
            return nil
        }
        return rules
    }

    /// A string without control characters, of limited length.
    private mutating func line(in text: Span<UInt8>) -> String? {
        guard expect(.string, in: text) else { return nil }
        let position = position
        let line = cursor.string(in: text).text(in: text)
        guard line.utf8.count <= Self.maxValueBytes else {
            faults.report("the text has \(line.utf8.count) bytes; at most \(Self.maxValueBytes) are allowed", position)
            return nil
        }
        guard line.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            faults.report("the text contains a control character", position)
            return nil
        }
        return line
    }

    // MARK: Options

    private mutating func options(in text: Span<UInt8>, into draft: inout Draft) {
        guard expect(.object, in: text) else { return }
        cursor.enter(in: text)
        let parent = pointer
        while cursor.next(in: text) {
            pointer = parent
            let (name, position) = member(in: text)
            guard let option = option(name, position) else {
                _ = cursor.skip(in: text)
                continue
            }
            let start = cursor.position(pointer, in: text)
            guard let values = values(of: option, in: text) else { continue }
            draft.options.append((option, values, start))
        }
        pointer = parent
    }

    /// Reads the member `derived`, in which `GET /v1/profiles` describes the defaults of the options that the profile does not set.
    private mutating func derived(in text: Span<UInt8>, into draft: inout Draft) {
        guard expect(.object, in: text) else { return }
        cursor.enter(in: text)
        let parent = pointer
        while cursor.next(in: text) {
            pointer = parent
            let (name, position) = member(in: text)
            if let option = option(name, position) { draft.derived.append((option, position)) }
            _ = cursor.skip(in: text)
        }
        pointer = parent
    }

    private mutating func option(_ name: String, _ position: Position) -> OptionName? {
        guard let option = OptionName(rawValue: name) else {
            reportUnknown("option", name, known: ProfileResolver.names.map(\.rawValue), position)
            return nil
        }
        guard option != .profile else {
            faults.report("a profile cannot set the option 'profile'; use the member 'extends'", position)
            return nil
        }
        return option
    }

    /// Reads the value of an option as one text. Thumbnails may have several texts.
    private mutating func values(of option: OptionName, in text: Span<UInt8>) -> [String]? {
        switch cursor.kind(in: text) {
        case .string:
            guard let value = line(in: text) else { return nil }
            guard option == .thumbnail else { return [value] }
            return value.split(separator: "&", omittingEmptySubsequences: false).map(String.init)
        case .number where option.acceptsNumber, .boolean where OptionTable[option].values == .boolean:
            let range = cursor.skip(in: text)
            guard range.count <= Self.maxValueBytes else { return nil }
            return [String(decoding: range.map { text[$0] }, as: UTF8.self)]
        case .array where option.acceptsList:
            return list(of: option, in: text)
        case .number, .boolean, .array, .object, .null:
            var expected = ["a string"]
            if option.acceptsNumber { expected.append("a number") }
            if OptionTable[option].values == .boolean { expected.append("true or false") }
            if option.acceptsList { expected.append("an array of strings") }
            reportKind(expected: expected, in: text)
            return nil
        }
    }

    private mutating func list(of option: OptionName, in text: Span<UInt8>) -> [String]? {
        let position = position
        let parent = pointer
        var elements: [String]? = []
        var bytes = 0
        cursor.enter(in: text)
        var index = 0
        while cursor.next(in: text) {
            pointer = "\(parent)/\(index)"
            index += 1
            guard let element = line(in: text) else {
                elements = nil
                continue
            }
            bytes += element.utf8.count + 1
            elements?.append(element)
        }
        pointer = parent
        guard let elements else { return nil }
        guard bytes <= Self.maxValueBytes else {
            faults.report("the list has \(bytes) bytes; at most \(Self.maxValueBytes) are allowed", position)
            return nil
        }
        guard !elements.isEmpty else {
            guard option.canBeNone else {
                faults.report("the list is empty", position)
                return nil
            }
            return ["none"]
        }
        return option == .thumbnail ? elements : [elements.joined(separator: ",")]
    }

    // MARK: Parts

    /// Reads the name of a member, and moves `pointer` to it.
    private mutating func member(in text: Span<UInt8>) -> (name: String, position: Position) {
        let byte = cursor.position
        let name = cursor.name(in: text).text(in: text)
        pointer += "/" + String(name.prefix(64)).pointerToken
        return (name, Position(byte: byte, pointer: pointer))
    }

    private var position: Position { Position(byte: cursor.position, pointer: pointer) }

    private mutating func expect(_ kind: JSONCursor.Kind, in text: Span<UInt8>) -> Bool {
        guard cursor.kind(in: text) == kind else {
            reportKind(expected: [kind.rawValue], in: text)
            return false
        }
        return true
    }

    /// Reports a value of a type that is not allowed, and skips it.
    private mutating func reportKind(expected: [String], in text: Span<UInt8>) {
        let found = cursor.kind(in: text).rawValue
        faults.report("expected \(expected.alternatives), found \(found)", position)
        _ = cursor.skip(in: text)
    }

    private mutating func reportUnknown(_ kind: String, _ name: String, known: [String], _ position: Position) {
        let nearest = NearestName.nearest(to: name, in: known)
        let remedy = nearest.map { "Did you mean '\($0)'?" } ?? "Allowed: \(known.joined(separator: ", "))"
        faults.report("there is no \(kind) '\(name.excerpt)'. \(remedy)", position)
    }
}

extension JSONCursor {
    /// The position of the next value.
    fileprivate mutating func position(_ pointer: String, in text: Span<UInt8>) -> ProfilesReader.Position {
        _ = peek(in: text)
        return ProfilesReader.Position(byte: position, pointer: pointer)
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

    /// Whether the value may be an array of strings: the elements of a comma-separated list, or thumbnails.
    fileprivate var acceptsList: Bool {
        if case .list = OptionTable[self].values { return true }
        return [.thumbnail, .acceptStatus, .acceptTypes, .upstreamHeaders, .xmlArrays].contains(self)
    }

    /// Whether an empty list means `none`.
    fileprivate var canBeNone: Bool {
        if case .list(_, let alternative) = OptionTable[self].values { return alternative == "none" }
        return [.thumbnail, .acceptStatus, .acceptTypes, .upstreamHeaders].contains(self)
    }
}

/// The errors that were found in a file, up to a maximum number.
struct ProfileFaults {
    private var faults: [(message: String, position: ProfilesReader.Position, first: Int?)] = []

    /// The maximum number of errors that are reported.
    private static let maxFaults = 20

    var isEmpty: Bool { faults.isEmpty }
    private(set) var count = 0

    /// - Parameter first: the offset of the first occurrence, if the error is a duplicate.
    mutating func report(_ message: String, _ position: ProfilesReader.Position, first: Int? = nil) {
        count += 1
        if faults.count < Self.maxFaults { faults.append((message, position, first)) }
    }

    /// Returns the errors in the order of the file, with lines and columns.
    func located(in text: Span<UInt8>) -> [ProfilesError.Fault] {
        let sorted = faults.sorted { $0.position.byte < $1.position.byte }
        let offsets = Set(sorted.map(\.position.byte) + sorted.compactMap(\.first)).sorted()
        let locations = Dictionary(text.locate(offsets).map { ($0.byte, $0) }) { first, _ in first }
        return sorted.map { fault in
            var at = locations[fault.position.byte] ?? SourceLocation(byte: fault.position.byte)
            at.pointer = fault.position.pointer
            return ProfilesError.Fault(message: fault.message, at: at, first: fault.first.flatMap { locations[$0] })
        }
    }
}
