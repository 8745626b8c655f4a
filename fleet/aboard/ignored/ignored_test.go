package ignored

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/aboard/setup"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// cloned makes a clone that ignores build/ and *.log.
func cloned(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	gitInit(t, dir)
	put(t, dir, ".gitignore", "build/\n*.log\n")
	return dir
}

func gitInit(t *testing.T, dir string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", "--template=", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func paths(files []file) []string {
	var all []string
	for _, f := range files {
		all = append(all, f.path)
	}
	slices.Sort(all)
	return all
}

func TestList(t *testing.T) {
	t.Parallel()
	dir := cloned(t)
	put(t, dir, "build/of-setup", "made by the setup script")
	run, err := json.Marshal(setup.Interval{Began: time.Now().Add(-time.Hour), Ended: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, ".git/ocaptain/setup.runs", string(run)+"\n{torn")
	eventually.Holds(t, "the clock goes on", func() bool { // a file system's clock has a coarse resolution
		put(t, dir, "build/out", "12345")
		files, err := list(t.Context(), dir)
		return err == nil && len(files) > 0
	})
	gitInit(t, filepath.Join(dir, "build/nested"))
	put(t, dir, "build/nested/largest", "a file of another repository")
	put(t, dir, "x\ny.log", "1")
	put(t, dir, "main.go", "package main")
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link.log")); err != nil {
		t.Fatal(err)
	}
	files, err := list(t.Context(), dir)
	files = slices.DeleteFunc(files, func(f file) bool { return strings.HasPrefix(f.path, "build/nested/.git/") })
	if want := []string{"build/nested/largest", "build/out", "x\ny.log"}; err != nil || !slices.Equal(paths(files), want) {
		t.Errorf("%q: %v", paths(files), err)
	}
	if got := sum(files); got != (proto.Ignored{Files: 3, Bytes: 34, Largest: "build/nested/largest", LargestBytes: 28}) {
		t.Errorf("%+v", got)
	}
	if files, err := list(t.Context(), t.TempDir()); err != nil || len(files) > 0 {
		t.Errorf("without a clone: %q: %v", paths(files), err)
	}
	if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
		t.Fatal(err)
	}
	if files, err := list(t.Context(), dir); err == nil {
		t.Errorf("nobody knows what git ignores there, and the files are %q", paths(files))
	}
}

