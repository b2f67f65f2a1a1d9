internal import Fetching
internal import Serialization

// The member `fetch` of a profile: members of `POST /v1/fetch` that are useful for a group of requests.
//
//     {"headers":{"accept-language":"en","x-trace":[]},"cache":"force-cache","timeoutSeconds":10}
//
// An empty list of values removes an inherited field. Members that concern one request, such as `url` or `receipt`, are
// unknown here.

extension ProfilesReader {
    mutating func fetch(in text: Span<UInt8>) throws(JSONDocumentFault) -> [FetchMember] {
        var members: [FetchMember] = []
        try json.enterObject(in: text)
        while let parameter: FetchParameter = try json.nextMember(in: text) {
            let location = json.location(of: json.mark(in: text), in: text)
            let set = recovering(in: text) { reader throws(JSONDocumentFault) in
                guard let preference = parameter.preference else {
                    let known = FetchParameter.preferences.map(\.parameter.rawValue)
                    let mark = reader.json.nameMark
                    throw reader.json.unknown("member", parameter.rawValue, known, at: mark, in: text)
                }
                return try reader.value(of: preference, in: text)
            }
            if let set = set ?? nil { members.append(FetchMember(parameter: parameter, set: set, location: location)) }
        }
        return members
    }

    /// Reads a value.
    /// - Returns: a function that sets it; `nil` if an error in it was recorded.
    private mutating func value(
        of preference: FetchParameter.Preference,
        in text: Span<UInt8>
    ) throws(JSONDocumentFault) -> ((inout FetchPreferences) -> Void)? {
        switch preference {
        case .fields:
            guard let (names, fields) = try headers(in: text) else { return nil }
            return { $0.replaceFields(named: names, by: fields) }
        case .choice(let choice):
            let name = try json.choice(choice.noun, of: choice.names, in: text)
            return { _ = choice.set(name, &$0) }
        case .boolean(let path):
            let value = try json.boolean(in: text)
            return { $0[keyPath: path] = value }
        case .integer(let path, let range, let bound):
            let value = try integer(range, bound, in: text)
            return { $0[keyPath: path] = value }
        }
    }

    /// - Parameter bound: the setting of the service that is the upper bound; `nil` if it is that of `range`.
    private mutating func integer(
        _ range: ClosedRange<Int>,
        _ bound: FetchParameter.Bound?,
        in text: Span<UInt8>
    ) throws(JSONDocumentFault) -> Int {
        guard let bound else { return try json.integer(range, in: text) }
        do throws(JSONDocumentFault) {
            return try json.integer(range.lowerBound...bounds[keyPath: bound.value], in: text)
        } catch {
            guard case .number = error.reason else { throw error }
            let reason = "because a profile may lower \(bound.setting), but not raise it"
            throw JSONDocumentFault("\(error.message), \(reason)", at: error.location)
        }
    }

    // MARK: Fields

    /// `[["accept-language","en"]]` or `{"accept-language":"en","x-a":["1","2"]}`, as in an envelope.
    private mutating func headers(
        in text: Span<UInt8>
    ) throws(JSONDocumentFault) -> (names: [String], fields: [HeaderFields.Field])? {
        let found = json.faultCount
        var names: [String] = []
        var fields: [HeaderFields.Field] = []
        switch json.kind(in: text) {
        case .array: try pairs(in: text, into: &fields)
        case .object: try object(in: text, names: &names, into: &fields)
        case .string, .number, .boolean, .null:
            throw json.unexpectedKind(["an array of pairs", "an object"], in: text)
        }
        return json.faultCount == found ? (names + fields.map(\.name), fields) : nil
    }

    private mutating func pairs(
        in text: Span<UInt8>,
        into fields: inout [HeaderFields.Field]
    ) throws(JSONDocumentFault) {
        try json.enterArray(in: text)
        while json.nextElement(in: text) {
            recovering(in: text) { reader throws(JSONDocumentFault) in
                fields += try reader.pair(in: text)
            }
        }
    }

    private mutating func pair(in text: Span<UInt8>) throws(JSONDocumentFault) -> [HeaderFields.Field] {
        let start = json.mark(in: text)
        var parts: [(text: String, location: JSONDocumentLocation)] = []
        var count = 0
        try json.enterArray(in: text)
        while json.nextElement(in: text) {
            count += 1
            guard count <= 2 else {
                _ = json.skip(in: text)
                continue
            }
            let location = json.location(of: json.mark(in: text), in: text)
            let part = recovering(in: text) { reader throws(JSONDocumentFault) in try reader.line(in: text) }
            if let part { parts.append((part, location)) }
        }
        guard count == 2 else {
            throw fault("expected a pair of a name and a value, found \(count) elements", at: start, in: text)
        }
        guard parts.count == 2 else { return [] }
        return try field(parts[0].text, parts[0].location, parts[1].text, parts[1].location)
    }

    private mutating func object(
        in text: Span<UInt8>,
        names: inout [String],
        into fields: inout [HeaderFields.Field]
    ) throws(JSONDocumentFault) {
        try json.enterObject(in: text)
        while let name = try json.nextName(in: text) {
            recovering(in: text) { reader throws(JSONDocumentFault) in
                let values = try reader.values(of: name, in: text)
                if values.isEmpty { names.append(name) }
                fields += values
            }
        }
    }

    /// Reads the values of a field: a string, or an array of strings.
    private mutating func values(
        of name: String,
        in text: Span<UInt8>
    ) throws(JSONDocumentFault) -> [HeaderFields.Field] {
        let nameLocation = json.location(of: json.nameMark, in: text)
        switch json.kind(in: text) {
        case .string:
            let location = json.location(of: json.mark(in: text), in: text)
            return try field(name, nameLocation, try line(in: text), location)
        case .array:
            var fields: [HeaderFields.Field] = []
            var isEmpty = true
            try json.enterArray(in: text)
            while json.nextElement(in: text) {
                isEmpty = false
                let location = json.location(of: json.mark(in: text), in: text)
                recovering(in: text) { reader throws(JSONDocumentFault) in
                    fields += try reader.field(name, nameLocation, try reader.line(in: text), location)
                }
            }
            // The name alone is checked too: a misspelt one would remove nothing.
            if isEmpty { _ = try field(name, nameLocation, "", nameLocation) }
            return fields
        case .object, .number, .boolean, .null:
            throw json.unexpectedKind(["a string", "an array of strings"], in: text)
        }
    }

    /// Returns a field, unless a profile cannot contain it.
    private func field(
        _ name: String,
        _ nameLocation: JSONDocumentLocation,
        _ value: String,
        _ valueLocation: JSONDocumentLocation
    ) throws(JSONDocumentFault) -> [HeaderFields.Field] {
        if FetchPreferences.credentialNames.contains(where: { $0.equalsIgnoringASCIICase(name) }) {
            throw JSONDocumentFault(
                "the field '\(name.excerpt)' is not allowed in a profile, because a profile can be combined "
                    + "with any URL, "
                    + "and everybody can read it",
                at: nameLocation
            )
        }
        do throws(FieldRejection) {
            return try FieldRules.check([HeaderFields.Field(name: name, value: value)])
        } catch {
            switch error {
            case .malformedName, .notAllowed, .tooLong:
                throw JSONDocumentFault(error.messageInProfile, at: nameLocation)
            case .malformedValue: throw JSONDocumentFault(error.messageInProfile, at: valueLocation)
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
