package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/tokens"
	"ocaptain/ui/launch/stage"
)

// repair is a defect that the doctor repairs when it is asked to. A repair touches only ocaptain's own files and
// processes, and needs no root.
type repair struct {
	what  string // what the defect is about
	wrong string
	did   string // what do did, in words
	do    func(ctx context.Context) error
}

// repairs returns the repairs that are due now, none when nothing is wrong.
func (b *bridge) repairs(ctx context.Context) []repair {
	all := openFiles(b.hub)
	if supervise.DeadSocket(ctx, b.hub) {
		all = append(all, repair{
			"helm", "a helm that was killed left its socket", "removed the socket of a helm that was killed",
			func(ctx context.Context) error { return supervise.RemoveDeadSocket(ctx, b.hub) },
		})
	}
	for _, dir := range stage.Leftovers(b.hub.Voyages) {
		all = append(all, repair{
			"leftovers", dir + " is left of a command that was killed", "removed " + dir,
			func(context.Context) error { return stage.RemoveLeftover(dir) },
		})
	}
	return append(all, b.oldHelm(ctx)...)
}

// missingDirs returns repairs that make missing directories, which must be closed to other users.
func missingDirs(hub fleet.Hub) []repair {
	var all []repair
	for _, dir := range []string{hub.State, hub.Config, hub.Voyages} {
		if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
			all = append(all, repair{
				"directories", dir + " is not there", "made " + dir,
				func(context.Context) error { return os.MkdirAll(dir, 0o700) },
			})
		}
	}
	return all
}

// openFiles returns repairs of files with secrets, and of directories around them, that other users may read.
func openFiles(hub fleet.Hub) []repair {
	store := tokens.StoreOf(hub)
	closed := []string{hub.State, hub.Config, store.Dir(), filepath.Join(hub.State, "id_ed25519"), filepath.Join(hub.Config, ".env")}
	kept, _ := filepath.Glob(filepath.Join(store.Dir(), "*"))
	closed = append(closed, kept...)
	voyages, _ := fleet.Voyages(hub.Voyages).List()
	for _, d := range voyages {
		closed = append(closed, d.Secrets(), d.Bring())
	}
	var all []repair
	for _, name := range closed {
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() && !info.IsDir() || info.Mode().Perm()&0o077 == 0 || !isMine(info) {
			continue // a link is the captain's own arrangement
		}
		mode := info.Mode().Perm() &^ 0o077
		all = append(all, repair{
			"secrets", name + " can be read by others", "closed " + name + " to others",
			func(context.Context) error { return os.Chmod(name, mode) },
		})
	}
	return all
}

func isMine(info os.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(owner.Uid) == os.Getuid()
}

// oldHelm returns a repair that stops a helm of an older build; otherwise the next command that needs helm would
// replace it.
func (b *bridge) oldHelm(ctx context.Context) []repair {
	hello, err := api.NewClient(b.hub).Hello(ctx)
	if err != nil {
		return nil
	}
	if old, err := supervise.Outdated(b.hub, hello); err != nil || !old {
		return nil
	}
	return []repair{{
		"helm", "helm runs in version " + hello.Version + " of an older build", "replaced helm by that of this build; ships do not notice",
		func(ctx context.Context) error { _, err := b.connectHelm(ctx); return err },
	}}
}

// repaired returns the findings about repairs: with fix what was repaired, otherwise what could be.
func (b *bridge) repaired(ctx context.Context, fix bool) []finding {
	var all []finding
	due := b.repairs(ctx)
	if fix {
		due = append(missingDirs(b.hub), due...) // without fix, the directories are made when they are needed
	}
	for _, r := range due {
		f := finding{What: r.what, Found: r.wrong, Need: "a tidy house", Fix: "ocaptain doctor --fix", State: doubt}
		if fix {
			f.Found, f.State, f.Fix = r.did, healthy, ""
			if err := r.do(ctx); err != nil {
				f.Found, f.State = r.wrong+", and that could not be put right: "+strings.TrimSpace(err.Error()), doubt
			}
		}
		all = append(all, f)
	}
	return all
}
