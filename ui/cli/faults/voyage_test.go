package faults

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/hosts/hoststest"
	"ocaptain/fleet/slottest"
	"ocaptain/tasks/eventually"
	"ocaptain/ui/cli/clitest"
	"ocaptain/ui/cli/faults/reader"
)

// voyage is a voyage that meets trouble.
type voyage struct {
	testing.TB
	rng          *rand.Rand
	home         string // the captain's home
	program      string
	env          []string
	ground       ground
	plan         reader.Plan
	sail         []string // the arguments with which the captain sails
	id, dir      string
	crew         crew
	branch       string
	edits        []reader.Edit
	memory       reader.Memory
	truth               // what status says
	liar         string // program that answers in place of status, for tests of the truth
	verifyScript []byte // the original verify.sh
	heals        []heal
	copies       map[string][]byte // earlier contents of files
	struck       []stroke
	verifyAgain  bool // verify.sh was damaged, and is restored
	upgrades     int  // number of upgrades of the program
	others       int  // number of other sessions
	unwell       []*hoststest.Host
	lates        int             // number of files written aboard after the last task
	replaced     []reader.Aboard // files of replaced ships that must not be lost
	disks        []string        // mounted disks
	begun        time.Time
	writing      sync.Mutex // held while notes are written
	notes        []string
}

// stroke is a fault that struck, or could not.
type stroke struct {
	name     string
	happened func() bool
}

// heal ends a fault at its time.
type heal struct {
	due time.Time
	end func()
}

// newVoyage returns a voyage that has not sailed, drawn from a seed.
func newVoyage(t testing.TB, seed uint64) *voyage {
	slottest.Take(t, 4) // for helm, and two to four ships
	v := &voyage{TB: t, crew: crewOf(seed), rng: rand.New(rand.NewPCG(seed, 0)), home: filepath.Join(t.TempDir(), "home"), begun: time.Now()}
	v.program = v.build(0)
	v.truth = truth{told: func(lie string) { v.Error(lie) }, stop: func() {}, cancel: func() {}, helms: map[int]bool{}}
	return v
}

// build returns one of the two programs.
func (v *voyage) build(i int) string {
	made, err := builds()
	if err != nil {
		v.Fatal(err)
	}
	return made[i]
}

// sailInto sails the voyage of a seed, and judges its end.
func sailInto(t testing.TB, seed uint64) *voyage {
	v := newVoyage(t, seed)
	t.Cleanup(func() {
		if t.Failed() || testing.Verbose() {
			t.Logf("the voyage of seed %d, to be sailed again with: go test -tags long ./ui/cli/faults -run TestVoyages -faults.seed %d\n%s", seed, seed, strings.Join(v.notes, "\n"))
		}
	})
	drawn := v.drawPlace(seed)
	all := blows(seed, drawn, 2+v.rng.IntN(4))
	v.board(drawn, all)
	v.trouble(slices.DeleteFunc(all, func(b blow) bool { return b.early }))
	if !v.arrive() {
		return v
	}
	v.judge()
	return v
}

// board makes the captain's home, the plan and the place, and sails. Early faults strike first.
func (v *voyage) board(drawn string, all []blow) {
	v.Helper()
	v.env = []string{
		"HOME=" + v.home, "XDG_RUNTIME_DIR=" + os.Getenv("XDG_RUNTIME_DIR"), "PATH=" + filepath.Join(v.home, "bin") + ":" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=xterm-256color",
		"NO_COLOR=1", "GIT_CONFIG_NOSYSTEM=1",
	}
	v.write(".gitconfig", "[user]\n\tname = Ada Captain\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n")
	v.wrapGit(filepath.Join(v.home, "bin"))
	v.Cleanup(v.leave)
	v.ground = places[drawn].open(v)
	if slices.ContainsFunc(all, func(b blow) bool { return b.disk }) {
		v.mountDisks()
	}
	form := shapes[v.rng.IntN(len(shapes))]
	repo := ""
	if v.rng.IntN(2) == 0 || v.crew.session {
		repo = v.ownRepository()
	}
	tasks, asked := plan(v.rng, form, 6+v.rng.IntN(8))
	v.plan = asked
	ships := 2 + v.rng.IntN(v.ground.most-1)
	v.sail = slices.Concat(v.setOut(repo, tasks, ships), []string{"--detach", "--agent", cmp.Or(v.ground.agent, "script")}, v.ground.args)
	v.note("%s %s of %d tasks, own repository %t, %d ships at %s", form.name, v.crew.kind, len(tasks), repo != "", ships, v.ground.place)
	v.trouble(slices.DeleteFunc(slices.Clone(all), func(b blow) bool { return !b.early }))
	out, code := v.run(v.sail...)
	v.id = regexp.MustCompile(`voyage-[0-9a-f]{12}`).FindString(out)
	if code != 0 || v.id == "" {
		v.Fatalf("sail: exit %d\n%s", code, out)
	}
	v.dir, v.branch = filepath.Join(v.home, "voyages", v.id), cmp.Or(v.branch, v.id)
	v.copyFiles()
	v.watch()
}

