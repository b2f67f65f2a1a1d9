import Fetching
import Foundation
import HTTP
import Platform
import Serialization

@testable import Service

/// The parts of `openapi.yaml`, the documents and the manual page that are generated from the tables of options,
/// settings, problem codes, serializers and other enumerations.
///
/// A part is between a line with `BEGIN GENERATED name` and a line with `END GENERATED`. `make golden` writes it.
enum GeneratedText {
    /// Returns `text` with every part in its current form.
    static func renewed(_ text: String) -> String {
        var lines: [String] = []
        var isInside = false
        for line in text.components(separatedBy: "\n") {
            if line.contains("END GENERATED") { isInside = false }
            if !isInside { lines.append(line) }
            guard let name = line.range(of: "BEGIN GENERATED ").map({ String(line[$0.upperBound...]) }) else {
                continue
            }
            isInside = true
            let indentation = String(line.prefix { $0 == " " })
            let part = part(name.replacingOccurrences(of: " -->", with: ""))
            lines += part.map { $0.isEmpty ? $0 : indentation + $0 }
        }
        return lines.joined(separator: "\n")
    }

    private static func part(_ name: String) -> [String] {
        switch name {
        case "parameters": oneThumbnail + parameters.flatMap(parameter)
        case "schemas": parameters.flatMap(schema)
        case "options of thumbnail", "options of image":
            OptionParser.namesForThumbnail.filter { $0 != .serializer }.map(thumbnailReference)
        case let name where name.hasPrefix("options of "): parameters.map { reference($0.name.component) }
        case "problem codes": ProblemCode.allCases.map { "- \($0.rawValue)" }
        case "causes": knownValues(ProblemType.Cause.allCases.map(\.rawValue))
        case "error domains": ErrorDomain.allCases.map { "- \($0.rawValue)" }
        case "stages": knownValues(ProblemType.Stage.allCases.map(\.rawValue))
        case "serializer names": knownValues(SerializerKind.allCases.map(\.rawValue))
        case "serializer components": knownValues(["auto"] + SerializerKind.allCases.map(\.rawValue))
        case "image formats": knownValues(ImageFormat.allCases.map(\.rawValue))
        case "fetch phases": knownValues(["queue"] + FetchPhase.allCases.map { "\($0.name)" })
        case "cache modes": constants(CacheMode.allCases.map(\.rawValue), of: "cache")
        case "redirect modes": constants(RedirectMode.allCases.map(\.rawValue), of: "redirects")
        case "option list": optionList
        case "options": optionSections
        case "limit table": limitTable
        case "settings of the service": settingTable(Settings.address.all + Settings.server.all)
        case "settings of fetching": settingTable(Settings.fetching.all)
        case "settings of the cache": settingTable(Settings.caching.all)
        case "settings of workers": settingTable(Settings.isolation.all)
        case "file type table": fileTypeTable
        case "manual of the input": manual(InputFlags.flags)
        case "manual of the response": manual(UpstreamHeadFlags.flags)
        case "manual of the output": manual(OutputFlags.flags)
        case "manual of the batch": manual(BatchFlags.flags)
        case "manual of the request": manual(FetchFlags.flags)
        case "manual of the options": manual(QueryOptions.flags)
        case "manual of the thumbnail options": manual(ThumbnailOptions.flags)
        case "manual of the settings": manual(settings)
        default: ["There is no generated part with the name \(name)."]
        }
    }

    // MARK: The contract

    /// `view` is described in prose: with it, a response would have several types.
    private static let parameters = OptionTable.all.filter { $0.name != .view }

    /// Returns the values of a response, to which a later version can add others.
    private static func knownValues(_ values: [String]) -> [String] {
        ["x-extensible-enum: [\(values.joined(separator: ", "))]"]
    }

    /// Returns the values of a parameter of a fetch, and the names of their constants, which contain its name, because
    /// Go has a single namespace for all.
    private static func constants(_ values: [String], of parameter: String) -> [String] {
        let names = values.map { "\(parameter)-\($0)".split(separator: "-").map(\.capitalized).joined() }
        return ["enum: [\(values.joined(separator: ", "))]", "x-enum-varnames: [\(names.joined(separator: ", "))]"]
    }

    private static func reference(_ component: String) -> String {
        "- $ref: '#/components/parameters/\(component)'"
    }