// A file that a run of the setup script makes counts as the script's; a file that existed before does not.
func TestOfSetup(t *testing.T) {
	t.Parallel()
	at := func(minute int) time.Time { return time.Unix(int64(minute)*60, 0) }
	runs := []setup.Interval{{Began: at(10), Ended: at(12)}, {Began: at(50), Ended: at(55)}}
	for _, c := range []struct {
		name              string
		changed, modified int
		want              bool
	}{
		{"made by the first run", 11, 11, true},
		{"unpacked by the second run", 52, 1, true},
		{"made again by the second run", 52, 51, true},
		{"made before any run", 5, 5, false},
		{"made between the runs", 30, 30, false},
		{"made between the runs, and touched by the second", 52, 30, false},
		{"made after all", 60, 60, false},
		{"unpacked by an agent", 60, 1, false},
	} {
		if got := ofSetup(at(c.changed), at(c.modified), runs); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if ofSetup(at(1), at(1), nil) {
		t.Error("a script that never ran has made a file")
	}
}

func TestNewest(t *testing.T) {
	t.Parallel()
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	files := []file{{"old", 1, at(1)}, {"large", 9, at(2)}, {"new", 5, at(3)}}
	if got := paths(newest(files, 7)); !slices.Equal(got, []string{"new", "old"}) {
		t.Errorf("%q", got)
	}
}

// What the ship packs arrives unchanged. A file that vanishes meanwhile is left out, and an archive with a file that shrank is
// refused.
func TestPackAndUnpack(t *testing.T) {
	t.Parallel()
	dir := cloned(t)
	put(t, dir, "build/a/b", "text")
	put(t, dir, "x.log", "line")
	files, err := list(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	if err := pack(dir, append(files, file{path: "gone", size: 3}), &archive); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "artifacts", "ship-0")
	kept, err := Unpack(t.Context(), to, &archive)
	if err != nil || kept != sum(files) {
		t.Errorf("%+v: %v", kept, err)
	}
	for name, want := range map[string]string{"build/a/b": "text", "x.log": "line"} {
		if got, err := os.ReadFile(filepath.Join(to, name)); string(got) != want {
			t.Errorf("%s is %q: %v", name, got, err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	archive.Reset()
	if err := pack(dir, files, &archive); err != nil {
		t.Fatal(err)
	}
	if _, err := Unpack(gone, filepath.Join(t.TempDir(), "x"), &archive); !errors.Is(err, context.Canceled) {
		t.Errorf("it goes on for nobody: %v", err)
	}
}

// A repository among the files is no longer a repository in the copy.
func TestUnpackedRepository(t *testing.T) {
	t.Parallel()
	dir := cloned(t)
	gitInit(t, filepath.Join(dir, "build/nested"))
	put(t, dir, "build/nested/work", "text")
	files, err := list(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	if err := pack(dir, files, &archive); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "x")
	if _, err := Unpack(t.Context(), to, &archive); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(to, "build/nested/dot-git/HEAD")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(to, "build/nested/.git")); err == nil {
		t.Error("git would read its configuration")
	}
}

// A hostile ship's archive writes nothing outside its directory, and its directory is removed.
func TestHostileArchives(t *testing.T) {
	t.Parallel()
	for name, entries := range map[string][]tar.Header{
		"a path up":         {{Name: "../up", Size: 1}},
		"an absolute path":  {{Name: "/abs", Size: 1}},
		"a link":            {{Name: "link", Typeflag: tar.TypeSymlink, Linkname: ".."}, {Name: "link/x", Size: 1}},
		"a hard link":       {{Name: "hard", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}},
		"a device":          {{Name: "null", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 3}},
		"a name twice":      {{Name: "x", Size: 1}, {Name: "x", Size: 1}},
		"below a file":      {{Name: "x", Size: 1}, {Name: "x/y", Size: 1}},
		"the directory":     {{Name: ".", Size: 1}},
		"a path up, inside": {{Name: "a/../../up", Size: 1}},
		"a sparse file": {{Name: "x", Size: 512, PAXRecords: map[string]string{
			"XNU.sparse.major": "1", "XNU.sparse.minor": "0", "XNU.sparse.name": "x", "XNU.sparse.realsize": "1000000",
		}}},
		"deep directories": {{Name: strings.Repeat("d/", 200) + "x", Size: 1}},
		"a long name":      {{Name: strings.Repeat("n", 5000), Size: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var archive bytes.Buffer
			w := tar.NewWriter(&archive)
			for _, h := range entries {
				h.Mode = 0o777
				if err := w.WriteHeader(&h); err != nil {
					t.Fatal(err)
				}
				body := bytes.Repeat([]byte("x"), int(h.Size))
				if len(h.PAXRecords) > 0 { // the file consists of one hole
					copy(body, "0\n")
				}
				if _, err := w.Write(body); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			above := t.TempDir()
			raw := bytes.ReplaceAll(archive.Bytes(), []byte("XNU.sparse"), []byte("GNU.sparse")) // a tar.Writer refuses to write these keys
			if _, err := Unpack(t.Context(), filepath.Join(above, "ship-0"), bytes.NewReader(raw)); err == nil {
				t.Error("it was taken")
			}
			if left, err := os.ReadDir(above); err != nil || len(left) > 0 {
				t.Errorf("%v is left: %v", left, err)
			}
		})
	}
	if _, err := Unpack(t.Context(), filepath.Join(t.TempDir(), "x"), strings.NewReader("no archive, but long enough for the header of a file in one"+strings.Repeat(".", 512))); err == nil {
		t.Error("what is no archive was taken")
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte("x"))
	dir := f.TempDir()
	var archive bytes.Buffer
	put := file{path: "x", size: 1}
	if err := os.WriteFile(filepath.Join(dir, "x"), []byte("1"), 0o600); err != nil {
		f.Fatal(err)
	}
	if err := pack(dir, []file{put}, &archive); err != nil {
		f.Fatal(err)
	}
	f.Add(archive.Bytes())
	f.Fuzz(func(t *testing.T, raw []byte) {
		above := t.TempDir()
		_, err := Unpack(t.Context(), filepath.Join(above, "to"), bytes.NewReader(raw))
		left, _ := os.ReadDir(above)
		if err != nil && len(left) > 0 || len(left) > 1 {
			t.Errorf("%v is left: %v", left, err)
		}
	})
}

func TestServeRefuses(t *testing.T) {
	t.Parallel()
	if err := Serve(context.Background(), t.TempDir(), nil, io.Discard); err == nil {
		t.Error("a machine that is no ship has ignored files")
	}
}
