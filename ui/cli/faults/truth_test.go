package faults

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"ocaptain/ui/cli/faults/reader"
)

// truth compares what status says with what can be known, from the start of a voyage until it is judged.
type truth struct {
	reader.Watch
	told func(lie string)
	stop func()

	asking  sync.Mutex // held while status runs, which starts helm when none runs
	mu      sync.Mutex
	cancel  context.CancelFunc // ends the running status
	waiting int                // how many callers want no status to run
	helms   map[int]bool       // every helm that was seen or named
	lived   map[string][]process
}

// How often the journal and the processes are read, and status is run.
const (
	lookEvery = 250 * time.Millisecond
	askEvery  = time.Second
)

// watch compares until the returned function is called.
func (v *voyage) watch() {
	ctx, stop := context.WithCancel(context.Background())
	var both sync.WaitGroup
	both.Go(func() { every(ctx, lookEvery, v.observe) })
	both.Go(func() { every(ctx, askEvery, func() { v.ask(ctx) }) })
	v.truth.stop = sync.OnceFunc(func() {
		stop()
		both.Wait()
	})
}

func every(ctx context.Context, d time.Duration, do func()) {
	tick := time.NewTicker(d)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			do()
		case <-ctx.Done():
			return
		}
	}
}

// observe records the present state.
func (v *voyage) observe() {
	v.memory.Look(v.journal())
	v.SetDead(time.Now(), v.deadNow())
}

// deadNow lists the ships without processes, and the helms that ended. It searches the processes only once all that it
// found before have ended.
func (v *voyage) deadNow() (dead []string) {
	t := &v.truth
	t.mu.Lock()
	defer t.mu.Unlock()
	for pid := range t.helms {
		if !reader.Alive(pid) {
			dead = append(dead, reader.HelmName(pid))
		}
	}
	lived := map[string][]process{}
	for name := range v.ships() {
		for _, p := range t.lived[name] {
			if reader.Alive(p.pid) {
				lived[name] = t.lived[name]
			}
		}
		if lived[name] == nil {
			lived[name] = v.aboard(name)
		}
		if len(lived[name]) == 0 {
			dead = append(dead, name)
		}
	}
	t.lived = lived
	return dead
}

// ask runs status once, and reports lies that have lasted.
func (v *voyage) ask(ctx context.Context) {
	t := &v.truth
	t.asking.Lock()
	defer t.asking.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t.mu.Lock()
	t.cancel = cancel
	if t.waiting > 0 {
		cancel()
	}
	t.mu.Unlock()
	asked := time.Now()
	cmd := exec.CommandContext(ctx, v.teller(), "status", "--json", v.id)
	cmd.Env, cmd.Dir = v.env, v.home
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err := cmd.Run()
	if ctx.Err() != nil || cmd.ProcessState == nil {
		return
	}
	a := reader.Answer{Out: out.Bytes(), Code: cmd.ProcessState.ExitCode()}
	s, said := a.Read()
	if said != nil {
		v.note("status: %v, %v %.200s", said, err, complaint.Bytes())
	}
	t.mu.Lock()
	if s.Helm > 0 {
		t.helms[s.Helm] = true
	}
	t.mu.Unlock()
	v.observe()
	for _, lie := range v.Judge(asked, busy(), a, &v.memory) {
		t.told(fmt.Sprintf("status: %s, in %d answers until %.3f", lie, reader.Lasting, time.Since(v.begun).Seconds()))
	}
}

// teller returns the program that is run as status.
func (v *voyage) teller() string {
	if v.liar != "" {
		return v.liar
	}
	return v.program
}

// undisturbed calls do while no status runs, as status starts helm when none runs.
func (v *voyage) undisturbed(do func()) {
	t := &v.truth
	wait := func(n int) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.waiting += n
		t.cancel()
	}
	wait(1)
	defer wait(-1)
	t.asking.Lock()
	defer t.asking.Unlock()
	do()
}

// busy reports whether programs had to wait for this machine's processors in a tenth of the last ten seconds. On a
// kernel that does not say so, it uses the load.
func busy() bool {
	raw, err := os.ReadFile("/proc/pressure/cpu")
	if _, rest, ok := strings.Cut(string(raw), "avg10="); ok && err == nil {
		number, _, _ := strings.Cut(rest, " ")
		share, err := strconv.ParseFloat(number, 64)
		return err != nil || share > 10
	}
	var load float64
	raw, err = os.ReadFile("/proc/loadavg")
	_, scan := fmt.Sscan(string(raw), &load)
	return errors.Join(err, scan) != nil || load > float64(runtime.NumCPU())
}
