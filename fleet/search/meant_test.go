package search

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"ocaptain/fleet/search/meaning"
	"ocaptain/fleet/search/meaning/meaningtest"
)

// meant makes a tree find code by meaning, and returns the texts from which vectors were made. If *fail is not nil,
// making vectors fails.
func meant(t *testing.T, tree *Tree, fail *error) *[]string {
	t.Helper()
	var texts []string
	tree.UseMeaning(func(_ context.Context, of []string, questions bool) (all []meaning.Vector, err error) {
		if *fail != nil {
			return nil, *fail
		}
		for _, text := range of {
			v, err := meaning.NewVector(meaningtest.Vector(text))
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		if !questions {
			texts = append(texts, of...)
		}
		return all, nil
	})
	return &texts
}

// understand makes the vectors of a tree.
func understand(t *testing.T, tree *Tree) {
	t.Helper()
	if err := errors.Join(tree.Refresh(t.Context()), tree.Understand(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// A query finds code with other words than its own. If no vectors can be made, it finds code by words.
func TestMeaning(t *testing.T) {
	dir := repository(t, map[string]string{
		"a.go":     "package a\n\n// Erase does it.\nfunc Erase(name string) {\n\terase(name)\n}\n",
		"b.go":     "package b\n\nfunc Sail(wind int) {\n\tsail(wind)\n}\n",
		"c.go":     "package c\n\nfunc Anchor(depth int) {\n\tanchor(depth)\n}\n",
		"sub/d.go": "package d\n\n// Wipe is another.\nfunc Wipe(all bool) {\n\twipe(all)\n}\n",
	})
	tree := open(t, dir)
	var fail error
	texts := meant(t, tree, &fail)
	tree.mulled.Lock() // so that the query cannot have the vectors made
	if got := finds(t, tree, Query{Text: "delete"}); got != "" {
		t.Errorf("before there are vectors: %q", got)
	}
	tree.mulled.Unlock()
	understand(t, tree)
	if got := finds(t, tree, Query{Text: "delete"}); !strings.HasPrefix(got, "a.go sub/d.go") && !strings.HasPrefix(got, "sub/d.go a.go") {
		t.Errorf("got %q", got)
	}
	if got := finds(t, tree, Query{Text: "delete", Path: "sub"}); got != "sub/d.go" {
		t.Errorf("within a directory: %q", got)
	}
	if is := tree.Stats(); is.Vectors != is.Chunks || !is.Meant || is.Unmeant != nil || len(*texts) != is.Chunks {
		t.Errorf("%+v, %d texts", is, len(*texts))
	}

	*texts = nil
	write(t, filepath.Join(dir, "b.go"), "package b\n\n// Sail sails.\nfunc Sail(wind int) {\n\tsail(wind)\n\tsail(wind)\n}\n")
	tree.read = tree.read.Add(-fresh)
	understand(t, tree)
	if len(*texts) != 1 || !strings.HasPrefix((*texts)[0], "b.go\n") {
		t.Errorf("vectors were made of %q", *texts)
	}

	fail = errors.New("the key is refused")
	if got := finds(t, tree, Query{Text: "sail"}); !strings.HasPrefix(got, "b.go") {
		t.Errorf("without the service: %q", got)
	}
	if is := tree.Stats(); !errors.Is(is.Unmeant, fail) {
		t.Errorf("%+v", is)
	}
}

func TestFuse(t *testing.T) {
	hit := func(file string) Hit { return Hit{File: file} }
	all := fuse([]Hit{hit("a"), hit("b"), hit("c")}, []Hit{hit("d"), hit("b"), hit("a")})
	var got []string
	for _, h := range all {
		got = append(got, h.File)
	}
	if strings.Join(got, " ") != "a b d c" || all[0].Score <= all[1].Score {
		t.Errorf("%q: %+v", got, all)
	}
	if same := fuse([]Hit{hit("a")}, []Hit{hit("a")}); len(same) != 1 || same[0].Score != 1 {
		t.Errorf("first of both: %+v", same)
	}
}

// A text is cut between characters, and fits in a request once it is written as JSON.
func TestMeantText(t *testing.T) {
	for i := range 4 {
		e := entry{file: strings.Repeat("x", i) + "\xff.go", Chunk: Chunk{To: 2 * meaning.MaxText}}
		text := e.meant(strings.Repeat("é", meaning.MaxText))
		if raw, err := json.Marshal(text); err != nil || !utf8.ValidString(text) || len(raw) > meaning.MaxText+len(`""\n\n`) {
			t.Errorf("%d bytes, as JSON %d: %v", len(text), len(raw), err)
		}
	}
}
