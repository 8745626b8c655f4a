package gitflow

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/sync"
)

// puppet is a remote that says what it is told to.
type puppet func(ctx context.Context, verb string, stdin io.Reader, stdout io.Writer) error

func (p puppet) Tree(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	return p(ctx, args[0], stdin, stdout)
}

// says is a remote that gives one answer to everything.
func says(answer []byte) puppet {
	return func(ctx context.Context, _ string, stdin io.Reader, stdout io.Writer) error {
		if _, err := io.Copy(io.Discard, stdin); err != nil {
			return err
		}
		_, err := stdout.Write(answer)
		return err
	}
}

// workshop is a repository in which forbidden things are made.
type workshop struct {
	t    testing.TB
	dir  string
	base string // the hub's head
}

// forge opens a hub with one file, one remote that was brought to it, and a workshop that has its objects.
func forge(t testing.TB, opts Options) (*Hub, string, workshop) {
	t.Helper()
	source := t.TempDir()
	git(t, source, "init", "-q", "-b", "main")
	put(t, source, "a.txt", "a\n")
	git(t, source, "add", "-A")
	git(t, source, "commit", "-q", "-m", "begin")
	dir := filepath.Join(t.TempDir(), "workspace")
	base, err := Prepare(t.Context(), dir, source, "voyage", PrepareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := Open(t.Context(), dir, "voyage", opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	if _, err := h.Checkout(t.Context(), direct{filepath.Join(t.TempDir(), "workspace")}, "ship-0"); err != nil {
		t.Fatal(err)
	}
	return h, dir, workshop{t, source, base}
}

// object stores any bytes as an object of a kind.
func (w workshop) object(kind string, content []byte) string {
	w.t.Helper()
	cmd := exec.Command("git", "hash-object", "-w", "-t", kind, "--stdin", "--literally")
	cmd.Dir, cmd.Stdin = w.dir, bytes.NewReader(content)
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

type entry struct{ mode, name, id string }

// tree stores entries as they come.
func (w workshop) tree(entries ...entry) string {
	w.t.Helper()
	var b bytes.Buffer
	for _, e := range entries {
		raw, err := hex.DecodeString(e.id)
		if err != nil {
			w.t.Fatal(err)
		}
		b.WriteString(e.mode + " " + e.name + "\x00")
		b.Write(raw)
	}
	return w.object("tree", b.Bytes())
}

func (w workshop) blob(content string) string { w.t.Helper(); return w.object("blob", []byte(content)) }

// commit makes a commit of a tree on top of the base.
func (w workshop) commit(tree string) string {
	w.t.Helper()
	return w.object("commit", fmt.Appendf(nil, "tree %s\nparent %s\nauthor E <e@e> 1700000000 +0000\ncommitter E <e@e> 1700000000 +0000\n\nx\n", tree, w.base))
}

// pack packs just the objects named.
func (w workshop) pack(ids ...string) []byte {
	w.t.Helper()
	cmd := exec.Command("git", "pack-objects", "--stdout", "-q")
	cmd.Dir, cmd.Stdin = w.dir, strings.NewReader(strings.Join(ids, "\n")+"\n")
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// answer makes the reply of a remote that offers commit as its snapshot.
func (w workshop) answer(commit string, pack []byte) []byte {
	w.t.Helper()
	b, err := json.Marshal(reply{Commit: commit, Base: w.base, Pack: pack != nil})
	if err != nil {
		w.t.Fatal(err)
	}
	return append(append(b, '\n'), pack...)
}

// snapshot is the answer with a tree and everything made for it.
func (w workshop) snapshot(tree string, rest ...string) []byte {
	w.t.Helper()
	c := w.commit(tree)
	return w.answer(c, w.pack(append([]string{c, tree}, rest...)...))
}

// rejected makes sure that the hub takes nothing of an answer, neither as a snapshot nor in a merge.
func rejected(t *testing.T, h *Hub, dir string, w workshop, answer []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := h.Snapshot(ctx, says(answer), "ship-0")
	if err == nil {
		t.Fatal("the snapshot was taken")
	}
	t.Log(err)
	if strings.Contains(err.Error(), "\n") || len(err.Error()) > 2000 {
		t.Errorf("not fit to be shown: %q", err)
	}
	order := sync.Merge{Name: "ship-0", Subject: "x", Author: "E <e@e>"}
	if _, err := h.Merge(ctx, says(answer), order); err == nil {
		t.Fatal("the merge was taken")
	}
	if head, err := h.Head(ctx); err != nil || head != w.base {
		t.Fatalf("the branch moved to %s, %v", head, err)
	}
	if refs := git(t, dir, "for-each-ref", "refs/ocaptain/live"); refs != "" {
		t.Fatalf("a snapshot was recorded: %s", refs)
	}
	if rooms, _ := filepath.Glob(filepath.Join(dir, ".git/objects", quarantinePrefix+"*")); len(rooms) > 0 {
		t.Fatalf("quarantine is left: %v", rooms)
	}
	if dirt := git(t, dir, "status", "--porcelain"); dirt != "" {
		t.Fatalf("the captain's tree changed: %s", dirt)
	}
}

func TestForgedTrees(t *testing.T) {
	for name, make := range map[string]func(w workshop) []byte{
		"plain .git":     func(w workshop) []byte { return w.inDir(".git") },
		"upper .GIT":     func(w workshop) []byte { return w.inDir(".GIT") },
		"mixed .gIt":     func(w workshop) []byte { return w.inDir(".gIt") },
		"hfs .git":       func(w workshop) []byte { return w.inDir(".g\u200cit") },
		"hfs end":        func(w workshop) []byte { return w.inDir(".git\u200c") },
		"ntfs short":     func(w workshop) []byte { return w.inDir("git~1") },
		"ntfs dots":      func(w workshop) []byte { return w.inDir(".git. .") },
		"ntfs stream":    func(w workshop) []byte { return w.inDir(".git::$INDEX_ALLOCATION") },
		"dot dot":        func(w workshop) []byte { return w.inDir("..") },
		"dot":            func(w workshop) []byte { return w.inDir(".") },
		"empty name":     func(w workshop) []byte { return w.inDir("") },
		"slash":          func(w workshop) []byte { return w.inDir("a/../../b") },
		".git as a file": func(w workshop) []byte { b := w.blob("gitdir: /x"); return w.snapshot(w.tree(entry{"100644", ".git", b}), b) },
		"deep .git": func(w workshop) []byte {
			b := w.blob("x")
			c := w.tree(entry{"100644", "config", b})
			d := w.tree(entry{"40000", ".GIT", c})
			return w.snapshot(w.tree(entry{"40000", "dir", d}), d, c, b)
		},
		"twice": func(w workshop) []byte {
			b, l := w.blob("x"), w.blob("/etc")
			d := w.tree(entry{"100644", "passwd", b})
			return w.snapshot(w.tree(entry{"120000", "a", l}, entry{"40000", "a", d}), b, l, d)
		},
		"unsorted": func(w workshop) []byte {
			b := w.blob("x")
			return w.snapshot(w.tree(entry{"100644", "b", b}, entry{"100644", "a", b}), b)
		},
		"submodule": func(w workshop) []byte { return w.snapshot(w.tree(entry{"160000", "sub", w.base})) },
		".gitmodules": func(w workshop) []byte {
			b := w.blob("[submodule \"x\"]\n\tpath = x\n\turl = https://example.org/x\n")
			return w.snapshot(w.tree(entry{"100644", ".gitmodules", b}), b)
		},
		".GITMODULES": func(w workshop) []byte {
			b := w.blob("[submodule \"x\"]\n\tpath = x\n\turl = https://example.org/x\n")
			return w.snapshot(w.tree(entry{"100644", ".GitModules", b}), b)
		},
		"mode 0": func(w workshop) []byte { b := w.blob("x"); return w.snapshot(w.tree(entry{"0", "a", b}), b) },
		"setuid": func(w workshop) []byte { b := w.blob("x"); return w.snapshot(w.tree(entry{"104755", "a", b}), b) },
		"device": func(w workshop) []byte { b := w.blob("x"); return w.snapshot(w.tree(entry{"60644", "a", b}), b) },
		"blob as tree": func(w workshop) []byte {
			b := w.blob("x")
			return w.snapshot(w.tree(entry{"40000", "a", b}), b)
		},
		"long name":      func(w workshop) []byte { b := w.blob("x"); return w.snapshot(w.tree(entry{"100644", strings.Repeat("n", 300), b}), b) },
		"long link":      func(w workshop) []byte { b := w.blob(strings.Repeat("../", 2000)); return w.snapshot(w.tree(entry{"120000", "a", b}), b) },
		"missing blob":   func(w workshop) []byte { return w.snapshot(w.tree(entry{"100644", "a", strings.Repeat("12", 20)})) },
		"missing tree":   func(w workshop) []byte { c := w.commit(strings.Repeat("12", 20)); return w.answer(c, w.pack(c)) },
		"deep":           deep,
		"bomb":           bomb,
		"malformed tree": func(w workshop) []byte { return w.snapshot(w.object("tree", []byte("100644 a\x00short"))) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, dir, w := forge(t, Options{})
			rejected(t, h, dir, w, make(w))
		})
	}
}

// inDir is a snapshot with a file inside a directory of that name.
func (w workshop) inDir(name string) []byte {
	b := w.blob("x")
	d := w.tree(entry{"100644", "config", b})
	return w.snapshot(w.tree(entry{"40000", name, d}), d, b)
}

// deep is a path longer than any file system takes.
func deep(w workshop) []byte {
	b := w.blob("x")
	ids := []string{b}
	id := w.tree(entry{"100644", "f", b})
	for range 30 {
		ids = append(ids, id)
		id = w.tree(entry{"40000", strings.Repeat("d", 200), id})
	}
	return w.snapshot(id, ids...)
}

// bomb is a small pack that stands for ten thousand million files.
func bomb(w workshop) []byte {
	b := w.blob("x")
	ids := []string{b}
	var entries []entry
	for i := range 10 {
		entries = append(entries, entry{"100644", fmt.Sprint(i), b})
	}
	id := w.tree(entries...)
	for range 9 {
		ids = append(ids, id)
		for i := range entries {
			entries[i] = entry{"40000", fmt.Sprint(i), id}
		}
		id = w.tree(entries...)
	}
	return w.snapshot(id, ids...)
}

func TestForgedObjects(t *testing.T) {
	for name, make := range map[string]func(w workshop) []byte{
		"no commit": func(w workshop) []byte { b := w.blob("x"); return w.answer(b, w.pack(b)) },
		"tag": func(w workshop) []byte {
			id := w.object("tag", fmt.Appendf(nil, "object %s\ntype commit\ntag v\ntagger E <e@e> 1700000000 +0000\n\nx\n", w.base))
			return w.answer(id, w.pack(id))
		},
		"bad commit": func(w workshop) []byte {
			id := w.object("commit", []byte("tree nonsense\n\nx\n"))
			return w.answer(id, w.pack(id))
		},
		"missing parent": func(w workshop) []byte {
			b := w.blob("x")
			tree := w.tree(entry{"100644", "a", b})
			w.base = strings.Repeat("12", 20)
			c := w.commit(tree)
			return w.answer(c, w.pack(c, tree, b))
		},
		"another commit": func(w workshop) []byte {
			b := w.blob("x")
			tree := w.tree(entry{"100644", "a", b})
			return w.answer(strings.Repeat("12", 20), w.pack(w.commit(tree), tree, b))
		},
		"absurd count": func(w workshop) []byte { return w.answer(w.base, []byte("PACK\x00\x00\x00\x02\xff\xff\xff\xff")) },
		"lying count":  func(w workshop) []byte { return w.answer(w.base, []byte("PACK\x00\x00\x00\x02\x00\x0f\xff\xff")) },
		"absurd size": func(w workshop) []byte {
			// One blob that claims to have 2^60 bytes.
			return w.answer(w.base, []byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01\xb0\x80\x80\x80\x80\x80\x80\x80\x40x\x9c"))
		},
		"no pack":       func(w workshop) []byte { return w.answer(w.base, []byte("this is not a pack, not at all")) },
		"cut off":       func(w workshop) []byte { a := w.snapshot(w.tree()); return a[:len(a)-10] },
		"wrong sum":     func(w workshop) []byte { a := w.snapshot(w.tree()); a[len(a)-1] ^= 1; return a },
		"more follows":  func(w workshop) []byte { return append(w.snapshot(w.tree()), strings.Repeat("x", 1<<20)...) },
		"unannounced":   func(w workshop) []byte { return append(w.answer(w.base, nil), "junk"...) },
		"not sent":      func(w workshop) []byte { return w.answer(strings.Repeat("12", 20), nil) },
		"nothing":       func(w workshop) []byte { return nil },
		"no JSON":       func(w workshop) []byte { return []byte("hello\n") },
		"no line":       func(w workshop) []byte { return []byte("{") },
		"endless line":  func(w workshop) []byte { return bytes.Repeat([]byte("{\"Commit\":\""), 1<<16) },
		"escape":        func(w workshop) []byte { return []byte("{\"Commit\":\"\\u001b[2J\"}\n") },
		"ref as object": func(w workshop) []byte { return w.answer("refs/heads/voyage", nil) },
		"option":        func(w workshop) []byte { return w.answer("--all", nil) },
		"upper hex":     func(w workshop) []byte { return w.answer(strings.ToUpper(w.base), nil) },
		"empty":         func(w workshop) []byte { return w.answer("", nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, dir, w := forge(t, Options{})
			rejected(t, h, dir, w, make(w))
		})
	}
}

func TestSizes(t *testing.T) {
	limits := Limits{File: 1 << 20, Pack: 2 << 20, Total: 4 << 20, Files: 50}
	for name, make := range map[string]func(w workshop) []byte{
		"file": func(w workshop) []byte { b := w.blob(strings.Repeat("x", 2<<20)); return w.snapshot(w.tree(entry{"100644", "big", b}), b) },
		"bomb": func(w workshop) []byte { b := w.blob(strings.Repeat("\x00", 256<<20)); return w.snapshot(w.tree(entry{"100644", "big", b}), b) },
		"files": func(w workshop) []byte {
			b := w.blob("x")
			var all []entry
			for i := range 60 {
				all = append(all, entry{"100644", fmt.Sprintf("f%02d", i), b})
			}
			return w.snapshot(w.tree(all...), b)
		},
		"total": func(w workshop) []byte {
			var all []entry
			var ids []string
			for i := range 10 {
				b := w.blob(strings.Repeat(fmt.Sprint(i), 900<<10))
				ids, all = append(ids, b), append(all, entry{"100644", fmt.Sprint(i), b})
			}
			return w.snapshot(w.tree(all...), ids...)
		},
		"pack": func(w workshop) []byte {
			var all []entry
			var ids []string
			random := make([]byte, 900<<10)
			for i := range 4 {
				for j := range random {
					random[j] = byte(uint32(j*j*(i+3)*2654435761) >> 13)
				}
				b := w.blob(string(random))
				ids, all = append(ids, b), append(all, entry{"100644", fmt.Sprint(i), b})
			}
			a := w.snapshot(w.tree(all...), ids...)
			if len(a) < 2<<20 {
				w.t.Fatalf("pack of %d bytes is no test", len(a))
			}
			return a
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, dir, w := forge(t, Options{Limits: limits})
			rejected(t, h, dir, w, make(w))
		})
	}
}

// TestUncooperative has remotes that hang, and one that doesn't even heed being cancelled.
func TestUncooperative(t *testing.T) {
	stuck := make(chan struct{})
	defer close(stuck)
	for name, remote := range map[string]puppet{
		"hangs": func(ctx context.Context, _ string, _ io.Reader, _ io.Writer) error { <-ctx.Done(); return ctx.Err() },
		"drips": func(ctx context.Context, _ string, _ io.Reader, stdout io.Writer) error {
			for ctx.Err() == nil {
				if _, err := stdout.Write([]byte(" ")); err != nil {
					return err
				}
				select {
				case <-ctx.Done():
				case <-time.After(time.Millisecond):
				}
			}
			return ctx.Err()
		},
		"deaf": func(context.Context, string, io.Reader, io.Writer) error { <-stuck; return nil },
		"fails": func(context.Context, string, io.Reader, io.Writer) error {
			return errors.New("no route to host\x1b[2J")
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, dir, w := forge(t, Options{Deadline: 300 * time.Millisecond})
			if _, err := h.Checkout(t.Context(), remote, "ship-0"); err == nil {
				t.Fatal("checkout went through")
			}
			if _, err := h.Checkout(t.Context(), remote, "ship-9"); err == nil {
				t.Fatal("first checkout went through")
			}
			if err := h.Clean(t.Context(), remote, w.base, func(string) error { t.Error("called"); return nil }); err == nil {
				t.Fatal("clean went through")
			}
			if _, err := h.Snapshot(t.Context(), remote, "ship-0"); err == nil {
				t.Fatal("snapshot went through")
			}
			if dirt := git(t, dir, "status", "--porcelain"); dirt != "" {
				t.Fatal(dirt)
			}
		})
	}
}

// TestLinks replaces links by directories and the other way round: nothing is ever written through them.
func TestLinks(t *testing.T) {
	h, dir, _ := forge(t, Options{})
	outside := t.TempDir()
	put(t, outside, "victim", "untouched")
	s := direct{filepath.Join(t.TempDir(), "workspace")}
	merge := func(subject string) {
		t.Helper()
		if _, err := h.Merge(t.Context(), s, sync.Merge{Name: "ship-1", Subject: subject, Author: "E <e@e>"}); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(filepath.Join(outside, "victim")); err != nil || string(b) != "untouched" {
			t.Fatalf("after %s: %q, %v", subject, b, err)
		}
		if all, err := os.ReadDir(outside); err != nil || len(all) != 1 {
			t.Fatalf("after %s: %v, %v", subject, all, err)
		}
	}
	if _, err := h.Checkout(t.Context(), s, "ship-1"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(s.dir, "way")); err != nil {
		t.Fatal(err)
	}
	merge("a link")
	if err := os.Remove(filepath.Join(s.dir, "way")); err != nil {
		t.Fatal(err)
	}
	put(t, s.dir, "way/victim", "overwritten")
	put(t, s.dir, "way/other", "new")
	merge("a directory where the link was")
	if b, err := os.ReadFile(filepath.Join(dir, "way/victim")); err != nil || string(b) != "overwritten" {
		t.Fatalf("%q, %v", b, err)
	}
	if err := os.RemoveAll(filepath.Join(s.dir, "way")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(s.dir, "way")); err != nil {
		t.Fatal(err)
	}
	merge("a link where the directory was")
}
