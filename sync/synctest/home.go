package synctest

import (
	"os"
	"path/filepath"
	"testing"
)

// AsCaptain runs the tests with a HOME whose git settings name the captain, and returns the exit code for TestMain.
func AsCaptain(m *testing.M) int {
	home, err := os.MkdirTemp("", "sync-home-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
	os.Setenv("HOME", home)
	os.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	config := "[user]\n\tname = Captain Test\n\temail = captain@example.org\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600); err != nil {
		panic(err)
	}
	return m.Run()
}
