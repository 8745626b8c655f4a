package cli

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ocaptain/fleet"
)

// Helm reads the notify command before each notification. An error in another setting does not prevent a notification.
func TestNotify(t *testing.T) {
	hub := fleet.Hub{Config: t.TempDir()}
	notify := notifier(hub)
	for _, c := range []struct {
		yaml string
		want []string
		ok   bool
	}{
		{"agent: script\n", nil, true},
		{"notify: [tell, me]\n", []string{"tell", "me"}, true},
		{"notify: [tell]\nlocal: {bind: [/no/such/place]}\n", []string{"tell"}, true},
		{"notify: tell\n", nil, false},
	} {
		if err := os.WriteFile(filepath.Join(hub.Config, "config.yaml"), []byte(c.yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		if argv, err := notify(); !slices.Equal(argv, c.want) || (err == nil) != c.ok {
			t.Errorf("%q gives %q, %v", c.yaml, argv, err)
		}
	}
}
