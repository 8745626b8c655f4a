package git

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// repository makes a repository with one commit for each map of files. Content "-" removes a file, "->target" makes a
// symbolic link.
func repository(t *testing.T, format string, commits ...map[string]string) Repo {
	t.Helper()
	r := Repo{Dir: t.TempDir(), Kept: NewKept()}
	r.GitDir = filepath.Join(r.Dir, ".git")
	t.Cleanup(r.Kept.Close)
	r = r.With(IdentityEnv("AUTHOR", "A. U. Thor.", "a@example.org")...).With(IdentityEnv("COMMITTER", "Com \"M\" Itter", "<c@example.org>")...)
	run(t, r, "init", "-q", "-b", "main", "--object-format="+format)
	for _, files := range commits {
		commit(t, r, files)
	}
	return r
}

func commit(t *testing.T, r Repo, files map[string]string) {
	t.Helper()
	for name, content := range files { // first, what another file needs the place of
		if content == "-" {
			_ = os.RemoveAll(filepath.Join(r.Dir, name))
		}
	}
	for name, content := range files {
		if content == "-" {
			continue
		}
		name = filepath.Join(r.Dir, name)
		_ = os.RemoveAll(name)
		to, link := strings.CutPrefix(content, "->")
		var err error
		if _ = os.MkdirAll(filepath.Dir(name), 0o755); link {
			err = os.Symlink(to, name)
		} else {
			err = os.WriteFile(name, []byte(content), 0o644|os.FileMode(strings.Count(content, "#!"))*0o111)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	run(t, r, "add", "-A")
	run(t, r, "commit", "-q", "--allow-empty", "-m", "files")
}

func run(t *testing.T, r Repo, args ...string) string {
	t.Helper()
	out, err := r.Output(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAsGit: walker, Changes and WriteCommit agree with git.
func TestAsGit(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		r := repository(t, format,
			map[string]string{"a": "1", "d/x": "1", "d/e/y": "1", "gone/z": "1", "file": "1", "dir/in": "1", "mode": "1", "link": "1"},
			map[string]string{"gone": "-", "file": "-", "dir": "-"},
			map[string]string{"a": "2", "d/e/y": "2", "file/in": "1", "dir": "a file", "mode": "#!1", "link": "->a", "new/n": "1"},
		)
		for _, pair := range [][2]string{{"HEAD~2", "HEAD~1"}, {"HEAD~1", "HEAD"}, {"HEAD", "HEAD~2"}, {"HEAD~2^{tree}", "HEAD"}, {"HEAD", "HEAD"}} {
			changes, err := r.Changes(t.Context(), pair[0], pair[1])
			if err != nil {
				t.Fatal(err)
			}
			lines := 0
			for line := range strings.Lines(run(t, r, "diff-tree", "-r", "--raw", "--no-abbrev", "--no-renames", pair[0], pair[1])) {
				lines++
				info, path, _ := strings.Cut(strings.TrimSpace(line), "\t")
				f := strings.Fields(info[1:])
				if want := (Change{Entry{f[0], f[2]}, Entry{f[1], f[3]}}); changes[path] != want {
					t.Errorf("%s: %s changed from %v, want %v", format, path, changes[path], want)
				}
			}
			if lines != len(changes) {
				t.Errorf("%s: %v has %d changes, want %d", format, pair, len(changes), lines)
			}
		}
		found, err := r.Resolve(t.Context(), "HEAD^{tree}", "HEAD", "nothing", "HEAD~1:d/x")
		if err != nil || found[2] != "" || found[3] == "" {
			t.Fatalf("%v, %v", found, err)
		}
		got, err := r.WriteCommit(Commit{Tree: found[0], Parents: found[1:2], Message: "why\n\nbecause", Undated: true})
		want := run(t, r.With("GIT_AUTHOR_DATE=@0 +0000", "GIT_COMMITTER_DATE=@0 +0000"), "commit-tree", found[0], "-p", found[1], "-m", "why\n\nbecause")
		if err != nil || got != want {
			t.Errorf("%s: commit %s, %v, want %s", format, got, err, want)
		}
		run(t, r, "fsck", "--strict")
	}
}

// TestKeptIsReplaced: when a kept git was killed between two questions or does not answer, Kept starts a new one and
// repeats the question.
func TestKeptIsReplaced(t *testing.T) {
	r := repository(t, "sha1", map[string]string{"a": "1"})
	head := run(t, r, "rev-parse", "HEAD")
	ask := func(why string) {
		t.Helper()
		if found, err := r.Resolve(t.Context(), "HEAD"); err != nil || found[0] != head {
			t.Errorf("%s: %v, %v", why, found, err)
		}
		if err := r.UpdateRefs(t.Context(), "update refs/x/y "+head); err != nil {
			t.Errorf("%s: %v", why, err)
		}
	}
	ask("at first")
	for _, p := range []*process{&r.Kept.objects, &r.Kept.refs} {
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	ask("after a kill")
	for _, p := range []*process{&r.Kept.objects, &r.Kept.refs} {
		if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		p.limit = 50 * time.Millisecond
	}
	stopped := []*exec.Cmd{r.Kept.objects.cmd, r.Kept.refs.cmd}
	r.Kept.objects.tries, r.Kept.refs.tries = 100, 100 // on a busy machine a new git may exceed the limit, too
	ask("when they hang")
	if stopped[0] == r.Kept.objects.cmd || stopped[1] == r.Kept.refs.cmd {
		t.Error("they were not replaced")
	}
}

// TestKeptSeesPacksGo: once packs have changed, Kept starts a new git, since the old one may still read from deleted
// packs.
func TestKeptSeesPacksGo(t *testing.T) {
	r := repository(t, "sha1", map[string]string{"a": "1"})
	loose := run(t, r, "commit-tree", "HEAD^{tree}", "-m", "nobody keeps it")
	run(t, r, "update-ref", "refs/x", loose)
	run(t, r, "repack", "-a", "-d", "-q")
	if found, err := r.Resolve(t.Context(), loose); err != nil || found[0] != loose {
		t.Fatal(found, err)
	}
	run(t, r, "update-ref", "-d", "refs/x")
	run(t, r, "repack", "-a", "-d", "-q")
	run(t, r, "prune-packed")
	run(t, r, "prune", "--expire=now")
	if found, err := r.Resolve(t.Context(), loose); err != nil || found[0] != "" {
		t.Errorf("%v, %v", found, err)
	}
}

// TestFew: a repository that receives a Few's pack has the same objects, whether git or ReceiveFew reads the pack.
func TestFew(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		first := map[string]string{"a": "1", "d/e/y": strings.Repeat("y", 5000), "same": "1", "empty": ""}
		r := repository(t, format, first, map[string]string{"a": "2", "d/e/y": "-", "d/new": "n"}, map[string]string{"a": "3", "b": strings.Repeat("2", 140_000), "link": "->a", "none": ""})
		ids, err := r.Resolve(t.Context(), "HEAD", "HEAD~2")
		if err != nil {
			t.Fatal(err)
		}
		few := r.Few(t.Context(), ids[:1], ids[1:])
		if few == nil {
			t.Fatal("they are many")
		}
		var pack bytes.Buffer
		if _, err := few.WriteTo(&pack); err != nil {
			t.Fatal(err)
		}
		for name, receive := range map[string]func(to Repo) error{
			"git": func(to Repo) error {
				return to.ReceivePack(t.Context(), bufio.NewReader(bytes.NewReader(pack.Bytes())), true, 0)
			},
			"ocaptain": func(to Repo) error { return to.ReceiveFew(bufio.NewReader(bytes.NewReader(pack.Bytes())), ids[0]) },
		} {
			to := repository(t, format)
			run(t, to.Set("protocol.file.allow", "always"), "fetch", "-q", r.GitDir, ids[1])
			if err := receive(to); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			run(t, to, "update-ref", "refs/heads/x", ids[0])
			run(t, to, "fsck", "--strict")
		}
		if few := r.Few(t.Context(), ids[:1], nil); few != nil {
			t.Error("all of a tree is few")
		}
		to := repository(t, format)
		for n := range pack.Len() - 1 {
			if err := to.ReceiveFew(bufio.NewReader(bytes.NewReader(pack.Bytes()[:n])), ids[0]); err == nil {
				t.Fatalf("%d bytes of %d are a pack", n, pack.Len())
			}
		}
		tree := run(t, r, "rev-parse", "HEAD^{tree}")
		whole := r.Few(t.Context(), []string{tree}, nil)
		for name, receive := range map[string]func(to Repo) error{
			"received": func(to Repo) error {
				pack.Reset()
				if _, err := whole.WriteTo(&pack); err != nil {
					return err
				}
				return to.ReceivePack(t.Context(), bufio.NewReader(&pack), true, 0)
			},
			"stored": func(to Repo) error { return to.StoreFew(whole) },
		} {
			alone := repository(t, format)
			if err := receive(alone); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			run(t, alone, "fsck", "--strict", tree)
			if got, want := run(t, alone, "ls-tree", "-r", "-t", tree), run(t, r, "ls-tree", "-r", "-t", tree); got != want {
				t.Errorf("%s: %s\nwant %s", name, got, want)
			}
		}
		whole.objects[0].content = append(whole.objects[0].content, 'x')
		if err := repository(t, format).StoreFew(whole); err == nil {
			t.Error("an object with other content is stored")
		}
	}
}
