package helm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/link"
	"ocaptain/tasks"
)

// verifyTime bounds one run of verify.sh.
const verifyTime = 30 * time.Minute

// progressed looks whether the phase must change because of the tasks.
func (v *voyage) progressed() {
	done := allDone(v.store.Snapshot())
	v.mu.Lock()
	phase := v.fleet.Phase
	v.mu.Unlock()
	switch {
	case done && phase == fleet.Sailing:
		if err := v.change(func(f *fleet.Fleet) { f.Phase = fleet.Verifying }); err != nil {
			v.log.Error("fleet.json", "error", err)
			return
		}
		v.jobs.Go(v.verifyAll)
	case done && phase == fleet.Verifying && !v.verifyBegun.Load():
		v.jobs.Go(v.verifyAll) // helm ended in the middle of it
	case !done && (phase == fleet.Complete || phase == fleet.VerifyFailed) && len(v.store.Snapshot().Tasks) > 0:
		if err := v.change(func(f *fleet.Fleet) { f.Phase = fleet.Sailing }); err != nil {
			v.log.Error("fleet.json", "error", err)
		}
	}
}

// verifyAll verifies the finished voyage, trying until a ship can do it.
func (v *voyage) verifyAll() {
	if !v.verifyBegun.CompareAndSwap(false, true) {
		return
	}
	defer v.verifyBegun.Store(false)
	for pause := time.Second; ; pause = min(time.Minute, 2*pause) {
		result, err := v.verify(v.ctx, nil)
		if err == nil {
			v.verified(result)
			return
		}
		if v.ctx.Err() != nil {
			return
		}
		v.note(fleet.Note{Text: "verification could not run: " + err.Error()})
		if sleep(v.ctx, pause) != nil {
			return
		}
	}
}

// verified draws the conclusion.
func (v *voyage) verified(r fleet.Verify) {
	v.event(kindVerified, r)
	fix := false
	err := v.change(func(f *fleet.Fleet) {
		r.Runs, r.Fixes = f.Verify.Runs+1, f.Verify.Fixes
		if f.Phase == fleet.Verifying {
			switch {
			case r.Passed:
				f.Phase = fleet.Complete
			case r.Fixes < v.info.Fix:
				r.Fixes++
				fix = true
				f.Phase = fleet.Sailing
			default:
				f.Phase = fleet.VerifyFailed
			}
		}
		f.Verify = r
	})
	if err == nil && fix {
		_, err = v.store.Add(v.ctx, []tasks.Task{{
			Subject:     fmt.Sprintf("Make verify.sh pass (attempt %d of %d)", r.Fixes, v.info.Fix),
			Description: "All tasks are merged, but verify.sh fails on the result. Find out why and mend it. verify.sh itself may not be changed. Its output:\n\n" + tail(r.Output, 8000),
			ActiveForm:  "Making verify.sh pass",
			Status:      tasks.Pending,
		}})
	}
	if err != nil && v.ctx.Err() == nil {
		v.note(fleet.Note{Text: "after verification: " + err.Error()})
	}
}

// verifyNow runs verify.sh at the captain's word, whatever the phase.
func (v *voyage) verifyNow(ctx context.Context, report func(Progress)) error {
	r, err := v.verify(ctx, report)
	if err != nil {
		return err
	}
	if err := v.change(func(f *fleet.Fleet) {
		r.Runs, r.Fixes = f.Verify.Runs+1, f.Verify.Fixes
		f.Verify = r
		if r.Passed && f.Phase == fleet.VerifyFailed && allDone(v.store.Snapshot()) {
			f.Phase = fleet.Complete
		}
	}); err != nil {
		return err
	}
	if !r.Passed {
		return fmt.Errorf("verify.sh failed at %.12s on %s", r.Commit, r.Ship)
	}
	return nil
}

