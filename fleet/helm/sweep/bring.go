package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/link"
	"ocaptain/fleet/provider"
	"ocaptain/sync/whole"
)

// Limits of what is copied home from a ship that belongs to no voyage.
const (
	reachingOrphan = 20 * time.Second
	bringingWork   = 2 * time.Minute
	maxBundle      = 512 << 20
	bundles        = 8 // how many are copied at the same time
)

// noWork is the exit code of bundleScript when there never was a clone.
const noWork = 90

// bundleScript prints a git bundle of the ship's clone: everything committed on any branch, the newest stash, and the
// files as they are now. If git cannot store some of the files, the rest is bundled all the same.
const bundleScript = `cd voyage/workspace 2>/dev/null && git rev-parse -q --verify HEAD >/dev/null 2>&1 || exit 90
export GIT_INDEX_FILE="$(git rev-parse --absolute-git-dir)/ocaptain-left"
trap 'rm -f -- "$GIT_INDEX_FILE"' EXIT
git read-tree HEAD || exit 1
git add -A --ignore-errors
tree=$(git write-tree) || exit 1
left=$(echo "What was left on the ship" | git -c user.name=ocaptain -c user.email=ocaptain@localhost commit-tree "$tree" -p HEAD) || exit 1
git update-ref refs/heads/left-on-the-ship "$left" || exit 1
git bundle create -q - --branches $(git rev-parse -q --verify refs/stash >/dev/null && echo refs/stash)
`

// bringWork copies the work home from the clone of a machine that is about to be destroyed and that belongs to no
// voyage. It reports what it has copied. If it returns an error, some work may exist nowhere else.
func (s *Sweeper) bringWork(at string, m provider.Machine, report func(api.Progress)) error {
	select {
	case s.bundles <- struct{}{}:
	case <-s.o.Context.Done():
		return s.o.Context.Err()
	}
	file, err := s.bundle(at, m)
	<-s.bundles
	var exit *link.ExitError
	switch {
	case err == nil:
		report(api.Progress{Ship: clean.Word(m.Name), State: api.StepNote, Text: "its work was brought home; look at it with: git clone -b left-on-the-ship " + file})
	case errors.As(err, &exit) && exit.Code == noWork:
		report(api.Progress{Ship: clean.Word(m.Name), State: api.StepNote, Text: "no work is on it"})
	default:
		return errors.New(clean.Bound(err.Error(), 500))
	}
	return nil
}

// bundle writes the bundle of a machine's clone to a new file in the directory of voyages.
func (s *Sweeper) bundle(at string, m provider.Machine) (string, error) {
	if m.User == "" {
		return "", errors.New("the login is not known")
	}
	ctx, cancel := context.WithTimeout(s.o.Context, bringingWork)
	defer cancel()
	p := s.o.Providers[at]
	if m.State != provider.Running { // the machine is not running, but its files exist, and it may come back
		if back, err := p.Ensure(ctx, m.Name); err == nil {
			m = back
		}
	}
	l, err := link.Open(link.Config{
		Name: m.Name, User: m.User, HostKey: m.HostKey, LearnHostKey: m.HostKey == "", Signers: s.o.Signers,
		Dial: func(ctx context.Context) (net.Conn, error) { return p.Dial(ctx, m) },
	})
	if err != nil {
		return "", err
	}
	defer l.Close()
	reach, cancelReach := context.WithTimeout(ctx, reachingOrphan)
	defer cancelReach()
	if err := l.AwaitConnected(reach); err != nil {
		return "", err
	}
	dir := filepath.Join(s.o.Hub.Voyages, "left-behind")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	file := filepath.Join(dir, fmt.Sprintf("%s-%s.bundle", m.Name, time.Now().UTC().Format("20060102-150405")))
	out, err := renameio.NewPendingFile(file, renameio.WithPermissions(0o600), whole.Beside(file))
	if err != nil {
		return "", err
	}
	defer func() { _ = out.Cleanup() }()
	if _, err := l.BulkLane().Run(ctx, link.Command{Argv: []string{"/bin/sh", "-c", bundleScript}, Stdout: out, MaxOutput: maxBundle}); err != nil {
		return "", err
	}
	head := make([]byte, 12)
	if _, err := out.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) || !bytes.HasPrefix(head, []byte("# v2 git bun")) && !bytes.HasPrefix(head, []byte("# v3 git bun")) {
		return "", errors.New("what it sent is no git bundle")
	}
	return file, out.CloseAtomicallyReplace()
}
