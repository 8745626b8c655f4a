package trees

import (
	"strings"
)

// IgnoreFile names, at the top of a repository, what else stays where it is, by patterns of Mutagen's, which are much like git's.
const IgnoreFile = ".ocaptainignore"

// maxPatterns bounds what a repository may name.
const maxPatterns = 500

// Patterns reads that file.
func Patterns(file []byte) (all []string) {
	for line := range strings.Lines(string(file)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || len(line) > 1000 {
			continue
		}
		if all = append(all, line); len(all) == maxPatterns {
			break
		}
	}
	return all
}

// Literal is the pattern of one file alone, by its path from the top.
func Literal(path string) string {
	return "/" + strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`).Replace(path)
}
