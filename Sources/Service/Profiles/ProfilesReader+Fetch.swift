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
            let faults = json.faultCount
            let (fields, namesWithoutValues) = try headers(in: text)
            guard json.faultCount == faults else { return nil }
            let names = namesWithoutValues + fields.fields.map(\.name)
            return { $0.replaceFields(named: names, by: fields.fields) }
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

    // MARK: Header fields

    /// Rejects a field that no profile can contain. A name without values is checked too: a misspelt one would remove
    /// nothing.
    func check(
        fieldName name: String,
        at mark: JSONDocumentReader.Mark,
        in text: Span<UInt8>
    ) throws(JSONDocumentFault) {
        guard !FetchPreferences.credentialNames.contains(where: { $0.equalsIgnoringASCIICase(name) }) else {
            throw fault(
                "the field '\(name.excerpt)' is not allowed in a profile, because a profile can be combined with any "
                    + "URL, and everybody can read it",
                at: mark,
                in: text
            )
        }
        _ = try field(name, "", at: mark, in: text)
    }

    mutating func fieldValue(of name: String?, in text: Span<UInt8>) throws(JSONDocumentFault) -> String {
        let start = json.mark(in: text)
        let value = try line(in: text)
        guard let name else { return value }
        return try field(name, value, at: start, in: text)
    }

    /// Returns the value of a field without the white space around it.
    private func field(
        _ name: String,
        _ value: String,
        at mark: JSONDocumentReader.Mark,
        in text: Span<UInt8>
    ) throws(JSONDocumentFault) -> String {
        do throws(FieldRejection) {
            return try FieldRules.check([HeaderFields.Field(name: name, value: value)])[0].value
        } catch { throw fault(error.messageInProfile, at: mark, in: text) }
    }

    mutating func attempt(
        in text: Span<UInt8>,
        _ read: (inout ProfilesReader) throws(JSONDocumentFault) -> Void
    ) throws(JSONDocumentFault) {
        recovering(in: text, read)
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
        case .tooMany(let max): "there are more than \(max) fields"
        }
    }
}
