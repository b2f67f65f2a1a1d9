import Serialization

/// The properties of fields from callers and upstreams: media types, sets of them, status codes.
///
/// The first byte of an input selects the parser; the rest is the text.
package enum FieldOracle {
    /// Returns a description of the violated property, or `nil` if all properties hold for `input`.
    package static func violation(for input: [UInt8]) -> String? {
        guard let choice = input.first else { return nil }
        let text = String(decoding: input.dropFirst(), as: UTF8.self)
        switch choice % 3 {
        case 0: return violation(ofType: text)
        case 1: return violation(ofTypes: text)
        default: return violation(ofCodes: text)
        }
    }

    /// Checks that the written form of a media type parses as the same type.
    private static func violation(ofType text: String) -> String? {
        do throws(MediaTypeError) {
            let type = try MediaType(parsing: text)
            if type.essence.split(separator: "/").count != 2 { return "not a type and a subtype: \(type)" }
            guard let again = try? MediaType(parsing: type.description) else {
                return
                    "the written form of \(text.debugDescription) does not parse: \(type.description.debugDescription)"
            }
            return again == type ? nil : "\(text.debugDescription) parses as \(type), and that as \(again)"
        } catch {
            return violation(ofOffset: error, text)
        }
    }

    private static func violation(ofTypes text: String) -> String? {
        do throws(MediaTypeError) {
            let types = try MediaTypeSet(parsing: text)
            guard let again = try? MediaTypeSet(parsing: types.description) else {
                return "the written form of \(text.debugDescription) does not parse: \(types)"
            }
            return again == types ? nil : "\(text.debugDescription) parses as \(types), and that as \(again)"
        } catch {
            return violation(ofOffset: error, text)
        }
    }

    private static func violation(ofOffset error: MediaTypeError, _ text: String) -> String? {
        switch error {
        case .malformed(let offset), .malformedParameter(let offset):
            0...text.utf8.count ~= offset ? nil : "the error is outside \(text.debugDescription): \(offset)"
        }
    }

    private static func violation(ofCodes text: String) -> String? {
        do throws(StatusCodesError) {
            let codes = try StatusCodes(parsing: text)
            guard let again = try? StatusCodes(parsing: codes.description) else {
                return "the written form of \(text.debugDescription) does not parse: \(codes)"
            }
            return again == codes ? nil : "\(text.debugDescription) parses as \(codes), and that as \(again)"
        } catch {
            return nil
        }
    }
}
