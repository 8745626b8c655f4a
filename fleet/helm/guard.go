package helm

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"ocaptain/fleet"
)

// Helm and its guard watch each other through two locked files. Each holds its
// own lock for life and waits for the other's; whoever gets the other's lock
// knows that the other died, and starts it anew. No parent, no polling, and a
// kill -9 of either is healed by the other.
//
// A file says that helm was stopped on purpose.

func helmLock(h fleet.Hub) *flock.Flock  { return flock.New(filepath.Join(h.State, "helm.lock")) }
func guardLock(h fleet.Hub) *flock.Flock { return flock.New(filepath.Join(h.State, "guard.lock")) }
func stopped(h fleet.Hub) string         { return filepath.Join(h.State, "helm.stopped") }

// Guard restarts helm whenever it dies, until helm is stopped on purpose. A
// second guard ends at once.
func Guard(ctx context.Context, h fleet.Hub) error {
	own := guardLock(h)
	if ok, err := own.TryLock(); err != nil || !ok {
		return err
	}
	defer own.Unlock()
	pause := time.Duration(0)
	for ctx.Err() == nil {
		began := time.Now()
		other := helmLock(h)
		if err := other.Lock(); err != nil { // until helm dies
			return err
		}
		_, err := os.Stat(stopped(h))
		_ = other.Unlock()
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if _, err := os.Stat(h.State); err != nil {
			return nil // all of it was removed
		}
		// One that keeps dying at once is started less and less often.
		if time.Since(began) > time.Minute {
			pause = 0
		}
		if err := sleep(ctx, pause); err != nil {
			return nil
		}
		pause = min(30*time.Second, max(200*time.Millisecond, 2*pause))
		if err := spawn(h, "run"); err != nil {
			continue
		}
		waitHeld(ctx, helmLock(h), 10*time.Second)
	}
	return nil
}

// keepGuard starts a guard whenever there is none.
func keepGuard(ctx context.Context, h fleet.Hub) {
	for ctx.Err() == nil {
		other := guardLock(h)
		if err := other.Lock(); err != nil { // until the guard dies
			return
		}
		_ = other.Unlock()
		if ctx.Err() != nil {
			return
		}
		if err := spawn(h, "guard"); err == nil {
			waitHeld(ctx, guardLock(h), 5*time.Second)
		}
		if sleep(ctx, 100*time.Millisecond) != nil {
			return
		}
	}
}

// waitHeld returns when somebody holds the lock, or after a while.
func waitHeld(ctx context.Context, l *flock.Flock, most time.Duration) {
	for end := time.Now().Add(most); time.Now().Before(end); {
		ok, err := l.TryLock()
		if err != nil || !ok {
			return
		}
		_ = l.Unlock()
		if sleep(ctx, 20*time.Millisecond) != nil {
			return
		}
	}
}

// waitFree returns nil when nobody holds the lock any more.
func waitFree(ctx context.Context, l *flock.Flock) error {
	ok, err := l.TryLockContext(ctx, 10*time.Millisecond)
	if ok {
		return l.Unlock()
	}
	return err
}

// spawn starts "ocaptain helm WHAT" on its own: in its own session, with no
// terminal, and with nothing secret in its environment.
func spawn(h fleet.Hub, what string) error {
	bin, err := OwnBinary(h)
	if err != nil {
		return err
	}
	out, err := os.OpenFile(filepath.Join(h.State, "helm.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command(bin.Path, "helm", what)
	cmd.Dir = "/"
	cmd.Env = environment(os.Environ())
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait() //nolint:errcheck // only so that it does not stay a zombie
	return nil
}

// environment keeps what helm needs to find its files and to let git and ssh
// work as they do for the captain. Tokens do not pass.
func environment(all []string) []string {
	keep := []string{
		"HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "TMPDIR", "TZ", "SSH_AUTH_SOCK", "OCAPTAIN_HOME",
		"DBUS_SESSION_BUS_ADDRESS", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
	}
	var env []string
	for _, kv := range all {
		k, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(k, "XDG_") || strings.HasPrefix(k, "LC_") || contains(keep, k) {
			env = append(env, kv)
		}
	}
	return env
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// sleep waits, or returns the error of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return ctx.Err()
	}
}
