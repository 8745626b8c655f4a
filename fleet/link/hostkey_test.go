package link

import (
	"crypto/ed25519"
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// TestSeveralHostKeys checks that each of the pinned keys is accepted, and no other key.
func TestSeveralHostKeys(t *testing.T) {
	var keys []ssh.PublicKey
	var lines []string
	for range 3 {
		public, _, err := ed25519.GenerateKey(nil)
		if err != nil {
			t.Fatal(err)
		}
		k, err := ssh.NewPublicKey(public)
		if err != nil {
			t.Fatal(err)
		}
		keys, lines = append(keys, k), append(lines, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(k))))
	}
	p, err := newPin(Config{Name: "ship-0", HostKey: lines[0] + "\n" + lines[1] + "\n"})
	if err != nil {
		t.Fatal(err)
	}
	for i, key := range keys {
		err := p.checkHostKey("", nil, key)
		var changed *HostKeyError
		switch {
		case i < 2 && err != nil:
			t.Errorf("pinned key %d: %v", i, err)
		case i == 2 && (!errors.As(err, &changed) || !strings.Contains(changed.Pinned, ssh.FingerprintSHA256(keys[1]))):
			t.Errorf("another key: %v", err)
		}
	}
	if got := p.algorithms(); !slices.Contains(got, ssh.KeyAlgoED25519) {
		t.Errorf("algorithms: %s", got)
	}
	if got := p.String(); got != lines[0]+"\n"+lines[1] {
		t.Errorf("pinned: %q", got)
	}
	if _, err := newPin(Config{Name: "ship-0", HostKey: lines[0] + "\nnonsense"}); err == nil {
		t.Error("half of it is nonsense")
	}
}
