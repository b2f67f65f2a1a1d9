internal import Platform
internal import Serialization

/// Reads a file of profiles strictly: what is not understood is an error with its position.
///
///     {"profiles":[{"name":"partner","extends":"afnetworking","options":{"nulls":"drop","max-nesting-depth":32}}]}
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
        var extends: (name: String, place: Place)?
        var rules: RuleSet?
        var options: [(name: OptionName, value: Value, place: Place)] = []
        /// The options that the profile does not fix, as the response of `GET /v1/profiles` lists them.
        var derived: [(name: OptionName, place: Place)] = []
        var place: Place
        /// Whether an error was found in it, so that it is not resolved.
        var isInvalid = false
    }

    /// The value of an option.
    struct Value {
        /// One text or, for thumbnails, several.
        var texts: [String]
        /// The elements of an array, each with its position.
        var elements: [(text: String, place: Place)] = []
    }

    /// A position in the file.
    struct Place {
        var byte: Int
        var pointer: String
    }

    /// The maximum size of a file, in bytes, inclusive. The response of `GET /v1/profiles` has the same maximum, so that it can be loaded.
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

    /// Reads a regular file; nothing else can be read again whenever it is needed.
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
    ///   - limits: the service's own, which a profile may lower.
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
                "GET /v1/profiles would return \(set.document.count) bytes, and at most \(maxBytes) are allowed; "
                + "shorten what many profiles inherit"
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
            let (name, place) = member(in: text)
            guard name == "profiles" else {
                reportUnknown("member", name, known: ["profiles"], place)
                _ = cursor.skip(in: text)
                continue
            }
            drafts = profiles(in: text)
            pointer = ""
        }
        if drafts == nil, faults.isEmpty {
            faults.report("expected the member 'profiles', an array of profiles", Place(byte: start, pointer: ""))
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
                    draft.place
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
            return Draft(place: Place(byte: cursor.position, pointer: parent), isInvalid: true)
        }
        var draft = Draft(place: Place(byte: cursor.position, pointer: parent))
        cursor.enter(in: text)
        while cursor.next(in: text) {
            pointer = parent
            let (name, place) = member(in: text)
            guard let member = Member(rawValue: name) else {
                reportUnknown("member", name, known: Member.allCases.map(\.rawValue), place)
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
            faults.report("the profile has no name", draft.place)
        }
        draft.isInvalid = faults.count > found
        return draft
    }

    private mutating func name(in text: Span<UInt8>) -> (name: String, place: Place)? {
        guard expect(.string, in: text) else { return nil }
        let place = place
        let name = cursor.string(in: text).text(in: text)
        let isName = name.utf8.allSatisfy {
            0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "-")
        }
        guard isName, 1...Self.maxNameBytes ~= name.utf8.count else {
            faults.report(
                "a name has 1 to \(Self.maxNameBytes) characters (a-z, 0-9 and -), and is not '\(name.excerpt)'",
                place
            )
            return nil
        }
        return (name, place)
    }

    private mutating func rules(in text: Span<UInt8>) -> RuleSet? {
        guard expect(.string, in: text) else { return nil }
        let place = place
        let value = cursor.string(in: text).text(in: text)
        guard let rules = RuleSet(rawValue: value) else {
            reportUnknown("set of rules", value, known: RuleSet.allCases.map(\.rawValue), place)
            return nil
        }
        return rules
    }

    /// A string without control characters, of limited length.
    private mutating func line(in text: Span<UInt8>) -> String? {
        guard expect(.string, in: text) else { return nil }
        let place = place
        let line = cursor.string(in: text).text(in: text)
        guard line.utf8.count <= Self.maxValueBytes else {
            faults.report("the text has \(line.utf8.count) bytes; at most \(Self.maxValueBytes) are allowed", place)
            return nil
        }
        guard line.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            faults.report("the text has a control character", place)
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
            let (name, place) = member(in: text)
            guard let option = option(name, place) else {
                _ = cursor.skip(in: text)
                continue
            }
            let start = cursor.place(pointer, in: text)
            guard let value = value(of: option, in: text) else { continue }
            draft.options.append((option, value, start))
        }
        pointer = parent
    }

    /// The response of `GET /v1/profiles` describes in `derived` the defaults of the options that the profile does not fix.
    private mutating func derived(in text: Span<UInt8>, into draft: inout Draft) {
        guard expect(.object, in: text) else { return }
        cursor.enter(in: text)
        let parent = pointer
        while cursor.next(in: text) {
            pointer = parent
            let (name, place) = member(in: text)
            if let option = option(name, place) { draft.derived.append((option, place)) }
            _ = cursor.skip(in: text)
        }
        pointer = parent
    }

    private mutating func option(_ name: String, _ place: Place) -> OptionName? {
        guard let option = OptionName(rawValue: name) else {
            reportUnknown("option", name, known: ProfileResolver.names.map(\.rawValue), place)
            return nil
        }
        guard option != .profile else {
            faults.report("a profile cannot set the option 'profile'; use the member 'extends'", place)
            return nil
        }
        return option
    }

    private mutating func value(of option: OptionName, in text: Span<UInt8>) -> Value? {
        switch cursor.kind(in: text) {
        case .string:
            guard let value = line(in: text) else { return nil }
            guard option == .thumbnail else { return Value(texts: [value]) }
            return Value(texts: value.split(separator: "&", omittingEmptySubsequences: false).map(String.init))
        case .number where option.takesNumber, .boolean where OptionTable[option].values == .boolean:
            let range = cursor.skip(in: text)
            guard range.count <= Self.maxValueBytes else { return nil }
            return Value(texts: [String(decoding: range.map { text[$0] }, as: UTF8.self)])
        case .array where option.takesList:
            return list(of: option, in: text)
        case .number, .boolean, .array, .object, .null:
            var expected = ["a string"]
            if option.takesNumber { expected.append("a number") }
            if OptionTable[option].values == .boolean { expected.append("true or false") }
            if option.takesList { expected.append("an array of strings") }
            reportKind(expected: expected, in: text)
            return nil
        }
    }

    private mutating func list(of option: OptionName, in text: Span<UInt8>) -> Value? {
        let place = place
        let parent = pointer
        var elements: [(text: String, place: Place)]? = []
        var bytes = 0
        cursor.enter(in: text)
        var index = 0
        while cursor.next(in: text) {
            pointer = "\(parent)/\(index)"
            index += 1
            let place = self.place
            guard let element = line(in: text) else {
                elements = nil
                continue
            }
            bytes += element.utf8.count + 1
            // The others are counted for the error.
            if bytes <= Self.maxValueBytes { elements?.append((element, place)) }
        }
        pointer = parent
        guard let elements else { return nil }
        guard bytes <= Self.maxValueBytes else {
            faults.report("the list has \(bytes) bytes; at most \(Self.maxValueBytes) are allowed", place)
            return nil
        }
        guard !elements.isEmpty else {
            guard option.canBeNone else {
                faults.report("the list is empty", place)
                return nil
            }
            return Value(texts: ["none"])
        }
        let texts = elements.map(\.text)
        return Value(texts: option == .thumbnail ? texts : [texts.joined(separator: ",")], elements: elements)
    }

    // MARK: Parts

    /// Reads the name of a member, and moves `pointer` to it.
    private mutating func member(in text: Span<UInt8>) -> (name: String, place: Place) {
        let byte = cursor.position
        let name = cursor.name(in: text).text(in: text)
        pointer += "/" + String(name.prefix(64)).pointerToken
        return (name, Place(byte: byte, pointer: pointer))
    }

    private var place: Place { Place(byte: cursor.position, pointer: pointer) }

    private mutating func expect(_ kind: JSONCursor.Kind, in text: Span<UInt8>) -> Bool {
        guard cursor.kind(in: text) == kind else {
            reportKind(expected: [kind.rawValue], in: text)
            return false
        }
        return true
    }

    /// Reports a value of another type, and steps over it.
    private mutating func reportKind(expected: [String], in text: Span<UInt8>) {
        let found = cursor.kind(in: text).rawValue
        faults.report("expected \(expected.alternatives), found \(found)", place)
        _ = cursor.skip(in: text)
    }

    private mutating func reportUnknown(_ what: String, _ name: String, known: [String], _ place: Place) {
        faults.report(Self.unknown(what, name, known: known), place)
    }

    private static func unknown(_ what: String, _ name: String, known: [String]) -> String {
        let nearest = NearestName.nearest(to: name, in: known)
        let remedy = nearest.map { "Did you mean '\($0)'?" } ?? "There are \(known.joined(separator: ", "))"
        return "there is no \(what) '\(name.excerpt)'. \(remedy)"
    }
}

