package search

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A Query selects chunks of a tree.
type Query struct {
	Text   string
	Path   string // a file or directory of the tree; "" for all files
	Offset int    // index of the first result to return
	Limit  int    // maximum number of results
}

// A Result is a chunk with its text.
type Result struct {
	Hit
	Text string
}

// Results are a part of what was found.
type Results struct {
	Results []Result
	Total   int
}

// Semantic finds the chunks that fit the words of a query, the best first.
func (t *Tree) Semantic(ctx context.Context, q Query) (Results, error) {
	keep, err := t.within(ctx, q.Path)
	if err != nil {
		return Results{}, err
	}
	hits, total := t.find(ctx, q, keep)
	return Results{t.texts(hits[min(q.Offset, len(hits)):]), total}, nil
}

// maxMatches bounds how many chunks a pattern finds.
const maxMatches = 10_000

// Regexp finds the chunks that contain a match of a regular expression (RE2), in the order of files and lines.
func (t *Tree) Regexp(ctx context.Context, q Query) (Results, error) {
	if _, err := regexp.Compile(q.Text); err != nil {
		return Results{}, &PatternError{q.Text, err}
	}
	re, err := regexp.Compile("(?m:" + q.Text + ")")
	if err != nil {
		return Results{}, &PatternError{q.Text, err}
	}
	keep, err := t.within(ctx, q.Path)
	if err != nil {
		return Results{}, err
	}
	var hits []Hit
	for _, name := range t.index.names() {
		if keep != nil && !keep(name) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return Results{}, err
		}
		text, err := t.readText(name)
		if err != nil {
			continue // the file is gone
		}
		if hits = append(hits, matches(name, text, re)...); len(hits) >= maxMatches {
			hits = hits[:maxMatches]
			break
		}
	}
	page := hits[min(q.Offset, len(hits)):]
	return Results{t.texts(page[:min(q.Limit, len(page))]), len(hits)}, nil
}

// PatternError says why a regular expression is invalid.
type PatternError struct {
	Pattern string
	Err     error
}

func (e *PatternError) Error() string {
	return fmt.Sprintf("pattern %q: %v; write an expression of RE2, without look-around and back-references", e.Pattern, e.Err)
}

func (e *PatternError) Unwrap() error { return e.Err }

// matches returns the chunks of a text in which an expression matches. A match outside all chunks becomes a chunk of its
// lines.
func matches(name, text string, re *regexp.Regexp) (hits []Hit) {
	places := re.FindAllStringIndex(text, maxMatches)
	if places == nil {
		return nil
	}
	chunks := Cut(name, text)
	last := -1
	for _, p := range places {
		i := slices.IndexFunc(chunks, func(c Chunk) bool { return c.From <= p[0] && p[0] < max(c.To, c.From+1) })
		if i >= 0 && i == last {
			continue
		}
		if last = i; i >= 0 {
			hits = append(hits, Hit{File: name, Chunk: chunks[i]})
			continue
		}
		from := strings.LastIndexByte(text[:p[0]], '\n') + 1
		to := len(text)
		if n := strings.IndexByte(text[p[1]:], '\n'); n >= 0 {
			to = p[1] + n
		}
		start := 1 + strings.Count(text[:from], "\n")
		hits = append(hits, Hit{File: name, Chunk: Chunk{Kind: Block, Start: start, End: start + strings.Count(text[from:to], "\n"), From: from, To: to}})
	}
	return hits
}

// texts reads the text of hits. If a file has changed since it was indexed, the text is what is on these lines now.
func (t *Tree) texts(hits []Hit) []Result {
	all := make([]Result, 0, len(hits))
	var name, text string
	for _, h := range hits {
		if h.File != name {
			name = h.File
			text, _ = t.readText(name)
		}
		from := min(h.From, len(text))
		all = append(all, Result{h, strings.ToValidUTF8(text[from:min(max(h.To, from), len(text))], "\uFFFD")})
	}
	return all
}

// within updates the index, and returns a function that reports whether a path includes a file; nil for all files.
func (t *Tree) within(ctx context.Context, p string) (keep func(string) bool, err error) {
	if keep, err = below(p); err != nil {
		return nil, err
	}
	if err := t.Refresh(ctx); err != nil {
		return nil, err
	}
	if keep != nil && !slices.ContainsFunc(t.index.names(), keep) {
		return nil, &PathError{p}
	}
	return keep, nil
}

// PathError is the error of a path that includes no indexed file.
type PathError struct{ Path string }

func (e *PathError) Error() string {
	return fmt.Sprintf("path %q: nothing is indexed there; give a file or directory of the repository, from its top", e.Path)
}

// below returns a function that reports whether a path includes a file: the file itself, or a file in the directory.
// It is nil for all files.
func below(p string) (func(string) bool, error) {
	if p == "" || p == "." || p == "./" {
		return nil, nil
	}
	clean := path.Clean(p)
	if path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
		return nil, &PathError{p}
	}
	return func(file string) bool { return file == clean || strings.HasPrefix(file, clean+"/") }, nil
}

// size returns how many files and chunks there are.
func (x *Index) size() (files, chunks int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.files), x.live
}

// names returns all files, sorted.
func (x *Index) names() []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	all := make([]string, 0, len(x.files))
	for name := range x.files {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
