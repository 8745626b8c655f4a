package git

import (
	"fmt"
	"os"
)

// Silent is the environment with which git and ssh ask for no password: they get an empty answer.
var Silent = []string{"GIT_ASKPASS=true", "SSH_ASKPASS=true", "SSH_ASKPASS_REQUIRE=force"}

// Login returns an environment in which git logs in at an https host with a token and uses the settings. Call end
// when git has ended. The token is in a file that only this user may read, since every program that git starts gets
// the environment, and ps can show it.
func Login(host, token string, settings ...[2]string) (env []string, end func(), err error) {
	if token == "" && len(settings) == 0 {
		return nil, func() {}, nil // the captain's own settings apply
	}
	if token == "" {
		return ConfigEnv(settings), func() {}, nil
	}
	f, err := os.CreateTemp("", "ocaptain-git-") // 0600
	if err != nil {
		return nil, nil, fmt.Errorf("token for git: %w", err)
	}
	end = func() { _ = os.Remove(f.Name()) }
	_, err = f.WriteString(token)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		end()
		return nil, nil, fmt.Errorf("token for git: %w", err)
	}
	name := "credential.https://" + host + ".helper"
	settings = append(settings[:len(settings):len(settings)], [2]string{name, ""}, // drops the captain's own helpers
		[2]string{name, `!f() { test "$1" = get && echo username=x-access-token && echo "password=$(cat "$OCAPTAIN_GIT_LOGIN")"; }; f`})
	return append(ConfigEnv(settings), "OCAPTAIN_GIT_LOGIN="+f.Name()), end, nil
}
