package helm

import (
	"cmp"
	"os"
	"path/filepath"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/exedev"
	"ocaptain/fleet/tokens"
)

// Exedev is the provider of machines at exe.dev, for the install of that id. It logs in with the
// token given, else with the one that is kept, else with the captain's ssh keys.
//
// OCAPTAIN_EXEDEV_URL names a stand-in for exe.dev, for tests, else what is kept with the token does; OCAPTAIN_EXEDEV_KEY is the
// file of the only ssh key to use.
func Exedev(h fleet.Hub, install, token string) (*exedev.Provider, error) {
	kept := func() tokens.Token {
		t, _ := tokens.StoreOf(h).ReadToken("exedev") // doctor tells of one that is damaged; SSH may do
		return t
	}
	return exedev.New(exedev.Options{
		Dir: filepath.Join(h.State, "exedev"), Runtime: h.Runtime, Install: install, Home: h.Home,
		KeyFile: os.Getenv("OCAPTAIN_EXEDEV_KEY"), Agent: os.Getenv("SSH_AUTH_SOCK"), AgentFile: agentFile(h),
		Via: cmp.Or(os.Getenv("OCAPTAIN_EXEDEV_URL"), kept().URL),
		Token: func() string {
			return cmp.Or(token, kept().Secret)
		},
	})
}
