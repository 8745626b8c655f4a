// Package dirstoretest opens stores for tests of packages that use a store.
package dirstoretest

import (
	"testing"

	"ocaptain/tasks/dirstore"
	"ocaptain/tasks/journal"
)

// Open opens the store of a new voyage with its journal at events and its task directory at list. The store is closed
// when the test ends.
func Open(t testing.TB, events, list string) *dirstore.Store {
	t.Helper()
	j, err := journal.Open(events)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	s, err := dirstore.Open(list, j, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}
