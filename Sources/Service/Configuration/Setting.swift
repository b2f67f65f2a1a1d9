internal import Fetching
internal import HTTP
internal import Logging
internal import Serialization

/// The declaration of a setting: `--max-connections` on the command line, `DECANT_MAX_CONNECTIONS` in the environment,
/// and `configuration.maxConnections` in code. ``Settings`` has one property for each.
struct Setting<Value: Sendable>: AnySetting {
    let name: String
    let summary: String
    let values: SettingValues

    /// Returns the value of a configuration in which the setting is not given.
    fileprivate let byDefault: @Sendable (Configuration) -> Value
    private let parse: @Sendable (String) throws(SettingError) -> Value
    private let format: @Sendable (Value) -> String

    /// - Parameters:
    ///   - parse: returns the value of a text.
    ///   - format: returns a value as it is written on the command line.
    fileprivate init(
        _ name: String,
        _ values: SettingValues,
        default byDefault: @escaping @Sendable (Configuration) -> Value,
        _ summary: String,
        parse: @escaping @Sendable (String) throws(SettingError) -> Value,
        format: @escaping @Sendable (Value) -> String
    ) {
        self.name = name
        self.values = values
        self.byDefault = byDefault
        self.summary = summary
        self.parse = parse
        self.format = format
    }

    func text(in configuration: Configuration) -> String { format(configuration[self]) }

    func set(_ text: String, in configuration: inout Configuration) throws(SettingError) {
        configuration[self] = try parse(text)
    }
}

/// A setting, whatever the type of its value is. Flags, checks, help and documents are derived from it.
protocol AnySetting: Sendable {
    /// The name, such as `max-content-bytes`.
    var name: String { get }

    /// The description in the help, in one line.
    var summary: String { get }

    var values: SettingValues { get }

    /// Returns the value in `configuration`, as it is written on the command line.
    func text(in configuration: Configuration) -> String

    /// Sets the value that `text` describes.
    func set(_ text: String, in configuration: inout Configuration) throws(SettingError)
}

extension AnySetting {
    var flag: String { "--" + name }

    var variable: String {
        "DECANT_"
            + String(decoding: name.utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 & 0xDF }, as: UTF8.self)
    }

    /// A description of the allowed values for errors and help, such as `1 to 65535`.
    var allowed: String {
        switch values {
        case .integer(let bounds): "\(bounds.lowerBound) to \(bounds.upperBound)"
        case .boolean: "true or false"
        case .choice(let names): names.joined(separator: ", ")
        case .text(let description, _): description
        }
    }

    /// The values that a shell completes; empty if they cannot be listed.
    var completions: [String] {
        switch values {
        case .integer: []
        case .boolean: ["true", "false"]
        case .choice(let names): names
        case .text(_, let completions): completions
        }
    }
}

/// The values that a setting can have, as text.
enum SettingValues: Equatable, Sendable {
    /// Decimal digits.
    case integer(ClosedRange<Int>)
    case boolean
    case choice([String])
    /// Text, with its description for a person, and values that a shell completes.
    case text(String, completions: [String] = [])
}

/// The text of a setting is not allowed.
struct SettingError: Error, Equatable, Sendable {
    /// The reason and its location (``SettingReason``); `nil` if the description of the allowed values explains it.
    var reason: String?
}

extension Configuration {
    /// The value of a setting: the given one, or the default.
    subscript<Value: Sendable>(_ setting: Setting<Value>) -> Value {
        get { given(setting.name) ?? setting.byDefault(self) }
        set { give(newValue, setting.name) }
    }
}

// MARK: Settings by the type of their value

extension Setting where Value == Int {
    init(_ name: String, _ bounds: ClosedRange<Int>, default byDefault: Int, _ summary: String) {
        self.init(name, bounds, default: { _ in byDefault }, summary)
    }

    /// - Parameter byDefault: returns the default, which depends on the machine or on other settings.
    init(
        _ name: String,
        _ bounds: ClosedRange<Int>,
        default byDefault: @escaping @Sendable (Configuration) -> Int,
        _ summary: String
    ) {
        self.init(name, .integer(bounds), default: byDefault, summary) { text throws(SettingError) in
            try integer(text, in: bounds)
        } format: {
            String($0)
        }
    }
}

extension Setting where Value == Bool {
    /// A setting whose default is `false`.
    init(_ name: String, _ summary: String) {
        self.init(name, .boolean, default: { _ in false }, summary) { text throws(SettingError) in
            guard let value = Bool(text) else { throw SettingError() }
            return value
        } format: {
            String($0)
        }
    }
}

