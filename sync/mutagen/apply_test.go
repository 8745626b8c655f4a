package mutagen

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLinkInPlace: when a link replaces a directory, no file is written outside the tree on either side.
func TestLinkInPlace(t *testing.T) {
	h := open(t)
	spec := local(t)
	out := t.TempDir()
	put(t, out, map[string]string{"x": "outside"})
	put(t, spec.A.Path, map[string]string{"dir/x": "1"})
	p := h.pair(t, spec)
	p.apart(func() error {
		put(t, spec.A.Path, map[string]string{"dir/x": "2", "dir/new": "3"})
		return errors.Join(os.RemoveAll(filepath.Join(spec.B.Path, "dir")), os.Symlink(out, filepath.Join(spec.B.Path, "dir")))
	})
	has(t, out, map[string]string{"x": "outside", "new": ""})
	has(t, spec.A.Path, map[string]string{"dir/x": "2", "dir/new": "3"})
	if problems, _ := p.state().Problems(); len(problems) == 0 && p.state().CountConflicts() == 0 {
		t.Error("nothing is told")
	}
}

// TestWrittenMeanwhile: both sides write the same files while changes of the other side travel. Each side keeps its
// own last text, unless the other side saw and overwrote it.
func TestWrittenMeanwhile(t *testing.T) {
	h := open(t)
	spec := local(t)
	put(t, spec.A.Path, map[string]string{"x": "begin", "y": "begin", "z": "begin"})
	p := h.pair(t, spec)
	last := map[string]string{}
	for i := range 60 {
		side, file := []string{spec.A.Path, spec.B.Path}[i%2], []string{"x", "y", "z"}[i/2%3]
		saw, err := os.ReadFile(filepath.Join(side, file))
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%s %d.", saw, i) // keeps the text that was read
		put(t, side, map[string]string{file: text})
		last[side+"/"+file] = fmt.Sprintf(" %d.", i)
		if i%5 == 0 {
			p.flush()
		}
	}
	p.flush()
	for at, text := range last {
		file := filepath.Base(at)
		a, b := texts(t, spec.A.Path)[file], texts(t, spec.B.Path)[file]
		if !strings.Contains(a+b, text) {
			t.Errorf("what was written last to %s, %q, is neither in %q nor in %q", at, text, a, b)
		}
	}
}
