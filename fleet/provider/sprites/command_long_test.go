//go:build long

package sprites_test

import (
	"testing"
	"time"

	"ocaptain/fleet/provider/providertest"
	"ocaptain/fleet/provider/sprites"
	"ocaptain/fleet/provider/sprites/spritestest"
)

// TestContractByCommand checks the contract without a token.
func TestContractByCommand(t *testing.T) {
	providertest.Run(t, func(t *testing.T) *providertest.Subject {
		f := fake(t, spritestest.Options{Latency: 2 * time.Millisecond})
		return subjectOf(f, func() *sprites.Provider { return byCommand(t, f, "acme", map[string]string{"install": "i1"}) })
	})
}
