package search

import (
	"context"
	"fmt"
	"path"
	"strings"
)

// Limits of a report.
const (
	reportHits = 20 // chunks that the report names
	reportText = 3  // how many of these are shown with their text
	shownText  = 2 << 10
)

// Research writes a report in Markdown on what a tree has about a question: the chunks that fit best, by directory, and the
// text of the first ones. It also returns these chunks. It uses no model.
func (t *Tree) Research(ctx context.Context, question, within string) (report string, found Results, err error) {
	is, err := t.Semantic(ctx, Query{Text: question, Path: within, Limit: reportHits})
	if err != nil {
		return "", is, err
	}
	if len(is.Results) == 0 {
		return "Nothing in the repository has a word of this question.\n", is, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Where the repository deals with it\n\n%d places have words of the question; these fit best.\n", is.Total)
	var dirs []string
	by := map[string][]Result{}
	for _, r := range is.Results {
		dir := path.Dir(r.File)
		if by[dir] == nil {
			dirs = append(dirs, dir)
		}
		by[dir] = append(by[dir], r)
	}
	for _, dir := range dirs {
		fmt.Fprintf(&b, "\n## `%s`\n\n", dir)
		for _, r := range by[dir] {
			fmt.Fprintf(&b, "- `%s:%d-%d` %s\n", r.File, r.Start, r.End, strings.TrimSpace(string(r.Kind)+" "+r.Name))
		}
	}
	for _, r := range is.Results[:min(reportText, len(is.Results))] {
		fmt.Fprintf(&b, "\n## `%s` L%d–L%d\n\n%s", r.File, r.Start, r.End, Fenced(r.Text, shownText))
	}
	return b.String(), is, nil
}

// Fenced returns the beginning of a text as code in Markdown: whole lines, at most that many bytes.
func Fenced(text string, most int) string {
	more := ""
	if len(text) > most {
		end := max(strings.LastIndexByte(text[:most], '\n'), 0)
		more = fmt.Sprintf("… %d more lines\n", strings.Count(text[end:], "\n"))
		text = text[:end]
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSuffix(text, "\n") + "\n" + more + fence + "\n"
}
