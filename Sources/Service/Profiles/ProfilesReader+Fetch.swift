internal import Fetching
internal import Serialization

// The member `fetch` of a profile: members of `POST /v1/fetch` that are useful for a group of requests.
//
//     {"headers":{"accept-language":"en","x-trace":[]},"cache":"force-cache","timeoutSeconds":10}
//
// An empty list of values removes an inherited field. Members that concern one request, such as `url` or `receipt`, are unknown here.

extension ProfilesReader {
    mutating func fetch(in text: Span<UInt8>) -> [(value: FetchDefaults.Value, position: FilePosition)] {
        guard file.expect(.object, in: text) else { return [] }
        var values: [(value: FetchDefaults.Value, position: FilePosition)] = []
        file.cursor.enter(in: text)
        let parent = file.pointer
        while file.cursor.next(in: text) {
            file.pointer = parent
            let (name, position) = file.member(in: text)
            guard let member = FetchDefaults.Member(rawValue: name) else {
                file.reportUnknown("member", name, known: FetchDefaults.Member.allCases.map(\.rawValue), position)
                _ = file.cursor.skip(in: text)
                continue
            }
            let start = file.position(in: text)
            if let value = value(of: member, in: text) { values.append((value, start)) }
        }
        file.pointer = parent
        return values
    }

    private mutating func value(of member: FetchDefaults.Member, in text: Span<UInt8>) -> FetchDefaults.Value? {
        switch member {
        case .headers: headers(in: text)
        case .cache: choice("mode of the cache", in: text).map { .cache($0) }
        case .redirects: choice("mode of redirects", in: text).map { .redirects($0) }
        case .store: boolean(in: text).map { .store($0) }
        case .timeoutSeconds:
            integer(1...bounds.timeoutSeconds, setting: "fetch-timeout-seconds", in: text).map { .timeoutSeconds($0) }
        case .retries: integer(0...bounds.retries, setting: "fetch-retries", in: text).map { .retries($0) }
        case .waitSeconds: integer(0...FetchCall.maxSeconds, in: text).map { .waitSeconds($0) }
        }
    }

