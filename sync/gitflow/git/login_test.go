package git

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestLogin: git gets the token for one host only. No environment has the token; a file that only this user may read
// has it until end is called.
func TestLogin(t *testing.T) {
	env, end, err := Login("github.com", "ghp_SECRET", [2]string{"gc.auto", "0"})
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]bool{"github.com": true, "example.org": false} {
		cmd := exec.Command("git", "credential", "fill")
		cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_ASKPASS=true"}, env...)
		cmd.Stdin = strings.NewReader("protocol=https\nhost=" + host + "\n\n")
		out, _ := cmd.Output() // git credential fails if it has no answer
		if got := strings.Contains(string(out), "password=ghp_SECRET\n"); got != want {
			t.Errorf("%s: %s", host, out)
		}
	}
	file := ""
	for _, kv := range env {
		name, v, _ := strings.Cut(kv, "=")
		if strings.Contains(v, "SECRET") {
			t.Errorf("the token is in %s", name)
		}
		if name == "OCAPTAIN_GIT_LOGIN" {
			file = v
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 {
		t.Errorf("%s: %v, %v", file, info, err)
	}
	end()
	if _, err := os.Stat(file); err == nil {
		t.Errorf("%s is still there", file)
	}
	if env, _, err := Login("github.com", ""); err != nil || len(env) > 0 {
		t.Errorf("without a token: %v, %v", env, err)
	}
}
