package search

import (
	"path"
	"strings"
)

// Kind is the kind of a chunk.
type Kind string

// The kinds of chunks.
const (
	Function Kind = "function"
	Method   Kind = "method"
	Type     Kind = "type"
	Value    Kind = "value" // constants and variables
	Block    Kind = "block" // of a language that is cut by its indentation
	Section  Kind = "section"
	// Discovery is a reviewer's note about the repository; see package discoveries.
	Discovery Kind = "discovery"
)

// Discoveries is the directory of discoveries in a repository.
const Discoveries = "docs/discoveries/"

// A Chunk is a part of a file that is found as a whole.
type Chunk struct {
	Kind       Kind
	Name       string // as it is written in the file; "" if it has none
	Start, End int    // lines, from 1
	From, To   int    // byte offsets in the file

	signature string // the declaration, apart from the name
	comment   string // the comment about it
}

// Limits of a chunk, in lines: a shorter one is joined to its neighbour, a longer one is cut.
const (
	maxLines = 120
	minLines = 3
)

// Cut cuts a file into chunks, depending on its name: Go by its syntax, Markdown by its headings, everything else by
// indentation.
func Cut(name, text string) []Chunk {
	switch strings.ToLower(path.Ext(name)) {
	case ".go":
		if all, ok := cutGo(text); ok {
			return all
		}
	case ".md", ".markdown", ".mdx", ".rst", ".adoc":
		all := cutSections(text)
		if strings.HasPrefix(name, Discoveries) {
			for i := range all {
				all[i].Kind = Discovery
			}
		}
		return all
	}
	return cutBlocks(text)
}
