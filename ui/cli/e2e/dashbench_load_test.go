package e2e

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/renameio/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/summed"
	"ocaptain/tasks"
)

// The size of the voyage for which the dashboard's time limits hold.
const (
	loadShips   = 100
	loadTasks   = 10_000
	loadRecords = 1_000_000
)

// load is a large voyage on disk. Its board says that its ships are out, and its fleet that they are sunk, so that
// helm leaves the voyage alone.
type load struct {
	dir    fleet.Dir
	boards [][]byte // successive boards, with placeholder in place of the time
}

// placeholder is as long as the time that replaces it.
const (
	placeholder = "2001-02-03T04:05:06.123456789Z"
	placeLayout = "2006-01-02T15:04:05.000000000Z"
)

// newLoad writes the voyage and starts helm, as helm runs when a captain opens a dashboard.
func newLoad(b *testing.B, c *captain) *load {
	b.Helper()
	l := &load{dir: fleet.Dir(filepath.Join(c.hub.Voyages, "voyage-0123456789ab"))}
	if err := os.MkdirAll(l.dir.LogsDir(), 0o700); err != nil {
		b.Fatal(err)
	}
	board := loadBoard(l.dir.ID())
	f := fleet.Fleet{Phase: fleet.Sunk}
	if err := board.Voyage.Save(l.dir); err != nil {
		b.Fatal(err)
	}
	if err := f.Save(l.dir); err != nil {
		b.Fatal(err)
	}
	for n := range 8 {
		if text, err := board.Encode(); err != nil {
			b.Fatal(err)
		} else if err := summed.Write(l.dir.BoardFile(), text, 0o600); err != nil {
			b.Fatal(err)
		}
		raw, err := os.ReadFile(l.dir.BoardFile())
		if err != nil {
			b.Fatal(err)
		}
		l.boards = append(l.boards, raw)
		board.progress(n)
	}
	l.paint(b, 0)
	writeLogs(b, l.dir)
	_, _ = c.try("status") // as ships are out, this starts helm, which cannot run the voyage
	return l
}

// loaded is a board that changes.
type loaded struct{ fleet.Board }

func loadBoard(id string) *loaded {
	began := time.Now().Add(-9 * time.Hour).UTC().Truncate(time.Second)
	at, err := time.Parse(time.RFC3339Nano, placeholder)
	if err != nil {
		panic(err)
	}
	b := &loaded{fleet.Board{
		At: at, Phase: fleet.Sailing, Since: began, Head: strings.Repeat("3f9a1c02", 5),
		Voyage: fleet.Voyage{ID: id, Name: "large", Prompt: "Carry ten thousand tasks home", Branch: id, TaskList: id + "-tasks", ShipCount: loadShips, CreatedAt: began, AgentChoice: fleet.AgentChoice{Agent: "claude"}, Provider: "local"},
	}}
	for i := range loadTasks {
		t := tasks.State{Task: tasks.Task{
			ID: fmt.Sprint(i + 1), Subject: fmt.Sprintf("Port module %d of the storage engine to the new interface", i+1), Status: tasks.Pending,
			Description: fmt.Sprintf("Module %d still calls the old interface. Port it, keep its behaviour and its errors, and extend its tests where they are thin.", i+1),
			Blocks:      []string{}, BlockedBy: []string{}, Metadata: map[string]any{"priority": 2.0, "voyage": "large", "verify": "make test"},
		}}
		for _, back := range []int{17, 100, 333} {
			if i >= back && (i+back)%3 > 0 {
				t.BlockedBy = append(t.BlockedBy, fmt.Sprint(i+1-back))
				b.Tasks[i-back].Blocks = append(b.Tasks[i-back].Blocks, t.ID)
			}
		}
		b.Tasks = append(b.Tasks, t)
	}
	for i := range loadTasks * 6 / 10 {
		b.complete(i)
	}
	for n := range loadShips {
		s := fleet.ShipView{Status: fleet.Status{Word: fleet.Working, Since: began.Add(time.Hour), SeenAt: began.Add(9 * time.Hour), Source: "agent"}, Completed: 60}
		s.Name, s.Number, s.Role, s.Agent, s.Provider = fmt.Sprintf("ship-%d", n), n, "worker", "claude", "local"
		s.Machine, s.Phase, s.Built = provider.Machine{ID: fmt.Sprintf("m-%d", n), Name: fmt.Sprintf("%s-ship%d", id, n), User: "captain"}, fleet.Afloat, 1
		b.Ships = append(b.Ships, s)
		b.claim(loadTasks*6/10+n, n)
	}
	return b
}

