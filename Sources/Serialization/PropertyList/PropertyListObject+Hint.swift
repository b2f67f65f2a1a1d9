extension PropertyListObject {
    /// The type in the source, if JSON has no equivalent type. `nil` for strings, booleans, arrays, dictionaries and
    /// null.
    var hint: StaticString? {
        switch kind {
        case .integer, .integerText: "integer"
        case .real32, .real64: "real"
        case .date, .dateText: "date"
        case .data: "data"
        case .uid: "uid"
        case .uuid: "uuid"
        case .url: "url"
        case .set: "set"
        case .orderedSet: "ordered-set"
        case .null, .false, .true, .ascii, .utf8, .utf16, .array, .dictionary: nil
        }
    }
}
