import Origin

/// The scripted origin as a program (docs/testing.md), which reads commands from standard input until it ends.
@main enum ScriptedOrigin {
    static func main() {
        OriginProgram.run(CommandLine.arguments)
    }
}
