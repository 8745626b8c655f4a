package bring

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

var usualLimits = Limits{Files: 100, Bytes: 1 << 20, Config: "config.yaml"}

// checkout makes a repository with these files; it commits only tracked.env.
func checkout(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	runGit(t, dir, "init", "-q", "--template=")
	put(t, dir, map[string]string{".gitignore": ".env*\n*.pem\ncache/\nlink*\n*.db\n", "main.go": "package main\n", "tracked.env": "x"})
	runGit(t, dir, "add", ".")
	runGit(t, dir, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one")
	put(t, dir, files)
	return dir
}

func runGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

func source(lines ...string) []Source { return []Source{{From: "test", Lines: lines}} }

func names(c Chosen) []string {
	all := []string{}
	for _, f := range c.Files {
		all = append(all, f.Path)
	}
	return all
}

// Find selects only git-ignored files, by the rules of git, for each source separately.
func TestFind(t *testing.T) {
	dir := checkout(t, map[string]string{
		".env": "A=1", ".env.local": "B=2", "app/.env": "C=3", "cache/a/b": "1", "cache/c": "2", "plain.txt": "not ignored", "odd name.db": "x", "ü.db": "y",
	})
	for _, tt := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"nothing", nil, nil},
		{"comments alone", []string{"# .env", "", "  "}, nil},
		{"a name, at any depth", []string{".env"}, []string{".env", "app/.env"}},
		{"at the top", []string{"/.env"}, []string{".env"}},
		{"a directory", []string{"cache/"}, []string{"cache/a/b", "cache/c"}},
		{"below a directory", []string{"cache/**/b"}, []string{"cache/a/b"}},
		{"all but one", []string{".env*", "!.env.local"}, []string{".env", "app/.env"}},
		{"a tracked file, and one that git does not ignore", []string{"tracked.env", "main.go", "plain.txt"}, nil},
		{"odd names", []string{"*.db"}, []string{"odd name.db", "ü.db"}},
		{"git's own files", []string{".git/config", ".git/", "**/config", ".git"}, nil},
		{"outside", []string{"../*", "/etc/passwd", "../../etc/passwd"}, nil},
		{"everything", []string{"*"}, []string{".env", ".env.local", "app/.env", "cache/a/b", "cache/c", "odd name.db", "ü.db"}},
	} {
		c, err := Find(t.Context(), dir, source(tt.lines...), usualLimits)
		if got := names(c); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
	c, err := Find(t.Context(), dir, []Source{{From: "one", Lines: []string{"*", "!.env"}}, {From: "two", Lines: []string{".env"}, Agreed: true}}, usualLimits)
	if err != nil || c.Files[0].Path != ".env" || !slices.Equal(c.Files[0].From, []string{"two"}) || !c.Files[0].Agreed || c.Files[1].Agreed || !c.Asks() {
		t.Errorf("%+v: %v", c.Files, err)
	}
	if !slices.Contains(c.Skipped, Skipped{"plain.txt", "git does not ignore it; commit it, and ships have it"}) {
		t.Errorf("skipped %+v", c.Skipped)
	}
}

