/// An error of the kernel, in as few bytes as possible: the kind and the offset. ``JSONError`` adds the details; it is
/// created only after an error (see JSONError+Fault.swift).
struct JSONFault: Error, Equatable {
    enum Kind: Equatable {
        case expectedValue
        case expectedName
        case expectedColon
        case expectedCommaOrEndOfObject
        case expectedCommaOrEndOfArray
        case expectedRecordSeparator
        case unterminatedString
        case unterminatedLiteral
        case trailingContent
        case topLevelScalar
        case invalidNumber
        case invalidLiteral
        case invalidEscape
        case loneSurrogate
        case controlCharacter
        case invalidEncoding
        case duplicateName
        case nestingTooDeep
        case numberTooLong
        case keyTooLong
        case tooManyMembers
        case outOfMemory
    }

    var kind: Kind

    /// The offset in bytes from the start of the text; equal to its length if the text ends too early.
    var offset: Int

    init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}
