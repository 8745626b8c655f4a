package sshd

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"
)

// Servers that start at the same time have one host key, which stays.
func TestStandingKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a", "host_key")
	keys := make([]string, 8)
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() {
			raw, err := standingKey(file)
			if err != nil {
				t.Error(err)
			}
			keys[i] = string(raw)
		})
	}
	all.Wait()
	for _, k := range keys {
		if k == "" || k != keys[0] {
			t.Fatal("there are several host keys")
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

func TestIsAuthorized(t *testing.T) {
	file := filepath.Join(t.TempDir(), "authorized_keys")
	raw, err := standingKey(filepath.Join(t.TempDir(), "key"))
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.ParsePrivateKey(raw)
	if err != nil {
		t.Fatal(err)
	}
	line := string(ssh.MarshalAuthorizedKey(signer.PublicKey()))
	for content, want := range map[string]bool{"": false, "nonsense\n": false, line: true, "# a comment\n\n" + line: true, line[:40] + "\n": false} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := isAuthorized(file, signer.PublicKey()); got != want {
			t.Errorf("%q: %v", content, got)
		}
	}
	if isAuthorized(filepath.Join(t.TempDir(), "none"), signer.PublicKey()) {
		t.Error("without a file somebody is let in")
	}
}
