package sailform

import (
	"os"
	"path/filepath"
	"testing"

	"ocaptain/fleet"
	"ocaptain/sync/mutagen/mutagentest"
)

// The form chooses the way of synchronizing as the command line does: without a fitting Mutagen, a shared tree is
// refused.
func TestSync(t *testing.T) {
	h := open(t, "OCAPTAIN_AGENT=script")
	h.Press("example:tiny")
	h.looked()
	h.Shows("Sync        ● git  ○ live", "a tree for each ship")
	h.at = atSync
	h.Press("right")
	h.looked()
	h.Shows("○ git  ● live", "one tree that you and all ships share")
	good, old := os.Getenv("PATH"), t.TempDir()
	if err := os.WriteFile(filepath.Join(old, "mutagen"), []byte("#!/bin/sh\necho 0.1.0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", old+string(os.PathListSeparator)+good)
	h.Press("ctrl+s")
	h.Until("it was checked", func() bool { return h.wrong != nil })
	h.Shows("needs Mutagen")
	if h.at != atSync {
		t.Errorf("the field at hand is %d", h.at)
	}
	t.Setenv("PATH", good)
	mutagentest.InPath(t)
	h.Press("ctrl+s")
	h.Until("the form closes", func() bool { return h.Closed })
	if h.order.Sync != fleet.SyncLive {
		t.Errorf("the order has %q", h.order.Sync)
	}
}

// The configuration's way applies as long as neither the captain nor the plan chooses one.
func TestSyncOfTheConfiguration(t *testing.T) {
	h := open(t, "OCAPTAIN_SYNC=live")
	h.Shows("○ git  ● live", "OCAPTAIN_SYNC")
}
