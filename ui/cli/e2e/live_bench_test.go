package e2e

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/sync/mutagen"
	"ocaptain/tasks/eventually"
)

const plugVar = "OCAPTAIN_BENCH_PLUG"

// init makes the test binary connect its standard streams to a socket, and exit, when plugVar names one.
func init() {
	socket := os.Getenv(plugVar)
	if socket == "" {
		return
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go func() { _, _ = io.Copy(conn, os.Stdin) }()
	_, _ = io.Copy(os.Stdout, conn)
	os.Exit(0)
}

// sharing is a hub and two ships that share a tree.
type sharing struct {
	hub   string
	ships []string
}

// How often the benchmark measures: right after another change; and without one, right after Mutagen has scanned, which is the worst
// moment. It watches idle programs for liveIdle.
const (
	hotTimes  = 30
	coldTimes = 6
	liveIdle  = 40 * time.Second
)

// BenchmarkLive compares a voyage with a shared tree of 2,000 files on four ships of this machine with Mutagen alone, which keeps a similar
// tree on the same ships and reaches their SSH servers without helm. It measures the time from a write on a ship to the hub, and to another
// ship; and what the programs of either use while nothing changes.
func BenchmarkLive(b *testing.B) {
	for b.Loop() {
		c := newCaptain(b, "OCAPTAIN_AGENT=script", withMutagen(b))
		repo := filepath.Join(c.home, "tree")
		c.git(c.home, "init", "-q", repo)
		for i := range 2000 {
			c.write(fmt.Sprintf("tree/d%d/f%d", i%200, i), strings.Repeat("text\n", 400))
		}
		c.git(repo, "add", ".")
		c.git(repo, "commit", "-qm", "begin")
		jobs := gatedPlan(4)
		d := c.sail(c.plan("live", repo, passes, jobs), "-n", "4", "--sync", "live")
		board := c.until(d, "all share the tree", func(b fleet.Board) bool {
			n := 0
			for i := range b.Ships {
				if b.Ships[i].Task != "" && b.Ships[i].Tree.State == fleet.TreeSame {
					n++
				}
			}
			return n == 4
		})
		ours := sharing{hub: d.Workspace()}
		for i := range board.Ships {
			ours.ships = append(ours.ships, filepath.Join(board.Ships[i].Home, "voyage", "workspace"))
		}
		mine := c.syncing(nil)
		alone, home := c.alone(b, &board)
		compare(b, "hot", ours, alone, hotTimes, func(int) string { return "hot" })
		compare(b, "cold", ours, alone, coldTimes, func(int) string { return fmt.Sprintf("d%d", rand.IntN(200)) })
		c.idleTrees(b, mine, board.Helm)
		if err := home.Stop(b.Context()); err != nil {
			b.Error(err)
		}
	}
	b.ReportMetric(0, "ns/op")
	busy(b)
}

// alone starts Mutagen with a tree of its own on the same ships.
func (c *captain) alone(b *testing.B, board *fleet.Board) (sharing, *mutagen.Home) {
	b.Helper()
	b.Setenv("PATH", strings.TrimPrefix(withMutagen(b), "PATH="))
	p, err := mutagen.Find(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	dir, err := os.MkdirTemp("/tmp", "alone-")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	home, err := mutagen.Open(b.Context(), p, dir)
	if err != nil {
		b.Fatal(err)
	}
	is := sharing{hub: filepath.Join(c.home, "alone")}
	if err := os.CopyFS(is.hub, os.DirFS(filepath.Join(c.home, "tree"))); err != nil {
		b.Fatal(err)
	}
	for i := range board.Ships {
		s := &board.Ships[i]
		host := mutagen.Host{
			Name: s.Name, User: s.Machine.User, Keys: strings.Split(strings.TrimSpace(s.HostKeys()), "\n"), Login: filepath.Join(c.hub.State, "id_ed25519"),
			Proxy: []string{"env", plugVar + "=" + s.Machine.Addr, os.Args[0]},
		}
		spec := mutagen.Spec{
			Mode: mutagen.TwoWay, A: mutagen.Endpoint{Path: is.hub}, B: mutagen.Endpoint{Host: s.Name, Path: filepath.Join(s.Home, "alone")},
			Ignore: []string{".git"}, Labels: map[string]string{"ship": s.Name},
		}
		id, err := "", home.AddHost(host)
		if err == nil {
			id, err = home.Ensure(b.Context(), spec)
		}
		if err == nil {
			err = home.Flush(b.Context(), id)
		}
		if err != nil {
			b.Fatal(err)
		}
		is.ships = append(is.ships, spec.B.Path)
	}
	return is, home
}

// compare writes a file alternately on a ship of ours and of alone, in the directory that in names.
func compare(b *testing.B, name string, ours, alone sharing, times int, in func(int) string) {
	b.Helper()
	took := map[string][]time.Duration{}
	for i := range times + 1 {
		dir := in(i)
		for _, one := range []struct {
			name string
			sharing
		}{{"ours", ours}, {"alone", alone}} {
			hub, ship, err := one.travels(dir, fmt.Sprint(name, i))
			if err != nil {
				b.Fatal(err)
			}
			if i == 0 { // brings both to the same moment: right after a scan
				continue
			}
			took[one.name+"-hub"], took[one.name+"-ship"] = append(took[one.name+"-hub"], hub), append(took[one.name+"-ship"], ship)
		}
		time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond) // at a random moment
	}
	for to, all := range took {
		slices.Sort(all)
		b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, name+"-"+to+"-p50-ms")
		b.ReportMetric(float64(all[len(all)*95/100].Microseconds())/1000, name+"-"+to+"-p95-ms")
	}
}

