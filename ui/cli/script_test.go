package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ocaptain/fleet/private/privatetest"
	screen "ocaptain/ui/dash/golden"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // output must not depend on where the tests run
	testscript.Main(m, map[string]func(){"ocaptain": func() { os.Exit(Main("1.2.3")) }})
}

// TestScripts runs the program as the captain does, in a home of its own. No script needs helm.
func TestScripts(t *testing.T) {
	t.Cleanup(privatetest.Runtime())
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			e.Setenv("COLUMNS", "")
			e.Setenv("TZ", "UTC")
			e.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise every command of a script takes a second more
			e.Setenv("XDG_RUNTIME_DIR", os.Getenv("XDG_RUNTIME_DIR"))
			return os.MkdirAll(home, 0o755)
		},
		UpdateScripts: screen.Updating(),
	})
}
