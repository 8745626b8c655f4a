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

// truth compares what status says with what can be known, from when a voyage sails until it is judged.
type truth struct {
	reader.Watch
	told func(lie string)
	stop func()

	asking  sync.Mutex // held while status runs, which starts a helm where there is none
	mu      sync.Mutex
	cancel  context.CancelFunc // ends the status that runs
	waiting int                // how many want no status to run
	helms   map[int]bool       // every one that was seen or named
	lived   map[string][]process
}

// How often the journal and processes are looked at, and status is asked for.
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

// observe notes what is so now.
func (v *voyage) observe() {
	v.memory.Look(v.journal())
	v.SetDead(time.Now(), v.deadNow())
}

// deadNow lists the ships of which nothing runs, and the helms that ended. Processes are only looked for once all that
// were found before have ended.
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

// ask asks for the status once, and tells of lies that have lasted.
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

// teller is the program that is asked for the status.
func (v *voyage) teller() string {
	if v.liar != "" {
		return v.liar
	}
	return v.program
}

// undisturbed does something while no status runs, as that starts a helm where there is none.
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

// busy tells whether programs have had to wait for this machine's processors in a tenth of the last ten seconds. A
// kernel that does not tell that tells its load.
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
