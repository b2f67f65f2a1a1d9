internal import Serialization

/// The names of JPEG markers (ITU-T T.81 §B.1.1.3).
enum JPEGMarker {
    /// Returns the name of a marker, or `nil` if it has none.
    /// - Parameter marker: The second byte of the marker.
    static func name(_ marker: UInt8) -> String? {
        switch marker {
        case 0xC4: "DHT"
        case 0xC8: "JPG"
        case 0xCC: "DAC"
        case 0xC0...0xCF: "SOF\(marker - 0xC0)"
        case 0xD0...0xD7: "RST\(marker - 0xD0)"
        case 0xD8: "SOI"
        case 0xD9: "EOI"
        case 0xDA: "SOS"
        case 0xDB: "DQT"
        case 0xDC: "DNL"
        case 0xDD: "DRI"
        case 0xDE: "DHP"
        case 0xDF: "EXP"
        case 0xE0...0xEF: "APP\(marker - 0xE0)"
        case 0xF0...0xFD: "JPG\(marker - 0xF0)"
        case 0xFE: "COM"
        default: nil
        }
    }
}
