package hook

import (
	"io"
	"testing"
	"time"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
)

// fireWithin runs a hook with a time limit.
func fireWithin(t *testing.T, limit time.Duration, dir, event string, payload any) aboardtest.Reply {
	t.Helper()
	return aboardtest.FireWith(t, func(in io.Reader, out, stderr io.Writer) int {
		return hookWithin(t.Context(), limit, shipdir.Dir(dir), event, in, out, stderr)
	}, payload)
}
