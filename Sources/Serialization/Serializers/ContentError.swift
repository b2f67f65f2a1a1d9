/// The reason why content is not what its serializer accepts. What a problem says about it, and what may help, are in
/// the folder of the serializer, as exhaustive switches over its reasons.
package protocol ContentError: Error, Equatable {
    /// The account of the error, with the location.
    var diagnostic: Diagnostic { get }

    /// Whether the only reason is that no memory was granted (``MemoryGrant``). The content may be acceptable, and can
    /// be read again with more memory.
    var isOutOfMemory: Bool { get }

    /// The remedies to try, in this order. The first with which the response is accepted is proposed.
    var remedies: [Remedy.Candidate] { get }
}

/// An error of any serializer.
public struct AnyContentError: Equatable, Sendable {
    package let base: any ContentError

    public static func == (left: AnyContentError, right: AnyContentError) -> Bool { left.base.isEqual(to: right.base) }
}

extension ContentError {
    fileprivate func isEqual(to other: any ContentError) -> Bool { (other as? Self) == self }
}

extension SerializationError {
    package init(_ error: some ContentError) { self = .content(AnyContentError(base: error)) }

    /// The error of the serializer, for example a ``JSONError``; `nil` if something else caused the rejection.
    public var contentError: (any Error)? { if case .content(let error) = self { error.base } else { nil } }
}