// verify runs the hub's own verify.sh on a ship, in a clean checkout of the branch.
func (v *voyage) verify(ctx context.Context, report func(Progress)) (fleet.Verify, error) {
	ctx, cancel := context.WithTimeout(ctx, verifyTime)
	defer cancel()
	script, err := os.ReadFile(v.dir.VerifyFile())
	if err != nil {
		return fleet.Verify{}, fmt.Errorf("verify.sh: %w", err)
	}
	head, err := v.work.Head(ctx)
	if err != nil {
		return fleet.Verify{}, err
	}
	s := v.connected()
	if s == nil {
		return fleet.Verify{}, &answerError{"no ship can be reached to verify on", ErrRefused}
	}
	if err := s.tree.lock(ctx); err != nil {
		return fleet.Verify{}, err
	}
	defer s.tree.unlock()
	if report != nil {
		report(Progress{Ship: s.name, Step: "verify", State: Start, Text: "commit " + head})
	}
	result := fleet.Verify{Commit: head, Ship: s.name}
	err = v.work.Clean(ctx, s, head, func(dir string) error {
		out, err := s.inClean(ctx, dir, "", script)
		result.At = time.Now()
		result.Output = tail(out, 64<<10)
		var exit *link.ExitError
		if errors.As(err, &exit) {
			return nil
		}
		result.Passed = err == nil
		return err
	})
	if report != nil && err == nil {
		for line := range strings.Lines(result.Output) {
			report(Progress{Ship: s.name, Step: "verify", State: Say, Text: strings.TrimRight(line, "\n")})
		}
	}
	return result, err
}

// connected returns a ship that can be reached, one that is not at work if possible.
func (v *voyage) connected() *ship {
	snap := v.store.Snapshot()
	v.mu.Lock()
	defer v.mu.Unlock()
	var busy *ship
	for _, f := range v.fleet.Ships {
		s := v.ships[f.Name]
		if s == nil || !s.known.Connected {
			continue
		}
		if held(snap, s.name) == nil {
			return s
		}
		busy = s
	}
	return busy
}

// cleanScript runs a command, or the script on its input, with a home of its own in
// which ~/voyage/workspace is the clean checkout. Everything else in it points to the
// real home, where the tools of the user are.
const cleanScript = `set -e
dir=$1 cmd=$2
home=$(mktemp -d)
trap 'rm -rf -- "$home"' EXIT
trap 'exit 1' HUP INT TERM
for f in "$HOME"/* "$HOME"/.[!.]*; do
	[ -e "$f" ] || continue
	[ "${f##*/}" = voyage ] || ln -s -- "$f" "$home/"
done
mkdir "$home/voyage"
for f in "$HOME"/voyage/*; do
	[ "${f##*/}" = workspace ] || ln -s -- "$f" "$home/voyage/"
done
ln -s -- "$dir" "$home/voyage/workspace"
if [ -z "$cmd" ]; then cat >"$home/verify.sh"; fi
export HOME="$home"
cd "$home/voyage/workspace"
if [ -z "$cmd" ]; then bash "$home/verify.sh" </dev/null 2>&1; else sh -c "$cmd" </dev/null 2>&1; fi
`

// inClean runs a shell command, or a script, in a clean checkout on the ship and
// returns what it printed.
func (s *ship) inClean(ctx context.Context, dir, command string, script []byte) (string, error) {
	var out bytes.Buffer
	_, err := s.link.Bulk().Run(ctx, link.Command{
		Argv:      []string{"/bin/sh", "-c", cleanScript, "clean", dir, command},
		Stdin:     bytes.NewReader(script),
		Stdout:    &keepEnd{buf: &out},
		MaxOutput: 64 << 20,
	})
	return out.String(), err
}

// keepEnd keeps the last part of what is written.
type keepEnd struct{ buf *bytes.Buffer }

func (k *keepEnd) Write(p []byte) (int, error) {
	const most = 256 << 10
	k.buf.Write(p)
	if k.buf.Len() > 2*most {
		k.buf.Next(k.buf.Len() - most)
	}
	return len(p), nil
}
