package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ocaptain/fleet/provider/local/sandbox"
	"ocaptain/fleet/provider/lockfile"
)

// wall returns the sandbox of a ship, or nil if the ship runs without one; its Note then says why.
func (p *Provider) wall(ctx context.Context, r *record) (*sandbox.Sandbox, error) {
	why := errors.New("switched off")
	if p.options.Confine != Never {
		view := p.options.view(r.Bind)
		if p.options.Nested != nil {
			var err error
			if view.Nested, err = p.options.Nested(); err != nil {
				return nil, err
			}
		}
		box, err := sandbox.New(p.dirs.place(r).Place, p.user(r, true), view)
		if err != nil {
			return nil, err
		}
		if why = box.Check(ctx); why == nil {
			r.Note = ""
			return box, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if p.options.Confine == Always || r.Confined {
			return nil, fmt.Errorf("cannot confine it: %w", why)
		}
	}
	r.Note = "not confined: " + why.Error()
	return nil, nil
}

// user returns the user of the ship's processes.
func (p *Provider) user(r *record, confined bool) sandbox.User {
	if confined {
		return p.captain.Confined(r.ID)
	}
	return p.captain
}

// view returns what a sandboxed ship sees. bound are the directories that the captain shows in addition.
func (o *Options) view(bound []string) sandbox.View {
	return sandbox.View{
		Program: o.Exe,
		Shown:   slices.Concat(o.ReadOnly, bound),
		Hidden:  slices.Concat(o.Hide, []string{o.Root}),
	}
}

// bound returns what the captain shows to ships.
func (o *Options) bound() ([]string, error) {
	if o.Bind == nil {
		return nil, nil
	}
	return o.Bind()
}

// network returns the network for a ship. The error says what it lacks.
func (o *Options) network(at sandbox.Place, program []string) (*sandbox.Network, error) {
	var ports []int
	if o.Expose != nil {
		var err error
		if ports, err = o.Expose(); err != nil {
			return nil, err
		}
	}
	return sandbox.NewNetwork(at, ports, program)
}

// bounds returns the captain's limits for ships.
func (o *Options) bounds() (sandbox.Bounds, error) {
	if o.Bounds == nil {
		return sandbox.Bounds{}.OrUsual(), nil
	}
	b, err := o.Bounds()
	return b.OrUsual(), err
}

// probe starts the names of directories that are used for tests and belong to no ship.
const probe = ".probe-"

// trial makes a sandbox for a test, with directories but without a ship, until remove is called. The directories of killed
// processes are removed by the next process that runs alone.
func (p *Provider) trial(ctx context.Context) (at sandbox.Place, box *sandbox.Sandbox, remove func(), err error) {
	if unlock, err := lockfile.TryLock(p.dirs.lockFile(probe)); err == nil {
		p.removeProbes()
		unlock(false)
	}
	unlock, err := lockfile.LockShared(ctx, p.dirs.lockFile(probe))
	if err != nil {
		return at, nil, nil, err
	}
	dir, err := os.MkdirTemp(p.dirs.root, probe)
	if err != nil {
		unlock()
		return at, nil, nil, fmt.Errorf("directory for local ships: %w", err)
	}
	remove = func() {
		_ = removeAll(dir)
		unlock()
	}
	at = sandbox.Place{Dir: dir, Home: dir, Runtime: dir}
	box, err = sandbox.New(at, p.captain.Confined(""), p.options.view(nil))
	if err != nil {
		remove()
	}
	return at, box, remove, err
}

func (p *Provider) removeProbes() {
	all, _ := os.ReadDir(p.dirs.root)
	for _, e := range all {
		if strings.HasPrefix(e.Name(), probe) {
			_ = removeAll(filepath.Join(p.dirs.root, e.Name()))
		}
	}
}

// Confinement reports whether new ships will be sandboxed: nil, or why not.
func (p *Provider) Confinement(ctx context.Context) error {
	if p.options.Confine == Never {
		return errors.New("switched off")
	}
	_, box, remove, err := p.trial(ctx)
	if err != nil {
		return err
	}
	defer remove()
	return box.Check(ctx)
}

// Network reports whether new ships, if they are sandboxed, will have their own networks: nil, or why not.
func (p *Provider) Network(ctx context.Context) error {
	at, box, remove, err := p.trial(ctx)
	if err != nil {
		return err
	}
	defer remove()
	own, err := p.options.network(at, nil)
	if err != nil {
		return err
	}
	return box.CheckNetwork(ctx, own)
}

// Bounds returns the limits of sandboxed ships that start now, and the means by which their memory is limited; why
// says why it is not.
func (p *Provider) Bounds(ctx context.Context) (most sandbox.Bounds, means string, why, err error) {
	if most, err = p.options.bounds(); err == nil {
		means, why, err = sandbox.CheckMemory(ctx, most.Memory)
	}
	return most, means, why, err
}

// Sees returns the directories of this machine that new sandboxed ships see.
func (p *Provider) Sees() ([]string, error) {
	bound, err := p.options.bound()
	if err != nil {
		return nil, err
	}
	return p.options.view(bound).Dirs(), nil
}

// Unshown returns the directories that the captain would have to show so that new sandboxed ships could run a program on this process's
// PATH. It returns none if they can, or if the program does not exist.
func (p *Provider) Unshown(program string) ([]string, error) {
	bound, err := p.options.bound()
	if err != nil {
		return nil, err
	}
	view := p.options.view(bound)
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		file := filepath.Join(dir, program)
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		real, err := filepath.EvalSymlinks(file)
		if err != nil || view.Sees(file) {
			return nil, err
		}
		dirs := []string{dir}
		if at := filepath.Dir(real); at != dir && !view.Sees(at) {
			dirs = append(dirs, at)
		}
		return dirs, nil
	}
	return nil, nil
}

// Unseen returns the directories in this process's PATH that new sandboxed ships do not see.
func (p *Provider) Unseen() ([]string, error) {
	bound, err := p.options.bound()
	if err != nil {
		return nil, err
	}
	view := p.options.view(bound)
	var unseen []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := os.Stat(dir); err == nil && !view.Sees(dir) && !slices.Contains(unseen, dir) {
			unseen = append(unseen, dir)
		}
	}
	return unseen, nil
}
