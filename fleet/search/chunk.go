package search

import (
	"path"
	"strings"
)

// Kind says what a chunk is.
type Kind string

// The kinds of chunks.
const (
	Function Kind = "function"
	Method   Kind = "method"
	Type     Kind = "type"
	Value    Kind = "value" // constants and variables
	Block    Kind = "block" // of a language that is cut by indentation
	Section  Kind = "section"
	// Discovery is what a reviewer has found out; see package discoveries.
	Discovery Kind = "discovery"
)

// Discoveries is the directory of a repository in which discoveries lie.
const Discoveries = "docs/discoveries/"

// A Chunk is a piece of a file that is found as a whole.
type Chunk struct {
	Kind       Kind
	Name       string // as the file has it; "" for what has none
	Start, End int    // lines, from 1
	From, To   int    // bytes of the file

	signature string // what the piece says of itself, beside its name
	comment   string // what is said about it
}

// The bounds of chunks, in lines: a shorter neighbour is joined, a longer piece is cut.
const (
	maxLines = 120
	minLines = 3
)

// Cut cuts a file into chunks, by its name's extension: Go by its syntax, Markdown by its headings, everything else by
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
