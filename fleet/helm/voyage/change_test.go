package voyage

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/saved"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// While a write of fleet.json hangs, ships claim tasks and the board can be read. Changes return when the file has them, and not before.
func TestDiskStandsStill(t *testing.T) {
	t.Parallel()
	_, d, v, _ := stoppedVoyage(t)
	s, _ := fakeShip(t, v, "ship-0")
	g, err := v.Store.Claim(t.Context(), "ship-0", "1")
	if err != nil {
		t.Fatal(err)
	}
	v.Records.CheckOut(facts.Checkout{Task: "1", Epoch: g.Epoch})
	v.Files.Lock() // as who writes a file holds it
	kept := make(chan error, 2)
	for range 2 {
		go func() { kept <- v.Roster.Change(func(f *fleet.Fleet) { f.Next++ }) }()
	}
	eventually.Holds(t, "both changes", when(v, func() bool { return v.Roster.Now().Next == 2 }))
	if got, err := s.grantClaim(t.Context(), proto.ClaimRequest{}); err != nil || !got.Again {
		t.Errorf("it claims: %+v, %v", got, err)
	}
	if v.Board(); len(kept) > 0 {
		t.Errorf("%d changes are kept", len(kept))
	}
	v.Files.Unlock()
	for range 2 {
		if err := eventually.Receives(t, "the changes", kept); err != nil {
			t.Error(err)
		}
	}
	f, err := fleet.LoadFleet(d)
	if err != nil || f.Next != 2 || !v.Roster.IsSaved() {
		t.Errorf("fleet.json has %+v, %v", f, err)
	}
}

// While another process has the journal, a ship that reports a limit waits for its answer. The board does not, nor who wants to reach a ship.
func TestJournalStandsStill(t *testing.T) {
	t.Parallel()
	_, d, v, _ := stoppedVoyage(t)
	limited, _ := fakeShip(t, v, "ship-0")
	logs, err := openLog(limited.Ship, limited.v.Dir, limited.v.Notes)
	if err != nil {
		t.Fatal(err)
	}
	limited.logs = logs
	t.Cleanup(logs.Close)
	other, err := os.Open(d.Events())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := syscall.Flock(int(other.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	state, err := json.Marshal(proto.AgentState{State: proto.StateLimited, Trouble: "usage", Why: "weekly limit"})
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		batch, _ := json.Marshal(proto.Events{Events: []proto.Event{{Seq: 1, At: time.Now(), Kind: proto.KindAgentState, Data: state}}})
		_, err := limited.methods(nil)[proto.MethodEvents](t.Context(), batch)
		answered <- err
	}()
	eventually.Holds(t, "the limit is known", when(v, func() bool { return v.limits[limited.limit.Login] != nil }))
	info, err := other.Stat()
	if err != nil {
		t.Fatal(err)
	}
	waits := regexp.MustCompile(fmt.Sprintf(`-> FLOCK .*:%d `, info.Sys().(*syscall.Stat_t).Ino))
	eventually.Holds(t, "the journal is waited for", func() bool {
		locks, err := os.ReadFile("/proc/locks")
		return err == nil && waits.Match(locks)
	})
	if s, err := v.ShipNamed("ship-0"); s != limited || err != nil {
		t.Errorf("the ship is %v, %v", s, err)
	}
	if b := v.Board(); len(b.Notes) == 0 || len(answered) > 0 {
		t.Errorf("%d notes, %d answers", len(b.Notes), len(answered))
	}
	if err := syscall.Flock(int(other.Fd()), syscall.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	if err := eventually.Receives(t, "the answer", answered); err != nil {
		t.Error(err)
	}
	if again, err := saved.Replay(d); err != nil || again.Limits[limited.limit.Login] == nil || len(again.Notes) == 0 {
		t.Errorf("the journal tells %+v, %v", again.Limits, err)
	}
}
