package link_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/link"
	"ocaptain/tasks/eventually"
)

func TestPut(t *testing.T) {
	t.Parallel()
	l := openReady(t)
	ctx := soon(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "new dir", "it's a file")

	check := func(content string, mode os.FileMode) {
		t.Helper()
		got, err := os.ReadFile(file)
		if err != nil || string(got) != content {
			t.Fatalf("content %.20q, %v", got, err)
		}
		if info, _ := os.Stat(file); info.Mode().Perm() != mode {
			t.Errorf("mode %o, want %o", info.Mode().Perm(), mode)
		}
		entries, _ := os.ReadDir(filepath.Dir(file))
		if len(entries) != 1 {
			t.Errorf("files left behind: %v", entries)
		}
	}
	put := func(lane *link.Lane, content string, mode os.FileMode, size int) error {
		return lane.PutFile(ctx, file, mode, strings.NewReader(content), int64(size))
	}
	if err := put(&l.Lane, "secret", 0o600, 6); err != nil {
		t.Fatal(err)
	}
	check("secret", 0o600)

	big := strings.Repeat("0123456789abcdef", 1<<18)
	if err := put(l.BulkLane(), big, 0o755, len(big)); err != nil {
		t.Fatal(err)
	}
	check(big, 0o755)

	if err := put(&l.Lane, "part", 0o644, 100); err == nil || !strings.Contains(err.Error(), "only a part") {
		t.Errorf("a short write: %v", err)
	}
	check(big, 0o755)

	if err := l.PutFile(ctx, dir, 0o644, strings.NewReader(""), 0); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("onto a directory: %v", err)
	}
}

// If the connection breaks in the middle, the old file stays.
func TestPutIsAllOrNothing(t *testing.T) {
	t.Parallel()
	s := startSSHD(t)
	w := newWire(s.addr)
	cfg := s.config()
	cfg.Dial = w.dial
	l := open(t, cfg)
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	content := &signalling{Reader: bytes.NewReader(make([]byte, 8<<20)), after: 4 << 20, reached: make(chan struct{}), resume: make(chan struct{})}
	ended := make(chan error)
	go func() { ended <- l.PutFile(soon(t), file, 0o644, content, 8<<20) }()
	<-content.reached
	w.cut()
	close(content.resume)
	if err := <-ended; !errors.Is(err, link.ErrDown) {
		t.Errorf("got %v", err)
	}
	eventually.Holds(t, "the temporary file is gone", func() bool {
		entries, _ := os.ReadDir(dir)
		return len(entries) == 1
	})
	if got, _ := os.ReadFile(file); string(got) != "old" {
		t.Errorf("the file has %d bytes", len(got))
	}
}

// signalling is a reader that signals when a part was read, and waits there.
type signalling struct {
	*bytes.Reader
	after           int
	reached, resume chan struct{}
}

func (s *signalling) Read(p []byte) (int, error) {
	if s.after > 0 && s.Size()-int64(s.Len()) >= int64(s.after) {
		s.after = 0
		close(s.reached)
		<-s.resume
	}
	return s.Reader.Read(p)
}

// Without this, bytes.Reader's WriteTo would bypass Read.
func (s *signalling) WriteTo() {}

func TestDial(t *testing.T) {
	t.Parallel()
	l := openReady(t)
	s := startSSHD(t)
	for range 2 {
		c, err := l.Dial(soon(t), "tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		greeting := make([]byte, 8)
		if _, err := c.Read(greeting); err != nil || string(greeting) != "SSH-2.0-" {
			t.Errorf("read %q, %v", greeting, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Dial(ctx, "tcp", s.addr); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of ctx: %v", err)
	}
	if _, err := l.Dial(soon(t), "tcp", freeAddr(t)); err == nil {
		t.Error("dialled a closed port")
	}
}
