package brought

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ocaptain/fleet/proto"
)

// ship makes the home of a ship: a clone that ignores .env and *.pem, and an archive of files to bring.
func ship(t *testing.T, files ...tar.Header) (home, clone string) {
	t.Helper()
	home = t.TempDir()
	clone = filepath.Join(home, "voyage/workspace")
	put(t, home, ".ocaptain/ship.json", fmt.Sprintf(`{"voyage": "voyage-000000000000", "ship": "ship-0", "list": "x", "workspace": %q}`, clone))
	put(t, clone, ".gitignore", ".env\n*.pem\n")
	put(t, clone, "main.go", "package main\n")
	runGit(t, clone, "init", "-q", "--template=")
	runGit(t, clone, "add", ".")
	runGit(t, clone, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one")
	pack(t, home, files...)
	return home, clone
}

// pack writes an archive of files whose content is their name.
func pack(t *testing.T, home string, files ...tar.Header) {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range files {
		text := "content of " + h.Name
		if h.Typeflag == 0 {
			h.Typeflag, h.Size = tar.TypeReg, int64(len(text))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := w.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, home, Archive, b.String())
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return string(out)
}

func serve(t *testing.T, home string) (done proto.Brought) {
	t.Helper()
	var b bytes.Buffer
	if err := Serve(t.Context(), home, &b); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &done); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(home, ".ocaptain/bring.stage")); err == nil {
		t.Error("the stage is left")
	}
	return done
}

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(raw)
}

// Brought files get their modes, are ignored by git, and count as the captain's until somebody changes them.
func TestServe(t *testing.T) {
	t.Parallel()
	home, clone := ship(t, tar.Header{Name: ".env", Mode: 0o600}, tar.Header{Name: "deep/er/run[1] x", Mode: 0o755})
	if done := serve(t, home); done.Files != 2 || done.Placed != 2 || done.Kept != nil {
		t.Errorf("%+v", done)
	}
	for name, mode := range map[string]os.FileMode{".env": 0o600, "deep/er/run[1] x": 0o755} {
		info, err := os.Stat(filepath.Join(clone, name))
		if err != nil || info.Mode() != mode || read(t, filepath.Join(clone, name)) != "content of "+name {
			t.Errorf("%s: %v: %v", name, info, err)
		}
	}
	if got := runGit(t, clone, "status", "--porcelain", "--untracked-files=all"); got != "" {
		t.Errorf("git sees %q", got)
	}
	if got := read(t, filepath.Join(clone, ".git/info/exclude")); strings.Contains(got, ".env") {
		t.Errorf("excluded though it is ignored: %s", got)
	}
	put(t, clone, "deep/er/run[1] x", "changed by the agent")
	if err := os.Remove(filepath.Join(clone, ".env")); err != nil {
		t.Fatal(err)
	}
	unchanged, err := Unchanged(t.Context(), clone)
	if err != nil || unchanged(".env") || unchanged("deep/er/run[1] x") || unchanged("main.go") {
		t.Error("a file that is gone, one that was changed and one of git's are as they were brought", err)
	}
	if done := serve(t, home); done.Placed != 1 || done.Kept != nil {
		t.Errorf("%+v", done)
	}
	if !unchanged(".env") || read(t, filepath.Join(clone, "deep/er/run[1] x")) != "changed by the agent" {
		t.Error("the file that was gone is not back, or the agent's was written over")
	}
	env := filepath.Join(clone, ".env")
	if err := errors.Join(os.Remove(env), syscall.Mkfifo(env, 0o600)); err != nil || unchanged(".env") {
		t.Error("a pipe in the place of a file is as it was brought", err)
	}
	if err := errors.Join(os.Remove(env), os.Symlink("/dev/zero", env)); err != nil || unchanged(".env") {
		t.Error("a link in the place of a file is as it was brought", err)
	}
	if got := read(t, filepath.Join(clone, ".git/info/exclude")); strings.Count(got, "run") != 1 {
		t.Errorf("excluded twice: %s", got)
	}
}

// Whatever exists at a path stays: a file of the agent or of git, a directory, and anything behind a link.
func TestInTheWay(t *testing.T) {
	t.Parallel()
	var all []tar.Header
	for _, name := range []string{".env", "main.go", "gone.pem", "dir.pem", "link/x.pem", "file/x.pem", "dangling.pem", "new.pem"} {
		all = append(all, tar.Header{Name: name, Mode: 0o600})
	}
	home, clone := ship(t, all...)
	outside := t.TempDir()
	put(t, clone, ".env", "the agent's")
	put(t, clone, "file", "no directory")
	put(t, clone, "gone.pem", "tracked")
	runGit(t, clone, "add", "-f", "gone.pem")
	if err := errors.Join(os.Remove(filepath.Join(clone, "gone.pem")), os.Mkdir(filepath.Join(clone, "dir.pem"), 0o755),
		os.Symlink(outside, filepath.Join(clone, "link")), os.Symlink(filepath.Join(outside, "y"), filepath.Join(clone, "dangling.pem"))); err != nil {
		t.Fatal(err)
	}
	done := serve(t, home)
	slices.Sort(done.Kept)
	if want := []string{".env", "dangling.pem", "dir.pem", "file/x.pem", "link/x.pem", "main.go"}; done.Placed != 1 || !slices.Equal(done.Kept, want) {
		t.Errorf("%+v", done)
	}
	if read(t, filepath.Join(clone, ".env")) != "the agent's" || read(t, filepath.Join(clone, "main.go")) != "package main\n" || read(t, filepath.Join(clone, "new.pem")) == "" {
		t.Error("something was written over")
	}
	if _, err := os.Lstat(filepath.Join(clone, "gone.pem")); err == nil {
		t.Error("a file that git tracks was written")
	}
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("written through a link: %v", entries)
	}
}

// An archive that no hub would make writes nothing.
func TestHostileArchive(t *testing.T) {
	t.Parallel()
	for _, h := range []tar.Header{
		{Name: "../up"}, {Name: "/abs"}, {Name: ".git/config"}, {Name: "a/.GIT/hooks/x"}, {Name: "x", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, {Name: "d/", Typeflag: tar.TypeDir},
	} {
		home, clone := ship(t, tar.Header{Name: "ok.pem", Mode: 0o600}, h)
		if err := Serve(t.Context(), home, &bytes.Buffer{}); err == nil {
			t.Errorf("%q was taken", h.Name)
		}
		if _, err := os.Lstat(filepath.Join(clone, "ok.pem")); err == nil {
			t.Errorf("%q: a part of the archive was written", h.Name)
		}
	}
}

// If an agent has broken the list of brought files, no file is lost.
func TestBrokenRecord(t *testing.T) {
	t.Parallel()
	home, clone := ship(t, tar.Header{Name: ".env", Mode: 0o600})
	put(t, clone, ".git/ocaptain/brought.json", "{torn")
	if done := serve(t, home); done.Placed != 1 {
		t.Errorf("%+v", done)
	}
	if unchanged, err := Unchanged(t.Context(), clone); err != nil || !unchanged(".env") {
		t.Error("it is not known", err)
	}
}
