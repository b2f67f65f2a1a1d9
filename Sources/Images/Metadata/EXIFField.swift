internal import Serialization

// The tags of CIPA DC-008 (Exif 3.0) §4.6, with the standard's names in lower camel case; those of the GPS directory
// without "GPS". The names of enumerated values are those of ExifTool.

/// The name of a tag and the kind of its value.
struct EXIFField: Sendable {
    enum Kind: Sendable {
        /// Text in ASCII, or in UTF-8 since Exif 3.0.
        case text
        /// The text of the photographer, a NUL, and the text of the editor.
        case copyright
        /// One or more integers.
        case number
        /// One or more fractions.
        case fraction
        /// A number with a name.
        case named([Int: StaticString])
        /// A letter with a name.
        case lettered([Character: StaticString])
        /// A date and time, with the tags of its fraction of a second and of its offset.
        case date(subsecond: UInt16, offset: UInt16)
        /// Text after eight bytes that name its charset.
        case comment
        /// Little-endian UTF-16, as Windows writes it.
        case utf16
        /// The contents of an image's channels.
        case components
        /// Data of which only the length is reported.
        case opaque
    }

    let group: EXIF.Group
    let tag: UInt16
    let name: StaticString
    let kind: Kind
    /// Whether the value contains no information about persons, places or the owners of devices.
    let isPublic: Bool

    private init(_ group: EXIF.Group, _ tag: UInt16, _ name: StaticString, _ kind: Kind, isPublic: Bool = false) {
        self.group = group
        self.tag = tag
        self.name = name
        self.kind = kind
        self.isPublic = isPublic
    }

    private static func open(_ group: EXIF.Group, _ tag: UInt16, _ name: StaticString, _ kind: Kind) -> EXIFField {
        EXIFField(group, tag, name, kind, isPublic: true)
    }

    /// Returns the field of an entry, or `nil` if the standard has none or it is reported elsewhere.
    static func of(_ entry: EXIF.Entry) -> EXIFField? {
        let table = table
        let key = key(entry.group, entry.tag)
        let index = table.indices.partitioningIndex { table[$0].key >= key }
        return index < table.count && table[index].key == key ? table[index] : nil
    }

    /// Whether the value is a text of any length.
    var isText: Bool {
        switch kind {
        case .text, .copyright, .lettered, .date, .comment, .utf16: true
        case .number, .fraction, .named, .components, .opaque: false
        }
    }

    private var key: Int { Self.key(group, tag) }

    private static func key(_ group: EXIF.Group, _ tag: UInt16) -> Int { Int(group.rawValue) << 16 | Int(tag) }

    private static let table = (image + exif + gps).sorted { $0.key < $1.key }

    private static let image: [EXIFField] = [
        EXIFField(.image, 0x010D, "documentName", .text),
        EXIFField(.image, 0x010E, "imageDescription", .text),
        open(.image, 0x010F, "make", .text),
        open(.image, 0x0110, "model", .text),
        open(.image, 0x011A, "xResolution", .fraction),
        open(.image, 0x011B, "yResolution", .fraction),
        open(.image, 0x0128, "resolutionUnit", .named([1: "None", 2: "inches", 3: "cm"])),
        EXIFField(.image, 0x0131, "software", .text),
        EXIFField(.image, 0x0132, "dateTime", .date(subsecond: 0x9290, offset: 0x9010)),
        EXIFField(.image, 0x013B, "artist", .text),
        EXIFField(.image, 0x013C, "hostComputer", .text),
        open(.image, 0x013E, "whitePoint", .fraction),
        open(.image, 0x013F, "primaryChromaticities", .fraction),
        open(.image, 0x0211, "yCbCrCoefficients", .fraction),
        open(.image, 0x0213, "yCbCrPositioning", .named([1: "Centered", 2: "Co-sited"])),
        open(.image, 0x0214, "referenceBlackWhite", .fraction),
        open(.image, 0x4746, "rating", .number),
        EXIFField(.image, 0x8298, "copyright", .copyright),
        EXIFField(.image, 0x9C9B, "xpTitle", .utf16),
        EXIFField(.image, 0x9C9C, "xpComment", .utf16),
        EXIFField(.image, 0x9C9D, "xpAuthor", .utf16),
        EXIFField(.image, 0x9C9E, "xpKeywords", .utf16),
        EXIFField(.image, 0x9C9F, "xpSubject", .utf16),
    ]