    private mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ kind: String,
        in text: Span<UInt8>
    ) -> Choice? {
        guard file.expect(.string, in: text) else { return nil }
        let position = file.position
        let value = file.cursor.string(in: text).text(in: text)
        guard let choice = Choice(rawValue: value) else {
            file.reportUnknown(kind, value, known: Choice.allCases.map(\.rawValue), position)
            return nil
        }
        return choice
    }

    private mutating func boolean(in text: Span<UInt8>) -> Bool? {
        guard file.expect(.boolean, in: text) else { return nil }
        let range = file.cursor.skip(in: text)
        return text[range.lowerBound] == UInt8(ascii: "t")
    }

    /// - Parameter setting: the setting of the service that is the upper bound; `nil` if the bound is fixed.
    private mutating func integer(
        _ bounds: ClosedRange<Int>,
        setting: String? = nil,
        in text: Span<UInt8>
    ) -> Int? {
        guard file.expect(.number, in: text) else { return nil }
        let position = file.position
        let digits = String(decoding: file.cursor.skip(in: text).map { text[$0] }, as: UTF8.self)
        guard let value = Int(digits), bounds ~= value else {
            let reason = setting.map { ", because a profile may lower \($0), but not raise it" } ?? ""
            file.faults.report(
                "the value cannot be \(digits.excerpt); allowed: \(bounds.lowerBound) to \(bounds.upperBound)\(reason)",
                position
            )
            return nil
        }
        return value
    }

    // MARK: Fields

    /// `[["accept-language","en"]]` or `{"accept-language":"en","x-a":["1","2"]}`, as in an envelope.
    private mutating func headers(in text: Span<UInt8>) -> FetchDefaults.Value? {
        let found = file.faults.count
        let parent = file.pointer
        var names: [String] = []
        var fields: [HeaderFields.Field] = []
        switch file.cursor.kind(in: text) {
        case .array: pairs(in: text, into: &fields)
        case .object: object(in: text, names: &names, into: &fields)
        case .string, .number, .boolean, .null:
            file.reportKind(expected: ["an array of pairs", "an object"], in: text)
        }
        file.pointer = parent
        guard file.faults.count == found else { return nil }
        return .headers(names: names + fields.map(\.name), fields: fields)
    }

    private mutating func pairs(in text: Span<UInt8>, into fields: inout [HeaderFields.Field]) {
        let parent = file.pointer
        file.cursor.enter(in: text)
        var index = 0
        while file.cursor.next(in: text) {
            file.pointer = "\(parent)/\(index)"
            index += 1
            guard file.expect(.array, in: text) else { continue }
            let pair = file.position
            file.cursor.enter(in: text)
            var parts: [(text: String, position: FilePosition)] = []
            var count = 0
            let pointer = file.pointer
            while file.cursor.next(in: text) {
                file.pointer = "\(pointer)/\(count)"
                count += 1
                guard count <= 2 else {
                    _ = file.cursor.skip(in: text)
                    continue
                }
                let start = file.position(in: text)
                if let part = line(in: text) { parts.append((part, start)) }
            }
            guard count == 2 else {
                file.faults.report("expected a pair of a name and a value, found \(count) elements", pair)
                continue
            }
            guard parts.count == 2 else { continue }
            append(parts[0].text, parts[0].position, parts[1].text, parts[1].position, to: &fields)
        }
    }

    private mutating func object(
        in text: Span<UInt8>,
        names: inout [String],
        into fields: inout [HeaderFields.Field]
    ) {
        let parent = file.pointer
        file.cursor.enter(in: text)
        while file.cursor.next(in: text) {
            file.pointer = parent
            let (name, position) = file.member(in: text)
            switch file.cursor.kind(in: text) {
            case .string:
                let start = file.position
                if let value = line(in: text) { append(name, position, value, start, to: &fields) }
            case .array:
                let pointer = file.pointer
                file.cursor.enter(in: text)
                var index = 0
                while file.cursor.next(in: text) {
                    file.pointer = "\(pointer)/\(index)"
                    index += 1
                    let start = file.position(in: text)
                    if let value = line(in: text) { append(name, position, value, start, to: &fields) }
                }
                // The name alone is checked too: a misspelt one would remove nothing.
                guard index == 0 else { continue }
                var none: [HeaderFields.Field] = []
                append(name, position, "", position, to: &none)
                names.append(name)
            case .object, .number, .boolean, .null:
                file.reportKind(expected: ["a string", "an array of strings"], in: text)
            }
        }
    }

    /// Appends a field, or reports why a profile cannot contain it.
    private mutating func append(
        _ name: String,
        _ namePosition: FilePosition,
        _ value: String,
        _ valuePosition: FilePosition,
        to fields: inout [HeaderFields.Field]
    ) {
        if FetchDefaults.credentialNames.contains(where: { $0.equalsIgnoringASCIICase(name) }) {
            file.faults.report(
                "the field '\(name.excerpt)' is not allowed in a profile, because a profile can be combined with any URL, "
                    + "and everybody can read it",
                namePosition
            )
            return
        }
        do throws(FieldRejection) {
            fields += try FieldRules.check([HeaderFields.Field(name: name, value: value)])
        } catch {
            switch error {
            case .malformedName, .notAllowed, .tooLong: file.faults.report(error.messageInProfile, namePosition)
            case .malformedValue: file.faults.report(error.messageInProfile, valuePosition)
            }
        }
    }
}

extension FieldRejection {
    /// The rejection as a sentence for the author of a profile.
    var messageInProfile: String {
        switch self {
        case .malformedName: "the name of a field is not a token"
        case .malformedValue(_, let offset): "the value has a control character at byte \(offset)"
        case .notAllowed(let name, _): "requests may not have the field '\(name)'"
        case .tooLong(let bytes, let max): "the fields are \(bytes) bytes long; at most \(max) are allowed"
        }
    }
}
