package voyage

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	gosync "sync"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/link"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/summed"
	gitship "ocaptain/sync/gitflow/ship"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// simulation is a session whose agents are functions of the test. They have trees, but no machines: what they ask helm comes as from the
// connections of their ships. Seed makes what they do random; without one they do what they should.
type simulation struct {
	epics, parts        int // how many, and tasks of each
	workers, validators int
	kills               int // of helm, and of all agents with it
	work                time.Duration
	seed                uint64
	home                string

	// What else happens to a ship once it is connected, and around the work of an agent on what it has claimed; nil for nothing.
	boarded func(s *Ship)
	around  func(a *simulated, g proto.Grant, do func(proto.Grant))
	beside  func(a *simulated)                     // runs beside each worker
	claimed func(a *simulated, took time.Duration) // called for each claim that is granted

	t    testing.TB
	dir  fleet.Dir
	over chan struct{} // closed when all is done

	mu       gosync.Mutex
	life     *life         // of helm, nil between two
	lives    chan struct{} // closed and replaced when a life begins
	deaths   int
	restarts int
}

// life is one of helm.
type life struct {
	helm  *helm
	v     *Voyage
	ctx   context.Context // of what agents ask
	end   context.CancelFunc
	calls gosync.WaitGroup
}

// create makes the session and its epics, all but the last, which is asked for when it is under way.
func (m *simulation) create() {
	var epics []tasks.Task
	for i := range m.epics - 1 {
		epics = append(epics, m.epic(i+1))
	}
	m.dir = helmtest.Voyage(m.t, m.hub(), fleet.Voyage{Kind: fleet.Session, Validators: m.validators}, "", epics...)
	all := fleet.Fleet{Phase: fleet.Sailing}
	add := func(role string, n int) {
		for i := range n {
			f := &fleet.Ship{Name: fmt.Sprint(role, "-", i), Role: role, Number: all.Next, Phase: fleet.Afloat, Provider: "local", Agent: []string{"script", "claude"}[i%2]}
			all.Ships, all.Next = append(all.Ships, f), all.Next+1
		}
	}
	add(fleet.Planner, 1)
	add(fleet.Validator, m.validators)
	add(fleet.Worker, m.workers)
	if err := summed.Write(m.dir.FleetFile(), all, 0o600); err != nil {
		m.t.Fatal(err)
	}
}

func (m *simulation) epic(n int) tasks.Task {
	e, err := tasks.NewEpic(fmt.Sprint("epic ", n), nil, 2)
	if err != nil {
		m.t.Fatal(err)
	}
	e.ID = fmt.Sprint(n)
	return e
}

func (m *simulation) hub() fleet.Hub { return helmtest.HubAt(m.t, m.home) }

// run has all agents work until the session is verified.
func (m *simulation) run() {
	var all gosync.WaitGroup
	m.begin(&all)
	all.Go((&simulated{simulation: m, random: rand.New(rand.NewPCG(m.seed, 1<<32))}).command)
	all.Wait()
	m.close()
	m.t.Logf("%d deaths, helm was closed %d times", m.deaths, m.restarts)
}

// begin begins the first life of helm, and has all agents work until it is over.
func (m *simulation) begin(all *gosync.WaitGroup) {
	m.over, m.lives = make(chan struct{}), make(chan struct{})
	m.open()
	for i, f := range m.life.v.Roster.Now().Ships {
		a := &simulated{simulation: m, name: f.Name, number: f.Number, random: rand.New(rand.NewPCG(m.seed, uint64(i)))}
		switch f.Role {
		case fleet.Planner:
			all.Go(a.plan)
		case fleet.Validator:
			all.Go(a.validate)
		default:
			all.Go(a.toil)
			if m.beside != nil {
				all.Go(func() { m.beside(a) })
			}
		}
	}
}

// open begins a life of helm: it takes up the session from disk, and all ships are connected.
func (m *simulation) open() {
	h := startHelm(m.t, m.hub())
	v := openStill(m.t, h, m.dir)
	l := &life{helm: h, v: v}
	l.ctx, l.end = context.WithCancel(context.Background())
	for _, f := range v.Roster.Now().Ships {
		v.ships[f.Name] = m.board(v, f, m.newestTree(f.Name))
	}
	for _, job := range []func(){v.keeper.Paint, v.keeper.Run, v.followStore, v.claims.Listen, v.Verifier.Run, v.rouser} {
		v.Go(job)
	}
	v.Requests.Review.Run()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.life = l
	close(m.lives)
	m.lives = make(chan struct{})
}

// close ends a life of helm in the middle of whatever is under way.
func (m *simulation) close() {
	m.mu.Lock()
	l := m.life
	m.life = nil
	m.mu.Unlock()
	l.end()
	l.v.stop()
	l.calls.Wait()
	l.helm.Close()
}

// board connects a ship whose tree is a directory.
func (m *simulation) board(v *Voyage, f *fleet.Ship, tree string) *Ship {
	s := newShip(v, f)
	s.Remote, s.Check, s.restored = served{tree}, checkServed, true
	s.Reach.Note(link.Status{State: link.Connected})
	close(s.done)
	if m.boarded != nil {
		m.boarded(s)
	}
	return s
}

// served is a tree in this process.
type served struct{ dir string }

func (d served) Tree(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	return gitship.Serve(ctx, d.dir, args, stdin, stdout)
}

