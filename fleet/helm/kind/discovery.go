package kind

import (
	"fmt"
	"strings"

	"ocaptain/fleet/clean"
	"ocaptain/tasks"
)

// maxSlug bounds the words in a file's name, in bytes.
const maxSlug = 50

// DiscoveryFiles returns the files for the discoveries of a review, by their path in the repository. Each discovery
// has its own file, so that a search finds it separately. The same review gives the same files.
func DiscoveryFiles(task, author string, r tasks.Review) map[string][]byte {
	files := map[string][]byte{}
	for i, d := range r.Discoveries {
		name := fmt.Sprintf("%s.%d-%s", task, i+1, clean.Slug(d.Content, maxSlug))
		path := fmt.Sprintf("docs/discoveries/%s/%s.md", r.At.UTC().Format("2006-01"), strings.TrimSuffix(name, "-"))
		files[path] = discovery(task, author, r, d)
	}
	return files
}

// discovery returns the content of such a file: YAML that says what the discovery is about, and then its text.
func discovery(task, author string, r tasks.Review, d tasks.Discovery) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "---\ntype: %s\ntask: %q\n", d.Type, task)
	if len(d.Files) > 0 {
		b.WriteString("files:\n")
		for _, f := range d.Files {
			fmt.Fprintf(&b, "  - %q\n", clean.Line(f))
		}
	}
	fmt.Fprintf(&b, "author: %s\nreviewer: %s\ncreated: %s\n---\n\n%s\n", author, r.By, r.At.UTC().Format("2006-01-02"), strings.TrimSpace(clean.Text(d.Content)))
	return []byte(b.String())
}
