/// Texts of similar deviations from a format, each of which a leniency accepts.
enum RepairedShape {
    private static let jsonPieces = [
        #"'"""""""""""""""'"#, "\"\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\"", #"'"\#u{1}"\#u{1}"\#u{1}"\#u{1}'"#,
        #""\d\d\d\d\d\d\d\d""#, #"'\'\'\'\'\'\'\'\''"#, "{a:1}", "{a:{b:{c:{}}}}", "[NaN]", "01", ".5", "+1.", "/**/1",
        "[1,]", #""\ud800\ud800""#,
    ]

    private static let xmlPieces = [
        "&", "&&&&&&&&&&&&&&&&", "&nbsp;", "&sup2;", "\u{1}", "&#1;", "<a b='&'/>", "&<a/>", "&a<b>&</b>",
        "<a b='&&&&&&&&'/>",
    ]

    static func json(_ choices: inout Choices, bytes: Int) -> [UInt8] {
        let pieces = [choices.pick(jsonPieces), choices.pick(jsonPieces)]
        return repeating(pieces, separator: ",", from: "[", to: "]", bytes: bytes)
    }

    static func xml(_ choices: inout Choices, bytes: Int) -> [UInt8] {
        repeating(
            [choices.pick(xmlPieces), choices.pick(xmlPieces)],
            separator: "",
            from: "<r>",
            to: "</r>",
            bytes: bytes
        )
    }

    private static func repeating(
        _ pieces: [String],
        separator: String,
        from opening: String,
        to closing: String,
        bytes: Int
    ) -> [UInt8] {
        let piece = Array(pieces.joined(separator: separator).utf8)
        var text = Array(opening.utf8)
        text.reserveCapacity(bytes)
        text += piece
        while text.count + separator.utf8.count + piece.count + closing.utf8.count <= bytes {
            text += separator.utf8
            text += piece
        }
        return text + closing.utf8
    }
}