    private static func thumbnailReference(_ name: OptionName) -> String {
        reference(name == .thumbnail ? "OneThumbnail" : name.component)
    }

    private static func parameter(_ option: OptionDefinition) -> [String] {
        var lines = [
            "\(option.name.component):", "  name: \(option.name.rawValue)", "  in: query", "  description: >-",
        ]
        lines += wrapped(description(option)).map { "    " + $0 }
        if option.name == .thumbnail { lines += ["  style: form", "  explode: true"] }
        lines.append("  schema:")
        return lines + type(option).map { "    " + $0 }
    }

    /// The option `thumbnail` of `POST /v1/thumbnail`.
    private static let oneThumbnail = [
        "OneThumbnail:", "  name: thumbnail", "  in: query", "  description: >-",
        "    The thumbnail: the size of a box in pixels (`WxH`), followed by the comma-separated parts that the "
            + "option `thumbnail` of",
        "    `POST /v1/normalize` has. It is given at most once, and is never `none`. Default: "
            + "`\(ThumbnailRequest.byDefault.text)`, or less",
        "    if `max-thumbnail-side` is lower.",
        "  schema:", "    type: string", "    pattern: '^\(OptionTable.thumbnailPattern)$'",
    ]

    private static func description(_ option: OptionDefinition) -> String {
        let sentences = [option.summary, option.details].filter { !$0.isEmpty }.joined(separator: " ")
        if option.values == .limit {
            return
                "\(sentences) Default: the service's own limit, which is \(option.defaultDescription()) unless "
                + "it is configured."
        }
        return option.derivedDefault.map { "\(sentences) Default: \($0)." }
            ?? "\(sentences) Default: `\(option.defaultDescription())`."
    }

