import Foundation
import FuzzOracles
import Serialization
import Testing

/// Compares the reader and the model for generated documents. Each seed creates `DECANT_PROPERTY_DOCUMENTS` documents;
/// a failure contains the seed and the document, so that it can be reproduced.
@Suite struct JSONPropertyTests {
    private static let seeds = Array(UInt64(1)...24)
    private static let documentsOfSeed =
        ProcessInfo.processInfo.environment["DECANT_PROPERTY_DOCUMENTS"].flatMap(Int.init) ?? 50

    @Test(arguments: seeds)
    func `agrees with the model on each document and pair of policies`(seed: UInt64) throws {
        var generator = DocumentGenerator(seed: seed)
        for index in 0..<Self.documentsOfSeed {
            let content = generator.document()
            let nulls = NullPolicy.allCases[index % NullPolicy.allCases.count]
            let duplicates = DuplicateNames.allCases[index / 3 % DuplicateNames.allCases.count]
            let keys = index % 5 == 0 ? MemberOrder.sorted : .source
            expectAgreement(on: content, nulls, duplicates, keys, "seed \(seed), document \(index)")
        }
    }

    @Test(arguments: seeds)
    func `rejects the same texts as the model, at the same location`(seed: UInt64) throws {
        var generator = DocumentGenerator(seed: seed ^ 0xF00D)
        var mutator = DocumentMutator(seed: seed)
        for index in 0..<Self.documentsOfSeed {
            let content = mutator.mutated(generator.document())
            // The model does not support encodings other than UTF-8, or content that looks like them.
            if content.prefix(2).contains(0) || [0xEF, 0xFE, 0xFF].contains(content.first) { continue }
            let duplicates = DuplicateNames.allCases[index % DuplicateNames.allCases.count]
            expectAgreement(on: content, .drop, duplicates, .source, "seed \(seed), mutated document \(index)")
        }
    }

    private func expectAgreement(
        on content: [UInt8],
        _ nulls: NullPolicy,
        _ duplicates: DuplicateNames,
        _ keys: MemberOrder,
        _ origin: String
    ) {
        let expected = Agreement(model: content, nulls, duplicates, keys)
        let actual = Agreement(reader: content, nulls, duplicates, keys)
        if actual == expected { return }
        Issue.record(
            """
            \(origin), nulls=\(nulls) duplicates=\(duplicates) keys=\(keys)
            document: \(String(decoding: content, as: UTF8.self).debugDescription)
            expected: \(expected)
            actual:   \(actual)
            """
        )
    }
}

/// The results on which reader and model must agree.
private enum Agreement: Equatable {
    case refused(byte: Int, line: Int, column: Int)
    case read(text: String, nullsDropped: Int, warnings: [Warning])

    struct Warning: Equatable {
        /// `nil` represents omitted duplicates.
        var place: ModelDocument.Duplicate?
        var leftOut = 0
    }

    init(model content: [UInt8], _ nulls: NullPolicy, _ duplicates: DuplicateNames, _ keys: MemberOrder) {
        do throws(ModelParser.Failure) {
            let document = try ModelParser.parse(content, rejectsDuplicates: duplicates == .reject)
            let output = ModelOutput(document, nulls, duplicates, keys)
            let found = duplicates == .keep ? [] : document.duplicates
            var warnings = found.prefix(100).map { Warning(place: $0.cut(to: 1024)) }
            if found.count > 100 { warnings.append(Warning(leftOut: found.count - 100)) }
            self = .read(
                text: String(decoding: output.text, as: UTF8.self),
                nullsDropped: output.nullsDropped,
                warnings: warnings
            )
        } catch {
            let (line, column) = Self.lineAndColumn(of: error.offset, in: content)
            self = .refused(byte: error.offset, line: line, column: column)
        }
    }

    init(reader content: [UInt8], _ nulls: NullPolicy, _ duplicates: DuplicateNames, _ keys: MemberOrder) {
        do throws(JSONError) {
            let reading = try SerializationTests.read(content) { options in
                options.nulls = nulls
                options.duplicates = duplicates
                options.keys = keys
                options.prefixes = .reject
            }
            self = .read(
                text: reading.text,
                nullsDropped: reading.nullsDropped,
                warnings: reading.warnings.map { warning in
                    if case .truncated(let count) = warning.kind { return Warning(leftOut: count) }
                    return Warning(
                        place: warning.location.map {
                            ModelDocument.Duplicate(offset: $0.byte, pointer: $0.pointer ?? "")
                        }
                    )
                }
            )
        } catch {
            let location = error.location
            self = .refused(byte: location.byte, line: location.line ?? 0, column: location.column ?? 0)
        }
    }
    /// Returns the line and column. A line ends with LF, CR or CR LF; columns count characters.
    private static func lineAndColumn(of offset: Int, in content: [UInt8]) -> (line: Int, column: Int) {
        var line = 1
        var column = 1
        for (index, byte) in content.prefix(offset).enumerated() {
            let isFirstOfTwo = byte == 0x0D && index + 1 < content.count && content[index + 1] == 0x0A
            if byte == 0x0A || byte == 0x0D && !isFirstOfTwo {
                line += 1
                column = 1
            } else if byte >> 6 != 0b10, byte != 0x0D {
                column += 1
            }
        }
        return (line, column)
    }
}

extension ModelDocument.Duplicate {
    /// Returns the longest prefix of the pointer that fits, in whole tokens.
    fileprivate func cut(to maxBytes: Int) -> Self {
        guard pointer.utf8.count > maxBytes else { return self }
        let end = pointer.utf8.prefix(maxBytes + 1).lastIndex(of: UInt8(ascii: "/"))
        return Self(offset: offset, pointer: pointer[..<(end ?? pointer.startIndex)] + "/…")
    }
}
