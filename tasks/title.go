package tasks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ocaptain/tasks/pattern"
)

// maxTitle is the longest title, in letters.
const maxTitle = 72

// titleOf makes a title from a task's description.
func titleOf(text string) string {
	title, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	title = withoutMarkdown(title)
	if r := []rune(title); len(r) > maxTitle {
		title, more = string(r[:maxTitle-1]), true
	}
	if more {
		title += "…"
	}
	return title
}

var (
	// block matches the beginning of a line that is a heading, a quote or an item of a list.
	block = pattern.New(`^\s*(#{1,6}\s+|>\s*|[-*+]\s+(\[[ xX]\]\s+)?)`)

	// inline matches markup within a line: code, bold text, struck text, emphasis, and a link or an image.
	inline = pattern.New("`+([^`]+)`+" +
		`|\*\*([^\s*/.](?:.*?[^\s*/])??)\*\*|~~([^\s~](?:.*?[^\s~])??)~~|(^|[\s(])\*([^\s*/.](?:[^*]*[^\s*/])?)\*|!?\[([^\[\]]+)\]\([^()\s]+\)`)
)

// withoutMarkdown removes the markup of Markdown from a line and keeps the text. Underscores stay, since identifiers have
// them, and so do unpaired signs such as the * of *.go. A line of markup alone stays as it is.
func withoutMarkdown(line string) string {
	text := strings.TrimSpace(line)
	for begin := block().FindString(text); begin != ""; begin = block().FindString(text) {
		if begin[0] == '#' {
			text = strings.TrimRight(text, "# ")
		}
		text = strings.TrimSpace(strings.TrimPrefix(text, begin))
	}
	return cmp.Or(withoutInline(text), strings.TrimSpace(line))
}

// withoutInline removes the markup inside a line.
func withoutInline(text string) string {
	var out strings.Builder
	for {
		m := inline().FindStringSubmatchIndex(text)
		if m == nil {
			out.WriteString(text)
			return strings.TrimSpace(out.String())
		}
		group := func(n int) string {
			if m[2*n] < 0 {
				return ""
			}
			return text[m[2*n]:m[2*n+1]]
		}
		out.WriteString(text[:m[0]] + group(4) + group(1) + withoutInline(group(2)+group(3)+group(5)+group(6)))
		text = text[m[1]:]
	}
}

// PathText writes a path through the graph, such as "1 → 3 → 1". It leaves out the middle of a long path.
func PathText(path []string) string {
	const most = 24
	if len(path) > most {
		left := fmt.Sprintf("… %d more …", len(path)-most)
		path = slices.Concat(path[:most/2], []string{left}, path[len(path)-most/2:])
	}
	return strings.Join(path, " → ")
}

// Shorten cuts a text from a plan, so that it cannot flood a message.
func Shorten(s string) string { return Truncate(s, 80) }

// Truncate shortens text to at most n characters, at a space where there is one.
func Truncate(text string, n int) string {
	characters := []rune(text)
	if len(characters) <= n {
		return text
	}
	short := string(characters[:n-1])
	if i := strings.LastIndexByte(short, ' '); i > 0 {
		short = short[:i]
	}
	return strings.TrimRight(short, " ") + "…"
}
