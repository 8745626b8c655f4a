package dash

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// The size of the voyage for which the time limit of a frame holds.
const (
	benchShips   = 100
	benchTasks   = 10_000
	benchRecords = 1_000_000
)

// benchBoard returns a board of that size.
func benchBoard() *fleet.Board {
	b := &fleet.Board{
		At: noon, Phase: fleet.Sailing, Since: noon.Add(-9 * time.Hour),
		Voyage: fleet.Voyage{ID: "voyage-0123456789ab", Name: "large", Branch: "voyage-0123456789ab", CreatedAt: noon.Add(-9 * time.Hour)},
	}
	for i := range benchTasks {
		t := tasks.State{Task: tasks.Task{
			ID: fmt.Sprint(i + 1), Subject: fmt.Sprintf("Port module %d of the storage engine to the new interface", i+1), Status: tasks.Pending,
			Description: "It still calls the old interface. Port it, keep its behaviour and its errors, and extend its tests where they are thin.",
			Metadata:    map[string]any{"priority": 2.0, "verify": "make test"},
		}}
		for _, back := range []int{17, 100, 333} {
			if i >= back && (i+back)%3 > 0 {
				t.BlockedBy = append(t.BlockedBy, fmt.Sprint(i+1-back))
			}
		}
		if i < benchTasks*6/10 {
			t.Status, t.Owner, t.CompletedAt = tasks.Completed, fmt.Sprintf("ship-%d", i%benchShips), noon.Add(-time.Hour)
		}
		b.Tasks = append(b.Tasks, t)
	}
	for n := range benchShips {
		s := fleet.ShipView{Status: fleet.Status{Word: fleet.Working, Since: noon.Add(-time.Hour), SeenAt: noon}, Completed: 60}
		s.Name, s.Number, s.Role, s.Phase = fmt.Sprintf("ship-%d", n), n, "worker", fleet.Afloat
		b.Ships = append(b.Ships, s)
		benchClaim(b, benchTasks*6/10+n, n)
	}
	return b
}

func benchClaim(b *fleet.Board, i, ship int) {
	t := &b.Tasks[i]
	t.Status, t.Owner, t.ClaimedAt = tasks.InProgress, b.Ships[ship].Name, noon.Add(-time.Hour)
	b.Ships[ship].Task = t.ID
}

// benchLine is a line of a log.
func benchLine(b *bytes.Buffer, at time.Time, ship, i int) {
	fmt.Fprintf(b, `{"t":%q,"ship":"ship-%d","role":"worker","kind":"tool","turn":%d,"task":"17","text":"Edit internal/server/handler_%d.go: request %d said \"no\", so it goes through the queue","journal":"01JNQ0000000000000000000","seq":%d}`+"\n",
		at.Format(time.RFC3339Nano), ship, i/10+1, i%50, i*7, i*300)
}

// setBenchStage opens the dashboard on the large voyage, and returns boards that may follow.
func setBenchStage(b *testing.B) (s *stage, boards [][]byte) {
	b.Helper()
	board := benchBoard()
	s = setStage(b, 200, 50, board, nil, nil)
	for ship := 70; ship < 78; ship++ { // ships that are not on the screen
		board.Tasks[benchTasks*6/10+ship].Status = tasks.Completed
		benchClaim(board, benchTasks*6/10+benchShips+ship, ship)
		raw, err := json.Marshal(board)
		if err != nil {
			b.Fatal(err)
		}
		boards = append(boards, raw)
	}
	if err := os.MkdirAll(s.dir.LogsDir(), 0o755); err != nil {
		b.Fatal(err)
	}
	const each = benchRecords / benchShips
	var buf bytes.Buffer
	for ship := range benchShips {
		buf.Reset()
		for i := range each {
			benchLine(&buf, noon.Add(time.Duration((i-each)*benchShips+ship)*28*time.Millisecond), ship, i)
		}
		if err := os.WriteFile(s.dir.LogFile(fmt.Sprintf("ship-%d", ship)), buf.Bytes(), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	s.m.open(s.dir) // opens the voyage again, with the logs as its past
	s.until("the logs are read", func() bool { return s.m.v.Loaded && strings.Contains(s.m.v.Logs.Info(), "1,000,000 lines") })
	return s, boards
}

// BenchmarkFrame measures Update and View for one frame of 200 by 50 cells, at sixty frames a second: all messages
// since the last frame, a key, and the drawing. Meanwhile 2,000 log lines and two boards a second arrive. One
// iteration is one frame; give it -benchtime 1200x for 20 seconds.
func BenchmarkFrame(b *testing.B) {
	s, raws := setBenchStage(b)
	ctx, cancel := context.WithCancel(b.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.goOn(ctx, raws)
	}()
	defer func() {
		cancel()
		<-over
	}()
	runtime.LockOSThread() // threadTime measures this thread
	defer runtime.UnlockOSThread()
	var frames, busy, boards []time.Duration
	n := 0
	clock := time.NewTicker(time.Second / 60)
	defer clock.Stop()
	for b.Loop() {
		<-clock.C
		was := s.m.v.Board
		var took, used time.Duration
		update := func(msg tea.Msg) {
			began, cpu := time.Now(), threadTime(b)
			_, c := s.m.Update(msg)
			took, used = took+time.Since(began), used+threadTime(b)-cpu
			s.run(c)
		}
		for waiting := len(s.msgs); waiting > 0; waiting-- {
			update(<-s.msgs)
		}
		keys := [...]string{"j", "j", "k", "k"}
		if n++; n%300 == 0 {
			keys[0] = fmt.Sprint(n/300%3 + 1) // the key of another pane
		}
		update(keyNamed(s, keys[n%4]))
		began, cpu := time.Now(), threadTime(b)
		s.m.View()
		took, used = took+time.Since(began), used+threadTime(b)-cpu
		frames, busy = append(frames, took), append(busy, used)
		if s.m.v.Board != was {
			boards = append(boards, used)
		}
	}
	for name, all := range map[string][]time.Duration{"frame": frames, "frame-cpu": busy, "board-frame-cpu": boards} {
		if slices.Sort(all); len(all) > 0 {
			b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, name+"-p50-ms")
			b.ReportMetric(float64(all[(len(all)-1)*99/100].Microseconds())/1000, name+"-p99-ms")
		}
	}
	b.ReportMetric(float64(len(boards)), "boards")
	b.ReportMetric(0, "ns/op")
}

// threadTime returns the processor time of this thread: the time of a frame on an idle machine.
func threadTime(b *testing.B) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}

// goOn writes logs and boards of a large voyage until ctx ends.
func (s *stage) goOn(ctx context.Context, boards [][]byte) {
	lines, paint := time.NewTicker(10*time.Millisecond), time.NewTicker(500*time.Millisecond)
	defer lines.Stop()
	defer paint.Stop()
	var buf bytes.Buffer
	for n := 0; ; {
		select {
		case <-lines.C:
			n++
			for ship := range 20 {
				buf.Reset()
				benchLine(&buf, noon, ship, n)
				f, err := os.OpenFile(s.dir.LogFile(fmt.Sprintf("ship-%d", ship)), os.O_APPEND|os.O_WRONLY, 0)
				if err != nil {
					s.Error(err)
					return
				}
				_, err = f.Write(buf.Bytes())
				if f.Close(); err != nil {
					s.Error(err)
				}
			}
		case <-paint.C:
			if err := renameio.WriteFile(s.dir.BoardFile(), boards[n/50%len(boards)], 0o644); err != nil {
				s.Error(err)
			}
		case <-ctx.Done():
			return
		}
	}
}
