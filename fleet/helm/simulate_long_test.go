//go:build long

package helm

import "testing"

// TestGreatSimulation is TestSimulation with a hundred agents and a thousand tasks.
func TestGreatSimulation(t *testing.T) {
	simulate(t, &simulation{epics: 40, parts: 25, workers: 90, validators: 9, kills: 8})
}
