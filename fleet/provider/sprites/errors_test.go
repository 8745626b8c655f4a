package sprites_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"ocaptain/fleet/provider/sprites"
	"ocaptain/fleet/provider/sprites/spritestest"
)

// An error about a file that may not be written is no error of the login.
func TestForbiddenFile(t *testing.T) {
	f := fake(t, spritestest.Options{})
	f.Plan(spritestest.Fault{Method: http.MethodPut, Path: "/v1/sprites/*/fs/write", Times: 1, Misdeed: spritestest.Forbid})
	_, err := client(t, f).Create(soon(t), spec(t, "ship-0"))
	if err == nil || errors.Is(err, sprites.ErrToken) || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("got %v", err)
	}
}
