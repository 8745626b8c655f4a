package link_test

import (
	"strings"
	"testing"
	"time"
)

// What a ship's shell prints instead of running the command is limited.
func TestShipThatNeverStartsTheCommand(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ force, want string }{
		"endless noise": {`exec yes`, "printed this"},
		"silence":       {`exec sleep 20`, "no answer came within 3s"},
		"words":         {`printf 'go away'; exit 1`, `"go away"`},
		"wrong pid":     {`echo ocaptain-pid:-1; exec sleep 20`, `told "-1"`},
		"huge pid":      {`echo ocaptain-pid:99999999999999999999; exec sleep 20`, "as process id"},
		"half a mark":   {`printf ocaptain-pid:12`, "printed this"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := startSSHD(t, "ForceCommand "+c.force).config()
			cfg.ConnectTimeout = 3 * time.Second
			l := open(t, cfg)
			if err := l.AwaitConnected(soon(t)); err != nil {
				t.Fatal(err)
			}
			if _, err := l.Run(soon(t), sh("true")); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
