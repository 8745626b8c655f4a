package exedev

import (
	"cmp"
	"os"
	"path/filepath"

	"ocaptain/fleet"
	"ocaptain/fleet/openssh"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/tokens"
	"ocaptain/fleet/tools"
)

// Descriptor describes this provider.
var Descriptor = describe.Provider{
	Name: "exedev", Tailnet: true, Arch: "amd64", Where: "at exe.dev", Service: "exe.dev", Login: findLogin, Title: "Ships at exe.dev", Tools: []tools.Tool{tools.SSH},
	Variables: []describe.Variable{
		{Name: "EXE_TOKEN", Login: true},
		{Name: "OCAPTAIN_EXEDEV_KEY", Shell: true},
		{Name: "OCAPTAIN_EXEDEV_URL", Shell: true},
	},
	New: func(e describe.Env) (provider.Provider, error) { return Of(e, "") },
	Used: func(h fleet.Hub) bool {
		_, err := os.Stat(dirOf(h))
		return err == nil
	},
}

func dirOf(h fleet.Hub) string { return filepath.Join(h.State, "exedev") }

// Of returns the provider of machines at exe.dev. It logs in with the given token, else with the stored token, else
// with the captain's ssh keys.
//
// OCAPTAIN_EXEDEV_URL is the URL of a stand-in for exe.dev, for tests; a stored token may have one too. OCAPTAIN_EXEDEV_KEY is
// the file of the only ssh key to use.
func Of(e describe.Env, token string) (*Provider, error) {
	h := e.Hub
	kept := func() tokens.Token {
		t, _ := tokens.StoreOf(h).ReadToken("exedev") // doctor reports a damaged token; ssh may work
		return t
	}
	return New(Options{
		Dir: dirOf(h), Runtime: h.Runtime, Install: e.Install, Home: h.Home,
		KeyFile: os.Getenv("OCAPTAIN_EXEDEV_KEY"), Agent: os.Getenv("SSH_AUTH_SOCK"), AgentFile: openssh.AgentFile(h.State),
		Via:   cmp.Or(os.Getenv("OCAPTAIN_EXEDEV_URL"), kept().URL),
		Token: func() string { return cmp.Or(token, kept().Secret) },
	})
}
