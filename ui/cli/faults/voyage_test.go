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
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/ui/cli/clitest"
	"ocaptain/ui/cli/faults/reader"
)

// voyage is one that trouble befalls.
type voyage struct {
	testing.TB
	rng     *rand.Rand
	home    string // of its captain
	program string
	env     []string
	ground  ground
	plan    reader.Plan
	sail    []string // what the captain says to sail
	id, dir string
	edits   []reader.Edit
	memory  reader.Memory
	truth   truth
	heals   []heal
	copies  map[string][]byte // of files, as they once were
	struck  []string
	disks   []string // that are mounted
	begun   time.Time
	notes   []string
}

// heal ends a fault when its time has come.
type heal struct {
	due time.Time
	end func()
}

// sailInto sails the voyage of a seed, and has its end judged.
func sailInto(t testing.TB, seed uint64) *voyage {
	v := &voyage{TB: t, rng: rand.New(rand.NewPCG(seed, 0)), home: filepath.Join(t.TempDir(), "home"), program: builds[0], begun: time.Now()}
	t.Cleanup(func() {
		if t.Failed() || testing.Verbose() {
			t.Logf("the voyage of seed %d, to be sailed again with: go test ./ui/cli/faults -run TestVoyages -faults.seed %d\n%s", seed, seed, strings.Join(v.notes, "\n"))
		}
	})
	all := v.board(seed)
	v.trouble(all)
	if !v.arrive() {
		return v
	}
	v.judge()
	return v
}

// board makes the captain's home, the plan and the place, and sails. It returns what will strike.
func (v *voyage) board(seed uint64) []blow {
	v.Helper()
	v.env = []string{
		"HOME=" + v.home, "XDG_RUNTIME_DIR=" + os.Getenv("XDG_RUNTIME_DIR"), "PATH=" + filepath.Join(v.home, "bin") + ":" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=xterm-256color",
		"NO_COLOR=1", "GIT_CONFIG_NOSYSTEM=1",
		"OCAPTAIN_PROOF=4s", // longer than what the stand-ins take to do something late
	}
	v.write(".gitconfig", "[user]\n\tname = Ada Captain\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n")
	v.wrapGit(filepath.Join(v.home, "bin"))
	v.Cleanup(v.leave)
	v.ground = places[v.drawPlace(seed)].open(v)
	all := blows(seed, v.ground.place, 2+v.rng.IntN(4))
	if slices.ContainsFunc(all, func(b blow) bool { return b.disk }) {
		v.mountDisks()
	}
	form := shapes[v.rng.IntN(len(shapes))]
	repo := ""
	if v.rng.IntN(2) == 0 {
		repo = v.ownRepository()
	}
	tasks, asked := plan(v.rng, form, 6+v.rng.IntN(8))
	v.plan = asked
	dir := filepath.Join(v.home, "plan")
	if err := clitest.Plan(dir, repo, verify(asked), tasks); err != nil {
		v.Fatal(err)
	}
	ships := 2 + v.rng.IntN(v.ground.most-1)
	v.sail = append([]string{"sail", "--detach", dir, "-n", fmt.Sprint(ships), "--agent", cmp.Or(v.ground.agent, "script")}, v.ground.args...)
	v.note("%s plan of %d tasks, own repository %t, %d ships at %s", form.name, len(tasks), repo != "", ships, v.ground.place)
	v.trouble(slices.DeleteFunc(slices.Clone(all), func(b blow) bool { return !b.early }))
	out, code := v.run(v.sail...)
	v.id = regexp.MustCompile(`voyage-[0-9a-f]{12}`).FindString(out)
	if code != 0 || v.id == "" {
		v.Fatalf("sail: exit %d\n%s", code, out)
	}
	v.dir = filepath.Join(v.home, "voyages", v.id)
	v.copyFiles()
	return slices.DeleteFunc(all, func(b blow) bool { return b.early })
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
			v.heal(time.Now().Add(time.Hour)) // a captain has two hands, and what ends at a disk needs the disk
		}
		v.note("strikes: %s", f.name)
		v.struck = append(v.struck, f.name)
		end := f.strike(v)
		v.truth.disturbed = time.Now()
		if end != nil {
			v.heals = append(v.heals, heal{time.Now().Add(time.Duration(200+v.rng.IntN(1800)) * time.Millisecond), end})
		}
	}
	for len(v.heals) > 0 {
		v.wait(100 * time.Millisecond)
	}
	if v.id != "" {
		v.look()
	}
}

