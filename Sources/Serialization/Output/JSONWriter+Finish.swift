extension JSONWriter {
    /// Returns the finished text. A module that imports the writer cannot take the buffer out by itself.
    package consuming func finish() -> OutputBuffer { buffer }
}
