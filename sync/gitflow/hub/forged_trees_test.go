package hub

import (
	"fmt"
	"strings"
	"testing"

	"ocaptain/sync/gitflow/git"
)

func TestForgedTrees(t *testing.T) {
	h, dir, w := forge(t, Options{Limits: git.Limits{Files: 20_000}})
	for name, make := range map[string]func(w workshop) []byte{
		"plain .git":  func(w workshop) []byte { return w.inDir(".git") },
		"upper .GIT":  func(w workshop) []byte { return w.inDir(".GIT") },
		"mixed .gIt":  func(w workshop) []byte { return w.inDir(".gIt") },
		"hfs .git":    func(w workshop) []byte { return w.inDir(".g\u200cit") },
		"hfs end":     func(w workshop) []byte { return w.inDir(".git\u200c") },
		"ntfs short":  func(w workshop) []byte { return w.inDir("git~1") },
		"ntfs dots":   func(w workshop) []byte { return w.inDir(".git. .") },
		"ntfs stream": func(w workshop) []byte { return w.inDir(".git::$INDEX_ALLOCATION") },
		"dot dot":     func(w workshop) []byte { return w.inDir("..") },
		"dot":         func(w workshop) []byte { return w.inDir(".") },
		"empty name":  func(w workshop) []byte { return w.inDir("") },
		"slash":       func(w workshop) []byte { return w.inDir("a/../../b") },
		".git as a file": func(w workshop) []byte {
			b := w.blob("gitdir: /x")
			return w.snapshot(w.tree(entry{"100644", ".git", b}), b)
		},
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
		"empty bomb": func(w workshop) []byte {
			id := w.tree()
			ids := []string{}
			for range 12 {
				ids = append(ids, id)
				var all []entry
				for i := range 10 {
					all = append(all, entry{"40000", fmt.Sprint(i), id})
				}
				id = w.tree(all...)
			}
			return w.snapshot(id, ids...)
		},
		"device": func(w workshop) []byte { b := w.blob("x"); return w.snapshot(w.tree(entry{"60644", "a", b}), b) },
		"blob as tree": func(w workshop) []byte {
			b := w.blob("x")
			return w.snapshot(w.tree(entry{"40000", "a", b}), b)
		},
		"long name": func(w workshop) []byte {
			b := w.blob("x")
			return w.snapshot(w.tree(entry{"100644", strings.Repeat("n", 300), b}), b)
		},
		"long link": func(w workshop) []byte {
			b := w.blob(strings.Repeat("../", 2000))
			return w.snapshot(w.tree(entry{"120000", "a", b}), b)
		},
		"missing blob":   func(w workshop) []byte { return w.snapshot(w.tree(entry{"100644", "a", strings.Repeat("12", 20)})) },
		"missing tree":   func(w workshop) []byte { c := w.commit(strings.Repeat("12", 20)); return w.answer(c, w.pack(c)) },
		"deep":           deep,
		"bomb":           bomb,
		"malformed tree": func(w workshop) []byte { return w.snapshot(w.object("tree", []byte("100644 a\x00short"))) },
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			rejected(t, h, dir, w, make(w))
		})
	}
}

// inDir returns a snapshot with a file inside a directory name.
func (w workshop) inDir(name string) []byte {
	b := w.blob("x")
	d := w.tree(entry{"100644", "config", b})
	return w.snapshot(w.tree(entry{"40000", name, d}), d, b)
}

// deep returns a snapshot with a path that is too long for any file system.
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

// bomb returns a snapshot whose small pack expands to ten billion files.
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
