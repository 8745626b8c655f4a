package mutagen

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// things are the kinds of files that may be at a path. make makes one, with text in it if it can hold a text.
var things = []struct {
	name string
	make func(path, text string) error
}{
	{"nothing", func(path, _ string) error { return os.RemoveAll(path) }},
	{"file", func(path, text string) error { return os.WriteFile(path, []byte(text), 0o644) }},
	{"program", func(path, text string) error {
		return errors.Join(os.WriteFile(path, []byte(text), 0o644), os.Chmod(path, 0o755))
	}},
	{"directory", func(path, text string) error {
		return errors.Join(os.Mkdir(path, 0o755), os.WriteFile(filepath.Join(path, "x"), []byte(text), 0o644))
	}},
	{"empty directory", func(path, _ string) error { return os.Mkdir(path, 0o755) }},
	{"link", func(path, text string) error { return os.Symlink(strings.ReplaceAll(text, " ", "-"), path) }},
}

// stay means that a side leaves a path alone.
const stay = -1

// apart calls change while the session is paused.
func (p *pair) apart(change func() error) {
	p.Helper()
	if err := errors.Join(p.h.Pause(p.Context(), p.id), change(), p.h.Resume(p.Context(), p.id)); err != nil {
		p.Fatal(err)
	}
	p.flush()
}

// texts returns, by path, the content of each file and the target of each link of a tree.
func texts(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case e.Type()&os.ModeSymlink != 0:
			all[name], err = os.Readlink(path)
		case e.IsDir():
			all[name] = "directory"
		default:
			var raw []byte
			raw, err = os.ReadFile(path)
			all[name] = string(raw)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestReconcile makes every pair of changes on both sides. No text may be lost that one side wrote and the other has
// not seen. Paths without a conflict must be the same on both sides, and no file may be written twice.
func TestReconcile(t *testing.T) {
	h := open(t)
	spec := local(t)
	sides := []string{spec.A.Path, spec.B.Path}
	type path struct {
		name string
		does [2]int
	}
	var all []path
	for was, thing := range things {
		for a := stay; a < len(things); a++ {
			for b := stay; b < len(things); b++ {
				all = append(all, path{fmt.Sprintf("%d.%d.%d", was, a+1, b+1), [2]int{a, b}})
				if err := thing.make(filepath.Join(sides[0], all[len(all)-1].name), "common text"); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	p := h.pair(t, spec)
	wrote := map[string]string{} // where each text was written
	p.apart(func() (err error) {
		for _, path := range all {
			for side, what := range path.does {
				at := filepath.Join(sides[side], path.name)
				if what == stay {
					continue
				}
				text := fmt.Sprintf("of-%s-by-%d", path.name, side)
				if path.does[0] == path.does[1] && strings.HasPrefix(path.name, "1") {
					text = "of-" + path.name + "-by-both"
				}
				err = errors.Join(err, os.RemoveAll(at), things[what].make(at, text))
				if what > 0 && things[what].name != "empty directory" {
					wrote[text] = path.name
				}
			}
		}
		return err
	})
	a, b := texts(t, sides[0]), texts(t, sides[1])
	for text, name := range wrote {
		has := func(all map[string]string) bool { return all[name] == text || all[name+"/x"] == text }
		if !has(a) && !has(b) {
			t.Errorf("the text %s is lost: %q and %q", text, a[name], b[name])
		}
	}
	s := p.state()
	clash := 0
	for _, path := range all {
		if a[path.name] != b[path.name] || a[path.name+"/x"] != b[path.name+"/x"] {
			clash++
			if listed := func(c Conflict) bool { return c.Root == path.name }; s.MoreConflicts == 0 && !slices.ContainsFunc(s.Conflicts, listed) {
				t.Errorf("%s differs, and is no conflict", path.name)
			}
		}
		if one := path.does; one[0] == stay || one[1] == stay {
			if a[path.name] != b[path.name] {
				t.Errorf("%s was changed on one side alone, and did not come", path.name)
			}
		}
	}
	if problems, _ := s.Problems(); s.CountConflicts() < clash || clash == 0 || len(problems) > 0 {
		t.Errorf("%d paths differ, %d are in conflict, %+v", clash, s.CountConflicts(), problems)
	}
	before := [2]map[string]string{stamps(t, sides[0]), stamps(t, sides[1])}
	p.flush()
	for side, dir := range sides {
		for name, stamp := range stamps(t, dir) {
			if before[side][name] != stamp {
				t.Errorf("%s was written again in %s", name, dir)
			}
		}
	}
	t.Logf("%d paths, %d texts, %d conflicts", len(all), len(wrote), clash)
}

// stamps returns inode and time of the file at each path.
func stamps(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name := range texts(t, dir) {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = fmt.Sprint(info.Sys().(*syscall.Stat_t).Ino, info.ModTime())
	}
	return all
}

// TestMoves moves files in chains, in circles and to names that differ only in case, and swaps the names of
// directories. Nothing may be lost, also if the other side has changed one of the files.
func TestMoves(t *testing.T) {
	h := open(t)
	spec := local(t)
	put(t, spec.A.Path, map[string]string{"a": "1", "b": "2", "c": "3", "p": "4", "q": "5", "Case": "6", "d/x": "7", "e/y": "8", "gone/deep/z": "9", "gone/w": "10"})
	p := h.pair(t, spec)
	in := func(name string) string { return filepath.Join(spec.B.Path, name) }
	move := func(from, to string) error { return os.Rename(in(from), in(to)) }
	p.apart(func() error {
		put(t, spec.A.Path, map[string]string{"b": "2 of the hub", "d/x": "7 of the hub", "gone/new": "11"})
		return errors.Join(move("c", "d/c"), move("b", "c"), move("a", "b"), move("p", "t"), move("q", "p"), move("t", "q"), move("Case", "case"),
			move("d", "t"), move("e", "d"), move("t", "e"), os.RemoveAll(in("gone")))
	})
	a, b := texts(t, spec.A.Path), texts(t, spec.B.Path)
	for _, want := range []string{"1", "2", "2 of the hub", "3", "4", "5", "6", "7", "7 of the hub", "8", "11"} {
		lost := true
		for _, tree := range []map[string]string{a, b} {
			for _, text := range tree {
				lost = lost && text != want
			}
		}
		if lost {
			t.Errorf("%q is lost: %v %v", want, a, b)
		}
	}
	for name, want := range map[string]string{"c": "2", "p": "5", "q": "4", "case": "6", "d/y": "8", "gone/new": "11", "Case": ""} {
		if a[name] != want || b[name] != want {
			t.Errorf("%s is %q and %q, want %q", name, a[name], b[name], want)
		}
	}
}
