package ignored

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/aboard/shipdir"
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
	put(t, dir, ".git/"+shipdir.SetupDone, "digest")
	eventually.Holds(t, "the clock goes on", func() bool { // a file system's clock has steps
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
}

func TestNewest(t *testing.T) {
	t.Parallel()
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	files := []file{{"old", 1, at(1)}, {"large", 9, at(2)}, {"new", 5, at(3)}}
	if got := paths(newest(files, 7)); !slices.Equal(got, []string{"new", "old"}) {
		t.Errorf("%q", got)
	}
}

// What the ship packs arrives as it was; a file that is gone meanwhile is left out, and the archive of one that became shorter is not
// taken.
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
	kept, err := Unpack(to, &archive)
	if err != nil || kept != sum(files) {
		t.Errorf("%+v: %v", kept, err)
	}
	for name, want := range map[string]string{"build/a/b": "text", "x.log": "line"} {
		if got, err := os.ReadFile(filepath.Join(to, name)); string(got) != want {
			t.Errorf("%s is %q: %v", name, got, err)
		}
	}
	files[0].size++
	if err := pack(dir, files, io.Discard); err == nil {
		t.Error("a file that became shorter passes for whole")
	}
}

// An archive of a hostile ship writes nothing outside of its directory, and leaves nothing of it.
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
				if _, err := w.Write(bytes.Repeat([]byte("x"), int(h.Size))); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			above := t.TempDir()
			if _, err := Unpack(filepath.Join(above, "ship-0"), &archive); err == nil {
				t.Error("it was taken")
			}
			if left, err := os.ReadDir(above); err != nil || len(left) > 0 {
				t.Errorf("%v is left: %v", left, err)
			}
		})
	}
	if _, err := Unpack(filepath.Join(t.TempDir(), "x"), strings.NewReader("no archive, but long enough for the header of a file in one"+strings.Repeat(".", 512))); err == nil {
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
		_, err := Unpack(filepath.Join(above, "to"), bytes.NewReader(raw))
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
