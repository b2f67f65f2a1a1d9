import Serialization
import SerializationSupport

/// The XML reader's result for `content`.
struct XMLReading {
    var text: String
    var facts: XMLFacts
    var warnings: [Warning]
}

func readXML(
    _ content: [UInt8],
    _ layout: XMLReader.Options.Layout = .compact,
    _ configure: (inout XMLReader.Options) -> Void = { _ in }
) throws(XMLError) -> XMLReading {
    var options = XMLReader.Options(layout)
    configure(&options)
    var writer = JSONWriter()
    var warnings = WarningList(max: options.limits.maxWarnings)
    let summary = try XMLReader.read(content.span, options: options, into: &writer, warnings: &warnings)
    return XMLReading(
        text: String(decoding: [UInt8](writer.finish()), as: UTF8.self),
        facts: summary.facts,
        warnings: warnings.warnings
    )
}
