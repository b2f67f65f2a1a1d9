extension JSONWriter {
    /// The finished text. A module that imports the writer cannot take the buffer out of it by itself.
    package consuming func finish() -> OutputBuffer {
        buffer
    }
}