// Links, pipes, repositories and odd names do not go to ships; Find reports them.
func TestSkipped(t *testing.T) {
	outside := t.TempDir()
	put(t, outside, map[string]string{"id_rsa": "-----BEGIN PRIVATE KEY-----"})
	dir := checkout(t, map[string]string{"cache/x": "1", "cache/line\nbreak": "2", "cache/esc\x1b[31m": "3", "cache/not\xffutf8": "4"})
	runGit(t, dir, "init", "-q", "--template=", "cache/nested")
	put(t, dir, map[string]string{"cache/nested/.env": "theirs"})
	err := errors.Join(os.Symlink(filepath.Join(outside, "id_rsa"), filepath.Join(dir, "link.pem")), os.Symlink("../main.go", filepath.Join(dir, "cache/inside")),
		os.Symlink(outside, filepath.Join(dir, "cache/dir")), syscall.Mkfifo(filepath.Join(dir, "cache/pipe"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Find(t.Context(), dir, source("*"), usualLimits)
	if got := names(c); err != nil || !slices.Equal(got, []string{"cache/x"}) {
		t.Errorf("%q: %v", got, err)
	}
	told := ""
	for _, l := range c.List() {
		told += l.Text + "\n"
	}
	for _, want := range []string{"link.pem stays here: it is a link", "cache/dir stays here: it is a link", "cache/nested/ stays here: it is a git repository", "has control characters", "is not UTF-8"} {
		if !strings.Contains(told, want) {
			t.Errorf("nothing says %q:\n%s", want, told)
		}
	}
	if strings.Contains(told, "\x1b") || strings.Count(told, "\n") != len(c.List()) {
		t.Errorf("names are shown as they are: %q", told)
	}
}

// Numbers and sizes are limited; the error names the limit and the setting that raises it.
func TestLimits(t *testing.T) {
	dir := checkout(t, map[string]string{"cache/small": "1"})
	large, err := os.Create(filepath.Join(dir, "cache/large"))
	if err == nil {
		err = errors.Join(large.Truncate(1<<30), large.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = Find(t.Context(), dir, source("cache/"), usualLimits)
	var limit *LimitError
	if !errors.As(err, &limit) || limit.What != "cache/large, named by test, has 1.0 GiB, and all files that go to ships may have 1.0 MiB together" || limit.Fix != "name fewer, or raise bring_size in config.yaml" {
		t.Errorf("%#v", err)
	}
	many := map[string]string{}
	for i := range 3000 {
		many[fmt.Sprintf("cache/%d/%d", i%10, i)] = ""
	}
	put(t, dir, many)
	_, err = Find(t.Context(), dir, source("cache/"), usualLimits)
	if !errors.As(err, &limit) || !strings.HasPrefix(limit.What, "test names more than 100 files that git ignores, like cache/") || limit.Fix != "name fewer, or raise bring_files in config.yaml" {
		t.Errorf("%#v", err)
	}
}

// Pack packs the chosen files with their modes, and nothing that somebody put in their place.
func TestPack(t *testing.T) {
	dir := checkout(t, map[string]string{".env": "A=1", "cache/run": "#!/bin/sh", "cache/deep/x": "2"})
	if err := errors.Join(os.Chmod(filepath.Join(dir, ".env"), 0o600), os.Chmod(filepath.Join(dir, "cache/run"), 0o755)); err != nil {
		t.Fatal(err)
	}
	c, err := Find(t.Context(), dir, source("*"), usualLimits)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "bring.tar")
	if err := c.Pack(t.Context(), dir, to, usualLimits); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(to); err != nil || info.Mode() != 0o600 {
		t.Errorf("the archive has mode %v: %v", info.Mode(), err)
	}
	f, err := os.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got := ""
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(r)
		got += fmt.Sprintf("%s %o %s\n", h.Name, h.Mode, text)
	}
	if got != ".env 600 A=1\ncache/deep/x 644 2\ncache/run 755 #!/bin/sh\n" {
		t.Errorf("packed is\n%s", got)
	}
	swaps := map[string]func() error{
		"a link in its place": func() error {
			return errors.Join(os.Remove(filepath.Join(dir, ".env")), os.Symlink("/etc/passwd", filepath.Join(dir, ".env")))
		},
		"a link in the place of its directory": func() error {
			return errors.Join(os.Rename(filepath.Join(dir, "cache"), filepath.Join(dir, "moved")), os.Symlink("moved", filepath.Join(dir, "cache")))
		},
		"a larger file": func() error { return os.Truncate(filepath.Join(dir, ".env"), 2<<20) },
		"nothing":       func() error { return os.Remove(filepath.Join(dir, "cache/deep/x")) },
	}
	for name, swap := range swaps {
		dir = checkout(t, map[string]string{".env": "A=1", "cache/deep/x": "2"})
		if c, err = Find(t.Context(), dir, source("*"), usualLimits); err != nil || len(c.Files) != 2 {
			t.Fatal(c, err)
		}
		to := filepath.Join(t.TempDir(), "bring.tar")
		if err := errors.Join(swap()); err != nil {
			t.Fatal(err)
		}
		if err := c.Pack(t.Context(), dir, to, usualLimits); err == nil {
			t.Errorf("%s was packed", name)
		}
		if _, err := os.Lstat(to); err == nil {
			t.Errorf("%s: an archive is left", name)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Pack(ended, dir, filepath.Join(t.TempDir(), "x"), usualLimits); !errors.Is(err, context.Canceled) {
		t.Errorf("it goes on: %v", err)
	}
}

func TestReadInclude(t *testing.T) {
	dir := t.TempDir()
	if lines, err := ReadInclude(dir); lines != nil || err != nil {
		t.Errorf("%q: %v", lines, err)
	}
	put(t, dir, map[string]string{IncludeName: ".env\n!x\n"})
	if lines, err := ReadInclude(dir); err != nil || !slices.Equal(lines, []string{".env", "!x", ""}) {
		t.Errorf("%q: %v", lines, err)
	}
	put(t, dir, map[string]string{IncludeName: strings.Repeat("x", longestInclude+1)})
	if _, err := ReadInclude(dir); err == nil {
		t.Error("it may be any size")
	}
	path := filepath.Join(dir, IncludeName)
	for name, replace := range map[string]func() error{
		"link":      func() error { return os.Symlink("/etc/passwd", path) },
		"directory": func() error { return os.Mkdir(path, 0o755) },
		"pipe":      func() error { return syscall.Mkfifo(path, 0o600) },
	} {
		if err := errors.Join(os.RemoveAll(path), replace()); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadInclude(dir); err == nil {
			t.Errorf("a %s was read", name)
		}
	}
}

func TestSecret(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{".env", "", true},
		{"app/.env.production", "", true},
		{".env.example", "KEY=", false},
		{"server.PEM", "", true},
		{"id_ed25519", "", true},
		{"id_ed25519.pub", "ssh-ed25519 AAAA", false},
		{"aws-credentials.json", "", true},
		{"terraform.tfstate", "", true},
		{"cache.db", "\x00\x01", false},
		{"notes.txt", "nothing here", false},
		{"config.json", `{"db": "postgres://u:hunter2@host/db"}`, true},
		{"config.json", `{"url": "https://host/path"}`, false},
		{"settings.py", `SECRET_KEY = "abcdef123"`, true},
		{"settings.py", `SECRET_KEY = "${FROM_ENV}"`, false},
		{"x", "-----BEGIN OPENSSH PRIVATE KEY-----", true},
		{"x", "ghp_" + strings.Repeat("a", 36), true},
		{"x", "AKIA" + strings.Repeat("A", 16), true},
		{"x", "sk-ant-" + strings.Repeat("a", 20), true},
	} {
		if got := secret(tt.name, []byte(tt.text)); (got != "") != tt.want {
			t.Errorf("%s with %.20q: %q", tt.name, tt.text, got)
		}
	}
}

// Needed lists files that agents probably need and no source selects, except files of package managers.
func TestNeeded(t *testing.T) {
	dir := checkout(t, map[string]string{".env": "A=1", "app/.env.local": "B", ".env.example": "A=", "cache/x": "1", "node_modules/p/.env": "theirs"})
	put(t, dir, map[string]string{".gitignore": ".env*\ncache/\nnode_modules/\n"})
	if got := Needed(t.Context(), dir, Chosen{}); !slices.Equal(got, []string{".env", "app/.env.local"}) {
		t.Errorf("%q", got)
	}
	c, err := Find(t.Context(), dir, source("/.env"), usualLimits)
	if got := Needed(t.Context(), dir, c); err != nil || !slices.Equal(got, []string{"app/.env.local"}) {
		t.Errorf("%q: %v", got, err)
	}
	if got := Needed(t.Context(), t.TempDir(), Chosen{}); len(got) > 0 {
		t.Errorf("without a repository: %q", got)
	}
}

// Many files are summed up by directory, secrets are named.
func TestList(t *testing.T) {
	c := Chosen{Files: []File{{Path: ".env", Size: 3, From: []string{"a"}, Secret: "secret by its name"}}}
	for i := range 100 {
		c.Files = append(c.Files, File{Path: fmt.Sprintf("cache/%d", i), Size: 1 << 10, From: []string{"b"}})
	}
	if got := c.List(); len(got) != 2 || !got[0].Secret || got[0].Text != ".env, 3 B, by a: secret by its name" || got[1].Text != "cache/, 100 files, 100 KiB" {
		t.Errorf("%+v", got)
	}
	if got := c.Summary(); got != "101 files that git ignores, 100 KiB, 1 of them secret by name or content" {
		t.Error(got)
	}
}
