/// A builder of JSON text. Recipes append each byte explicitly.
struct JSONText {
    private(set) var bytes: [UInt8] = []

    var count: Int { bytes.count }

    mutating func add(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends `open`, elements separated by `separator` until the text is `count` bytes long, and `close`.
    mutating func addElements(
        _ open: String = "[",
        _ close: String = "]",
        separator: String = ",",
        untilBytes count: Int = 1_000_000,
        _ element: (inout JSONText, Int) -> Void
    ) {
        add(open)
        var index = 0
        while bytes.count < count {
            if index > 0 { add(separator) }
            element(&self, index)
            index += 1
        }
        add(close)
    }
}
