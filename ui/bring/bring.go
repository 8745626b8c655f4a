// Package bring finds the files of the captain's checkout that git ignores and agents need, and packs them for ships.
package bring

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"ocaptain/fleet/clean"
)

// IncludeName is the file at the top of a repository that names such files, as patterns of gitignore(5).
const IncludeName = ".worktreeinclude"

// Source names files by patterns of gitignore(5).
type Source struct {
	From   string   // where they are written, as it is shown
	Lines  []string // the patterns
	Agreed bool     // the captain has written them himself
}

// File is a file that goes to ships.
type File struct {
	Path   string // from the top of the checkout
	Size   int64
	Mode   fs.FileMode // its permissions
	From   []string    // sources that name it
	Agreed bool        // one of them is the captain's own
	Secret string      // why it looks like a secret, "" where it does not
}

// Skipped is what a source names and does not go to ships.
type Skipped struct{ Path, Why string }

// Chosen is what sources name in a checkout.
type Chosen struct {
	Files   []File
	Skipped []Skipped
}

// Asks reports whether the captain has yet to agree to one of the files.
func (c Chosen) Asks() bool {
	return slices.ContainsFunc(c.Files, func(f File) bool { return !f.Agreed })
}

// Size is how many bytes the files have together.
func (c Chosen) Size() (n int64) {
	for _, f := range c.Files {
		n += f.Size
	}
	return n
}

// Secrets is how many of the files look like secrets.
func (c Chosen) Secrets() (n int) {
	for _, f := range c.Files {
		if f.Secret != "" {
			n++
		}
	}
	return n
}

// Summary is how many files go to ships, and how large they are, fit to be shown.
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

// maxLines bounds how many lines a list has before the rest is told by directory.
const maxLines = 40

// Line is one line of a list of files.
type Line struct {
	Text   string // fit to be shown
	Secret bool
}

// List tells which files go to ships, those that look like secrets first, each by itself. Where there are many others they are counted by
// directory.
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
