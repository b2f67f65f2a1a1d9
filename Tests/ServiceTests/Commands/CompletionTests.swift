import Foundation
import Testing

/// The completions of each shell, executed by that shell if it is installed.
@Suite struct CompletionTests {
    /// A command line up to the cursor, and some of its completions.
    struct Example: Sendable, CustomTestStringConvertible {
        var line: String
        var completions: [String]
        var testDescription: String { line }

        init(_ line: String, _ completions: String...) {
            self.line = line
            self.completions = completions
        }
    }

    static let examples = [
        Example("decant nor", "normalize"),
        Example("decant normalize --null", "--nulls"),
        Example("decant normalize --nulls ", "drop", "drop-all", "keep"),
        Example("decant normalize --lenient unq", "unquoted-keys"),
        Example("decant normalize --lenient ", "none", "comments"),
        Example("decant normalize --canonical ", "true", "false"),
        Example("decant normalize --type image/j", "image/jpeg"),
        Example("decant normalize --method H", "HEAD"),
        Example("decant thumbnail --tru", "--truncated"),
        Example("decant serve --log-level cri", "critical"),
        Example("decant normalize examples/ph", "photo.jpg"),
    ]

    @Test(arguments: examples)
    func `bash`(example: Example) throws {
        try expect(example, in: "bash", Self.bash)
    }

    @Test(.enabled(if: Tool.isInstalled("zsh"), "zsh is not installed"), arguments: examples)
    func `zsh`(example: Example) throws {
        try expect(example, in: "zsh", Self.zsh, options: ["-f"])
    }

    @Test(.enabled(if: Tool.isInstalled("fish"), "fish is not installed"), arguments: examples)
    func `fish`(example: Example) throws {
        try expect(example, in: "fish", Self.fish, options: ["--no-config"])
    }

    /// Runs `program` in a shell. Its arguments are a folder, which contains the completions of decant under the name
    /// that the shell requires, and the command line. It prints one completion per line.
    private func expect(_ example: Example, in shell: String, _ program: String, options: [String] = []) throws {
        let folder = try TemporaryFolder()
        let completions = try DecantProcess.run("--generate-completion-script", shell).output
        _ = try folder.write(completions, to: "_decant")
        _ = try folder.write(Self.zshSetup, to: "setup.zsh")
        let file = try folder.write(program, to: "program")
        let bin = DecantProcess.executable.deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let result = try Tool.run(
            [shell] + options + [file, folder.url.path, example.line],
            environment: ["PATH": "\(bin):\(path)", "HOME": folder.url.path, "TERM": "dumb"]
        )
        // Some shells list a file with its folder.
        let found = result.output.split(separator: "\n").map { String($0).replacing("examples/", with: "") }
        #expect(Set(example.completions).isSubset(of: found), "\(result)")
        if let prefix = example.line.split(separator: " ", omittingEmptySubsequences: false).last, !prefix.contains("/")
        {
            #expect(found.allSatisfy { $0.hasPrefix(prefix) })
        }
    }

    // MARK: Programs

    private static let bash = #"""
        source "$1/_decant"
        COMP_LINE=$2 COMP_POINT=${#2}
        read -ra COMP_WORDS <<<"$2"
        [[ $2 == *' ' ]] && COMP_WORDS+=('')
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _decant decant "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}"
        """#

    /// A completion is followed by a tab and its description.
    private static let fish = #"""
        source $argv[1]/_decant
        complete -C $argv[2] | string split -f 1 \t
        """#

    /// Completions are only available to the line editor, which needs a terminal.
    private static let zsh = #"""
        zmodload zsh/zpty || exit
        line=$2
        zpty shell zsh -f -i
        zpty -w shell "source ${(q)1}/setup.zsh"
        while zpty -r shell text; do [[ $text == READY* ]] && break; done
        zpty -w -n shell "$line"$'\t'
        while zpty -r shell text; do
            text=${text%%$'\r'*}
            [[ $text == END* ]] && break
            [[ $text == MATCH\ * ]] && print -r -- ${text#MATCH }
        done
        zpty -d shell
        """#

    /// The setup of the shell in the terminal, which prints the completions as they are added, and then ends.
    private static let zshSetup = #"""
        PROMPT=
        fpath=(${0:A:h} $fpath)
        autoload -Uz compinit
        compinit -D -u
        bindkey '^I' complete-word
        zstyle ':completion:*' completer _complete
        zstyle ':completion:*' insert-tab false
        finish() { print -r -- $'\n''END'; exit }
        comppostfuncs=(finish)
        compadd() {
            # Calls that store the matches in an array do not add them.
            if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
                builtin compadd "$@"
                return
            fi
            local -a matches
            builtin compadd -A matches "$@"
            (( $#matches )) && print -rl -- "" MATCH\ ${^matches}
            builtin compadd "$@"
        }
        print READY
        """#
}
