import Serialization

/// What holds for every content: the reader refuses it with a place inside it, or writes one JSON text.
///
/// The first byte of an input chooses form and options, the rest is the content.
enum XMLOracle {
    /// What does not hold; nil where all does.
    static func violation(for input: [UInt8]) -> String? {
        guard let choice = input.first else { return nil }
        let content = Array(input.dropFirst())
        var writer = JSONWriter()
        var warnings = WarningList(max: 10)
        do {
            _ = try XMLReader.read(content.span, options: options(choice), into: &writer, warnings: &warnings)
        } catch {
            return (0...content.count).contains(error.location.byte) ? nil : "a place outside the content: \(error)"
        }
        return notOneJSONText([UInt8](writer.finish()))
    }

    private static func options(_ choice: UInt8) -> XMLReader.Options {
        var options = XMLReader.Options(choice & 1 == 0 ? .compact : .document)
        options.arrays = choice & 2 == 0 ? .auto : choice & 4 == 0 ? .always : .paths([["a", "b"], ["a"]])
        options.text = choice & 8 == 0 ? .auto : .object
        options.names = choice & 16 == 0 ? .prefixed : choice & 32 == 0 ? .local : .clark
        options.trims = choice & 64 != 0
        return options
    }

    /// The JSON reader is the judge: strict, deep enough, and with every member's name once.
    private static func notOneJSONText(_ json: [UInt8]) -> String? {
        var options = JSONReader.Options()
        options.duplicates = .reject
        options.limits.maxNestingDepth = Limits.hardMaxNestingDepth
        options.limits.maxKeyBytes = .max
        var writer = JSONWriter()
        var warnings = WarningList(max: 10)
        do {
            _ = try JSONReader.read(json.span, options: options, into: &writer, warnings: &warnings)
        } catch {
            return "the value is no JSON: \(error)"
        }
        return nil
    }
}
