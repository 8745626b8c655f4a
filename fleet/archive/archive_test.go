package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
)

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-c", "user.name=c", "-c", "user.email=c@c", "-C", dir}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// voyage makes a voyage on disk. Its repository has commits on its branch and elsewhere.
func voyage(t *testing.T, all fleet.Voyages) fleet.Dir {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	v := fleet.Voyage{ID: "voyage-0123456789ab", Branch: "voyage-0123456789ab", Name: "auth"}
	d := fleet.Dir(filepath.Join(string(all), v.ID))
	if err := os.MkdirAll(d.LogsDir(), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := v.Save(d); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{d.LogFile("ship-0"): "{}\n", d.Secrets(): "sk-secret", d.Bring(): "secret"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run(t, string(d), "init", "-q", "-b", v.Branch, d.Workspace())
	run(t, d.Workspace(), "commit", "-q", "--allow-empty", "-m", "one")
	run(t, d.Workspace(), "update-ref", "refs/ocaptain/parked/ship-0/x", "HEAD")
	return d
}

// A restored voyage equals the original in files, times, branch and refs, but has no secrets.
func TestArchive(t *testing.T) {
	all := fleet.Voyages(t.TempDir())
	d := voyage(t, all)
	refs := run(t, d.Workspace(), "for-each-ref")
	was, err := os.Stat(d.Voyage())
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := Write(t.Context(), d, &file); err != nil {
		t.Fatal(err)
	}
	v, err := Open(bytes.NewReader(file.Bytes()))
	if err != nil || v.ID != d.ID() {
		t.Fatal(v.ID, err)
	}
	if _, err := Read(t.Context(), bytes.NewReader(file.Bytes()), all, v.ID); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Error(err)
	}
	if err := os.RemoveAll(string(d)); err != nil {
		t.Fatal(err)
	}
	back, err := Read(t.Context(), bytes.NewReader(file.Bytes()), all, v.ID)
	if err != nil || back != d {
		t.Fatal(back, err)
	}
	if is := run(t, d.Workspace(), "for-each-ref"); is != refs || run(t, d.Workspace(), "symbolic-ref", "--short", "HEAD") != v.ID || run(t, d.Workspace(), "status", "--porcelain") != "" {
		t.Errorf("refs are\n%s\nwere\n%s", is, refs)
	}
	if is, err := os.Stat(d.Voyage()); err != nil || is.ModTime().Sub(was.ModTime()).Abs() > time.Second { // an archive stores whole seconds
		t.Errorf("voyage.json is of %v, was of %v: %v", is.ModTime(), was.ModTime(), err)
	}
	for _, gone := range append(secret(d), filepath.Join(string(d), bundle)) {
		if _, err := os.Lstat(gone); !os.IsNotExist(err) {
			t.Errorf("%s: %v", gone, err)
		}
	}
	if found, err := all.Find("auth"); err != nil || found != d {
		t.Error(found, err)
	}
}

// Reading an archive that is not of a voyage leaves nothing behind, and writes nothing outside.
func TestForeignArchives(t *testing.T) {
	pack := func(heads ...tar.Header) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		w := tar.NewWriter(z)
		for _, h := range heads {
			text := `{"id":"voyage-0123456789ab","branch":"x"}`
			if h.Typeflag == tar.TypeReg {
				h.Size = int64(len(text))
			}
			h.Mode = 0o644
			if err := w.WriteHeader(&h); err != nil {
				t.Fatal(err)
			}
			if h.Typeflag == tar.TypeReg {
				_, _ = w.Write([]byte(text))
			}
		}
		w.Close()
		z.Close()
		return b.Bytes()
	}
	file := func(name string) tar.Header { return tar.Header{Name: name, Typeflag: tar.TypeReg} }
	const id = "voyage-0123456789ab"
	for name, raw := range map[string][]byte{
		"no archive": []byte("x"),
		"outside":    pack(file("voyage.json"), file("../outside")),
		"absolute":   pack(file("voyage.json"), file("/tmp/outside")),
		"a link":     pack(file("voyage.json"), tar.Header{Name: "l", Linkname: "/etc", Typeflag: tar.TypeSymlink}, file("l/x")),
		"workspace":  pack(file("voyage.json"), file("workspace/.git/hooks/post-checkout")),
		"twice":      pack(file("voyage.json"), file("voyage.json")),
		"another":    pack(file("voyage.json"), file("x"))[:60],
		"no voyage":  pack(file("x")),
		"no bundle":  pack(file("voyage.json"), file(bundle)),
	} {
		dir := t.TempDir()
		all := fleet.Voyages(filepath.Join(dir, "voyages"))
		if _, err := Read(t.Context(), bytes.NewReader(raw), all, id); err == nil {
			t.Errorf("%s is taken", name)
		}
		left, err := os.ReadDir(string(all))
		if err != nil || len(left) > 0 {
			t.Errorf("%s: it leaves %v, %v", name, left, err)
		}
		if beside, _ := os.ReadDir(dir); len(beside) != 1 {
			t.Errorf("%s: beside it there is %v", name, beside)
		}
	}
	if _, err := Read(t.Context(), bytes.NewReader(pack(file("voyage.json"))), fleet.Voyages(t.TempDir()), "voyage-ba9876543210"); err == nil {
		t.Error("another voyage is taken")
	}
}
