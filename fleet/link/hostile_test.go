package link_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/link"
)

// What a ship's shell prints instead of running the command is bounded, and shown without its
// control characters.
func TestShipThatNeverStartsTheCommand(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ force, want string }{
		"endless noise": {`exec yes`, "printed this"},
		"silence":       {`exec sleep 20`, "deadline exceeded"},
		"escapes":       {`printf 'go \033]0;title\007\033[2Jaway'; exit 1`, `"go away"`},
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

func TestErrorsShowNoControlCharacters(t *testing.T) {
	t.Parallel()
	l := openReady(t)
	_, err := l.Run(soon(t), sh(`printf '\033]52;c;aGk=\007a\rb\000c\342\200\256d\377\033[31m\n' >&2; exit 1`))
	var exit *link.ExitError
	if !errors.As(err, &exit) || exit.Stderr != "abcd\uFFFD" {
		t.Errorf("got %q", err)
	}
}