// wait goes on for a while: it ends faults whose time has come, and samples the status.
func (v *voyage) wait(d time.Duration) {
	for until := time.Now().Add(d); ; time.Sleep(50 * time.Millisecond) {
		v.memory.Look(v.journal())
		v.heal(time.Now())
		v.sample()
		if time.Now().After(until) {
			return
		}
	}
}

// heal ends the faults whose time has come. To end one may take a while, in which others' time comes.
func (v *voyage) heal(now time.Time) {
	for {
		i := slices.IndexFunc(v.heals, func(h heal) bool { return !now.Before(h.due) })
		if i < 0 {
			return
		}
		h := v.heals[i]
		v.heals = slices.Delete(v.heals, i, i+1)
		h.end()
		v.truth.disturbed = time.Now()
	}
}

// arrive waits until the voyage says that it is complete, or comes no further.
func (v *voyage) arrive() bool {
	from := time.Now()
	for v.memory.Look(v.journal()) != "complete" {
		if last := v.memory.Came(); time.Since(from) > *patience && time.Since(last) > *patience {
			out, _ := v.run("status", v.id)
			v.Errorf("standstill: no task was completed for %s; status says:\n%s", *patience, out)
			return false
		}
		v.wait(200 * time.Millisecond)
	}
	v.note("complete")
	return true
}

// judge has the reader look at a voyage that is complete, sinks it, and looks at what is left.
func (v *voyage) judge() {
	v.quiesce()
	var ships []reader.Aboard
	for name, dir := range v.ships() {
		tree := workspaceOf(dir)
		if tree == "" {
			continue
		}
		late := "late-" + name + ".txt" // as of an agent that was asked by message, after its last task
		if err := clitest.Write(filepath.Join(tree, late), "late\n"); err != nil {
			v.note("%v", err)
		}
		a, err := reader.LookAboard(name, tree)
		if err != nil {
			v.note("the tree of %s cannot be read: %v", name, err)
			continue
		}
		ships = append(ships, a)
	}
	as := reader.Voyage{Plan: v.plan, Journal: v.journal(), Workspace: v.workspace(), Branch: v.id, Edits: v.edits}
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
	left := v.ground.left()
	for end := time.Now().Add(*patience); len(left) > 0 && time.Now().Before(end); left = v.ground.left() {
		time.Sleep(time.Second) // what a provider makes or destroys late, helm is still after
	}
	if len(left) > 0 {
		v.Errorf("%d are left after sink, as %.300s", len(left), left[0])
	}
}

// quiesce waits until nothing of the voyage moves: what helm writes a moment after the end is its own affair.
func (v *voyage) quiesce() {
	for range 100 {
		v.wait(100 * time.Millisecond)
		if time.Since(v.memory.Moved()) > time.Second {
			return
		}
	}
}

// leave ends all, and looks for what runs after that.
func (v *voyage) leave() {
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
	for range 100 {
		if left = processes(v.home); len(left) == 0 {
			break
		}
		time.Sleep(50 * time.Millisecond) // they are about to end
	}
	if len(left) > 0 {
		v.Errorf("%d processes still run, as %d %.300s", len(left), left[0].pid, left[0].command)
	}
	extinguish(v.home)
	v.unmountDisks()
	runtime, _ := fleet.RuntimeDir(v.hubState())
	_ = os.RemoveAll(runtime)
}

func (v *voyage) hubState() string { return filepath.Join(v.home, ".local", "share", "ocaptain") }
func (v *voyage) journal() string  { return filepath.Join(v.dir, "events.jsonl") }

// look is what a captain does who wonders: it starts helm where there is none.
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

// note keeps what happened, with its time. The test shows it when it fails.
func (v *voyage) note(format string, args ...any) {
	v.notes = append(v.notes, fmt.Sprintf("%7.3f ", time.Since(v.begun).Seconds())+fmt.Sprintf(format, args...))
}

func (v *voyage) tail(name string, n int) string {
	raw, _ := os.ReadFile(name)
	return string(raw[max(0, len(raw)-n):])
}
