internal import Serialization

/// The names of the standard's enumerated values, as ExifTool writes them.
enum EXIFNames {
    /// The names of the orientations 1 to 8.
    static let orientations = [
        "Horizontal (normal)", "Mirror horizontal", "Rotate 180", "Mirror vertical",
        "Mirror horizontal and rotate 270 CW", "Rotate 90 CW", "Mirror horizontal and rotate 90 CW", "Rotate 270 CW",
    ]

    static let exposurePrograms: [Int: StaticString] = [
        0: "Not Defined", 1: "Manual", 2: "Program AE", 3: "Aperture-priority AE", 4: "Shutter speed priority AE",
        5: "Creative (Slow speed)", 6: "Action (High speed)", 7: "Portrait", 8: "Landscape", 9: "Bulb",
    ]

    static let sensitivityTypes: [Int: StaticString] = [
        0: "Unknown", 1: "Standard Output Sensitivity", 2: "Recommended Exposure Index", 3: "ISO Speed",
        4: "Standard Output Sensitivity and Recommended Exposure Index",
        5: "Standard Output Sensitivity and ISO Speed", 6: "Recommended Exposure Index and ISO Speed",
        7: "Standard Output Sensitivity, Recommended Exposure Index and ISO Speed",
    ]

    static let meteringModes: [Int: StaticString] = [
        0: "Unknown", 1: "Average", 2: "Center-weighted average", 3: "Spot", 4: "Multi-spot", 5: "Multi-segment",
        6: "Partial", 255: "Other",
    ]

    static let lightSources: [Int: StaticString] = [
        0: "Unknown", 1: "Daylight", 2: "Fluorescent", 3: "Tungsten (Incandescent)", 4: "Flash", 9: "Fine Weather",
        10: "Cloudy", 11: "Shade", 12: "Daylight Fluorescent", 13: "Day White Fluorescent",
        14: "Cool White Fluorescent", 15: "White Fluorescent", 16: "Warm White Fluorescent", 17: "Standard Light A",
        18: "Standard Light B", 19: "Standard Light C", 20: "D55", 21: "D65", 22: "D75", 23: "D50",
        24: "ISO Studio Tungsten", 255: "Other",
    ]

    static let flashes: [Int: StaticString] = [
        0x00: "No Flash", 0x01: "Fired", 0x05: "Fired, Return not detected", 0x07: "Fired, Return detected",
        0x08: "On, Did not fire", 0x09: "On, Fired", 0x0D: "On, Return not detected", 0x0F: "On, Return detected",
        0x10: "Off, Did not fire", 0x14: "Off, Did not fire, Return not detected", 0x18: "Auto, Did not fire",
        0x19: "Auto, Fired", 0x1D: "Auto, Fired, Return not detected", 0x1F: "Auto, Fired, Return detected",
        0x20: "No flash function", 0x30: "Off, No flash function", 0x41: "Fired, Red-eye reduction",
        0x45: "Fired, Red-eye reduction, Return not detected", 0x47: "Fired, Red-eye reduction, Return detected",
        0x49: "On, Red-eye reduction", 0x4D: "On, Red-eye reduction, Return not detected",
        0x4F: "On, Red-eye reduction, Return detected", 0x50: "Off, Red-eye reduction",
        0x58: "Auto, Did not fire, Red-eye reduction", 0x59: "Auto, Fired, Red-eye reduction",
        0x5D: "Auto, Fired, Red-eye reduction, Return not detected",
        0x5F: "Auto, Fired, Red-eye reduction, Return detected",
    ]

    static let colorSpaces: [Int: StaticString] = [
        1: "sRGB", 2: "Adobe RGB", 0xFFFD: "Wide Gamut RGB", 0xFFFE: "ICC Profile", 0xFFFF: "Uncalibrated",
    ]

    static let focalPlaneUnits: [Int: StaticString] = [1: "None", 2: "inches", 3: "cm", 4: "mm", 5: "um"]

    static let sensingMethods: [Int: StaticString] = [
        1: "Not defined", 2: "One-chip color area", 3: "Two-chip color area", 4: "Three-chip color area",
        5: "Color sequential area", 7: "Trilinear", 8: "Color sequential linear",
    ]

    static let fileSources: [Int: StaticString] = [
        1: "Film Scanner", 2: "Reflection Print Scanner", 3: "Digital Camera",
    ]

    static let customRenderings: [Int: StaticString] = [
        0: "Normal", 1: "Custom", 2: "HDR (no original saved)", 3: "HDR (original saved)", 4: "Original (for HDR)",
        6: "Panorama", 7: "Portrait HDR", 8: "Portrait",
    ]

    static let sceneCaptureTypes: [Int: StaticString] = [
        0: "Standard", 1: "Landscape", 2: "Portrait", 3: "Night", 4: "Other",
    ]

    static let gainControls: [Int: StaticString] = [
        0: "None", 1: "Low gain up", 2: "High gain up", 3: "Low gain down", 4: "High gain down",
    ]

    static let compositeImages: [Int: StaticString] = [
        0: "Unknown", 1: "Not a Composite Image", 2: "General Composite Image",
        3: "Composite Image Captured While Shooting",
    ]

    static let norths: [Character: StaticString] = ["M": "Magnetic North", "T": "True North"]
}
