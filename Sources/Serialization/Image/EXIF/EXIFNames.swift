/// What the standard's numbers are called, in ExifTool's words.
enum EXIFNames {
    /// Of 1 to 8.
    static let orientations = [
        "Horizontal (normal)", "Mirror horizontal", "Rotate 180", "Mirror vertical",
        "Mirror horizontal and rotate 270 CW", "Rotate 90 CW", "Mirror horizontal and rotate 90 CW", "Rotate 270 CW",
    ]
}
