package hub

import (
	"path/filepath"
	"testing"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/sync/synctest"
)

func TestWork(t *testing.T) {
	synctest.Run(t, func(t *testing.T, source string) synctest.Rig {
		dir := filepath.Join(t.TempDir(), "workspace")
		if _, err := origin.Prepare(t.Context(), dir, source, synctest.Branch, origin.Options{}); err != nil {
			t.Fatal(err)
		}
		reopen := func(t *testing.T) sync.Work {
			h, err := Open(t.Context(), dir, synctest.Branch, Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { h.Close() })
			return h
		}
		return synctest.Rig{
			Work: reopen(t), Dir: dir, Reopen: reopen,
			Remote: func(t *testing.T, name string) (sync.Remote, string) {
				tree := filepath.Join(t.TempDir(), "workspace")
				if t.Name() == "TestWork/cancel" {
					return process{tree}, tree
				}
				return direct{tree}, tree
			},
		}
	})
}