    private static let exif: [EXIFField] = [
        open(.exif, 0x829A, "exposureTime", .fraction),
        open(.exif, 0x829D, "fNumber", .fraction),
        open(.exif, 0x8822, "exposureProgram", .named(EXIFNames.exposurePrograms)),
        EXIFField(.exif, 0x8824, "spectralSensitivity", .text),
        open(.exif, 0x8827, "photographicSensitivity", .number),
        open(.exif, 0x8830, "sensitivityType", .named(EXIFNames.sensitivityTypes)),
        open(.exif, 0x8831, "standardOutputSensitivity", .number),
        open(.exif, 0x8832, "recommendedExposureIndex", .number),
        open(.exif, 0x8833, "isoSpeed", .number),
        open(.exif, 0x8834, "isoSpeedLatitudeyyy", .number),
        open(.exif, 0x8835, "isoSpeedLatitudezzz", .number),
        open(.exif, 0x9000, "exifVersion", .text),
        EXIFField(.exif, 0x9003, "dateTimeOriginal", .date(subsecond: 0x9291, offset: 0x9011)),
        EXIFField(.exif, 0x9004, "dateTimeDigitized", .date(subsecond: 0x9292, offset: 0x9012)),
        EXIFField(.exif, 0x9010, "offsetTime", .text),
        EXIFField(.exif, 0x9011, "offsetTimeOriginal", .text),
        EXIFField(.exif, 0x9012, "offsetTimeDigitized", .text),
        open(.exif, 0x9101, "componentsConfiguration", .components),
        open(.exif, 0x9102, "compressedBitsPerPixel", .fraction),
        open(.exif, 0x9201, "shutterSpeedValue", .fraction),
        open(.exif, 0x9202, "apertureValue", .fraction),
        open(.exif, 0x9203, "brightnessValue", .fraction),
        open(.exif, 0x9204, "exposureBiasValue", .fraction),
        open(.exif, 0x9205, "maxApertureValue", .fraction),
        open(.exif, 0x9206, "subjectDistance", .fraction),
        open(.exif, 0x9207, "meteringMode", .named(EXIFNames.meteringModes)),
        open(.exif, 0x9208, "lightSource", .named(EXIFNames.lightSources)),
        open(.exif, 0x9209, "flash", .named(EXIFNames.flashes)),
        open(.exif, 0x920A, "focalLength", .fraction),
        open(.exif, 0x9214, "subjectArea", .number),
        EXIFField(.exif, 0x927C, "makerNote", .opaque),
        EXIFField(.exif, 0x9286, "userComment", .comment),
        EXIFField(.exif, 0x9290, "subSecTime", .text),
        EXIFField(.exif, 0x9291, "subSecTimeOriginal", .text),
        EXIFField(.exif, 0x9292, "subSecTimeDigitized", .text),
        EXIFField(.exif, 0x9400, "temperature", .fraction),
        EXIFField(.exif, 0x9401, "humidity", .fraction),
        EXIFField(.exif, 0x9402, "pressure", .fraction),
        EXIFField(.exif, 0x9403, "waterDepth", .fraction),
        EXIFField(.exif, 0x9404, "acceleration", .fraction),
        EXIFField(.exif, 0x9405, "cameraElevationAngle", .fraction),
        open(.exif, 0xA000, "flashpixVersion", .text),
        open(.exif, 0xA001, "colorSpace", .named(EXIFNames.colorSpaces)),
        open(.exif, 0xA002, "pixelXDimension", .number),
        open(.exif, 0xA003, "pixelYDimension", .number),
        EXIFField(.exif, 0xA004, "relatedSoundFile", .text),
        open(.exif, 0xA20B, "flashEnergy", .fraction),
        open(.exif, 0xA20C, "spatialFrequencyResponse", .opaque),
        open(.exif, 0xA20E, "focalPlaneXResolution", .fraction),
        open(.exif, 0xA20F, "focalPlaneYResolution", .fraction),
        open(.exif, 0xA210, "focalPlaneResolutionUnit", .named(EXIFNames.focalPlaneUnits)),
        open(.exif, 0xA214, "subjectLocation", .number),
        open(.exif, 0xA215, "exposureIndex", .fraction),
        open(.exif, 0xA217, "sensingMethod", .named(EXIFNames.sensingMethods)),
        open(.exif, 0xA300, "fileSource", .named(EXIFNames.fileSources)),
        open(.exif, 0xA301, "sceneType", .named([1: "Directly photographed"])),
        open(.exif, 0xA302, "cfaPattern", .opaque),
        open(.exif, 0xA401, "customRendered", .named(EXIFNames.customRenderings)),
        open(.exif, 0xA402, "exposureMode", .named([0: "Auto", 1: "Manual", 2: "Auto bracket"])),
        open(.exif, 0xA403, "whiteBalance", .named([0: "Auto", 1: "Manual"])),
        open(.exif, 0xA404, "digitalZoomRatio", .fraction),
        open(.exif, 0xA405, "focalLengthIn35mmFilm", .number),
        open(.exif, 0xA406, "sceneCaptureType", .named(EXIFNames.sceneCaptureTypes)),
        open(.exif, 0xA407, "gainControl", .named(EXIFNames.gainControls)),
        open(.exif, 0xA408, "contrast", .named([0: "Normal", 1: "Low", 2: "High"])),
        open(.exif, 0xA409, "saturation", .named([0: "Normal", 1: "Low", 2: "High"])),
        open(.exif, 0xA40A, "sharpness", .named([0: "Normal", 1: "Soft", 2: "Hard"])),
        EXIFField(.exif, 0xA40B, "deviceSettingDescription", .opaque),
        open(.exif, 0xA40C, "subjectDistanceRange", .named([0: "Unknown", 1: "Macro", 2: "Close", 3: "Distant"])),
        EXIFField(.exif, 0xA420, "imageUniqueID", .text),
        EXIFField(.exif, 0xA430, "cameraOwnerName", .text),
        EXIFField(.exif, 0xA431, "bodySerialNumber", .text),
        open(.exif, 0xA432, "lensSpecification", .fraction),
        open(.exif, 0xA433, "lensMake", .text),
        open(.exif, 0xA434, "lensModel", .text),
        EXIFField(.exif, 0xA435, "lensSerialNumber", .text),
        EXIFField(.exif, 0xA436, "imageTitle", .text),
        EXIFField(.exif, 0xA437, "photographer", .text),
        EXIFField(.exif, 0xA438, "imageEditor", .text),
        EXIFField(.exif, 0xA439, "cameraFirmware", .text),
        EXIFField(.exif, 0xA43A, "rawDevelopingSoftware", .text),
        EXIFField(.exif, 0xA43B, "imageEditingSoftware", .text),
        EXIFField(.exif, 0xA43C, "metadataEditingSoftware", .text),
        open(.exif, 0xA460, "compositeImage", .named(EXIFNames.compositeImages)),
        open(.exif, 0xA461, "sourceImageNumberOfCompositeImage", .number),
        open(.exif, 0xA462, "sourceExposureTimesOfCompositeImage", .opaque),
        open(.exif, 0xA500, "gamma", .fraction),
    ]

