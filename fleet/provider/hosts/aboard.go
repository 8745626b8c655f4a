package hosts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/local"
	"ocaptain/fleet/provider/lockfile"
)

// Root is the directory of a host's ships, below its user's home. Every entry that does not begin with a dot is a
// ship.
const Root = ".local/share/ocaptain/hosted"

// binaries is the directory of ocaptain's program in Root.
const binaries = ".bin"

// Serve runs on a host as "ocaptain aboard hosted", and does what the hub asks for. It stops when its input ends,
// since the hub has then left.
func Serve(ctx context.Context, home string, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	decoder := json.NewDecoder(io.LimitReader(in, 1<<20))
	var what request
	if err := decoder.Decode(&what); err != nil {
		return fmt.Errorf("read what is to be done: %w", err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	a, err := serveRequest(ctx, filepath.Join(home, Root), what)
	if errors.Is(err, errGone) {
		os.Exit(noProgram)
	}
	if err != nil {
		a = failure(err)
	}
	return json.NewEncoder(out).Encode(a)
}

// errGone means that this program was removed after it was started.
var errGone = errors.New("the program is gone")

func serveRequest(ctx context.Context, root string, what request) (a answer, err error) {
	unlock, err := lockProgram(ctx, root)
	if err != nil {
		return a, err
	}
	defer func() {
		unlock()
		if what.Do == doDestroy || err != nil {
			removeUnused(root)
		}
	}()
	exe, err := os.Executable()
	if err != nil {
		return a, err
	}
	if _, err := os.Stat(exe); errors.Is(err, fs.ErrNotExist) {
		return a, errGone
	}
	p, err := local.New(local.Options{Root: root, Exe: exe, Args: []string{"aboard", "sshd"}})
	if err != nil {
		return a, err
	}
	var m provider.Machine
	switch what.Do {
	case doList:
		all, err := p.List(ctx, what.Labels)
		a.Machines = append([]provider.Machine{}, all...)
		return a, err
	case doCreate:
		if err := equipped(); err != nil {
			return a, err
		}
		m, err = p.Create(ctx, provider.Spec{Name: what.Name, Labels: what.Labels, AuthorizedKey: what.Key, Walled: what.Walled})
	case doGet:
		m, err = p.Get(ctx, what.Name)
	case doEnsure:
		m, err = p.Ensure(ctx, what.Name)
	case doDestroy:
		there, e := p.Get(ctx, what.Name)
		if e == nil && !maps.Equal(there.Labels, what.Labels) {
			return a, provider.ErrTaken
		}
		if err := p.Destroy(ctx, what.Name); err != nil { // also remove the remains of a ship that is not listed
			return a, err
		}
		if errors.Is(e, provider.ErrNotFound) {
			return a, e
		}
		a.Done = true
		return a, nil
	default:
		return a, fmt.Errorf("nobody knows how to %.40q", what.Do)
	}
	a.Machine = &m
	return a, err
}

// equipped checks that a ship will find the programs that it needs. The ship could not install them, as its sandbox
// lets it write only to its own directories.
func equipped() error {
	var lacking []string
	for _, name := range []string{"git", "tmux", "bash"} {
		if _, err := exec.LookPath(name); err != nil {
			lacking = append(lacking, name)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	return fmt.Errorf("install there: %s", strings.Join(lacking, " "))
}

// lockProgram keeps the program from being removed while it is in use.
func lockProgram(ctx context.Context, root string) (unlock func(), err error) {
	return lockfile.LockShared(ctx, root+".lock")
}

// removeUnused removes what belongs to no ship, if there is no ship and no other program is in use. If it fails, the
// next program that ends removes it.
func removeUnused(root string) {
	unlock, err := lockfile.TryLock(root + ".lock")
	if err != nil {
		return
	}
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || slices.ContainsFunc(entries, isShip) {
		unlock(false)
		return
	}
	_ = os.RemoveAll(root)
	unlock(true)
	_ = os.Remove(filepath.Dir(root)) // fails if other things of ocaptain are there
}

func isShip(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), ".") }
