package search

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// repository makes a repository with these files.
func repository(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	runsGit(t, dir, "init", "-q")
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	return dir
}

func runsGit(t testing.TB, dir string, args ...string) {
	t.Helper()
	if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v: %s", args[0], err, out)
	}
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, dir string) *Tree {
	t.Helper()
	tree, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

// finds returns the files that a query finds, the best first.
func finds(t testing.TB, tree *Tree, q Query) string {
	t.Helper()
	q.Limit = 10
	found, err := tree.Semantic(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range found.Results {
		all = append(all, r.File)
	}
	return strings.Join(all, " ")
}

// The index follows new files, and files that are changed, ignored or removed.
func TestRefresh(t *testing.T) {
	dir := repository(t, map[string]string{
		"walrus.go": "package a\n\nfunc Walrus() {}\n", "sub/walrus.py": "def walrus():\n    pass\n",
		".gitignore": "*.log\n", "walrus.log": "walrus\n",
	})
	tree := open(t, filepath.Join(dir, "sub"))
	again := func() { tree.read = time.Time{} } // as if a second had passed
	if got := finds(t, tree, Query{Text: "walrus"}); got != "walrus.go sub/walrus.py" && got != "sub/walrus.py walrus.go" {
		t.Errorf("found %s", got)
	}
	if got := finds(t, tree, Query{Text: "walrus", Path: "sub"}); got != "sub/walrus.py" {
		t.Errorf("in a directory: %s", got)
	}
	write(t, filepath.Join(dir, "walrus.go"), "package a\n\nfunc Otter() {}\n")
	write(t, filepath.Join(dir, "new/otter.rs"), "fn otter() {}\n")
	if err := os.Remove(filepath.Join(dir, "sub/walrus.py")); err != nil {
		t.Fatal(err)
	}
	again()
	if got := finds(t, tree, Query{Text: "Walrus function"}); got != "walrus.go" { // found by its path
		t.Errorf("after the change: %s", got)
	}
	if got := finds(t, tree, Query{Text: "otter"}); !strings.Contains(got, "walrus.go") || !strings.Contains(got, "new/otter.rs") {
		t.Errorf("what is new: %s", got)
	}
	write(t, filepath.Join(dir, ".gitignore"), "new\n")
	again()
	if got := finds(t, tree, Query{Text: "otter"}); got != "walrus.go" {
		t.Errorf("ignored by now: %s", got)
	}
	if s := tree.Stats(); !s.ReadOnce || s.Reading || s.LeftOut != 0 {
		t.Errorf("stats %+v", s)
	}
}

// Files outside the tree are not read. Files that are no text or too large are left out.
func TestHostileTree(t *testing.T) {
	secret := t.TempDir()
	write(t, filepath.Join(secret, "passwords.txt"), "walrus\n")
	dir := repository(t, map[string]string{
		"binary.go": "package walrus\x00", "broken.py": "def walrus\xff\xfe():\n\tpass\n", "large.txt": strings.Repeat("walrus ", maxFile/7+1),
		"data.json": `{"walrus": "` + strings.Repeat("x", maxData) + `"}`, "bad.go": "package a\nfunc walrus( {\n", "empty.go": "",
		"line.js": strings.Repeat("walrus();", 50_000),
	})
	for name, to := range map[string]string{
		"out.txt": filepath.Join(secret, "passwords.txt"), "outside": secret, "loop": ".", "self": "self", "pipe/up": "../..",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, "pipe"), 0o755), os.Symlink(to, filepath.Join(dir, name))); err != nil {
			t.Fatal(err)
		}
	}
	runsGit(t, dir, "config", "core.fsmonitor", "touch "+filepath.Join(secret, "executed"))
	runsGit(t, dir, "add", ".")
	if err := os.Remove(filepath.Join(secret, "executed")); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	// A tracked directory becomes a link to a directory outside the tree.
	write(t, filepath.Join(dir, "d/passwords.txt"), "nothing\n")
	runsGit(t, dir, "add", "-f", "d")
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, "d")), os.Symlink(secret, filepath.Join(dir, "d")), os.RemoveAll(filepath.Join(secret, "executed"))); err != nil {
		t.Fatal(err)
	}
	tree := open(t, dir)
	got := finds(t, tree, Query{Text: "walrus"})
	for _, name := range []string{"broken.py", "bad.go", "line.js"} {
		if !strings.Contains(got, name) {
			t.Errorf("%s is not found in %s", name, got)
		}
	}
	for _, name := range []string{"passwords", "out", "loop", "binary", "large", "data"} {
		if strings.Contains(got, name) {
			t.Errorf("%s is found: %s", name, got)
		}
	}
	found, err := tree.Regexp(t.Context(), Query{Text: "walrus|nothing", Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range found.Results {
		if strings.Contains(r.File, "passwords") || len(r.Text) > maxFile {
			t.Errorf("a pattern finds %s with %d bytes", r.File, len(r.Text))
		}
	}
	if _, err := os.Stat(filepath.Join(secret, "executed")); err == nil {
		t.Error("a setting of the repository was executed")
	}
	if s := tree.Stats(); s.LeftOut != 3 {
		t.Errorf("%d files are left out, want 3", s.LeftOut)
	}
	if found, err := tree.Regexp(t.Context(), Query{Text: "(a*)*(a*)*b", Limit: 1}); err != nil {
		t.Errorf("an expression that others backtrack in: %v, %+v", err, found.Total)
	}
}

// After any calls of Put and Remove, the index equals a new index of the same files.
func TestIndexIsThatOfItsFiles(t *testing.T) {
	text := func(i, version int) string {
		return fmt.Sprintf("package p\n\nfunc Find%d() { walrus%d() }\n\nfunc Other%d() { seal() }\n", i, version, i)
	}
	x, fresh := NewIndex(), NewIndex()
	for version := range 40 { // enough versions to compact the index
		for i := range 50 {
			x.Put(fmt.Sprint(i, ".go"), text(i, version))
		}
		x.Remove(fmt.Sprint(version%50, ".go"))
	}
	for i := range 50 {
		if i != 39 {
			fresh.Put(fmt.Sprint(i, ".go"), text(i, 39))
		}
	}
	for _, q := range []string{"find walrus 39", "walrus 12", "seal", "Other7"} {
		a, n := x.Find(q, 1000, nil)
		b, m := fresh.Find(q, 1000, nil)
		names := func(all []Hit) map[string]bool {
			set := map[string]bool{}
			for _, h := range all {
				set[h.File+h.Name] = true
			}
			return set
		}
		if n != m || fmt.Sprint(names(a)) != fmt.Sprint(names(b)) {
			t.Errorf("%s: %d hits, want %d", q, n, m)
		}
	}
	if n := len(x.chunks); n > 1000+2*x.live {
		t.Errorf("%d chunks are kept for %d", n, x.live)
	}
}

// Chunks are parts of the text, in order. The chunker for all languages loses no line of code.
func FuzzCut(f *testing.F) {
	for _, name := range []string{"a.go", "a.md", "a.py"} {
		f.Add(name, "package a\n\n// F does.\nfunc F() {\n\treturn\n}\n\ntype T struct {\n\ta int\n}\n")
		f.Add(name, "# One\n\ntext\n\n## Two\n```\n# no heading\n```\nclass A:\n    def b(self):\n        pass\n\n    def c(self):\n        pass\n")
		f.Add(name, "\n\n}\n\t\t\r\nfunc (")
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		last := 0
		var got bytes.Buffer
		for _, c := range Cut(name, text) {
			if c.From < last && !strings.HasSuffix(strings.ToLower(name), ".go") || c.From > c.To || c.To > len(text) || c.Start < 1 || c.End < c.Start {
				t.Fatalf("%q: chunk %+v after %d", text, c, last)
			}
			last = c.To
			got.WriteString(text[c.From:c.To])
		}
		if x := NewIndex(); name != "" {
			x.Put(name, text)
			x.Find(text, 10, nil)
		}
		if !strings.HasSuffix(strings.ToLower(name), ".go") && letters(got.String()) != letters(text) {
			t.Fatalf("%q became %q", text, got.String())
		}
	})
}

// letters returns a text without its white space.
func letters(s string) string { return strings.Join(strings.Fields(s), "") }
