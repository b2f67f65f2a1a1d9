internal import Serialization

extension JSONDocumentReader {
    /// Moves to the value of the next member, which must have one of the names; `nil` at the end of the object.
    ///
    /// It is here because the compiler specializes it for each enumeration only in the module of its callers.
    /// - Parameters:
    ///   - kind: the term for what is named, in errors.
    ///   - known: the names that an error lists.
    mutating func nextMember<Name: RawRepresentable<String> & CaseIterable>(
        _ kind: String = "member",
        known: @autoclosure () -> [Name] = Array(Name.allCases),
        in text: Span<UInt8>
    ) throws(JSONDocumentFault) -> Name? {
        while let name = try nextName(in: text) {
            // `String` compares canonical equivalence: a Kelvin sign equals `K`, which is shorter in UTF-8.
            if let member = Name(rawValue: name), member.rawValue.utf8.count == name.utf8.count { return member }
            try skipUnknown(kind, name, known: { known().map(\.rawValue) }, in: text)
        }
        return nil
    }
}
