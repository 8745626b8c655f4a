// Package aboardtest makes homes of ships for tests, and reads what programs wrote there.
package aboardtest

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/journal"
)

// NewShip makes the home directory of a ship and returns its path. change may change the ship's settings.
func NewShip(t *testing.T, change func(*proto.Ship)) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "oc") // short, as the path of a socket is limited: a test's own directory is named after the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := proto.Ship{
		Voyage: "voyage-1", Name: "ship-0", Role: "worker", Agent: "claude", List: "voyage-1-tasks",
		Workspace: filepath.Join(dir, "voyage", "workspace"), Prompt: "Begin.",
	}
	if change != nil {
		change(&s)
	}
	if err := errors.Join(os.MkdirAll(s.Workspace, 0o755), shipdir.Dir(dir).Make(), shipdir.WriteJSON(shipdir.Dir(dir).Ship(), s)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// JournalOf returns the data of all records of one kind in the ship's journal.
func JournalOf[T any](t *testing.T, dir, kind string) []T {
	t.Helper()
	var all []T
	_, err := journal.Read(shipdir.Dir(dir).Journal(), 0, func(r journal.Record) error {
		if r.Kind != kind {
			return nil
		}
		var v T
		err := json.Unmarshal(r.Data, &v)
		all = append(all, v)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