// ownRepository makes a repository of the captain's.
func (v *voyage) ownRepository() string {
	dir := filepath.Join(v.home, "project")
	v.write("project/README", "begin\n")
	v.write("project/"+shared, "begin\n")
	for i := range 40 {
		v.write(fmt.Sprintf("project/src/%d/file.txt", i), strings.Repeat(fmt.Sprintln("line", i), 50))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-qm", "begin"}} {
		if out, err := v.git(dir, args...); err != nil {
			v.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	return dir
}

// trouble strikes with one fault after the other, and ends each after a while.
func (v *voyage) trouble(all []blow) {
	for _, f := range all {
		v.rng = f.rng
		v.wait(time.Duration(v.rng.IntN(900)) * time.Millisecond)
		if v.rng.IntN(3) == 0 {
			v.copyFiles()
		}
		if f.disk || slices.ContainsFunc(captains, func(c fault) bool { return c.name == f.name }) {
			v.heal(time.Now().Add(time.Hour)) // ends the earlier faults: a captain has two hands, and healing a disk needs the disk
		}
		v.note("strikes: %s", f.name)
		show := v.Hide(f.hides)
		h := f.strike(v)
		v.struck = append(v.struck, stroke{f.name, h.happened})
		if h.heal == nil {
			show()
			continue
		}
		v.heals = append(v.heals, heal{time.Now().Add(time.Duration(200+v.rng.IntN(1800)) * time.Millisecond), func() { h.heal(); show() }})
	}
	for len(v.heals) > 0 {
		v.wait(100 * time.Millisecond)
	}
	if v.id != "" {
		v.look()
	}
}

// wait waits, and meanwhile ends faults whose time has come.
func (v *voyage) wait(d time.Duration) {
	v.until(d, 20*time.Millisecond, func() bool { return false })
}

// until waits until ok returns true, or for d at most, and reports whether it did.
func (v *voyage) until(d, pace time.Duration, ok func() bool) bool {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for end := time.Now().Add(d); ; <-tick.C {
		v.heal(time.Now())
		if ok() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

// patiently waits until ok returns true, or the voyage no longer moves, and reports whether it did.
func (v *voyage) patiently(ok func() bool) bool {
	for patience := eventually.Begin(); !ok(); patience.Pause(v.wait) {
		if patience.Over() != nil {
			return false
		}
	}
	return true
}

// heal ends the faults whose time has come. That may take a while, in which the time of others comes.
func (v *voyage) heal(now time.Time) {
	for {
		i := slices.IndexFunc(v.heals, func(h heal) bool { return !now.Before(h.due) })
		if i < 0 {
			return
		}
		h := v.heals[i]
		v.heals = slices.Delete(v.heals, i, i+1)
		h.end()
	}
}

// arrive waits until the voyage says that it is complete, or no longer moves.
func (v *voyage) arrive() bool {
	last, patience := v.memory.Came(), eventually.Begin()
	for v.memory.Look(v.journal()) != "complete" {
		if came := v.memory.Came(); came != last {
			last = came
			patience.Came()
		}
		if over := patience.Over(); over != nil {
			out, _ := v.run("status", v.id)
			v.Errorf("standstill: %v; status says:\n%s", over, out)
			return false
		}
		v.repair()
		patience.Pause(v.wait)
	}
	v.note("complete")
	return true
}

// judge has the reader judge a complete voyage, sinks the voyage, and checks what is left.
func (v *voyage) judge() {
	v.quiesce()
	v.stop()
	ships := append(v.lookAboard(), v.replaced...)
	as := reader.Voyage{Plan: v.plan, Journal: v.journal(), Workspace: v.workspace(), Branch: v.branch, Edits: v.edits}
	for _, wrong := range as.Check(&v.memory) {
		v.Error(wrong)
	}
	if out, code := v.run("sink", "--all", "-f"); code != 0 {
		v.Errorf("sink: exit %d\n%s", code, out)
	}
	for _, a := range ships {
		for _, wrong := range a.Kept(as.Workspace) {
			v.Error(wrong)
		}
	}
	var left []string
	if !v.patiently(func() bool { // helm still destroys what a provider makes or destroys late
		left = v.ground.left()
		return len(left) == 0
	}) {
		v.Errorf("%d are left after sink, as %.300s", len(left), left[0])
	}
}

// quiesce waits until nothing of the voyage moves: helm may write for a moment after the end.
func (v *voyage) quiesce() {
	v.until(10*time.Second, 100*time.Millisecond, func() bool { return time.Since(v.memory.Moved()) > time.Second })
}

// leave ends everything, and looks for processes that are left.
func (v *voyage) leave() {
	v.stop()
	v.heal(time.Now().Add(time.Hour))
	if v.Failed() {
		v.Logf("helm.log:\n%s", v.tail(filepath.Join(v.hubState(), "helm.log"), 4000))
		v.Logf("events.jsonl:\n%s", v.tail(v.journal(), 6000))
		_, _ = v.run("sink", "--all", "-f")
	}
	if out, code := v.run("helm", "stop"); code != 0 && !v.Failed() {
		v.Errorf("helm stop: exit %d\n%s", code, out)
	}
	var left []process
	if !v.patiently(func() bool { // the processes are about to end
		left = processes(v.home)
		return len(left) == 0
	}) {
		v.Errorf("%d processes still run, as %d %.300s", len(left), left[0].pid, left[0].command)
	}
	extinguish(v.home)
	v.unmountDisks()
	runtime, _ := fleet.RuntimeDir(v.hubState())
	_ = os.RemoveAll(runtime)
}

func (v *voyage) hubState() string { return filepath.Join(v.home, ".local", "share", "ocaptain") }
func (v *voyage) journal() string  { return filepath.Join(v.dir, "events.jsonl") }

// look runs a command of a captain who wonders: it starts helm when none runs.
func (v *voyage) look() {
	if out, code := v.run("status", v.id); code != 0 {
		v.note("status: exit %d\n%s", code, out)
	}
}

// run runs ocaptain.
func (v *voyage) run(args ...string) (string, int) {
	out, code, err := clitest.Run(v.home, v.env, v.program, args...)
	if err != nil {
		v.note("ocaptain %s: %v", args, err)
		return out, -1
	}
	return out, code
}

// git runs git as the captain does.
func (v *voyage) git(dir string, args ...string) (string, error) {
	out, code, err := clitest.Run(dir, v.env, "/usr/bin/git", args...)
	if err == nil && code != 0 {
		err = fmt.Errorf("git %s: exit %d: %s", args[0], code, strings.TrimSpace(out))
	}
	return strings.TrimSpace(out), err
}

func (v *voyage) write(name, content string) {
	v.Helper()
	if err := clitest.Write(filepath.Join(v.home, name), content); err != nil {
		v.Fatal(err)
	}
}

// note logs what happened, with its time. The test shows the notes when it fails.
func (v *voyage) note(format string, args ...any) {
	v.writing.Lock()
	defer v.writing.Unlock()
	v.notes = append(v.notes, fmt.Sprintf("%7.3f ", time.Since(v.begun).Seconds())+fmt.Sprintf(format, args...))
}

func (v *voyage) tail(name string, n int) string {
	raw, _ := os.ReadFile(name)
	return string(raw[max(0, len(raw)-n):])
}
