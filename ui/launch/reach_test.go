package launch

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The token reaches git for GitHub alone, and neither arguments nor configuration hold it.
func TestGitLogin(t *testing.T) {
	env := gitLogin("ghp_SECRET")
	for host, want := range map[string]bool{"github.com": true, "example.org": false} {
		cmd := exec.Command("git", "credential", "fill")
		cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_ASKPASS=true"}, env...)
		cmd.Stdin = strings.NewReader("protocol=https\nhost=" + host + "\n\n")
		out, _ := cmd.Output() // fails where nothing is known
		if got := strings.Contains(string(out), "password=ghp_SECRET\n"); got != want {
			t.Errorf("%s: %s", host, out)
		}
	}
	for _, kv := range env {
		if name, v, _ := strings.Cut(kv, "="); strings.Contains(v, "SECRET") && name != "OCAPTAIN_GIT_TOKEN" {
			t.Errorf("the token is in %s", name)
		}
	}
}
