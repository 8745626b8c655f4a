package provision

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The runner's tmux reads its configuration in every home, even if tmux takes the home's path for a pattern.
func TestStartInAnyHome(t *testing.T) {
	for _, name := range []string{"plain", "C#", "a[1]", "why?", "two words"} {
		t.Run(name, func(t *testing.T) {
			sockets, err := os.MkdirTemp("/tmp", "oc-") // a socket needs a short path
			if err != nil {
				t.Fatal(err)
			}
			home := filepath.Join(t.TempDir(), name)
			tmux := func(args ...string) *exec.Cmd {
				cmd := exec.Command(args[0], args[1:]...)
				cmd.Env = append(os.Environ(), "HOME="+home, "TMUX_TMPDIR="+sockets)
				return cmd
			}
			t.Cleanup(func() {
				_ = tmux("tmux", "-L", "t", "kill-server").Run()
				_ = os.RemoveAll(sockets)
			})
			runner := filepath.Join(home, "runner")
			if err := os.MkdirAll(filepath.Join(home, ".ocaptain"), 0o700); err != nil {
				t.Fatal(err)
			}
			for file, text := range map[string]string{filepath.Join(home, ".ocaptain/tmux.conf"): TmuxConf, runner: "#!/bin/sh\nexec sleep 600\n"} {
				if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if out, err := tmux("sh", "-c", startScript, "sh", "t", runner, "", "").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			out, err := tmux("tmux", "-L", "t", "show-options", "-gv", "history-limit").CombinedOutput()
			if limit := strings.TrimSpace(string(out)); err != nil || !strings.Contains(TmuxConf, "history-limit "+limit+"\n") {
				t.Errorf("history-limit is %q, %v", limit, err)
			}
		})
	}
}
