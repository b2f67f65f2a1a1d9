internal import Fetching
internal import Serialization

/// The content of the file of the setting `fetch-credentials-file`.
struct CredentialsFile: Sendable {
    let credentials: OriginCredentials

    /// Whether every user of the machine can read the file.
    let isReadableByOthers: Bool
}

/// Reads a file of the fields that the service adds to requests to origins, strictly: what is not understood is an
/// error with its location.
///
///     {"credentials":[{"origins":["https://api.example"],"fields":{"Authorization":"Bearer 0123…"}}]}
///
/// Errors contain no name and no value of a field, neither in the message nor in the pointer: someone may have written
/// them in the wrong order.
struct CredentialsReader: ConfigurationFileReader {
    /// The maximum size of a file, in bytes, inclusive.
    static let maxBytes = 4 << 20

    /// The maximum number of origins.
    static let maxOrigins = 4_096

    var json: JSONDocumentReader
    private var fields: [FetchOrigin: [HeaderFields.Field]] = [:]
    /// The offsets at which origins occurred first.
    private var offsets: [FetchOrigin: Int] = [:]

    /// Reads a regular file.
    static func read(path: String) throws(ConfigurationFileError) -> CredentialsFile {
        let file = try ConfigurationFile.readSecret(path, maxBytes: maxBytes, content: "credentials")
        let credentials = try read(file.content.span, path: path)
        return CredentialsFile(credentials: credentials, isReadableByOthers: file.isReadableByOthers)
    }

    /// - Parameter path: the name of the file, for errors.
    static func read(_ text: Span<UInt8>, path: String) throws(ConfigurationFileError) -> OriginCredentials {
        var reader = CredentialsReader(json: try JSONDocumentReader(file: text, path: path, isSecret: true))
        _ = reader.document(with: DocumentMember.credentials, "an array", in: text) {
            reader throws(JSONDocumentFault) in try reader.entries(in: text)
        }
        let faults = ConfigurationFileFaults(reader.json, isSecret: true)
        guard faults.isEmpty else { throw .invalid(faults.located(in: text), path: path) }
        return OriginCredentials(reader.fields)
    }

    private init(json: JSONDocumentReader) { self.json = json }

    // MARK: The document

    private enum DocumentMember: String, CaseIterable {
        case credentials
    }

    private mutating func entries(in text: Span<UInt8>) throws(JSONDocumentFault) {
        try json.enterArray(in: text)
        while json.nextElement(in: text) {
            recovering(in: text) { reader throws(JSONDocumentFault) in try reader.entry(in: text) }
        }
    }

    // MARK: One entry

    private enum Member: String, CaseIterable {
        case origins, fields
    }

    private mutating func entry(in text: Span<UInt8>) throws(JSONDocumentFault) {
        let found = json.faultCount
        let start = json.mark(in: text)
        var origins: [FetchOrigin] = []
        var fields: [HeaderFields.Field] = []
        try json.enterObject(in: text)
        while let member: Member = try json.nextMember(in: text) {
            recovering(in: text) { reader throws(JSONDocumentFault) in
                switch member {
                case .origins: origins = try reader.origins(in: text)
                case .fields: fields = try reader.fields(in: text)
                }
            }
        }
        guard json.faultCount == found else { return }
        guard !origins.isEmpty, !fields.isEmpty else {
            let missing: [Member?] = [origins.isEmpty ? .origins : nil, fields.isEmpty ? .fields : nil]
            throw fault("the entry", without: missing, at: start, in: text)
        }
        for origin in origins { self.fields[origin] = fields }
    }

    private mutating func origins(in text: Span<UInt8>) throws(JSONDocumentFault) -> [FetchOrigin] {
        var origins: [FetchOrigin] = []
        try json.enterArray(in: text)
        while json.nextElement(in: text) {
            recovering(in: text) { reader throws(JSONDocumentFault) in origins.append(try reader.origin(in: text)) }
        }
        return origins
    }

    private mutating func origin(in text: Span<UInt8>) throws(JSONDocumentFault) -> FetchOrigin {
        let start = json.mark(in: text)
        let value = try json.string(in: text)
        let url: FetchURL
        do throws(FetchURLError) {
            url = try FetchURL(parsing: value)
        } catch {
            throw fault("an origin is the URL of a scheme, a host and a port: \(error.reason)", at: start, in: text)
        }
        guard url.target == "/", !value.utf8.contains(UInt8(ascii: "#")) else {
            throw fault("an origin has no path, no query and no fragment", at: start, in: text)
        }
        if let first = offsets[url.origin] {
            throw fault("the origin is listed before", at: start, first: first, in: text)
        }
        guard offsets.count < Self.maxOrigins else {
            throw fault("there are more than \(Self.maxOrigins) origins", at: start, in: text)
        }
        offsets[url.origin] = start.byte
        return url.origin
    }

    // MARK: Fields

    private mutating func fields(in text: Span<UInt8>) throws(JSONDocumentFault) -> [HeaderFields.Field] {
        let found = json.faultCount
        // Without the name of the member.
        let object = json.location(of: json.mark(in: text), in: text)
        var fields: [HeaderFields.Field] = []
        var names: Set<String> = []
        try json.enterObject(in: text)
        while let name = try json.nextName(in: text) {
            let at = JSONDocumentLocation(byte: json.nameMark.byte, pointer: object.pointer)
            recovering(in: text) { reader throws(JSONDocumentFault) in
                guard reader.json.kind(in: text) == .string else {
                    throw JSONDocumentFault("the value of a field is a string", at: at)
                }
                let field = HeaderFields.Field(name: name, value: try reader.json.string(in: text))
                let checked: [HeaderFields.Field]
                do throws(FieldRejection) {
                    checked = try OriginCredentials.check([field])
                } catch { throw JSONDocumentFault(error.messageInCredentials, at: at) }
                guard checked.allSatisfy({ !$0.value.isEmpty }) else {
                    throw JSONDocumentFault("the value of the field is empty", at: at)
                }
                guard names.insert(FieldRules.folded(name)).inserted else {
                    throw JSONDocumentFault("the entry has two fields of this name; '_' counts as '-'", at: at)
                }
                fields += checked
            }
        }
        guard json.faultCount == found else { return [] }
        do throws(FieldRejection) {
            return try OriginCredentials.check(fields)
        } catch { throw JSONDocumentFault(error.messageInCredentials, at: object) }
    }
}

extension FieldRejection {
    /// The rejection as a sentence for the author of a file of credentials.
    fileprivate var messageInCredentials: String {
        switch self {
        case .malformedName: "the name of the field is not a token"
        case .malformedValue(_, let offset): "the value of the field has a control character at byte \(offset)"
        // The name is one of those that are known.
        case .notAllowed(let name, _): "the field '\(name)' is not one that the service adds to requests"
        case .tooLong(let bytes, let max): "the fields are \(bytes) bytes long; at most \(max) are allowed"
        case .tooMany(let max): "there are more than \(max) fields"
        }
    }
}
