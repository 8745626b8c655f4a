package trees

import (
	"strings"
)

// IgnoreFile is a file at the top of a repository with patterns of further files that are not synced. The patterns are Mutagen's,
// which are much like git's.
const IgnoreFile = ".ocaptainignore"

// maxPatterns bounds how many patterns a repository may have.
const maxPatterns = 500

// Patterns returns the patterns in the content of that file.
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

// Literal returns a pattern that matches only the file at this path, counted from the top.
func Literal(path string) string {
	return "/" + strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`).Replace(path)
}
