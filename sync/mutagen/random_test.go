package mutagen

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ocaptain/tasks/eventually"
)

// fleetOfTrees is a hub's tree and three ships' trees, in which the test changes files at random.
type fleetOfTrees struct {
	*testing.T
	h     *Home
	r     *rand.Rand
	dirs  []string // the hub's is first
	ids   []string
	n     int             // number of the last text
	texts map[string]bool // texts that were written, and not overwritten or removed by an operation on a tree that had them
}

// TestRandom changes four trees at random, several at once, between kills of Mutagen. In the end all trees must be
// the same apart from conflicts, and only texts that an operation overwrote or removed may be lost.
func TestRandom(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	f := &fleetOfTrees{T: t, h: open(t), r: rand.New(rand.NewPCG(seed, 0)), texts: map[string]bool{}}
	for range 4 {
		f.dirs = append(f.dirs, t.TempDir())
	}
	t.Cleanup(func() { // before the directories are removed
		f.signal(syscall.SIGCONT)
		for _, id := range f.ids {
			if err := f.h.Terminate(context.Background(), id); err != nil {
				t.Error(err)
			}
		}
	})
	for i, dir := range f.dirs[1:] {
		home := short(t)
		host := sshd(t, f.h, fmt.Sprintf("ship-%d.voyage-1", i), home)
		id, err := f.h.Ensure(eventually.Context(t), Spec{
			Mode: TwoWay, A: Endpoint{Path: f.dirs[0]}, B: Endpoint{Host: host.Name, Path: dir}, Labels: map[string]string{"ocaptain.ship": fmt.Sprint("ship-", i)},
		})
		if err != nil {
			t.Fatal(err)
		}
		f.ids = append(f.ids, id)
	}
	for ops := 0; ops < maxOps; {
		// While Mutagen is stopped, a change overwrites only what its tree showed.
		f.signal(syscall.SIGSTOP)
		for range 1 + f.r.IntN(20) {
			f.change(f.dirs[f.r.IntN(len(f.dirs))])
			ops++
		}
		switch f.r.IntN(15) {
		case 0:
			f.signal(syscall.SIGKILL)
		case 1: // the ssh or the agent of a ship, or the daemon
			if all := f.processes(); len(all) > 0 { // the last signal may have killed them all
				kill(t, all[f.r.IntN(len(all))], syscall.SIGKILL)
			}
			fallthrough
		default:
			f.signal(syscall.SIGCONT)
		}
		if f.r.IntN(3) == 0 {
			_ = f.h.Flush(eventually.Context(t), f.ids[f.r.IntN(len(f.ids))]) // an error is fine: the session may still be connecting
		}
	}
	conflicts := f.settle()
	hub := read(t, f.dirs[0])
	for i, dir := range f.dirs[1:] {
		ship := read(t, dir)
		for name := range maps.Keys(union(hub, ship)) {
			if hub[name] != ship[name] && !slices.ContainsFunc(conflicts[i], func(root string) bool { return root == name || strings.HasPrefix(name, root+"/") || root == "" }) {
				t.Errorf("ship-%d has %q at %s and the hub %q, which no conflict names of %q", i, ship[name], name, hub[name], conflicts[i])
			}
		}
	}
	all := ""
	for _, dir := range f.dirs {
		for _, text := range read(t, dir) {
			all += text + "\n"
		}
	}
	for text := range f.texts {
		if !strings.Contains(all, text+"\n") {
			t.Errorf("the text %q is lost", text)
		}
	}
	t.Logf("%d texts in the end, %d files on the hub, conflicts %q", len(f.texts), len(hub), conflicts)
}

// signal sends a signal to the daemon, the agents, and the ssh processes between them.
func (f *fleetOfTrees) signal(sig syscall.Signal) {
	f.Helper()
	for _, pid := range f.processes() {
		kill(f.T, pid, sig)
	}
}

// processes returns the pids of daemon, agents and ssh.
func (f *fleetOfTrees) processes() []int {
	f.Helper()
	all := processes(f.T, "MUTAGEN_DATA_DIRECTORY="+f.h.dir)
	for _, dir := range slices.Sorted(maps.Keys(homes(f.h))) {
		all = append(all, processes(f.T, "HOME="+dir)...)
	}
	return slices.DeleteFunc(all, func(pid int) bool {
		argv, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		return !strings.Contains(string(argv), "mutagen")
	})
}

