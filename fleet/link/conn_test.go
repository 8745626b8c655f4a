package link_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/link"
	"ocaptain/tasks/eventually"
)

func TestReconnects(t *testing.T) {
	t.Parallel()
	s := startSSHD(t)
	w := newWire(s.addr)
	cfg := s.config()
	cfg.Dial = w.dial
	l := open(t, cfg)
	if err := l.AwaitConnected(soon(t)); err != nil {
		t.Fatal(err)
	}
	seen := make(chan link.Status, 100)
	go func() {
		for status := range l.Statuses(context.Background()) {
			seen <- status
		}
		close(seen)
	}()
	if status := <-seen; status.State != link.Connected {
		t.Fatalf("first seen: %v", status)
	}
	ran := make(chan error, 1)
	go func() {
		_, err := l.Run(soon(t), sh("sleep 5")) // the test does not end the command
		ran <- err
	}()
	stream, err := l.Stream(soon(t), sh("cat"))
	if err != nil {
		t.Fatal(err)
	}
	before := w.dialled()
	w.cut()
	if err := <-ran; !errors.Is(err, link.ErrDown) {
		t.Errorf("run: %v", err)
	}
	if _, err := io.ReadAll(stream); !errors.Is(err, link.ErrDown) {
		t.Errorf("read: %v", err)
	}
	if err := stream.Wait(); !errors.Is(err, link.ErrDown) {
		t.Errorf("wait: %v", err)
	}
	eventually.Holds(t, "it dials again", func() bool { return w.dialled() > before })
	if err := l.AwaitConnected(soon(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Run(soon(t), sh("true")); err != nil {
		t.Error(err)
	}
	l.Close()
	var states []link.State
	for status := range seen {
		states = append(states, status.State)
		if status.State == link.Down && (status.Err == nil || status.Retry.IsZero()) {
			t.Errorf("down without reason or retry: %+v", status)
		}
	}
	// The state Down may have been too short to be seen.
	if got := fmt.Sprint(states); !strings.HasSuffix(got, "connected closed]") {
		t.Errorf("states after the cut: %s", got)
	}
	if _, err := l.Run(soon(t), sh("true")); !errors.Is(err, link.ErrClosed) {
		t.Errorf("run on a closed link: %v", err)
	}
}

func TestDownFailsAtOnceAndWakeTriesAgain(t *testing.T) {
	t.Parallel()
	s := startSSHD(t)
	w := newWire(freeAddr(t))
	cfg := s.config()
	cfg.Dial, cfg.RetryMin, cfg.RetryMax = w.dial, time.Hour, time.Hour
	l := open(t, cfg)
	// The first call waits for the first attempt to connect. The second call does not wait for another attempt.
	for range 2 {
		if _, err := l.Run(soon(t), sh("true")); !errors.Is(err, link.ErrDown) || !strings.Contains(err.Error(), "refused") {
			t.Fatalf("got %v", err)
		}
	}
	w.mu.Lock()
	w.to = s.addr
	w.mu.Unlock()
	l.RetryNow()
	if err := l.AwaitConnected(soon(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Run(soon(t), sh("true")); err != nil {
		t.Error(err)
	}
}

// A network that silently drops everything is noticed, and no call takes longer than its ctx.
func TestDeadShip(t *testing.T) {
	t.Parallel()
	s := startSSHD(t)
	w := newWire(s.addr)
	cfg := s.config()
	cfg.Dial, cfg.Interval, cfg.Timeout = w.dial, 20*time.Millisecond, 500*time.Millisecond
	cfg.ConnectTimeout = 2 * time.Second
	clock := &looks{next: make(chan struct{})}
	l := open(t, cfg.At(clock.now))
	if err := l.AwaitConnected(soon(t)); err != nil {
		t.Fatal(err)
	}
	for range 2 * int(cfg.Timeout/cfg.Interval) { // long enough to show that a quiet connection is not taken for dead
		before, polls := w.heard.Load(), 0
		clock.let(2) // at the second look, nothing has arrived since the first, so it sends a request
		eventually.Holds(t, "a sign of life", func() bool {
			if polls++; polls%100 == 0 {
				clock.let(1) // the last answer had arrived but had not been read yet
			}
			return w.heard.Load() > before
		})
	}
	if w.dialled() != 1 {
		t.Errorf("a quiet connection was given up: %d dials", w.dialled())
	}
	stream, err := l.Stream(soon(t), sh("cat"))
	if err != nil {
		t.Fatal(err)
	}
	close(w.frozen)
	close(clock.next) // let all looks through
	ctx := eventually.Brief(t, 50*time.Millisecond)
	if _, err := l.Run(ctx, sh("true")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("run with a short ctx: %v", err)
	}
	if _, err := io.Copy(stream, endless{}); err == nil {
		t.Error("wrote to a dead ship")
	}
	eventually.Holds(t, "down", func() bool { return l.Status().State == link.Down })
	if err := l.Status().Err; !strings.Contains(err.Error(), "no answer") {
		t.Errorf("down because of %v", err)
	}
	l.Close()
}

func TestDialThatHangs(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	defer close(release)
	cfg := (&server{key: newKey(t, ""), hostKey: string(ssh.MarshalAuthorizedKey(newKey(t, "").PublicKey()))}).config()
	cfg.Dial = func(context.Context) (net.Conn, error) { <-release; return nil, errors.New("too late") }
	l := open(t, cfg)
	ctx := eventually.Brief(t, 20*time.Millisecond)
	if _, err := l.Run(ctx, sh("true")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	l.Close()
	if got := l.Status().State; got != link.Closed {
		t.Errorf("state %s", got)
	}
}

func TestHostKeyChanged(t *testing.T) {
	t.Parallel()
	s := startSSHD(t)
	w := newWire(s.addr)
	cfg := s.config()
	cfg.Dial = w.dial
	other := newKey(t, "")
	cfg.HostKey = string(ssh.MarshalAuthorizedKey(other.PublicKey()))
	l := open(t, cfg)
	var changed *link.HostKeyError
	if err := l.AwaitConnected(soon(t)); !errors.As(err, &changed) {
		t.Fatalf("got %v", err)
	}
	if changed.Pinned != ssh.FingerprintSHA256(other.PublicKey()) || changed.Seen == "" {
		t.Errorf("got %+v", changed)
	}
	if _, err := l.Run(soon(t), sh("true")); !errors.As(err, &changed) {
		t.Errorf("run: %v", err)
	}
	if _, err := l.BulkLane().Run(soon(t), sh("true")); !errors.As(err, &changed) {
		t.Errorf("bulk: %v", err)
	}
	if l.Status().State != link.Refused || w.dialled() != 1 {
		t.Errorf("state %s after %d dials", l.Status().State, w.dialled())
	}
}

// If a server with another key answered for a while, the link reconnects once the right server is back.
func TestHostKeyIsRightAgain(t *testing.T) {
	t.Parallel()
	s, stranger := startSSHD(t), startSSHD(t)
	w := newWire(stranger.addr)
	cfg := s.config()
	cfg.Dial, cfg.RetryMax = w.dial, 100*time.Millisecond
	l := open(t, cfg)
	eventually.Holds(t, "refused", func() bool { return l.Status().State == link.Refused })
	eventually.Holds(t, "looked at again", func() bool { return w.dialled() > 2 })
	if got := l.Status(); got.State != link.Refused || got.Retry.IsZero() {
		t.Errorf("it is %+v", got)
	}
	w.mu.Lock()
	w.to = s.addr
	w.mu.Unlock()
	eventually.Holds(t, "connected", func() bool { return l.Status().State == link.Connected })
	if _, err := l.Run(soon(t), sh("true")); err != nil {
		t.Error(err)
	}
}

func TestHostKeyIsLearnedOnce(t *testing.T) {
	t.Parallel()
	s, stranger := startSSHD(t), startSSHD(t)
	w := newWire(s.addr)
	cfg := s.config()
	cfg.Dial, cfg.HostKey = w.dial, ""
	if _, err := link.Open(cfg); err == nil {
		t.Fatal("opened without a pinned key")
	}
	cfg.LearnHostKey = true
	l := open(t, cfg)
	if err := l.AwaitConnected(soon(t)); err != nil {
		t.Fatal(err)
	}
	if l.HostKey() != strings.TrimSpace(s.hostKey) {
		t.Errorf("learned %q, want %q", l.HostKey(), s.hostKey)
	}
	w.mu.Lock()
	w.to = stranger.addr
	w.mu.Unlock()
	w.cut()
	eventually.Holds(t, "refused", func() bool { return l.Status().State == link.Refused })
}

// A server with keys of several kinds must show the pinned key. A server without a key of that kind is refused.
func TestHostKeyKinds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rsa := filepath.Join(dir, "rsa")
	if out, err := runLocal("ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", rsa); err != nil {
		t.Fatal(err, out)
	}
	public, err := runLocal("cat", rsa+".pub")
	if err != nil {
		t.Fatal(err)
	}
	s := startSSHD(t, "HostKey "+rsa)
	for _, pinned := range []string{s.hostKey, public} {
		cfg := s.config()
		cfg.HostKey = pinned
		if err := open(t, cfg).AwaitConnected(soon(t)); err != nil {
			t.Error(err)
		}
	}
	cfg := startSSHD(t).config()
	cfg.HostKey = public
	var changed *link.HostKeyError
	if err := open(t, cfg).AwaitConnected(soon(t)); !errors.As(err, &changed) || changed.Seen != "" {
		t.Errorf("got %v", err)
	}
}

func TestWrongKeyIsTriedAgain(t *testing.T) {
	t.Parallel()
	s := startSSHD(t)
	cfg := s.config()
	cfg.Signers = []ssh.Signer{newKey(t, "")}
	l := open(t, cfg)
	if _, err := l.Run(soon(t), sh("true")); !errors.Is(err, link.ErrDown) || !errors.Is(err, link.ErrKey) {
		t.Errorf("got %v", err)
	}
}

func TestBulkIsAConnectionOfItsOwn(t *testing.T) {
	t.Parallel()
	s := startSSHD(t)
	w := newWire(s.addr)
	cfg := s.config()
	cfg.Dial, cfg.BulkIdle = w.dial, 200*time.Millisecond
	l := open(t, cfg)
	ctx := soon(t)
	if err := l.AwaitConnected(ctx); err != nil {
		t.Fatal(err)
	}
	if w.dialled() != 1 {
		t.Fatalf("%d dials before bulk was used", w.dialled())
	}
	// The connection stays open while it is in use, however long.
	if _, err := l.BulkLane().Run(ctx, sh("sleep 1")); err != nil {
		t.Fatal(err)
	}
	if w.dialled() != 2 {
		t.Errorf("%d dials", w.dialled())
	}
	eventually.Holds(t, "it is closed after a rest", func() bool { return w.open.Load() == 1 })
	if _, err := l.BulkLane().Run(ctx, sh("true")); err != nil || w.dialled() != 3 {
		t.Errorf("after a rest: %d dials, %v", w.dialled(), err)
	}
	w.cut()
	eventually.Holds(t, "it comes back after a cut", func() bool {
		_, err := l.BulkLane().Run(ctx, sh("true"))
		return err == nil
	})
}
