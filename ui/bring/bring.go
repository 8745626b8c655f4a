// Package bring finds the git-ignored files of the captain's checkout that agents need, and packs them for
// ships.
package bring

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"ocaptain/fleet/clean"
)

// IncludeName is the file at the top of a repository that selects git-ignored files for ships, by patterns of
// gitignore(5).
const IncludeName = ".worktreeinclude"

// Source selects files by patterns of gitignore(5).
type Source struct {
	From   string   // where the patterns are written, in words
	Lines  []string // the patterns
	Agreed bool     // the captain wrote them
}

// File is a file that goes to ships.
type File struct {
	Path   string // from the top of the checkout
	Size   int64
	Mode   fs.FileMode // its permissions
	From   []string    // sources that select it
	Agreed bool        // at least one of these sources is the captain's own
	Secret string      // why it looks like a secret, "" when it does not
}

// Skipped is a selected file that does not go to ships, and why.
type Skipped struct{ Path, Why string }

// Chosen holds the files that sources select in a checkout.
type Chosen struct {
	Files   []File
	Skipped []Skipped
}

// Asks reports whether the captain has yet to agree to some file.
func (c Chosen) Asks() bool {
	return slices.ContainsFunc(c.Files, func(f File) bool { return !f.Agreed })
}

// Size returns the total size of the files, in bytes.
func (c Chosen) Size() (n int64) {
	for _, f := range c.Files {
		n += f.Size
	}
	return n
}

// Secrets returns how many files look like secrets.
func (c Chosen) Secrets() (n int) {
	for _, f := range c.Files {
		if f.Secret != "" {
			n++
		}
	}
	return n
}

// Summary says how many files go to ships, and their size, clean to show.
func (c Chosen) Summary() string {
	noun := "files"
	if len(c.Files) == 1 {
		noun = "file"
	}
	text := fmt.Sprintf("%d %s that git ignores, %s", len(c.Files), noun, sizeText(c.Size()))
	if n := c.Secrets(); n > 0 {
		text += fmt.Sprintf(", %d of them secret by name or content", n)
	}
	return text
}

// maxLines bounds the files that a list names one by one; it sums up the rest by directory.
const maxLines = 40

// Line is one line of a list of files.
type Line struct {
	Text   string // clean to show
	Secret bool
}

// List lists the files that go to ships: first each file that looks like a secret, then the others, or counts by directory when they are
// many.
func (c Chosen) List() (all []Line) {
	var plain []File
	for _, f := range c.Files {
		if f.Secret != "" {
			all = append(all, Line{fmt.Sprintf("%s, %s, by %s: %s", f.Path, sizeText(f.Size), strings.Join(f.From, " and "), f.Secret), true})
			continue
		}
		plain = append(plain, f)
	}
	if len(c.Files) <= maxLines {
		for _, f := range plain {
			all = append(all, Line{Text: fmt.Sprintf("%s, %s, by %s", f.Path, sizeText(f.Size), strings.Join(f.From, " and "))})
		}
	} else {
		all = append(all, byDirectory(plain)...)
	}
	for _, s := range c.Skipped[:min(len(c.Skipped), maxLines)] {
		all = append(all, Line{Text: s.Path + " stays here: " + s.Why})
	}
	if more := len(c.Skipped) - maxLines; more > 0 {
		all = append(all, Line{Text: fmt.Sprintf("%d more stay here", more)})
	}
	for i := range all {
		all[i].Text = clean.Line(all[i].Text)
	}
	return all
}

// byDirectory counts files by the first part of their paths.
func byDirectory(files []File) (all []Line) {
	count, size := map[string]int{}, map[string]int64{}
	var names []string
	for _, f := range files {
		name, _, below := strings.Cut(f.Path, "/")
		if below {
			name += "/"
		}
		if count[name]++; count[name] == 1 {
			names = append(names, name)
		}
		size[name] += f.Size
	}
	for _, name := range names[:min(len(names), maxLines)] {
		text := name + ", " + sizeText(size[name])
		if count[name] > 1 {
			text = fmt.Sprintf("%s, %d files, %s", name, count[name], sizeText(size[name]))
		}
		all = append(all, Line{Text: text})
	}
	if more := len(names) - maxLines; more > 0 {
		all = append(all, Line{Text: fmt.Sprintf("%d more at the top of the repository", more)})
	}
	return all
}

func sizeText(n int64) string { return humanize.IBytes(uint64(max(0, n))) }
