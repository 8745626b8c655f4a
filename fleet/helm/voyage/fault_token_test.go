package voyage

import (
	"crypto/ed25519"
	"testing"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/tokens"
)

// atExe gives the hub an account at a stand-in for exe.dev, and returns its token.
func atExe(t *testing.T, hub fleet.Hub, c exedevtest.Config) (*exedevtest.Fake, string) {
	t.Helper()
	public, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	c.Keys, c.TellUser = []ssh.PublicKey{key}, true
	f := exedevtest.Start(t, c)
	return f, newExeToken(t, hub, f)
}

// newExeToken has the hub keep a token that is good, and where that is.
func newExeToken(t *testing.T, hub fleet.Hub, f *exedevtest.Fake) string {
	t.Helper()
	token := f.Token("ls", "new", "rm", "restart", "ssh", "whoami", "ssh-key add")
	if err := tokens.StoreOf(hub).KeepToken("exedev", tokens.Token{Secret: token, URL: f.URL}); err != nil {
		t.Fatal(err)
	}
	return token
}
