package repository

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/tasks"
	"ocaptain/ui/launch/problem"
)

// TestFetchRunsNothing fetches for repositories whose own configuration names programs in every place that a fetch reads.
func TestFetchRunsNothing(t *testing.T) {
	const (
		begins  = "" // nothing is wrong
		refused = "uses a git transport helper (name::address), which runs commands"
	)
	for _, c := range []struct {
		name string
		arm  func(far, evil string) [][2]string // settings of the repository
		says string
	}{
		{"the remote", func(_, evil string) [][2]string {
			return [][2]string{{"remote.origin.uploadpack", evil}, {"remote.origin.receivepack", evil}, {"remote.origin.proxy", evil}}
		}, begins},
		{"a helper for the remote", func(_, evil string) [][2]string { return [][2]string{{"remote.origin.vcs", "ext"}} }, begins},
		{"ssh", func(_, evil string) [][2]string {
			return [][2]string{{"remote.origin.url", "ssh://nobody.invalid/x"}, {"core.sshCommand", evil}, {"core.askPass", evil}}
		}, "origin/main cannot be looked up"},
		{"ssh, in short", func(_, evil string) [][2]string {
			return [][2]string{{"remote.origin.url", "nobody.invalid:x"}, {"core.sshCommand", evil}, {"ssh.variant", "simple"}}
		}, "origin/main cannot be looked up"},
		{"git", func(_, evil string) [][2]string {
			return [][2]string{{"remote.origin.url", "git://nobody.invalid/x"}, {"core.gitProxy", evil}}
		}, "origin/main cannot be looked up"},
		{"https", func(_, evil string) [][2]string {
			return [][2]string{{"remote.origin.url", "https://nobody.invalid/x"}, {"credential.helper", "!" + evil}, {"http.proxy", "http://" + evil}}
		}, "origin/main cannot be looked up"},
		{"ext", func(_, evil string) [][2]string { return [][2]string{{"remote.origin.url", "ext::" + evil}} }, refused},
		{"ext, as a URL", func(_, evil string) [][2]string { return [][2]string{{"remote.origin.url", "ext://" + evil}} }, `scheme "ext"`},
		{"an option", func(_, evil string) [][2]string { return [][2]string{{"remote.origin.url", "--upload-pack=" + evil}} }, "origin/main cannot be looked up"},
		{"ext, instead of what is there", func(far, evil string) [][2]string { return [][2]string{{"url.ext::" + evil + ".insteadOf", far}} }, refused},
		{"ext, instead of https", func(_, evil string) [][2]string {
			return [][2]string{{"remote.origin.url", "https://github.com/a/b"}, {"url.ext::" + evil + " .insteadOf", "https://"}}
		}, refused},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, git := cloned(t)
			marks := filepath.Join(t.TempDir(), "marks")
			evil := filepath.Join(filepath.Dir(marks), "evil")
			hooks := filepath.Join(filepath.Dir(marks), "hooks")
			script := "#!/bin/sh\necho \"$0 $*\" >>" + marks + "\nexit 1\n"
			files := []string{evil}
			for _, hook := range []string{"reference-transaction", "post-checkout", "post-index-change", "pre-auto-gc", "fsmonitor-watchman"} {
				files = append(files, filepath.Join(hooks, hook), filepath.Join(dir, ".git", "hooks", hook))
			}
			for _, f := range files {
				if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(f, []byte(script), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			want := git("far", "rev-parse", "main")
			for _, set := range append(c.arm(filepath.Join(filepath.Dir(dir), "far"), evil), [2]string{"protocol.ext.allow", "always"}, [2]string{"protocol.allow", "always"},
				[2]string{"credential.helper", "!" + evil}, [2]string{"uploadpack.packObjectsHook", evil}, [2]string{"core.alternateRefsCommand", evil},
				[2]string{"core.hooksPath", hooks}, [2]string{"core.fsmonitor", evil}) {
				git("near", "config", set[0], set[1])
			}
			_ = os.Remove(marks) // arming runs git
			for _, asks := range []string{FetchFlag, "base: newest (from config.yaml:1)"} {
				for name, begin := range map[string]func(*Work) error{
					"a session": func(w *Work) error {
						_, err := w.BeginBranch(t.Context(), "feat/x", nil)
						return err
					},
					"all else": func(w *Work) error {
						if _, p := w.Begin(t.Context(), "", nil); p != nil {
							return p
						}
						return nil
					},
				} {
					w := &Work{Repo: tasks.Repo{Kind: tasks.RepoPath, Name: dir}, Source: TopLevel(t.Context(), dir), Fetch: asks}
					if err := w.Check(t.Context(), filepath.Dir(dir), false); err != nil {
						t.Error(err)
					}
					Uncommitted(t.Context(), dir)
					Identity(t.Context(), dir)
					err := begin(w)
					switch {
					case c.says == begins && err == nil:
						begun(t, w, want)
					case c.says == begins || err == nil || !strings.Contains(err.Error(), c.says):
						t.Errorf("%s: %v, want %q", name, err, c.says)
					case !strings.Contains(hintOf(err), "leave "+asks):
						t.Errorf("%s: %v, and it does not say how to go on: %q", name, err, hintOf(err))
					}
				}
			}
			if ran, err := os.ReadFile(marks); err == nil {
				t.Errorf("it ran\n%s", ran)
			}
			_ = exec.Command("git", "-C", dir, "fetch", "-q").Run()
			if _, err := os.Stat(marks); err != nil && c.name != "https" { // for https, git first resolves the host
				t.Errorf("git itself runs nothing here: %v", err)
			}
		})
	}
}

func hintOf(err error) string {
	var p *problem.Problem
	if !errors.As(err, &p) {
		return ""
	}
	return p.Hint
}