extension Setting where Value: RawRepresentable<String> & CaseIterable {
    init(_ name: String, default byDefault: Value, _ summary: String) {
        let names = Value.allCases.map(\.rawValue)
        self.init(name, .choice(names), default: { _ in byDefault }, summary) { text throws(SettingError) in
            guard let value = Value(rawValue: text) else { throw SettingError() }
            return value
        } format: {
            $0.rawValue
        }
    }
}

extension Setting {
    /// A choice that depends on something else if it is not given.
    /// - Parameter derived: the description of the default.
    init<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String,
        derived: String,
        _ summary: String
    ) where Value == Choice? {
        let names = Choice.allCases.map(\.rawValue)
        self.init(name, .choice(names), default: { _ in nil }, summary) { text throws(SettingError) in
            guard let value = Choice(rawValue: text) else { throw SettingError() }
            return value
        } format: {
            $0?.rawValue ?? derived
        }
    }
}

extension Setting where Value == String {
    /// - Parameters:
    ///   - syntax: the description of the text for a person.
    ///   - completions: values that a shell completes.
    init(
        _ name: String,
        syntax: String,
        completions: [String] = [],
        default byDefault: String,
        _ summary: String,
        isValid: @escaping @Sendable (String) -> Bool
    ) {
        let values = SettingValues.text(syntax, completions: completions)
        self.init(name, values, default: { _ in byDefault }, summary) { text throws(SettingError) in
            guard isValid(text) else { throw SettingError() }
            return text
        } format: {
            $0
        }
    }

    /// The path of a file; empty if there is none.
    static func file(_ name: String, _ summary: String) -> Setting {
        Setting(name, syntax: "the path of a file", default: "", summary) { !$0.isEmpty && !$0.utf8.contains(0) }
    }
}

extension Setting {
    /// Text that is parsed when it is set. Only the value is used from then on.
    /// - Parameters:
    ///   - syntax: the description of the text for a person.
    ///   - byDefault: the value without the setting, which has no text.
    ///   - parse: throws the reason if the text does not have this syntax.
    init<Parsed: Sendable, Reason: SettingReason>(
        _ name: String,
        syntax: String,
        default byDefault: ParsedText<Parsed>,
        _ summary: String,
        _ parse: @escaping @Sendable (String) throws(Reason) -> Parsed
    ) where Value == ParsedText<Parsed> {
        self.init(name, .text(syntax), default: { _ in byDefault }, summary) { text throws(SettingError) in
            do throws(Reason) {
                return ParsedText(text, try parse(text))
            } catch { throw SettingError(reason: error.reason) }
        } format: {
            $0.text
        }
    }

    /// Text that is parsed when it is set. The description of the syntax explains every error.
    init<Parsed: Sendable>(
        _ name: String,
        syntax: String,
        default byDefault: ParsedText<Parsed>,
        _ summary: String,
        _ parse: @escaping @Sendable (String) -> Parsed?
    ) where Value == ParsedText<Parsed> {
        self.init(name, .text(syntax), default: { _ in byDefault }, summary) { text throws(SettingError) in
            guard let value = parse(text) else { throw SettingError() }
            return ParsedText(text, value)
        } format: {
            $0.text
        }
    }
}

/// The text of a setting, and the value that was parsed from it.
struct ParsedText<Value: Sendable>: Sendable {
    /// The text as it is written on the command line; empty for a default that has no text.
    let text: String
    let value: Value

    init(_ text: String, _ value: Value) {
        self.text = text
        self.value = value
    }
}

/// The setting of a limit of one serialization, whose range, default and summary are those of a row of ``OptionTable``.
struct LimitSetting: AnySetting {
    private let path: OptionDefinition.Path<Int>
    private let bounds: ClosedRange<Int>
    let name: String
    let summary: String

    /// - Returns: `nil` if the option is not a limit.
    init?(_ option: OptionDefinition) {
        guard case .limit(let path, let bounds, let note) = option.target else { return nil }
        self.path = path
        self.bounds = bounds
        name = option.name.rawValue
        summary = note.isEmpty ? option.summary : "\(option.summary) \(note)"
    }

    var values: SettingValues { .integer(bounds) }

    func text(in configuration: Configuration) -> String {
        String(RequestOptions(limits: configuration.limits)[keyPath: path])
    }

    func set(_ text: String, in configuration: inout Configuration) throws(SettingError) {
        var options = RequestOptions(limits: configuration.limits)
        options[keyPath: path] = try integer(text, in: bounds)
        configuration.limits = options.limits
    }
}

/// Reads a number, which consists of digits only.
private func integer(_ text: String, in bounds: ClosedRange<Int>) throws(SettingError) -> Int {
    guard let value = text.decimal(), bounds ~= value else { throw SettingError() }
    return value
}