    /// The position, altitude and time are combined from several tags, which are not in this table.
    private static let gps: [EXIFField] = [
        EXIFField(.gps, 0x00, "versionID", .number),
        EXIFField(.gps, 0x08, "satellites", .text),
        EXIFField(.gps, 0x09, "status", .lettered(["A": "Measurement Active", "V": "Measurement Void"])),
        EXIFField(
            .gps,
            0x0A,
            "measureMode",
            .lettered(["2": "2-Dimensional Measurement", "3": "3-Dimensional Measurement"])
        ),
        EXIFField(.gps, 0x0B, "dop", .fraction),
        EXIFField(.gps, 0x0C, "speedRef", .lettered(["K": "km/h", "M": "mph", "N": "knots"])),
        EXIFField(.gps, 0x0D, "speed", .fraction),
        EXIFField(.gps, 0x0E, "trackRef", .lettered(EXIFNames.norths)),
        EXIFField(.gps, 0x0F, "track", .fraction),
        EXIFField(.gps, 0x10, "imgDirectionRef", .lettered(EXIFNames.norths)),
        EXIFField(.gps, 0x11, "imgDirection", .fraction),
        EXIFField(.gps, 0x12, "mapDatum", .text),
        EXIFField(.gps, 0x17, "destBearingRef", .lettered(EXIFNames.norths)),
        EXIFField(.gps, 0x18, "destBearing", .fraction),
        EXIFField(.gps, 0x19, "destDistanceRef", .lettered(["K": "Kilometers", "M": "Miles", "N": "Nautical Miles"])),
        EXIFField(.gps, 0x1A, "destDistance", .fraction),
        EXIFField(.gps, 0x1B, "processingMethod", .comment),
        EXIFField(.gps, 0x1C, "areaInformation", .comment),
        EXIFField(.gps, 0x1E, "differential", .named([0: "No Correction", 1: "Differential Corrected"])),
        EXIFField(.gps, 0x1F, "hPositioningError", .fraction),
    ]
}