// checkServed is a verify.sh that fails when there is a file called red.
func checkServed(_ context.Context, dir, _ string, _ []byte) (string, error) {
	if _, err := os.Stat(filepath.Join(dir, "red")); err == nil {
		return "it is red", &link.ExitError{Name: "ship", Command: "check", Code: 1}
	}
	return "", nil
}

// newestTree is where the newest machine of a ship has its tree, and newTree that of a machine which takes its place.
func (m *simulation) newestTree(ship string) string {
	return filepath.Join(m.home, "trees", ship, fmt.Sprint(max(1, m.machines(ship))))
}

func (m *simulation) newTree(ship string) string {
	dir := filepath.Join(m.home, "trees", ship, fmt.Sprint(m.machines(ship)+1))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		m.t.Error(err)
	}
	return dir
}

// machines counts the machines that a ship has had. What a checkout moves out of the way is in .aside, beside their trees.
func (m *simulation) machines(ship string) int {
	all, _ := filepath.Glob(filepath.Join(m.home, "trees", ship, "[0-9]*"))
	return len(all)
}

// begun waits for a life of helm and enters a call into it. It is nil when all is over.
func (m *simulation) begun() *life {
	for {
		m.mu.Lock()
		l, next := m.life, m.lives
		if l != nil {
			l.calls.Add(1)
			m.mu.Unlock()
			return l
		}
		m.mu.Unlock()
		select {
		case <-next:
		case <-m.over:
			return nil
		}
	}
}

// What tells a process of its simulation.
const homeVar, seedVar = "OCAPTAIN_SIMULATION", "OCAPTAIN_SIMULATION_SEED"

// simulate runs a simulation in processes of their own, and kills these at any moment: the next goes on from what is on disk. At each death
// and at the end all of it is looked at.
func simulate(t *testing.T, m *simulation) {
	m.t = t
	if m.home = os.Getenv(homeVar); m.home != "" {
		m.resume()
		return
	}
	m.home, m.seed = helmtest.Hub(t).Home, rand.Uint64()
	t.Logf("seed %d", m.seed)
	m.create()
	random := rand.New(rand.NewPCG(m.seed, m.seed))
	step := int64(m.epics * m.parts * 3500 / (m.kills + 1)) // a task is about so many bytes of the journal
	until := int64(0)
	for range m.kills {
		until += random.Int64N(step) + step/2
		checkSimulation(t, m, !m.live(t, until))
		m.seed++
	}
	m.live(t, math.MaxInt64)
	if a := checkSimulation(t, m, true); a.times["requeued"] == 0 {
		t.Error("nothing went wrong: the simulation proves nothing")
	}
}

// resume goes on with a simulation in a process of its own.
func (m *simulation) resume() {
	found, err := filepath.Glob(filepath.Join(m.hub().Voyages, "voyage-*"))
	if _, e := fmt.Sscan(os.Getenv(seedVar), &m.seed); e != nil || err != nil || len(found) != 1 {
		m.t.Fatal(e, err, found)
	}
	m.dir = fleet.Dir(found[0])
	m.run()
}

// live goes on with a simulation until its journal has so many bytes, and reports whether it was killed before it was over.
func (m *simulation) live(t *testing.T, until int64) (killed bool) {
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v", "-test.timeout=55m", fmt.Sprint("-great=", *great))
	child.Env = append(os.Environ(), homeVar+"="+m.home, seedVar+"="+fmt.Sprint(m.seed),
		"OCAPTAIN_BUILT="+helmtest.Program, "TMPDIR="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
	said, err := os.Create(filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	child.Stdout, child.Stderr = said, said
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	if until < math.MaxInt64 {
		for was := size(m.dir.Events()); was <= until && len(ended) == 0; was = size(m.dir.Events()) {
			eventually.Holds(t, "it gets on", func() bool { return size(m.dir.Events()) > was || len(ended) > 0 })
		}
		killed = child.Process.Kill() == nil
	}
	err = <-ended
	if exit := (*exec.ExitError)(nil); err != nil && (!killed || errors.As(err, &exit) && exit.Exited()) {
		text, _ := os.ReadFile(said.Name())
		t.Fatalf("%v\n%s", err, clean.Tail(string(text), 8000))
	}
	return killed && err != nil
}

func size(path string) int64 {
	if info, err := os.Stat(path); err == nil {
		return info.Size()
	}
	return 0
}

// great has the simulation be of a hundred agents and a thousand tasks. Without -race it takes a quarter of an hour on two cores.
var great = flag.Bool("great", false, "a hundred agents and a thousand tasks in TestSimulation")

// TestSimulation has agents that die, lie and ask twice bring epics to the branch, while helm is closed and killed.
func TestSimulation(t *testing.T) {
	t.Parallel()
	m := &simulation{epics: 3, parts: 3, workers: 4, validators: 2, kills: 2}
	if *great {
		m = &simulation{epics: 40, parts: 25, workers: 87, validators: 12, kills: 8}
	}
	simulate(t, m)
}

// some returns a task at random for which ok holds, nil when there is none.
func (l *life) some(random *rand.Rand, ok func(*tasks.State) bool) *tasks.State {
	all := slices.DeleteFunc(slices.Clone(l.v.Store.Snapshot().Tasks), func(t *tasks.State) bool { return !ok(t) })
	if len(all) == 0 {
		return nil
	}
	return all[random.IntN(len(all))]
}
