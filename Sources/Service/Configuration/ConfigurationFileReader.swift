internal import Serialization

/// A reader of a configuration file in JSON. It is strict: unknown members, names and values are errors with a
/// location, and one attempt reports all of them.
protocol ConfigurationFileReader {
    var json: JSONDocumentReader { get set }
}

extension JSONDocumentReader {
    /// - Parameters:
    ///   - path: the name of the file, for errors.
    ///   - isSecret: whether any text of the file may be secret, so that no error contains it.
    init(file text: Span<UInt8>, path: String, isSecret: Bool = false) throws(ConfigurationFileError) {
        var limits = Limits()
        // No format is nested more deeply.
        limits.maxNestingDepth = 8
        do throws(JSONDocumentError) {
            // The file is the operator's, and its length is limited.
            try self.init(
                text,
                limits: limits,
                errors: .all(max: ConfigurationFileFaults.maxFaults),
                memory: .unlimited
            )
        } catch {
            switch error {
            case .notUTF8(let encoding): throw .notUTF8(encoding: encoding, path: path)
            case .malformed(var error):
                guard isSecret else { throw .malformed(error, path: path) }
                // Also names of members: someone may have written them in place of their values.
                (error.found, error.excerpt, error.location.pointer) = (nil, nil, nil)
                error.first?.pointer = nil
                guard case .duplicateName = error.reason else { throw .malformed(error, path: path) }
                let fault = ConfigurationFileError.Fault(
                    message: "a member is repeated",
                    at: error.location,
                    first: error.first
                )
                throw .invalid([fault], path: path)
            }
        }
    }
}

extension ConfigurationFileReader {
    /// Calls `read` at a value. If it throws, the fault is recorded, and the value is skipped.
    /// - Returns: `nil` after a fault.
    @discardableResult mutating func recovering<Value>(
        in text: Span<UInt8>,
        _ read: (inout Self) throws(JSONDocumentFault) -> Value
    ) -> Value? {
        let start = json.mark(in: text)
        do throws(JSONDocumentFault) {
            return try read(&self)
        } catch {
            json.recover(from: error, at: start, in: text)
            return nil
        }
    }

    /// Reads the document, an object with one member.
    /// - Parameters:
    ///   - member: the name of the member.
    ///   - content: what the member contains, for errors: `an array of tokens`.
    /// - Returns: `nil` after a fault.
    mutating func document<Member: RawRepresentable<String> & CaseIterable, Value>(
        with member: Member,
        _ content: String,
        in text: Span<UInt8>,
        _ read: (inout Self) throws(JSONDocumentFault) -> Value
    ) -> Value? {
        let document = recovering(in: text) { reader throws(JSONDocumentFault) -> Value? in
            let start = reader.json.mark(in: text)
            var value: Value?
            var hasMember = false
            try reader.json.enterObject(in: text)
            while let _: Member = try reader.json.nextMember(in: text) {
                hasMember = true
                value = reader.recovering(in: text, read)
            }
            if !hasMember, reader.json.faultCount == 0 {
                throw reader.fault("expected the member '\(member.rawValue)', \(content)", at: start, in: text)
            }
            return value
        }
        return document ?? nil
    }

    /// Returns the fault of a value without members that it must have.
    func fault<Member: RawRepresentable<String>>(
        _ subject: String,
        without missing: [Member?],
        at mark: JSONDocumentReader.Mark,
        in text: Span<UInt8>
    ) -> JSONDocumentFault {
        let names = missing.compactMap { $0.map { "'\($0.rawValue)'" } }
        return fault("\(subject) has no \(names.joined(separator: ", "))", at: mark, in: text)
    }

    /// Returns the fault of a member that is described by a sentence.
    /// - Parameter first: the offset of the first occurrence, if the error is a duplicate.
    func fault(
        _ message: String,
        at mark: JSONDocumentReader.Mark,
        first: Int? = nil,
        in text: Span<UInt8>
    ) -> JSONDocumentFault {
        json.fault(.other(message, first: first), at: mark, in: text)
    }
}

extension JSONDocumentFault {
    /// The fault at `location` that is described by a sentence.
    init(_ message: String, at location: JSONDocumentLocation) {
        self.init(reason: .other(message, first: nil), location: location)
    }

    /// One sentence without the location.
    var message: String {
        switch reason {
        case .unexpected(let found, let expected): "expected \(expected.alternatives), found \(found)"
        case .number(let digits, let bounds):
            "the value cannot be \(digits.excerpt); allowed: \(bounds.lowerBound) to \(bounds.upperBound)"
        case .unknown(let kind, let name, let known):
            "there is no \(kind) '\(name.excerpt)'. "
                + (NearestName.nearest(to: name, in: known).map { "Did you mean '\($0)'?" }
                    ?? "Allowed: \(known.joined(separator: ", "))")
        case .duplicate(let name, _): "the member '\(name.excerpt)' is repeated"
        case .other(let message, _): message
        }
    }

    /// The offset of the first occurrence, if the error is a duplicate.
    fileprivate var first: Int? {
        switch reason {
        case .duplicate(_, let first): first
        case .other(_, let first): first
        case .unexpected, .number, .unknown: nil
        }
    }
}

extension ConfigurationFileFaults {
    /// The faults that a reader has recorded.
    /// - Parameter isSecret: whether a name that resembles no known one may be secret, so that no fault contains it.
    init(_ json: JSONDocumentReader, isSecret: Bool = false) {
        for fault in json.faults {
            guard isSecret, case .unknown(let kind, let name, let known) = fault.reason,
                NearestName.nearest(to: name, in: known) == nil
            else {
                report(fault.message, fault.location, first: fault.first)
                continue
            }
            let pointer = fault.location.pointer
            let parent = String(pointer[..<(pointer.lastIndex(of: "/") ?? pointer.startIndex)])
            report(
                "there is no such \(kind). Allowed: \(known.joined(separator: ", "))",
                JSONDocumentLocation(byte: fault.location.byte, pointer: parent)
            )
        }
    }
}
