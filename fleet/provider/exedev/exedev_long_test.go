//go:build long

package exedev_test

import (
	"testing"
	"time"

	"ocaptain/fleet/provider/exedev/exedevtest"
)

// TestContractByLobby checks the contract when nothing fails and machines are reached directly.
func TestContractByLobby(t *testing.T) {
	way{config: exedevtest.Config{Latency: 5 * time.Millisecond}}.contract(t)
}