// travels returns how long a file takes from the first ship to the hub, and to the second ship.
func (s sharing) travels(dir, name string) (hub, ship time.Duration, err error) {
	at := filepath.Join(s.ships[0], dir)
	partial := filepath.Join(filepath.Dir(s.ships[0]), "partial")
	if err := errors.Join(os.MkdirAll(at, 0o755), os.WriteFile(partial, []byte(name), 0o644)); err != nil {
		return 0, 0, err
	}
	patience, began := eventually.Begin(), time.Now()
	if err := os.Rename(partial, filepath.Join(at, name)); err != nil {
		return 0, 0, err
	}
	for hub == 0 || ship == 0 {
		for _, end := range []struct {
			dir  string
			took *time.Duration
		}{{s.hub, &hub}, {s.ships[1], &ship}} {
			if _, err := os.Stat(filepath.Join(end.dir, dir, name)); err == nil && *end.took == 0 {
				*end.took = time.Since(began)
			}
		}
		if over := patience.Over(); over != nil {
			return 0, 0, fmt.Errorf("%s does not come: %w", name, over)
		}
		time.Sleep(time.Millisecond)
	}
	return hub, ship, nil
}

// syncing lists the programs that synchronize trees, without the programs in except.
func (c *captain) syncing(except []int) (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range all {
		argv, _ := os.ReadFile(file)
		env, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "environ"))
		pid := 0
		_, _ = fmt.Sscan(filepath.Base(filepath.Dir(file)), &pid)
		mine := strings.Contains(string(env), c.home) || strings.Contains(string(env), "MUTAGEN_DATA_DIRECTORY=")
		syncs := strings.Contains(string(argv), "mutagen") || strings.Contains(string(argv), "\x00nc\x00") || strings.Contains(string(env), plugVar)
		if mine && syncs && !slices.Contains(except, pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// idleTrees measures, at the same time, the programs of both and helm while nothing changes. ours are the programs of the
// voyage.
func (c *captain) idleTrees(b *testing.B, ours []int, helm int) {
	b.Helper()
	time.Sleep(15 * time.Second) // until Mutagen is idle
	watched := map[string][]int{"ours": ours, "alone": c.syncing(ours), "ours-helm": {helm}}
	used := func(pids []int) (sum time.Duration) {
		for _, pid := range pids {
			sum += costOf(b, pid).cpu
		}
		return sum
	}
	before, began := map[string]time.Duration{}, time.Now()
	for name, pids := range watched {
		before[name] = used(pids)
	}
	time.Sleep(liveIdle) // the time that is measured
	for name, pids := range watched {
		b.ReportMetric(float64((used(pids)-before[name]).Microseconds())/1000/time.Since(began).Seconds(), name+"-ms/s")
	}
}