// homes returns the home directories of the hosts in the ssh configuration.
func homes(h *Home) map[string]bool {
	all := map[string]bool{}
	files, _ := filepath.Glob(filepath.Join(h.hosts(), "*.conf"))
	for _, file := range files {
		raw, _ := os.ReadFile(file)
		for line := range strings.Lines(string(raw)) {
			if _, rest, ok := strings.Cut(line, "'-f' '"); ok {
				config, _ := os.ReadFile(strings.TrimSuffix(strings.TrimSpace(rest), "'"))
				if _, home, ok := strings.Cut(string(config), "SetEnv HOME="); ok {
					home, _, _ = strings.Cut(home, "\n")
					all[home] = true
				}
			}
		}
	}
	return all
}

// change makes one random change in a tree.
func (f *fleetOfTrees) change(dir string) {
	f.Helper()
	name := filepath.Join(dir, f.name())
	var err error
	switch f.r.IntN(12) {
	case 0: // remove
		err = f.remove(name)
	case 1: // put a directory in its place
		if err = f.room(name); err == nil {
			err = os.MkdirAll(name, 0o755)
		}
	case 2: // move
		to := filepath.Join(dir, f.name())
		if to == name || strings.HasPrefix(to, name+"/") || strings.HasPrefix(name, to+"/") {
			return
		}
		if _, e := os.Lstat(name); e != nil {
			return
		}
		if err = f.room(to); err == nil {
			err = os.Rename(name, to)
		}
	case 3: // flip the executable bit
		if info, e := os.Lstat(name); e == nil && info.Mode().IsRegular() {
			err = os.Chmod(name, info.Mode()^0o111)
		}
	default: // write
		if err = f.room(name); err == nil {
			f.n++
			text := fmt.Sprintf("text %d.", f.n)
			f.texts[text] = true
			err = os.WriteFile(name, []byte(text), 0o644)
		}
	}
	if err != nil {
		f.Fatal(err)
	}
}

// name returns a random path, usually one of a few.
func (f *fleetOfTrees) name() string {
	depth, parts := 3, []string{}
	if f.r.IntN(10) == 0 {
		depth = 1 + f.r.IntN(2)
	}
	for range depth {
		parts = append(parts, string(rune('a'+f.r.IntN(5))))
	}
	return filepath.Join(parts...)
}

// room removes what is in the way of a file of that name.
func (f *fleetOfTrees) room(name string) error {
	if err := f.remove(name); err != nil {
		return err
	}
	for at := filepath.Dir(name); ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err == nil && info.IsDir() {
			return os.MkdirAll(filepath.Dir(name), 0o755)
		}
		if err == nil {
			err = f.remove(at)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return err
		}
	}
}

// remove removes a path, and its texts from f.texts.
func (f *fleetOfTrees) remove(name string) error {
	err := filepath.WalkDir(name, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && e.Type().IsRegular() {
			raw, err := os.ReadFile(path)
			delete(f.texts, string(raw))
			return err
		}
		return nil
	})
	if gone := os.RemoveAll(name); !errors.Is(gone, syscall.ENOTDIR) { // a file is in the place of its directory
		err = errors.Join(err, gone)
	}
	return err
}

// settle flushes all sessions until nothing changes, and returns the conflicts of each ship. It resets a session that
// halted because its tree was emptied.
func (f *fleetOfTrees) settle() [][]string {
	f.Helper()
	conflicts := make([][]string, len(f.ids))
	for range 3 { // from a ship to the hub, and to the others
		for i, id := range f.ids {
			eventually.Succeeds(f, "it flushes", func() error {
				err := f.h.Flush(eventually.Context(f), id)
				if err == nil {
					return nil
				}
				if s := (&pair{f.T, f.h, Spec{}, id}).state(); s.Halted() != "" {
					return errors.Join(err, f.h.Reset(context.WithoutCancel(f.Context()), id))
				}
				return err
			})
			s := (&pair{f.T, f.h, Spec{}, id}).state()
			conflicts[i] = nil
			for _, c := range s.Conflicts {
				conflicts[i] = append(conflicts[i], c.Root)
			}
			if s.MoreConflicts > 0 {
				conflicts[i] = append(conflicts[i], "") // unknown path
			}
			if p, _ := s.Problems(); len(p) > 0 {
				f.Errorf("problems: %+v", p)
			}
		}
	}
	return conflicts
}

// read returns the content of each file of a tree, and marks directories.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err != nil || name == "." {
			return err
		}
		if e.IsDir() {
			all[name] = "directory"
			return nil
		}
		raw, err := os.ReadFile(path)
		all[name] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func union(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}