extension JSONCursor {
    /// The position of the next value.
    fileprivate mutating func place(_ pointer: String, in text: Span<UInt8>) -> ProfilesReader.Place {
        _ = peek(in: text)
        return ProfilesReader.Place(byte: position, pointer: pointer)
    }
}

extension OptionName {
    /// Whether the value may be a JSON number.
    fileprivate var takesNumber: Bool {
        switch OptionTable[self].values {
        case .number, .limit: true
        case .boolean, .oneOf, .known, .list, .text: false
        }
    }

    /// Whether the value may be an array of strings: those of a comma-separated list, or thumbnails.
    fileprivate var takesList: Bool {
        if case .list = OptionTable[self].values { return true }
        return [.thumbnail, .acceptStatus, .acceptTypes, .upstreamHeaders, .xmlArrays].contains(self)
    }

    /// Whether an empty list stands for `none`.
    fileprivate var canBeNone: Bool {
        if case .list(_, let alternative) = OptionTable[self].values { return alternative == "none" }
        return [.thumbnail, .acceptStatus, .acceptTypes, .upstreamHeaders].contains(self)
    }
}

/// The errors that were found in a file so far, up to a maximum.
struct ProfileFaults {
    private var faults: [(message: String, place: ProfilesReader.Place, first: Int?)] = []

    /// The maximum number of errors that are reported.
    private static let maxFaults = 20

    var isEmpty: Bool { faults.isEmpty }
    private(set) var count = 0

    /// - Parameters:
    ///   - message: computed only if the error is reported: a file may have hundreds of thousands of them.
    ///   - first: the offset of the first occurrence of what is there twice.
    mutating func report(_ message: @autoclosure () -> String, _ place: ProfilesReader.Place, first: Int? = nil) {
        count += 1
        if faults.count < Self.maxFaults { faults.append((message(), place, first)) }
    }

    /// The errors in the order of the file, with lines and columns.
    func located(in text: Span<UInt8>) -> [ProfilesError.Fault] {
        let sorted = faults.sorted { $0.place.byte < $1.place.byte }
        let offsets = Set(sorted.map(\.place.byte) + sorted.compactMap(\.first)).sorted()
        let locations = Dictionary(text.locate(offsets).map { ($0.byte, $0) }) { first, _ in first }
        return sorted.map { fault in
            var at = locations[fault.place.byte] ?? SourceLocation(byte: fault.place.byte)
            at.pointer = fault.place.pointer
            return ProfilesError.Fault(message: fault.message, at: at, first: fault.first.flatMap { locations[$0] })
        }
    }
}