    private static func type(_ option: OptionDefinition) -> [String] {
        switch option.values {
        case .boolean:
            return ["type: boolean"]
        case .oneOf:
            return ["$ref: '#/components/schemas/\(option.name.component)Option'"]
        case .known(let values):
            return ["type: string"] + knownValues(values)
        case .list(let values, let alternative):
            let one = "(\(values.joined(separator: "|")))"
            let alone = alternative.map { "\($0)|" } ?? ""
            return ["type: string", "pattern: '^(\(alone)\(one)(,\(one))*)$'"]
        case .text(_, let pattern):
            let text =
                ["type: string", "maxLength: \(OptionParser.maxValueBytes)"]
                + (pattern.map { ["pattern: '\($0.replacingOccurrences(of: "'", with: "''"))'"] } ?? [])
            return option.name == .thumbnail ? ["type: array", "items:"] + text.map { "  " + $0 } : text
        case .number(let max):
            return ["type: number", "exclusiveMinimum: 0", "maximum: \(max)"]
        case .limit:
            guard case .limit(_, let hard, _) = option.target else { return [] }
            return ["type: integer", "format: int64", "minimum: 1", "maximum: \(hard.upperBound)"]
        }
    }

    /// Returns the named values of an option. The names of the constants contain the name of the option, because Go has
    /// a single namespace for all.
    private static func schema(_ option: OptionDefinition) -> [String] {
        guard case .oneOf(let values) = option.values else { return [] }
        let constants = values.map {
            "\(option.name.rawValue)_\($0)".uppercased().replacingOccurrences(of: "-", with: "_")
        }
        return [
            "\(option.name.component)Option:",
            "  title: \(option.name.component)Option",
            "  description: The values of the option `\(option.name.rawValue)`.",
            "  type: string",
            "  enum: [\(values.joined(separator: ", "))]",
            "  x-enum-varnames: [\(constants.joined(separator: ", "))]",
        ]
    }

    /// Returns lines of at most 120 characters.
    private static func wrapped(_ text: String) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= 120 {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    // MARK: The document

    private static let documentedOptions = OptionTable.all.filter { $0.values != .limit }

    private static var optionList: [String] {
        ["| option | default | meaning |", "|---|---|---|"]
            + documentedOptions.map { option in
                let name = option.name.rawValue
                let meaning = String(option.summary.prefix { $0 != "." && $0 != ":" })
                return "| [`\(name)`](#\(name)) | \(initialValue(option)) | \(cell(meaning)). |"
            }
    }

    /// A heading for each option, with its values, its default, its meaning and an example.
    private static var optionSections: [String] {
        do {
            let (service, address) = try DecantProcess.serving("--workers", "1")
            defer { service.signal(SIGTERM) }
            let lines = try documentedOptions.flatMap { option -> [String] in
                let values =
                    switch option.values {
                    case .boolean: "`true`, `false`"
                    case .oneOf(let values), .known(let values): code(values)
                    case .list(let values, let alternative):
                        "\(alternative.map { "`\($0)`, or " } ?? "")comma-separated: \(code(values))"
                    case .text(let form, _): form
                    case .number, .limit: option.allowed()[0]
                    }
                var lines = ["### \(option.name.rawValue)", "", escaped(option.summary), ""]
                lines += ["- Values: \(values)", "- Default: \(initialValue(option))", ""]
                if !option.details.isEmpty { lines += [option.details, ""] }
                for example in try OptionExample.all(of: option.name) {
                    lines += try example.lines(from: address.port)
                    lines.append("")
                }
                return lines
            }
            return Array(lines.dropLast())
        } catch {
            return ["The examples failed: \(error)"]
        }
    }

    /// Escapes the asterisks of plain text, which otherwise could begin emphasis.
    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "*", with: "\\*")
    }

    private static func initialValue(_ option: OptionDefinition) -> String {
        option.derivedDefault.map(cell) ?? "`\(option.defaultDescription())`"
    }

    private static var limitTable: [String] {
        ["| option | setting | default | hard maximum | meaning |", "|---|---|---|---|---|"]
            + zip(OptionTable.limits, Settings.limits).map { option, setting in
                var maximum = ""
                if case .limit(_, let hard, _) = option.target { maximum = "\(hard.upperBound)" }
                let meaning = [setting.summary, option.details].filter { !$0.isEmpty }.joined(separator: " ")
                return
                    "| `\(option.name.rawValue)` | `\(setting.variable)` | \(option.defaultDescription()) | \(maximum) "
                    + "| \(cell(meaning)) |"
            }
    }

    private static func settingTable(_ settings: [any AnySetting]) -> [String] {
        ["| flag | variable | values | default | meaning |", "|---|---|---|---|---|"]
            + settings.map { setting in
                "| `\(setting.flag)` | `\(setting.variable)` | \(cell(setting.allowed)) | \(initialValue(setting)) | "
                    + "\(cell(setting.summary)) |"
            }
    }

    /// The default of a setting on any machine.
    private static func initialValue(_ setting: any AnySetting) -> String {
        switch setting.name {
        case "threads", "workers": "one per core"
        case "max-connections": "at most 4096"
        case "max-buffered-bytes": "at least a quarter of the memory"
        default: setting.text(in: Configuration(resources: .init(cores: 1, memoryBytes: 4 << 30)))
        }
    }

    private static var fileTypeTable: [String] {
        ["| extension | media type |", "|---|---|"]
            + FileMediaType.extensions.map { "| \(code($0.extensions.map { ".\($0)" })) | `\($0.mediaType)` |" }
    }

    // MARK: The manual page

    private static var settings: [FlagDefinition] {
        Settings.all.map { $0.flag(byDefault: initialValue($0)) }
    }

    /// Returns the flags in the macros of man(7).
    private static func manual(_ flags: [FlagDefinition]) -> [String] {
        flags.flatMap { flag in
            [".TP", ".BI \(roff("--" + flag.name)) \" \(roff(flag.valueName))\"", roff(flag.help)]
        }
    }

    /// Escapes text for groff(7).
    private static func roff(_ text: String) -> String {
        var escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\e"
            case "-": "\\-"
            case "`": ""
            case _ where scalar.isASCII: String(scalar)
            default: "\\[u\(String(format: "%04X", scalar.value))]"
            }
        }.joined()
        // Parts in brackets without spaces would be one word that is longer than a line.
        escaped = escaped.replacing("][", with: "]\\:[")
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }

    private static func code(_ values: [String]) -> String {
        values.map { "`\($0)`" }.joined(separator: ", ")
    }

    private static func cell(_ text: String) -> String {
        text.replacingOccurrences(of: "|", with: "\\|")
    }
}

extension OptionName {
    /// The name of the parameter in the contract: `XMLNames` for `xml-names`.
    fileprivate var component: String {
        rawValue.split(separator: "-").map { word in
            ["xml", "jpeg", "exif"].contains(word) ? word.uppercased() : word.capitalized
        }.joined()
    }
}
