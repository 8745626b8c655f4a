//go:build long

package bdtest

import "testing"

func TestBinaryDolt(t *testing.T) { Binary(t, Dolt) }

func TestReadsSessionDolt(t *testing.T) { readsSession(t, Dolt) }

// For 1,000 random graphs, both generations of bd and ocaptain agree on what is ready.
func TestReadyAgreesLong(t *testing.T) {
	for _, version := range []string{Files, Dolt} {
		t.Run(version, func(t *testing.T) {
			for seed := range uint64(13) {
				agrees(t, version, seed)
			}
		})
	}
}
