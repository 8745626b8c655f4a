package hub

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"ocaptain/tasks/eventually"
)

// TestUncooperative has remotes that hang, and a remote that ignores even being cancelled.
func TestUncooperative(t *testing.T) {
	t.Parallel()
	stuck := make(chan struct{})
	t.Cleanup(func() { close(stuck) })
	for name, remote := range map[string]puppet{
		"hangs": func(ctx context.Context, _ string, _ io.Reader, _ io.Writer) error { <-ctx.Done(); return ctx.Err() },
		"drips": func(ctx context.Context, _ string, _ io.Reader, stdout io.Writer) error {
			for ctx.Err() == nil {
				if _, err := stdout.Write([]byte(" ")); err != nil {
					return err
				}
				select {
				case <-ctx.Done():
				case <-eventually.Later(time.Millisecond):
				}
			}
			return ctx.Err()
		},
		"deaf": func(context.Context, string, io.Reader, io.Writer) error { <-stuck; return nil },
		"fails": func(context.Context, string, io.Reader, io.Writer) error {
			return errors.New("no route to host\x1b[2J")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, dir, w := forge(t, Options{})
			h.opts.Deadline = 300 * time.Millisecond
			if _, err := h.Checkout(t.Context(), remote, "ship-0", ""); err == nil {
				t.Fatalf("checkout: %q", err)
			}
			if _, err := h.Checkout(t.Context(), remote, "ship-9", ""); err == nil {
				t.Fatal("first checkout went through")
			}
			if err := h.Clean(t.Context(), remote, w.base, func(string) error { t.Error("called"); return nil }); err == nil {
				t.Fatal("clean went through")
			}
			if _, err := h.Snapshot(t.Context(), remote, "ship-0"); err == nil {
				t.Fatal("snapshot went through")
			}
			if dirt := gitOutput(t, dir, "status", "--porcelain"); dirt != "" {
				t.Fatal(dirt)
			}
		})
	}
}
