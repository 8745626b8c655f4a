package helm

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/exedev"
)

// Exedev is the provider of machines at exe.dev, for the install of that id. It logs in with the
// token given, else with the one that was kept last, else with the captain's ssh keys.
//
// OCAPTAIN_EXEDEV_URL names a stand-in for exe.dev, for tests; OCAPTAIN_EXEDEV_KEY the file of
// the only ssh key to use.
func Exedev(h fleet.Hub, install, token string) (*exedev.Provider, error) {
	return exedev.New(exedev.Options{
		Dir: filepath.Join(h.State, "exedev"), Install: install, Home: h.Home,
		KeyFile: os.Getenv("OCAPTAIN_EXEDEV_KEY"), Agent: os.Getenv("SSH_AUTH_SOCK"), Via: os.Getenv("OCAPTAIN_EXEDEV_URL"),
		Token: func() string {
			if token != "" {
				return token
			}
			kept, _ := KeptExeToken(h)
			return kept
		},
	})
}

// KeepExeToken leaves a token for exe.dev where helm finds it, also when it sinks the ships after
// it was started anew. It stays until another one is kept.
func KeepExeToken(h fleet.Hub, token string) error {
	return renameio.WriteFile(exeToken(h), []byte(token+"\n"), 0o600)
}

// KeptExeToken returns the token that was kept last, "" for none, and the file that it is in.
func KeptExeToken(h fleet.Hub) (token, file string) {
	raw, err := os.ReadFile(exeToken(h))
	if err != nil {
		return "", exeToken(h)
	}
	return strings.TrimSpace(string(raw)), exeToken(h)
}

func exeToken(h fleet.Hub) string { return filepath.Join(h.State, "exedev.token") }