func (b *loaded) complete(i int) {
	t := &b.Tasks[i]
	t.Status, t.Owner, t.Commit, t.Epoch, t.Attempts = tasks.Completed, fmt.Sprintf("ship-%d", i%loadShips), fmt.Sprintf("%040x", i), 1, 1
	t.ClaimedAt, t.CompletedAt = b.Since.Add(time.Duration(i)*5*time.Second), b.Since.Add(time.Duration(i+60)*5*time.Second)
}

func (b *loaded) claim(i, ship int) {
	t := &b.Tasks[i]
	t.Status, t.Owner, t.Epoch, t.Attempts, t.ClaimedAt = tasks.InProgress, fmt.Sprintf("ship-%d", ship), 1, 1, b.Since.Add(time.Hour)
	b.Ships[ship].Task = t.ID
}

// progress lets three ships complete their tasks and claim others. It spares the first ships, whose tasks keep their
// places in the list.
func (b *loaded) progress(n int) {
	for ship := 70 + 3*n; ship < 70+3*n+3; ship++ {
		b.complete(loadTasks*6/10 + ship)
		b.claim(loadTasks*6/10+loadShips+ship, ship)
	}
}

// paint writes the n-th board with the present time and its checksum, atomically.
func (l *load) paint(t testing.TB, n int) {
	t.Helper()
	raw := slices.Clone(l.boards[n%len(l.boards)])
	at := bytes.Index(raw, []byte(placeholder))
	copy(raw[at:], time.Now().UTC().Format(placeLayout))
	const sum = ",\n  \"sum\": \""
	at = bytes.LastIndex(raw, []byte(sum))
	copy(raw[at+len(sum):], fmt.Sprintf("%08x", crc32.ChecksumIEEE(raw[:at])))
	if err := renameio.WriteFile(l.dir.BoardFile(), raw, 0o600); err != nil {
		t.Error(err)
	}
}

// logLine returns a line of a ship's log: mostly what its agent does, sometimes its agent's state.
func logLine(at time.Time, ship string, i int) string {
	when := at.UTC().Format(time.RFC3339Nano)
	if i%5 == 0 {
		return fmt.Sprintf(`{"t":%q,"ship":%q,"role":"worker","kind":"agent.state","text":"","data":{"state":"waiting","why":"permission to run make, the %dth time"},"journal":"01JNQ0000000000000000000","seq":%d}`+"\n", when, ship, i, i*300)
	}
	return fmt.Sprintf(`{"t":%q,"ship":%q,"role":"worker","kind":"tool","turn":%d,"task":"17","text":"Edit internal/server/handler_%d.go: request %d said \"no\", so it goes through the queue","journal":"01JNQ0000000000000000000","seq":%d}`+"\n", when, ship, i/10+1, i%50, i*7, i*300)
}

// writeLogs writes a million records of a hundred ships.
func writeLogs(b *testing.B, d fleet.Dir) {
	b.Helper()
	const each = loadRecords / loadShips
	began := time.Now().Add(-8 * time.Hour)
	var buf bytes.Buffer
	for s := range loadShips {
		buf.Reset()
		ship := fmt.Sprintf("ship-%d", s)
		for i := range each {
			buf.WriteString(logLine(began.Add(time.Duration(i*loadShips+s)*28*time.Millisecond), ship, i))
		}
		if err := os.WriteFile(d.LogFile(ship), buf.Bytes(), 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

// goOn writes 2,000 lines a second to the logs of 20 ships, and a board twice a second, until stop is called.
func (l *load) goOn(b *testing.B) (stop func()) {
	b.Helper()
	var files []*os.File
	for s := range 20 {
		f, err := os.OpenFile(l.dir.LogFile(fmt.Sprintf("ship-%d", s)), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, f)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		lines, boards := time.NewTicker(10*time.Millisecond), time.NewTicker(500*time.Millisecond)
		defer lines.Stop()
		defer boards.Stop()
		for n := 0; ; {
			select {
			case at := <-lines.C:
				n++
				for s, f := range files {
					if _, err := f.WriteString(logLine(at, fmt.Sprintf("ship-%d", s), n)); err != nil {
						b.Error(err)
					}
				}
			case <-boards.C:
				l.paint(b, n/50)
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
		for _, f := range files {
			f.Close()
		}
	}
}
