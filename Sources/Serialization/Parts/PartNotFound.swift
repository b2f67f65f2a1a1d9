/// The reason why the value does not have the selected part.
public struct PartNotFound: Error, Equatable, Sendable {
    /// The last part on the way to the selected one that exists.
    enum Parent: Equatable, Sendable {
        case object
        case array
        /// A string, a number, a boolean or null.
        case scalar
        /// One whose next part is left out, whether it exists or not.
        case omitted
    }

    /// The selected pointer.
    var selected: String
    /// The token of the pointer that leads to nothing.
    var token: String
    var parent: Parent
    /// The position of the parent in the value before parts are left out, and its pointer.
    var location: SourceLocation
}

extension PartNotFound {
    package var diagnostic: Diagnostic {
        let pointer = location.pointer ?? ""
        let subject = pointer.isEmpty ? "the value" : "the value at '\(pointer.longExcerpt)'"
        let reason =
            switch parent {
            case .object: "is an object without the member '\(token.longExcerpt)'"
            case .array: "is an array without the element '\(token.longExcerpt)'"
            case .scalar: "has no members or elements"
            case .omitted: "is used without '\(token.longExcerpt)' (omit)"
            }
        var diagnostic = Diagnostic(
            .partNotFound,
            "there is no part '\(selected.longExcerpt)' (select): \(subject) \(reason)",
            expected: [selected],
            found: pointer
        )
        diagnostic.location = location
        return diagnostic
    }
}
